package run

import (
	"context"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// deskOf returns what the server knows about an agent.
func deskOf(a Agent) *agent.Agent { return serve(a, &Config{}).desk }

// emits is an agent that emits an event.
type emits struct {
	*ownAgent
	event agui.Event
}

func (e emits) Run(_ context.Context, _ Input, out Output) (Outcome, error) {
	return Outcome{}, out.Emit(e.event)
}

// TestOwnAgentEmits what cannot be written in a conversation.
func TestOwnAgentEmits(t *testing.T) {
	for want, event := range map[string]agui.Event{
		"too large": &agui.StateSnapshot{Snapshot: rawJSON(`"` + strings.Repeat("x", 70<<10) + `"`)},
		"not valid": (*agui.Custom)(nil),
	} {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.Agents = []Agent{emits{event: event}} })
		all := events(t, f.start(f.input("t1", "go")), false)
		legal(t, all)
		code, message, _ := strings.Cut(endOf(all), ": ")
		must.Be(t, code, "agent_event", "what is %s ends the run with", want)
		must.Have(t, message, want, "the run ends with")
	}
}

// TestOwnAgentAlone: an agent needs no settings, and the built-in one no other manager.
func TestOwnAgentAlone(t *testing.T) {
	f := newFixture(t, temp.Store(t), func(c *Config) { c.Agents = []Agent{emits{}} })
	if f.Settings("default").Approvals.IgnoreTaint || f.Settings("default").Audit == nil {
		t.Error("it is trusted, or not recorded")
	}
	query := agent.Query{Name: "q", Instructions: "i", Schema: rawJSON(`{"type":"object"}`)}
	_, _, err := f.Query(t.Context(), adaPrincipal, "default", query)
	must.Fail(t, err, "no model", "a query")
	if _, err := Loop(&agent.Agent{Authorizer: policy.Everything, ID: "a"}).Run(t.Context(), Input{}, nil); err == nil {
		t.Error("a loop runs without a manager")
	}
}
