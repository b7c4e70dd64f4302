package agent

import (
	"context"
	"errors"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

func part(p llm.Part) fakePart { return fakePart{part: p} }

// A question that gets no word is an error the user sees, not an empty answer. What it cost is still told.
func TestSilence(t *testing.T) {
	spent := int64(7)
	usage := part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &spent}})
	thought := part(llm.Part{Kind: llm.ReasoningDelta, Delta: "Hm."})
	for name, turn := range map[string][]fakePart{
		"nothing":       {usage, part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop})},
		"only thoughts": {thought, usage, part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop})},
		"thought away":  {thought, usage, part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishLength})},
	} {
		out := newRecorder(nil)
		outcome, err := (&Agent{ID: "x", Model: &fakeModel{turns: [][]fakePart{turn}}}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindProtocol || len(outcome.Usage) != 1 {
			t.Errorf("%s: %v, usage %v", name, err, outcome.Usage)
		}
		if err := out.finish(outcome, err); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After a tool did what was asked a model may have nothing to add.
func TestSilenceAfterTools(t *testing.T) {
	noop := tool.New("noop", "Does nothing.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: "done"}, nil
	})
	noop.Global = true
	tools, err := tool.NewRegistry(noop)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := page.NewRegistry(tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &fakeModel{turns: [][]fakePart{
		{part(llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "noop"}), part(llm.Part{Kind: llm.ToolEnd}), part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools})},
		{part(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop})},
	}}
	if _, err := (&Agent{ID: "x", Model: model, Pages: pages}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, newRecorder(nil)); err != nil {
		t.Error(err)
	}
}
