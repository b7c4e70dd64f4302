package run

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// steps is a model that plays steps, one after another over all its calls, and remembers the
// histories it was given.
type steps struct {
	mu    sync.Mutex
	play  []step
	rest  step // when all is played; default says done
	asked []*llm.Request
}

// step is what the model does in one step.
type step func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool)

func (m *steps) Info() llm.Info {
	return llm.Info{Provider: "fake", Model: "steps", Tools: true, ParallelTools: true}
}

func (m *steps) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.rest
	switch {
	case len(m.play) > 0:
		next, m.play = m.play[0], m.play[1:]
	case next == nil:
		next = say("done")
	}
	copied := *req
	copied.Messages = append([]llm.Message(nil), req.Messages...)
	m.asked = append(m.asked, &copied)
	return func(yield func(llm.Part, error) bool) {
		if err := dialects.Check(&copied); err != nil {
			dialects.Refuse(m.Info(), err)(yield)
			return
		}
		next(ctx, &copied, yield)
	}
}

func (m *steps) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// say is a step that says the words, each as a delta of its own that is flushed.
func say(words ...string) step { return stepOf(spoken(words, 0), ends(llm.FinishStop)) }

// call is a step that says something and calls tools: name and arguments in turn.
func call(ids string, named ...string) step {
	var calls []llm.Part
	for pair := range slices.Chunk(named, 2) {
		calls = append(calls, toolCall(ids, len(calls)/3+1, pair[0], pair[1])...)
	}
	return stepOf(spoken([]string{"let me see"}, 0), sent(calls...), ends(llm.FinishTools))
}

// agentWith is an agent named default with the model and the tools, each on every page.
func agentWith(t *testing.T, model llm.Model, tools ...*tool.Tool) *agent.Agent {
	t.Helper()
	return agentOn(t, model, nil, tools...)
}

// agentOn is agentWith for an application with pages.
func agentOn(t *testing.T, model llm.Model, of []page.Page, tools ...*tool.Tool) *agent.Agent {
	t.Helper()
	for _, tl := range tools {
		tl.Global = true
	}
	registry := must.Get(tool.NewRegistry(tools...))(t)
	pages := must.Get(page.NewRegistry(registry, nil, of...))(t)
	return &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages}
}

// managerWith is a fixture whose manager has this agent alone.
func managerWith(t *testing.T, st store.Store, a *agent.Agent, adjust func(*Config)) *fixture {
	t.Helper()
	cfg := Config{Store: st, Agents: Loops(a)}
	if adjust != nil {
		adjust(&cfg)
	}
	return managerOf(t, cfg)
}

// managerOf is a fixture with a manager that is drained at once when the test ends.
func managerOf(t *testing.T, cfg Config) *fixture {
	t.Helper()
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	audited(&cfg)
	m := must.Get(NewManager(t.Context(), cfg))(t)
	f := &fixture{Manager: m, t: t, store: cfg.Store}
	t.Cleanup(func() {
		handOver(m)
	})
	return f
}

// handOver ends a process at once: its runs are left to the next one.
func handOver(m interface{ Drain(context.Context) }) {
	now, stop := context.WithCancel(context.Background())
	stop()
	m.Drain(now)
}

// logOf returns a run's event log, and fails where it has gaps or ids that are out of order.
func logOf(t testing.TB, st store.Store, runID string) string {
	t.Helper()
	var all []byte
	next := int64(1)
	for b, err := range st.Events(context.Background(), ada, runID, 0) {
		must.Do(t, err)
		if b.First != next {
			t.Fatalf("the log of %s goes on with %d, not %d", runID, b.First, next)
		}
		for id := range eventlog.Frames(b.Frames) {
			if p, err := eventlog.ParseID(id); err != nil || p.Seq != next || p.Run != runID {
				t.Fatalf("frame %d of %s has the id %q", next, runID, id)
			}
			next++
		}
		all = append(all, b.Frames...)
	}
	return string(all)
}

// legal fails where the events are no legal stream.
func legal(t testing.TB, all []agui.Event) {
	t.Helper()
	v := agui.NewVerifier()
	for i, e := range all {
		if err := v.Check(e); err != nil {
			t.Fatalf("event %d, %s: %v", i, e.Type(), err)
		}
	}
}

// rawJSON is a shorthand.
func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }
