package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// stateSetup configures the shared state of a conversation.
type stateSetup struct {
	Has, Schema, Initial string
	Model                sharedstate.Access
	MaxBytes             int `yaml:"maxBytes"`
	Predict              []sharedstate.Prediction
}

func (c *conversation) configureState(t *testing.T, s *setup) {
	if s.Shared == nil {
		return
	}
	c.agent.State = sharedstate.Config{Model: s.Shared.Model, MaxBytes: s.Shared.MaxBytes, Predict: s.Shared.Predict}
	if s.Shared.Schema != "" {
		schema := must.Get(tool.CompileSchema(json.RawMessage(s.Shared.Schema)))(t)
		c.agent.State.Schema = schema
	}
	if s.Shared.Initial != "" {
		c.agent.State.Initial = json.RawMessage(s.Shared.Initial)
	}
	if s.Shared.Has != "" {
		c.input.State = json.RawMessage(s.Shared.Has)
	}
}

// ownEvent is an event that a tool of a conversation emits.
type ownEvent struct {
	Type                   tool.EventType
	Name, StepName, Source string
	Value, Event, Metadata json.RawMessage
}

func (e ownEvent) event() tool.Event {
	return tool.Event{
		Type: e.Type, Name: cmp.Or(e.Name, e.StepName, e.Source),
		Value: slices.Concat(e.Value, e.Event), Metadata: e.Metadata,
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
			var e ownEvent
			if err = json.Unmarshal([]byte(one), &e); err == nil {
				err = call.Emit(e.event())
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
	tools := must.Get(tool.NewRegistry(leaky))(t)
	pages := must.Get(page.NewRegistry(tools, nil))(t)
	model := &fakeModel{steps: [][]fakePart{
		{{part: llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "leaky"}}, {part: llm.Part{Kind: llm.ToolEnd}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}}},
		{{part: llm.Part{Kind: llm.TextDelta, Delta: "Done."}}, {do: func(context.Context) {
			call := <-escaped
			if err := call.PatchState(json.RawMessage(`[{"op":"add","path":"/n","value":2}]`)); err == nil {
				t.Error("a call that is over has changed the state")
			}
			if err := call.Emit(tool.Event{Type: tool.CustomEvent, Name: "late", Value: json.RawMessage("1")}); err == nil {
				t.Error("a call that is over has emitted an event")
			}
			must.Be(t, string(call.State()), `{"n":1}`, "it reads the state")
		}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}}},
	}}
	a := &Agent{ID: "test", Model: model, Pages: pages}
	out := newRecorder(nil)
	in := Input{ThreadID: "t1", RunID: "r1", Journal: &fakeJournal{}, History: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go")}}}
	must.Get(a.Run(t.Context(), in, out))(t)
	must.Be(t, string(out.transcript.State()), `{"n":1}`, "the state")
}

// What a handler names is kept and shown: no more of it than a thread may have.
func TestSourcesAreKeptWithinBounds(t *testing.T) {
	given := []tool.CitableSource{{Title: "A\nB", URL: "javascript:alert(1)"}, {}}
	for i := range 2 * tool.MaxSources {
		given = append(given, tool.CitableSource{Title: strconv.Itoa(i)})
	}
	kept := readSources(sourcesJSON(given))
	if len(kept) != tool.MaxSources || kept[0] != (tool.CitableSource{Title: "A B"}) || kept[1].Title != "0" {
		t.Errorf("%d sources, first %+v", len(kept), kept[:2])
	}
}

// TestToolsCannotFloodAStream: beyond a bound their events and changes are refused, and the run
// goes on.
func TestToolsCannotFloodAStream(t *testing.T) {
	s := newSharedState(&Agent{}, &Input{}, &emitter{out: newRecorder(nil)})
	big := json.RawMessage(`"` + strings.Repeat("x", 40<<10) + `"`)
	sent := 0
	for range 1000 {
		refused := must.Get(s.say(tool.Event{Type: tool.CustomEvent, Name: "own", Value: big}))(t)
		if refused != nil {
			break
		}
		sent += len(big)
	}
	if sent == 0 || sent > maxSaid {
		t.Errorf("%d bytes were sent", sent)
	}
	if refused, err := s.patch(json.RawMessage(`[{"op":"add","path":"/n","value":1}]`)); refused == nil || err != nil || s.document.Raw() != nil {
		t.Errorf("the state became %s: %v, %v", s.document.Raw(), refused, err)
	}
}

// TestWhatToolsMayNotEmit is refused with a reason.
func TestWhatToolsMayNotEmit(t *testing.T) {
	out := newRecorder(nil)
	s := newSharedState(&Agent{}, &Input{}, &emitter{out: out})
	custom := func(name, value string) tool.Event {
		return tool.Event{Type: tool.CustomEvent, Name: name, Value: json.RawMessage(value)}
	}
	for _, e := range []tool.Event{
		{}, {Type: tool.CustomEvent}, custom("x", `{`),
		{Type: tool.CustomEvent, Name: "x", Value: json.RawMessage(`{}`), Metadata: json.RawMessage(`[]`)},
		custom("tool_progress", `{}`), custom("PredictState", `[]`),
		{Type: "RUN_FINISHED"}, {Type: "TEXT_MESSAGE_START", Name: "m"}, {Type: "STATE_DELTA", Value: json.RawMessage(`[]`)}, {Type: "STATE_SNAPSHOT"},
		{Type: tool.StepFinished, Name: "never begun"},
		custom("big", `"`+strings.Repeat("x", maxOwnEvent)+`"`),
	} {
		if refused, err := s.say(e); refused == nil || err != nil {
			t.Errorf("%s: %v, %v", fmt.Sprintf("%.80v", e), refused, err)
		}
	}
	if len(out.lines) > 0 {
		t.Errorf("sent: %q", out.lines)
	}
	if refused, err := s.say(tool.Event{Type: tool.StepStarted, Name: "x"}); refused != nil || err != nil {
		t.Errorf("after all that: %v, %v", refused, err)
	}
}
