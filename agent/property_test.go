package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// quiet keeps the panics and warnings that a test provokes out of its output.
func quiet(t testing.TB) {
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
}

// randomStep draws what a model might send: parts in any order, right and wrong, with an end that
// may be missing.
func randomStep(t *rapid.T) []fakePart {
	names := []string{"back", "alone", "boom", "gated", "ask_user", "front", "nosuch", "", "Back", "emit_plan"}
	args := []string{`{}`, `{"kind":"confirm","question":"?"}`, `{"n":1}`, `{"n":"x"}`, `{"n`, ``, `[]`, "{'n': 2,}", "\xff"}
	args = append(args, "\nPLAN: ", "PLAN: {\"n\":1}\n", "\n```\nPLA", "\nSUGGESTED_VALUES: [1,\"a\"]", "\n")
	var step []fakePart
	for range rapid.IntRange(0, 14).Draw(t, "parts") {
		p := llm.Part{
			Kind:   rapid.SampledFrom([]llm.PartKind{llm.TextDelta, llm.ReasoningDelta, llm.ToolStart, llm.ToolStart, llm.ToolStart, llm.ToolArgs, llm.ToolEnd, llm.Opaque, llm.UsagePart, llm.Pause}).Draw(t, "kind"),
			Index:  rapid.IntRange(0, 4).Draw(t, "index"),
			Name:   rapid.SampledFrom(names).Draw(t, "name"),
			ID:     rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "id"),
			Opaque: "SIG",
		}
		p.Delta = rapid.SampledFrom(args).Draw(t, "delta")
		step = append(step, fakePart{part: p})
		if p.Kind == llm.ToolStart && rapid.Bool().Draw(t, "written") {
			step = append(step,
				fakePart{part: llm.Part{Kind: llm.ToolArgs, Index: p.Index, Delta: p.Delta}},
				fakePart{part: llm.Part{Kind: llm.ToolEnd, Index: p.Index}})
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "end") {
	case 0:
		return append(step, fakePart{err: &llm.Error{Kind: llm.KindAuth, Model: "fake/one", Message: "no"}})
	case 1:
		return append(step, fakePart{err: errors.New("no llm.Error")})
	case 2:
		return step
	case 3:
		return append(step, fakePart{part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishLength}})
	}
	return append(step, fakePart{part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}})
}

func propertyPages() *page.Registry {
	ok := func(_ context.Context, call *tool.Call, in struct {
		N int `json:"n,omitempty"`
	}) (tool.Result, error) {
		call.Progress("s", "m", 0.5)
		return tool.Result{Text: fmt.Sprint("n is ", in.N)}, nil
	}
	back, alone := tool.New("back", "", ok), tool.New("alone", "", ok)
	alone.Policy.Sequential = true
	boom := tool.New("boom", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { panic("boom") })
	gated := tool.New("gated", "", ok)
	gated.Policy.Approval = tool.ApprovalAlways
	back.Global, alone.Global, boom.Global, gated.Global = true, true, true, true
	tools, err := tool.NewRegistry(back, alone, boom, gated)
	if err != nil {
		panic(err)
	}
	plan := &payload.Type{Name: "plan", Source: payload.FromLLM, Global: true, Schema: []byte(`{"properties":{"n":{"type":"integer"}}}`)}
	payloads, err := payload.NewRegistry(plan)
	if err != nil {
		panic(err)
	}
	pages, err := page.NewRegistry(tools, payloads)
	if err != nil {
		panic(err)
	}
	return pages
}

// Whatever the model sends and wherever it fails: what is emitted is a legal run, the thread it
// leaves is balanced, and what the model is told about the thread in the next run is what it was
// told in this one.
func TestAnyModel(t *testing.T) {
	quiet(t)
	pages := propertyPages()
	rapid.Check(t, func(t *rapid.T) {
		var steps [][]fakePart
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			steps = append(steps, randomStep(t))
		}
		model := &fakeModel{steps: steps, info: fakeInfo}
		model.info.Payloads = rapid.SampledFrom([]llm.PayloadTransport{llm.PayloadAuto, llm.PayloadTool}).Draw(t, "transport")
		a := &Agent{ID: "test", Model: model, Pages: pages, Limits: Limits{Steps: 3}, AskUser: true}
		in := Input{
			ThreadID: "t1", RunID: "r1",
			History:  []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go")}},
			Frontend: []agui.Tool{{Name: "front", Parameters: []byte(`{"properties":{"n":{"type":"integer"}}}`)}},
		}
		out := newRecorder(in.History)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stopAt := rapid.IntRange(-40, 40).Draw(t, "stopAt")
		out.failEmit = func(agui.Event) error {
			if len(out.lines) == stopAt {
				cancel(errors.New("stopped"))
			}
			return nil
		}
		outcome, err := a.Run(ctx, in, out)
		if bad := out.finish(outcome, err); bad != nil {
			t.Fatalf("not a legal run: %v\n%s", bad, strings.Join(out.lines, "\n"))
		}
		if len(model.refused) > 0 {
			t.Fatalf("%v\n%s", model.refused, strings.Join(out.lines, "\n"))
		}
		checkThread(t, out, outcome, model.requests)
	})
}

// checkThread compares the thread as a server keeps it with what the model was sent.
func checkThread(t *rapid.T, out *recorder, outcome Outcome, requests []*llm.Request) {
	thread := out.transcript.Messages()
	for _, id := range outcome.Pending {
		thread = append(thread, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("done")})
	}
	for _, i := range outcome.Interrupts {
		thread = append(thread, agui.Message{Role: agui.RoleTool, ToolCallID: i.ToolCallID, Content: agui.TextContent("done")})
	}
	told := prompted(thread)
	if err := llm.Balance(told); err != nil {
		t.Fatalf("the thread is not balanced: %v\n%s", err, strings.Join(out.lines, "\n"))
	}
	requests = slices.DeleteFunc(slices.Clone(requests), isRepair)
	if len(requests) == 0 {
		return
	}
	last := showMessages(ofThread(requests[len(requests)-1]))
	if now := showMessages(told); !strings.HasPrefix(now, last) {
		t.Fatalf("the next run would not begin with what this one sent:\n%s\n---\n%s\n---\n%s", last, now, strings.Join(out.lines, "\n"))
	}
}

// ofThread returns the messages of a request but for what the run itself asks for at their end.
func ofThread(r *llm.Request) []llm.Message {
	if n := len(r.Messages); n > 0 && reflect.DeepEqual(r.Messages[n-1], prompt.UserText(closingInstruction)) {
		return r.Messages[:n-1]
	}
	return r.Messages
}
