package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/stock"
	"github.com/pageside/pageside/test/must"
)

// scene is a random sequence of events, most of it legal, on a thread with some history.
type scene struct {
	history []Message
	events  []Event
}

// dice makes the pieces of scenes. It uses few ids, so that events meet, but no message gets the id
// of another: the stock client would then let two messages be one.
type dice struct{ *rand.Rand }

func (d dice) id() string    { return string("abcd"[d.IntN(4)]) }
func (d dice) agent() string { return []string{"", "", "", "s", "z"}[d.IntN(5)] }

func (d dice) metadata() json.RawMessage {
	return []json.RawMessage{nil, nil, json.RawMessage(`{"x":1}`), json.RawMessage(`{"x":{"y":2},"z":null}`)}[d.IntN(4)]
}

func (d dice) patch() json.RawMessage {
	var ops []string
	for range 1 + d.IntN(3) {
		pointer := func() string { return strings.Repeat("/"+[]string{"a", "b", "0", "1", "-"}[d.IntN(5)], d.IntN(3)) }
		op := []string{"add", "add", "add", "remove", "replace", "copy", "move", "test"}[d.IntN(8)]
		value := []string{`1`, `{"a":[]}`, `[[0],{"b":1}]`, `null`}[d.IntN(4)]
		ops = append(ops, fmt.Sprintf(`{"op":%q,"path":%q,"from":%q,"value":%s}`, op, "/a"+pointer(), "/a"+pointer(), value))
	}
	return json.RawMessage("[" + strings.Join(ops, ",") + "]")
}

func (d dice) content() Content {
	if d.IntN(3) == 0 {
		return PartsContent([]ContentPart{{Type: PartText, Text: "p"}})
	}
	return TextContent("é\"" + d.id())
}

func (d dice) messages() []Message {
	var list []Message
	for _, id := range []string{"a", "b", "c", "d"}[:d.IntN(5)] {
		m := Message{ID: id, Role: roles[d.IntN(len(roles))], Metadata: d.metadata(), SubagentRunID: d.agent()}
		switch m.Role {
		case RoleActivity:
			m.ActivityType, m.Activity = "CARD", json.RawMessage(`{"a":{"a":[1]}}`)
		case RoleAssistant:
			m.Content = TextContent("A")
			if d.IntN(2) == 0 {
				m.ToolCalls = []ToolCall{{ID: "k" + id, Name: "n", Arguments: "{"}}
			}
		case RoleTool:
			m.Content, m.ToolCallID = d.content(), "k"+d.id()
		case RoleUser:
			m.Content = d.content()
		default:
			m.Content = TextContent("T")
		}
		list = append(list, m)
	}
	d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// event returns any event; the caller asks again where the stock rules refuse it.
func (d dice) event() Event {
	id := d.id()
	makers := []func() Event{
		func() Event { return textStart(id) }, func() Event { return textDelta(id) }, func() Event { return textEnd(id) },
		func() Event { return callDelta("k" + id) }, func() Event { return callEnd("k" + id) },
		func() Event {
			return &ToolCallStart{ToolCallID: "k" + id, ToolCallName: "n" + d.id(), ParentMessageID: []string{"", "", d.id()}[d.IntN(3)]}
		},
		func() Event {
			return &ToolCallResult{MessageID: fmt.Sprint("r", d.Uint32()), ToolCallID: "k" + id, Content: d.content()}
		},
		func() Event { return spanStart(id) }, func() Event { return spanEnd(id) },
		func() Event { return thoughtStart(id) }, func() Event { return thoughtDelta(id) }, func() Event { return thoughtEnd(id) },
		func() Event { return stepStart(id) }, func() Event { return stepEnd(id) },
		func() Event {
			return by("s", &SubagentStarted{Name: "n", ParentSubagentRunID: []string{"", "", "z"}[d.IntN(3)]})
		}, func() Event { return agentEnd("s") },
		func() Event { return by("z", &SubagentStarted{Name: "n"}) }, func() Event { return by("z", &SubagentError{Message: "m"}) },
		func() Event {
			return &ActivitySnapshot{MessageID: id, ActivityType: "CARD", Content: json.RawMessage(`{"a":{"b":[1]}}`), Replace: []*bool{nil, new(true), new(false)}[d.IntN(3)]}
		},
		func() Event { return &ActivityDelta{MessageID: id, ActivityType: "LIST", Patch: d.patch()} },
		func() Event { return &StateDelta{Delta: d.patch()} },
		func() Event { return &StateSnapshot{Snapshot: json.RawMessage(`{"a":{"a":[1,{"b":2}]}}`)} },
		func() Event { return snapshot(d.messages()...) },
		func() Event {
			return &ReasoningEncryptedValue{Subtype: []string{"tool-call", "message"}[d.IntN(2)], EntityID: []string{"", "k"}[d.IntN(2)] + id, EncryptedValue: "e"}
		},
		func() Event { return finished() }, func() Event { return &RunError{Message: "m"} },
		func() Event {
			return &RunStarted{ThreadID: "t", RunID: "r", Input: &RunAgentInput{ThreadID: "t", RunID: "r", Messages: d.messages()}}
		},
		func() Event { return &Custom{Name: "n"} },
	}
	e := makers[d.IntN(len(makers))]()
	b := e.base()
	b.Metadata = d.metadata()
	switch e.(type) {
	case *RunStarted, *RunFinished, *RunError, *SubagentStarted, *SubagentFinished, *SubagentError:
	case *MessagesSnapshot:
		b.Metadata = []json.RawMessage{nil, json.RawMessage(`{"@ag-ui/client":{"authoritativeActivityTypes":["CARD"]}}`), json.RawMessage(`{"@ag-ui/client":{"authoritativeActivityTypes":null}}`), json.RawMessage(`{"@ag-ui/client":1}`)}[d.IntN(4)]
	default:
		b.SubagentRunID = d.agent()
	}
	return e
}

// newScene plays on while our verifier lets it, and ends with the first refusal that is not one of
// our own stricter rules.
func newScene(d dice) scene {
	s := scene{history: d.messages(), events: []Event{started()}}
	v := NewVerifier()
	_ = v.Check(s.events[0])
	for len(s.events) < 30 {
		e := d.event()
		rule, refused := errors.AsType[*RuleError](v.Check(e))
		if !refused {
			s.events = append(s.events, e)
			continue
		}
		own := rule.Rule == RuleServer || rule.Rule == RulePending || rule.Rule == RuleAfterFinished && e.Type() == TypeRunError
		if !own && d.IntN(20) == 0 {
			s.events = append(s.events, e)
			break
		}
	}
	return s
}

func (s scene) json(t *testing.T) []byte {
	t.Helper()
	var history, events [][]byte
	for _, m := range s.history {
		history = append(history, must.Get(MarshalMessage(m))(t))
	}
	for _, e := range s.events {
		events = append(events, must.Get(MarshalEvent(e))(t))
	}
	comma := []byte(",\n")
	return fmt.Appendf(nil, `{"history":[%s],"events":[%s]}`, bytes.Join(history, comma), bytes.Join(events, comma))
}

// verdict is what the stock client made of a scene.
type verdict struct {
	Refused  int
	Message  string
	Messages []any
	State    any
}

func askStockClient(t *testing.T, scenes []scene) []verdict {
	t.Helper()
	script := must.Get(os.ReadFile(filepath.Join("testdata", "stock.mjs")))(t)
	docs := make([][]byte, len(scenes))
	for i, s := range scenes {
		docs[i] = s.json(t)
	}
	out := stock.Run(t, "..", "@ag-ui/client", string(script), fmt.Appendf(nil, "[%s]", bytes.Join(docs, []byte(","))))
	verdicts := must.JSON[[]verdict](t, out)
	if len(verdicts) != len(scenes) {
		t.Fatalf("%d verdicts", len(verdicts))
	}
	return verdicts
}

// The stock client refuses what we refuse, with the same words, and folds what both accept into the
// same messages and state.
func TestAgreesWithStockClient(t *testing.T) {
	scenes := make([]scene, 400)
	for i := range scenes {
		scenes[i] = newScene(dice{rand.New(rand.NewPCG(1, uint64(i)))})
	}
	refusals := 0
	for i, theirs := range askStockClient(t, scenes) {
		s := scenes[i]
		v, tr := NewVerifier(), NewTranscript(s.history)
		tr.SetState(json.RawMessage("{}"))
		refused, message := -1, ""
		for at, e := range s.events {
			if err := v.Check(e); err != nil {
				refused, message = at, err.Error()
				refusals++
				break
			}
			_ = tr.Apply(e) // the stock client warns, too
		}
		if refused != theirs.Refused || message != theirs.Message {
			t.Errorf("scene %d: we refuse event %d: %s\nthey refuse event %d: %s\n%s", i, refused, message, theirs.Refused, theirs.Message, s.json(t))
			continue
		}
		var ours []any
		for _, m := range tr.Messages() {
			ours = append(ours, must.JSON[any](t, must.Get(MarshalMessage(m))(t)))
		}
		if len(ours)+len(theirs.Messages) > 0 && !reflect.DeepEqual(ours, theirs.Messages) {
			t.Errorf("scene %d: we fold to\n%v\nthey to\n%v\n%s", i, ours, theirs.Messages, s.json(t))
		}
		must.Same(t, must.JSON[any](t, tr.State()), theirs.State, "scene %d: our state and theirs\n%s", i, s.json(t))
	}
	if refusals < len(scenes)/10 {
		t.Errorf("only %d of %d scenes end with a refusal: the scenes prove too little", refusals, len(scenes))
	}
}
