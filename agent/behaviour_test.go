package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// pagesOf offers tools everywhere.
func pagesOf(t testing.TB, tools ...*tool.Tool) *page.Registry {
	t.Helper()
	for _, tl := range tools {
		tl.Global = true
	}
	registry := must.Get(tool.NewRegistry(tools...))(t)
	return must.Get(page.NewRegistry(registry, nil))(t)
}

// manyCalls is a step of n calls of one tool.
func manyCalls(name string, n int) []fakePart {
	var step []fakePart
	for i := range n {
		step = append(step, part(llm.Part{Kind: llm.ToolStart, Index: i, ID: fmt.Sprint("c", i), Name: name}),
			part(llm.Part{Kind: llm.ToolArgs, Index: i, Delta: fmt.Sprintf(`{"n":%d}`, i)}), part(llm.Part{Kind: llm.ToolEnd, Index: i}))
	}
	return append(step, part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}))
}

// Calls of a step run side by side, no more than the limit at once, and their results come in the
// order of the calls.
func TestCallsRunAtOnceUpToTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		slow := tool.New("slow", "", func(_ context.Context, _ *tool.Call, in struct {
			N int `json:"n"`
		}) (tool.Result, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(time.Duration(30-in.N) * time.Second)
			return tool.Result{Text: fmt.Sprint("done ", in.N)}, nil
		})
		slow.Policy.Timeout = time.Hour
		out := newRecorder(nil)
		a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: [][]fakePart{manyCalls("slow", 20), textStep("Done.")}}, Pages: pagesOf(t, slow), Limits: Limits{CallsAtOnce: 4}}
		must.Get(a.Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out))(t)
		must.Be(t, most.Load(), 4, "calls that ran at once")
		next := 0
		for _, e := range out.events {
			if r, ok := e.(*agui.ToolCallResult); ok {
				if want := fmt.Sprint("done ", next); r.Content.Text() != want {
					t.Errorf("result %d is %q", next, r.Content.Text())
				}
				next++
			}
		}
	})
}

// A key is the same when a call is run again after a crash, and differs between calls, runs,
// threads and owners.
func TestKeys(t *testing.T) {
	key := func(owner, thread, runID, planned, id string) string {
		c := &call{written: written{id: id}}
		c.planned = planned
		return (&callJournal{owner: owner, threadID: thread, runID: runID}).key(c)
	}
	first := key("o", "t", "r", "", "c")
	must.Be(t, key("o", "t", "r", "r", "c"), first, "the key when the same run takes the call up")
	must.Be(t, key("o", "t", "r2", "r", "c"), first, "the key when another run takes the call up")
	seen := []string{first}
	for _, other := range []string{key("p", "t", "r", "", "c"), key("o", "u", "r", "", "c"), key("o", "t", "s", "", "c"), key("o", "t", "r", "", "d"), key("ot", "", "r", "", "c")} {
		if slices.Contains(seen, other) {
			t.Error("two calls share a key")
		}
		seen = append(seen, other)
	}
}

// What a model uses is told per model that answered, and its cost is known by each model's prices.
func TestUsageAndCostPerModel(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	first := &fakeModel{
		info: llm.Info{Provider: "a", Model: "one", Tools: true, Prices: llm.Prices{Input: 1, Output: 10, CacheRead: 0.1}},
		steps: [][]fakePart{
			append([]fakePart{part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: n(1_000_000), CacheRead: n(500_000), Output: n(100_000)}})}, callStep("c1", "noop", "{}")...),
			{{err: &llm.Error{Kind: llm.KindOverloaded, Model: "a/one", Message: "down"}}},
		},
	}
	second := &fakeModel{
		info:  llm.Info{Provider: "b", Model: "org/two", Tools: true, Prices: llm.Prices{Input: 2, Output: 20}},
		steps: [][]fakePart{append([]fakePart{part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: n(1000), Output: n(100), Total: n(1105)}})}, textStep("Done.")...)},
	}
	model := must.Get(llm.Fallback(nil, first, second))(t)
	noop := tool.New("noop", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{Text: "ok"}, nil })
	outcome, err := (&Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: pagesOf(t, noop)}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, newRecorder(nil))
	must.Do(t, err)
	got, _ := agui.MarshalUsage(outcome.Usage)
	const want = `[{"provider":"a","model":"one","inputTokens":1000000,"outputTokens":100000,"cachedInputTokens":500000},` +
		`{"provider":"b","model":"org/two","inputTokens":1000,"outputTokens":100,"totalTokens":1105}]`
	must.Be(t, string(got), want, "usage")
	// 0.5 + 0.05 + 1 and 0.002 + 0.002
	if cost := outcome.Cost; cost == nil || *cost < 1.5539 || *cost > 1.5541 {
		t.Errorf("cost %v", cost)
	}
}

// A model that sends without end is stopped, per step and per run; what it had said is marked as
// cut off.
func TestModelThatSendsTooMuch(t *testing.T) {
	mega := part(llm.Part{Kind: llm.TextDelta, Delta: strings.Repeat("x", 1<<20)})
	noop := tool.New("noop", "", func(_ context.Context, call *tool.Call, _ struct{}) (tool.Result, error) {
		return tool.Result{Text: call.ID}, nil
	})
	var many [][]fakePart
	for range 10 {
		many = append(many, append([]fakePart{mega, mega, mega}, part(llm.Part{Kind: llm.ToolStart, Index: 1, Name: "noop"}), part(llm.Part{Kind: llm.ToolEnd, Index: 1}), part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools})))
	}
	for name, steps := range map[string][][]fakePart{
		"step":      {slices.Repeat([]fakePart{mega}, 100)},
		"thoughts":  {slices.Repeat([]fakePart{part(llm.Part{Kind: llm.ReasoningDelta, Delta: strings.Repeat("x", 1<<20)})}, 100)},
		"arguments": {append(callStep("c", "noop", "{}")[:1], slices.Repeat([]fakePart{part(llm.Part{Kind: llm.ToolArgs, Delta: strings.Repeat(" ", 1<<20)})}, 100)...)},
		"run":       many,
	} {
		out := newRecorder(nil)
		outcome, err := (&Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: steps}, Pages: pagesOf(t, noop)}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindOutputLimit {
			t.Errorf("%s: %v", name, err)
		}
		size := 0
		for _, line := range out.lines {
			size += len(line)
		}
		if size > 17<<20 || name != "run" && size > 5<<20 {
			t.Errorf("%s: %d bytes went out", name, size)
		}
		must.Be(t, out.finish(outcome, err), nil, "%s", name)
	}
}

// Without a model a thread has no title of ours, and with one it is what the model wrote, cleaned.
func TestTitle(t *testing.T) {
	long := strings.Repeat("Zusammenhänge ", 10)
	for wrote, want := range map[string]string{
		"Slow pages in March":                   "Slow pages in March",
		"\n\n## **\"Slow pages.\"**\nBecause …": "Slow pages",
		"Title: „Langsame Seiten“":              "Langsame Seiten",
		"a\tb\u202ec\x00d":                      "a b c d",
		long:                                    "Zusammenhänge Zusammenhänge Zusammenhänge Zusammenhänge…",
		strings.Repeat("é", 100):                strings.Repeat("é", 59) + "…",
		"***":                                   "",
	} {
		model := &fakeModel{steps: [][]fakePart{textStep(wrote)}}
		got, _, err := (&Agent{TitleModel: model}).Title(t.Context(), &Input{History: []agui.Message{user("Why are they slow?"), {Role: agui.RoleAssistant, Content: agui.TextContent("Because.")}}})
		if got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", wrote, got, err, want)
		}
		if req := model.requests[0]; req.Choice != llm.ChoiceNone || !strings.Contains(showMessages(req.Messages), "user: Why are they slow?\n  | assistant: Because.") {
			t.Errorf("asked %+v", req)
		}
	}
	for name, a := range map[string]*Agent{"no model": {}, "nothing said": {TitleModel: &fakeModel{}}} {
		history := []agui.Message{user("Hi")}
		if name == "nothing said" {
			history = []agui.Message{{Role: agui.RoleAssistant, Content: agui.TextContent("Hello.")}}
		}
		if got, _, err := a.Title(t.Context(), &Input{History: history}); got != "" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, _, err := (&Agent{TitleModel: &fakeModel{}}).Title(t.Context(), &Input{History: []agui.Message{user("Hi")}}); err == nil {
		t.Error("a failed call gave no error")
	}
}

// An interrupt survives being stored, and goes over the wire with what the person has to see.
func TestInterruptOnTheWire(t *testing.T) {
	i := calls.Interrupt{
		ID: "i1", Reason: calls.ReasonToolCall, Message: "May I?", ToolCallID: "c1", Tool: "send", Args: json.RawMessage(`{"to":"a"}`),
		ResponseSchema: calls.ApprovalSchema, ExpiresAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	kept := must.Get(json.Marshal(i))(t)
	back := must.JSON[calls.Interrupt](t, kept)
	wire, err := agui.MarshalEvent(&agui.RunFinished{ThreadID: "t", RunID: "r", Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{back.AGUI()}}})
	must.Do(t, err)
	for _, want := range []string{`"metadata":{"pageside":{"args":{"to":"a"},"tool":"send"}}`, `"expiresAt":"2026-01-02T03:04:05Z"`, `"toolCallId":"c1"`, `"approved":{"type":"boolean"`} {
		if !strings.Contains(string(wire), want) {
			t.Errorf("%s is missing in %s", want, wire)
		}
	}
	if _, err := tool.CompileSchema(calls.ApprovalSchema); err != nil {
		t.Error(err)
	}
}

// A summary that fails, but not for its length, leaves the thread as it is: the prompt may still
// fit.
func TestSummaryThatFails(t *testing.T) {
	quiet(t)
	history := []agui.Message{user("first"), {ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("long words ", 400))}, user("second")}
	model := &fakeModel{info: llm.Info{Provider: "fake", Model: "one", ContextWindow: 1000}, steps: [][]fakePart{
		{{err: &llm.Error{Kind: llm.KindOverloaded, Model: "fake/one", Message: "down"}}}, textStep("Answer."),
	}}
	out := newRecorder(history)
	must.Get((&Agent{ID: "x", Model: model}).Run(t.Context(), Input{History: history}, out))(t)
	if all := strings.Join(out.lines, "\n"); strings.Contains(all, agui.NoteType) || !strings.Contains(all, "Answer.") {
		t.Error(all)
	}
}

// All model calls of a thread carry the same cache key, which tells nothing about it; a model that
// makes one call at a time is told so; and the tool of a card is strict where both the model and
// the schema allow it.
func TestWhatARequestCarries(t *testing.T) {
	strict := `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}`
	types, err := payload.NewRegistry(
		&payload.Type{Name: "tight", Source: payload.FromLLM, Global: true, Schema: json.RawMessage(strict)},
		&payload.Type{Name: "loose", Source: payload.FromLLM, Global: true, Schema: json.RawMessage(`{"type":"object"}`)})
	must.Do(t, err)
	pages := must.Get(page.NewRegistry(nil, types))(t)
	ask := func(info llm.Info, owner, thread string) *llm.Request {
		info.Payloads = llm.PayloadTool
		model := &fakeModel{info: info, steps: [][]fakePart{cutStep(nil, []spokenText{{text: "Hm."}}, true)}}
		history := []agui.Message{user("Go")}
		if _, err := (&Agent{ID: "test", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: pages}).Run(t.Context(), Input{Owner: owner, ThreadID: thread, History: history}, newRecorder(history)); err != nil {
			t.Fatal(err)
		}
		return model.requests[0]
	}
	single := fakeInfo
	single.ParallelTools, single.StrictTools = false, true
	one, again, other, foreign := ask(fakeInfo, "ada", "t1"), ask(single, "ada", "t1"), ask(fakeInfo, "ada", "t2"), ask(fakeInfo, "bob", "t1")
	if k := one.CacheKey; k == "" || k != again.CacheKey || k == other.CacheKey || k == foreign.CacheKey || strings.Contains(k, "t1") {
		t.Errorf("cache keys are %q %q %q %q", k, again.CacheKey, other.CacheKey, foreign.CacheKey)
	}
	if one.Sequential || !again.Sequential {
		t.Errorf("sequential is %v and %v", one.Sequential, again.Sequential)
	}
	for _, d := range slices.Concat(one.Tools, again.Tools) {
		if want := d.Name == "emit_tight" && d.Strict; d.Strict != want {
			t.Errorf("%s is strict", d.Name)
		}
	}
	if one.Tools[1].Strict || !again.Tools[1].Strict {
		t.Errorf("emit_tight: %v without and %v with a model that is strict", one.Tools[1].Strict, again.Tools[1].Strict)
	}
}
