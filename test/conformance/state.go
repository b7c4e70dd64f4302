package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/tool"
)

// stateTools returns the tools that share state with the page.
func stateTools() []*tool.Tool {
	type document struct {
		Document string `json:"document"`
	}
	write := tool.New("write_document", "Writes the document.", func(_ context.Context, _ *tool.Call, in document) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprintf(`{"written":%d}`, len(in.Document))}, nil
	})
	type work struct {
		Steps []string `json:"steps"`
	}
	steps := tool.New("work_through", "Does one step after the other.", func(_ context.Context, call *tool.Call, in work) (tool.Result, error) {
		return tool.Result{Text: "done"}, workThrough(call, in.Steps)
	})
	return []*tool.Tool{write, steps}
}

// workThrough shows each step in the shared state, and as a step of the run with a custom event.
func workThrough(call *tool.Call, names []string) error {
	type step struct {
		Description string `json:"description"`
		Status      string `json:"status"`
	}
	steps := make([]step, len(names))
	for i, name := range names {
		steps[i] = step{name, "pending"}
	}
	all, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	if err := call.PatchState(fmt.Appendf(nil, `[{"op":"add","path":"/steps","value":%s}]`, all)); err != nil {
		return err
	}
	for i, name := range names {
		for _, do := range []func() error{
			func() error { return call.Emit(tool.Event{Type: tool.StepStarted, Name: name}) },
			func() error {
				return call.Emit(tool.Event{Type: tool.CustomEvent, Name: "working_on", Value: fmt.Appendf(nil, `{"step":%d}`, i)})
			},
			func() error {
				return call.PatchState(fmt.Appendf(nil, `[{"op":"replace","path":"/steps/%d/status","value":"completed"}]`, i))
			},
			func() error { return call.Emit(tool.Event{Type: tool.StepFinished, Name: name}) },
		} {
			if err := do(); err != nil {
				return err
			}
		}
	}
	return nil
}
