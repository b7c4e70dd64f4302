package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/policy/condition"
	"github.com/pageside/pageside/tool"
)

// tokens is a model that says a number of tokens without any cost of its own.
type tokens struct {
	n    int
	kind llm.PartKind
}

func (tokens) Info() llm.Info { return fakeInfo }

func (m tokens) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		if m.kind == llm.ToolArgs && !yield(llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "front"}, nil) {
			return
		}
		for i := range m.n {
			if !yield(llm.Part{Kind: m.kind, Delta: "token "}, nil) {
				return
			}
			if i%16 == 15 && !yield(llm.Part{Kind: llm.Pause}, nil) {
				return
			}
		}
		yield(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishFilter}, nil)
	}
}

type nowhere struct{}

func (nowhere) Emit(agui.Event) error        { return nil }
func (nowhere) EmitAll(...agui.Event) error  { return nil }
func (nowhere) Flush() error                 { return nil }
func (nowhere) Commit(context.Context) error { return nil }

// answerTokens are those of one answer: a long one, and far below the bounds on what a model may
// send.
const answerTokens = 4000

// BenchmarkToken is what the loop costs per token of the model, with nothing before or behind it.
func BenchmarkToken(b *testing.B) {
	for _, c := range []struct {
		name string
		kind llm.PartKind
	}{{"text", llm.TextDelta}, {"reasoning", llm.ReasoningDelta}, {"args", llm.ToolArgs}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for left := b.N; left > 0; left -= answerTokens {
				a := &Agent{}
				l := &listener{out: &emitter{out: nowhere{}}, ids: newCallIDs(nil, a.id), newID: a.id}
				s := newStep(l)
				if err := s.listen(tokens{min(left, answerTokens), c.kind}.Stream(b.Context(), nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRun is a whole run with one answer of 200 tokens on a thread of 50 messages.
func BenchmarkRun(b *testing.B) {
	var history []agui.Message
	for range 25 {
		history = append(history, user("a question of ordinary length about the page"),
			agui.Message{ID: "a", Role: agui.RoleAssistant, Content: agui.TextContent("an answer that is rather longer than the question was, as answers are")})
	}
	history = append(history, user("and now?"))
	a := &Agent{ID: "x", Model: tokens{200, llm.TextDelta}, Pages: propertyPages()}
	in := Input{ThreadID: "t", RunID: "r", History: history, Context: []agui.ContextItem{{Description: "rows", Value: `[{"a":1},{"a":2}]`}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Run(b.Context(), in, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}

// oneCall is a model that calls a tool and then answers.
type oneCall struct{}

func (oneCall) Info() llm.Info { return fakeInfo }

func (oneCall) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		parts := []llm.Part{{Kind: llm.TextDelta, Delta: "Done."}, {Kind: llm.FinishPart, Finish: llm.FinishStop}}
		if len(req.Messages) == 1 {
			parts = []llm.Part{{Kind: llm.ToolStart, ID: "c1", Name: "pay"}, {Kind: llm.ToolArgs, Delta: `{"amount":5}`}, {Kind: llm.ToolEnd}, {Kind: llm.FinishPart, Finish: llm.FinishTools}}
		}
		for _, p := range parts {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// BenchmarkPolicy is a run of two steps and one tool call, at a place with twenty tools: without a
// policy, with rules about names, and with a condition about the arguments.
func BenchmarkPolicy(b *testing.B) {
	var tools []*tool.Tool
	for i := range 20 {
		name := fmt.Sprintf("tool_%d", i)
		if i == 0 {
			name = "pay"
		}
		tools = append(tools, &tool.Tool{Name: name, Description: "Does.", Global: true, InputSchema: json.RawMessage(`{"type":"object","properties":{"amount":{"type":"number"}}}`),
			Handler: func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{Text: "ok"}, nil }})
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		b.Fatal(err)
	}
	pages, err := page.NewRegistry(registry, nil)
	if err != nil {
		b.Fatal(err)
	}
	on := map[policy.Kind][]string{policy.Tool: {"*"}}
	for _, c := range []struct {
		name  string
		rules []policy.Rule
	}{
		{"none", nil},
		{"names", []policy.Rule{{Roles: []string{"admin"}, On: on, Then: policy.Deny}, {On: on, Then: policy.Allow}}},
		{"condition", []policy.Rule{{On: on, When: "args.amount > 100 && principal.subject != 'boss'", Then: policy.Deny}, {On: on, Then: policy.Allow}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := &Agent{ID: "default", Model: oneCall{}, Pages: pages}
			if c.rules != nil {
				if a.Authorizer, err = policy.NewRules(condition.Compile, c.rules...); err != nil {
					b.Fatal(err)
				}
			}
			in := Input{ThreadID: "t", RunID: "r", History: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("pay")}}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Run(b.Context(), in, nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
