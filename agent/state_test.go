package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// stateSetup configures the shared state of a conversation.
type stateSetup struct {
	Has, Schema, Initial string
	Model                StateAccess
	MaxBytes             int `yaml:"maxBytes"`
	Predict              []Prediction
}

func (c *conversation) configureState(t *testing.T, s *setup) {
	if s.Shared == nil {
		return
	}
	c.agent.State = State{Model: s.Shared.Model, MaxBytes: s.Shared.MaxBytes, Predict: s.Shared.Predict}
	if s.Shared.Schema != "" {
		schema, err := tool.CompileSchema(json.RawMessage(s.Shared.Schema))
		if err != nil {
			t.Fatal(err)
		}
		c.agent.State.Schema = schema
	}
	if s.Shared.Initial != "" {
		c.agent.State.Initial = json.RawMessage(s.Shared.Initial)
	}
	if s.Shared.Has != "" {
		c.input.State = json.RawMessage(s.Shared.Has)
	}
}

// doAll does what a tool of a conversation does with its run, and returns what it was answered.
func doAll(call *tool.Call, list []string, result string) (tool.Result, error) {
	said := []string{result}
	for _, one := range list {
		var err error
		if strings.HasPrefix(one, "[") {
			err = call.PatchState(json.RawMessage(one))
			said = append(said, string(call.State()))
		} else {
			var e agui.Event
			if e, err = agui.UnmarshalEvent([]byte(one)); err == nil {
				err = call.Emit(e)
			}
		}
		if err != nil {
			said = append(said, "refused: "+err.Error())
		}
	}
	return tool.Result{Text: strings.Join(said, "\n")}, nil
}

// TestACallThatIsOverReachesNothing: what a handler left behind does to its run is refused, and
// blocks nobody.
func TestACallThatIsOverReachesNothing(t *testing.T) {
	escaped := make(chan *tool.Call, 1)
	leaky := &tool.Tool{Name: "leaky", Global: true, Handler: func(_ context.Context, call *tool.Call) (tool.Result, error) {
		if err := call.PatchState(json.RawMessage(`[{"op":"add","path":"/n","value":1}]`)); err != nil {
			return tool.Result{}, err
		}
		escaped <- call
		return tool.Result{Text: "ok"}, nil
	}}
	tools, err := tool.NewRegistry(leaky)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := page.NewRegistry(tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &fakeModel{steps: [][]fakePart{
		{{part: llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "leaky"}}, {part: llm.Part{Kind: llm.ToolEnd}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}}},
		{{part: llm.Part{Kind: llm.TextDelta, Delta: "Done."}}, {do: func(context.Context) {
			call := <-escaped
			if err := call.PatchState(json.RawMessage(`[{"op":"add","path":"/n","value":2}]`)); err == nil {
				t.Error("a call that is over has changed the state")
			}
			if err := call.Emit(&agui.Custom{Name: "late", Value: json.RawMessage("1")}); err == nil {
				t.Error("a call that is over has emitted an event")
			}
			if got := string(call.State()); got != `{"n":1}` {
				t.Errorf("it reads the state %s", got)
			}
		}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}}},
	}}
	a := &Agent{ID: "test", Model: model, Pages: pages}
	out := newRecorder(nil)
	in := Input{ThreadID: "t1", RunID: "r1", Journal: &fakeJournal{}, History: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go")}}}
	if _, err := a.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	if got := string(out.transcript.State()); got != `{"n":1}` {
		t.Errorf("the state is %s", got)
	}
}

// TestToolsCannotFloodAStream: beyond a bound their events and changes are refused, and the run
// goes on.
func TestToolsCannotFloodAStream(t *testing.T) {
	s := newSharedState(&Agent{}, &Input{}, &emitter{out: newRecorder(nil)})
	big := json.RawMessage(`"` + strings.Repeat("x", 40<<10) + `"`)
	sent := 0
	for range 1000 {
		refused, err := s.say(&agui.Custom{Name: "own", Value: big})
		if err != nil {
			t.Fatal(err)
		}
		if refused != nil {
			break
		}
		sent += len(big)
	}
	if sent == 0 || sent > maxSaid {
		t.Errorf("%d bytes were sent", sent)
	}
	if refused, err := s.patch(json.RawMessage(`[{"op":"add","path":"/n","value":1}]`)); refused == nil || err != nil || s.now() != nil {
		t.Errorf("the state became %s: %v, %v", s.now(), refused, err)
	}
}

// TestWhatToolsMayNotEmit is refused with a reason.
func TestWhatToolsMayNotEmit(t *testing.T) {
	out := newRecorder(nil)
	s := newSharedState(&Agent{}, &Input{}, &emitter{out: out})
	for _, e := range []agui.Event{
		nil, (*agui.Custom)(nil), (*agui.Raw)(nil), &agui.Custom{}, &agui.Custom{Name: "x", Value: json.RawMessage(`{`)},
		&agui.Custom{Name: "tool_progress", Value: json.RawMessage(`{}`)}, &agui.Custom{Name: "PredictState", Value: json.RawMessage(`[]`)},
		&agui.RunFinished{}, &agui.TextMessageStart{MessageID: "m"}, &agui.StateDelta{Delta: json.RawMessage(`[]`)}, &agui.StateSnapshot{},
		&agui.StepFinished{StepName: "never begun"}, &agui.StepStarted{Base: agui.Base{SubagentRunID: "s"}, StepName: "x"},
		&agui.Custom{Name: "big", Value: json.RawMessage(`"` + strings.Repeat("x", maxOwnEvent) + `"`)},
	} {
		if refused, err := s.say(e); refused == nil || err != nil {
			t.Errorf("%s: %v, %v", fmt.Sprintf("%.80v", e), refused, err)
		}
	}
	if len(out.lines) > 0 {
		t.Errorf("sent: %q", out.lines)
	}
	if refused, err := s.say(&agui.StepStarted{StepName: "x"}); refused != nil || err != nil {
		t.Errorf("after all that: %v, %v", refused, err)
	}
}
