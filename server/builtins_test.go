package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// The tools that Pageside itself has are told of where they may be offered, and when.
func TestBuiltInToolsAreToldOf(t *testing.T) {
	for name, test := range map[string]struct {
		adjust                 func(*agent.Agent)
		capabilities, resolved string
	}{
		"by default":            {func(*agent.Agent) {}, "export read_result", "read_result when a result was cut, retrieve_items when the page declares it"},
		"with questions":        {func(a *agent.Agent) { a.AskUser = true }, "ask_user export read_result", "ask_user, read_result when a result was cut, retrieve_items when the page declares it"},
		"a model without tools": {func(a *agent.Agent) { a.AskUser, a.Model = true, toolless{a.Model} }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPageSite(t, func(cfg *server.Config) {
				a := *cfg.Runs.Settings("default")
				test.adjust(&a)
				must.Do(t, cfg.Runs.SetAgents(run.Loops(&a)))
			})
			capabilities := must.JSON[struct {
				Tools struct{ Items []struct{ Name string } }
			}](t, s.read(s.get("/v1/agents/default/capabilities"), http.StatusOK))
			var names []string
			for _, item := range capabilities.Tools.Items {
				names = append(names, item.Name)
			}
			slices.Sort(names)
			must.Be(t, strings.Join(names, " "), test.capabilities, "the capabilities name")
			resp, err := http.Post(s.URL+"/v1/resolve", "application/json", strings.NewReader(`{"agent":"default"}`))
			must.Do(t, err)
			defer resp.Body.Close()
			d := must.JSON[agent.Description](t, s.read(resp, http.StatusOK))
			var built []string
			tokens := 0
			for _, tool := range d.Tools {
				if tool.When == "" {
					tokens += tool.Tokens
				}
				if !tool.BuiltIn {
					continue
				}
				if tool.When != "" {
					tool.Name += " when " + tool.When
				}
				built = append(built, tool.Name)
			}
			for _, section := range d.Sections {
				tokens += section.Tokens
			}
			if got := strings.Join(built, ", "); got != test.resolved || tokens != d.Tokens {
				t.Errorf("the place has %s and %d tokens, want %s and %d", got, d.Tokens, test.resolved, tokens)
			}
		})
	}
}

// toolless is a model that knows no tools.
type toolless struct{ llm.Model }

func (m toolless) Info() llm.Info {
	info := m.Model.Info()
	info.Tools = false
	return info
}
