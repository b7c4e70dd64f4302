package agui

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/stock"
	"github.com/pageside/pageside/test/must"
)

func protoFrame(t testing.TB, id string, event []byte) []byte {
	t.Helper()
	frame, err := AppendProto(nil, id, event)
	if err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	return frame
}

const protoGolden = "testdata/events.proto.hex"

// TestProtoGolden: the bytes are those that @ag-ui/proto 1.0.0 writes. UPDATE=1 takes them from the
// installed package again.
func TestProtoGolden(t *testing.T) {
	events := goldenEvents(t)
	if os.Getenv("UPDATE") != "" {
		var lines []string
		for _, s := range askStock(t, events) {
			lines = append(lines, s.Encoded)
		}
		must.Do(t, os.WriteFile(filepath.FromSlash(protoGolden), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	data := must.Get(os.ReadFile(filepath.FromSlash(protoGolden)))(t)
	want := strings.Fields(string(data))
	if len(want) != len(events) {
		t.Fatalf("%s has %d lines, the events are %d", protoGolden, len(want), len(events))
	}
	for i, event := range events {
		must.Be(t, hex.EncodeToString(protoFrame(t, "", event)[4:]), want[i], "%s", event)
	}
}

// stockProto is what the stock package makes of an event.
type stockProto struct {
	Encoded string          // by it, in hex
	Decoded json.RawMessage // of our frame
	Warned  string
}

func askStock(t *testing.T, events [][]byte) []stockProto {
	t.Helper()
	type question struct {
		Event json.RawMessage `json:"event"`
		Frame string          `json:"frame"`
	}
	var questions []question
	for _, event := range events {
		questions = append(questions, question{event, hex.EncodeToString(protoFrame(t, "r1:1.7", event))})
	}
	in := must.Get(json.Marshal(questions))(t)
	script := must.Get(os.ReadFile(filepath.Join("testdata", "proto.mjs")))(t)
	return must.JSON[[]stockProto](t, stock.Run(t, "..", "@ag-ui/proto", string(script), in))
}

// TestProtoStock: the stock package decodes what we write, event ids included, to the event.
func TestProtoStock(t *testing.T) {
	events := goldenEvents(t)
	for _, et := range eventTypes {
		for seed := range 20 {
			e := rapid.Custom(func(t *rapid.T) Event { return event(t, et) }).Example(seed)
			events = append(events, must.Get(MarshalEvent(e))(t))
		}
	}
	for i, s := range askStock(t, events) {
		must.Be(t, s.Warned, "", "%s", events[i])
		must.Same(t, unempty(t, s.Decoded), unempty(t, events[i]), "%s is decoded to", events[i])
	}
}

// TestProtoOldStock: the stock decoder of version 0.x reads what DowngradeProto leaves, with the
// values that were sent.
func TestProtoOldStock(t *testing.T) {
	var sent []Event
	for _, et := range eventTypes {
		for seed := range 20 {
			sent = append(sent, DowngradeProto(rapid.Custom(func(t *rapid.T) Event { return event(t, et) }).Example(seed))...)
		}
	}
	var messages []string
	for _, e := range sent {
		doc := must.Get(MarshalEvent(e))(t)
		messages = append(messages, hex.EncodeToString(protoFrame(t, "r1:1.7", doc)[4:]))
	}
	in := must.Get(json.Marshal(messages))(t)
	script := must.Get(os.ReadFile(filepath.Join("testdata", "proto0.mjs")))(t)
	read := must.JSON[[]struct {
		Event map[string]any
		Error string
	}](t, stock.Run(t, "..", "ag-ui-client-0", string(script), in))
	types := map[EventType]bool{}
	for i, e := range sent {
		types[e.Type()] = true
		doc, _ := MarshalEvent(e)
		want := unempty(t, doc).(map[string]any)
		got := withoutEmpty(read[i].Event).(map[string]any)
		must.Be(t, read[i].Error, "", "decoding %s", doc)
		must.Be(t, got["type"], want["type"], "the type of %s", doc)
		for _, name := range []string{"messageId", "delta", "toolCallId", "toolCallName", "snapshot", "message", "runId", "threadId", "name", "value", "event", "stepName", "result", "metadata"} {
			must.Same(t, got[name], want[name], "%s: %s is decoded to", doc, name)
		}
	}
	must.Be(t, len(types), 16, "types of events that it is sent")
}

// unempty decodes an event, withoutEmpty.
func unempty(t testing.TB, doc []byte) any {
	t.Helper()
	return withoutEmpty(must.JSON[any](t, doc))
}

// withoutEmpty removes the empty lists of an event that protobuf cannot tell from none.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			withoutEmpty(item)
		}
	case map[string]any:
		for _, name := range []string{"usage", "pendingToolCallIds", "interruptIds", "toolCalls", "tools", "context", "resume", "messages", "content", "delta", "patch"} {
			if l, ok := v[name].([]any); ok && len(l) == 0 {
				delete(v, name)
			}
		}
		for _, name := range []string{"outcome", "input", "messages"} {
			withoutEmpty(v[name])
		}
	}
	return v
}

// checkProto: an event written and read again is the event.
func checkProto(t testing.TB, doc []byte) {
	t.Helper()
	frame := protoFrame(t, "r:1.2", doc)
	e, id, err := NewProtoReader(bytes.NewReader(frame)).Next()
	if err != nil {
		if strings.Contains(err.Error(), "unsupported value: +Inf") || strings.Contains(err.Error(), "unsupported value: -Inf") {
			return // beyond all doubles
		}
		t.Fatalf("%s: %v", doc, err)
	}
	again := must.Get(MarshalEvent(e))(t)
	must.Same(t, unempty(t, again), unempty(t, doc), "%s became", doc)
	must.Be(t, id, "r:1.2", "the id")
	if ends := strings.HasPrefix(string(doc), `{"type":"RUN_FINISHED"`) || strings.HasPrefix(string(doc), `{"type":"RUN_ERROR"`); ProtoEnds(append(protoFrame(t, "", []byte(`{"type":"RUN_ERROR","message":"m"}`)), frame...)) != ends {
		t.Fatalf("%s: ends a run: %v", doc, !ends)
	}
	if half, err := AppendProto([]byte("before"), "r:1.2", doc); err != nil || string(half[:6]) != "before" || !bytes.Equal(half[6:], frame) {
		t.Fatalf("%s: appended differently", doc)
	}
}

// TestProtoKeepsEvents: every event type survives, with every field of its struct.
func TestProtoKeepsEvents(t *testing.T) {
	for _, et := range eventTypes {
		t.Run(string(et), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				checkProto(t, must.Get(MarshalEvent(event(rt, et)))(rt))
			})
		})
	}
}

func FuzzAppendProto(f *testing.F) {
	for _, line := range goldenEvents(f) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":1,"from":5,"x":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = AppendProto(nil, "", data) // whatever it is
		e, err := UnmarshalEvent(data)
		if err != nil {
			return
		}
		plain(e)
		checkProto(t, must.Get(MarshalEvent(e))(t))
	})
}

// plain removes what AG-UI 1.0 does not know from the parts that an event keeps as JSON.
func plain(e Event) {
	switch e := e.(type) {
	case *ToolCallResult:
		plainContent(&e.Content)
	case *MessagesSnapshot:
		plainMessages(e.Messages)
	case *RunStarted:
		if e.Input != nil {
			plainMessages(e.Input.Messages)
			for i := range e.Input.Context {
				e.Input.Context[i].Source, e.Input.Context[i].Type = "", ""
			}
		}
	case *StateDelta:
		plainPatch(&e.Delta)
	case *ActivityDelta:
		plainPatch(&e.Patch)
	}
}

func plainMessages(list []Message) {
	for i := range list {
		plainContent(&list[i].Content)
	}
}

func plainContent(c *Content) {
	if !c.IsZero() && !c.IsText() {
		parts, _ := c.Parts()
		*c = PartsContent(parts)
	}
}

func plainPatch(p *json.RawMessage) {
	var ops []map[string]any
	_ = json.Unmarshal(*p, &ops)
	for _, op := range ops {
		for name, value := range op {
			_, isText := value.(string)
			if !slices.Contains([]string{"op", "path", "from", "value"}, name) || name == "from" && !isText {
				delete(op, name)
			}
		}
	}
	if ops != nil {
		*p, _ = json.Marshal(ops)
	}
}

// TestAppendProtoRefuses: what is no event of AG-UI gets an error that names the field, and leaves
// no half of a frame.
func TestAppendProtoRefuses(t *testing.T) {
	for doc, field := range map[string]string{
		``: "", `{}`: "type", `[]`: "type", `{"type":"NEW"}`: "type", `{"type":"STEP_STARTED","stepName":1}`: "stepName",
		`{"type":"RUN_FINISHED","timestamp":1.5}`: "timestamp", `{"type":"STATE_DELTA","delta":[{"op":"merge","path":""}]}`: "delta",
		`{"type":"TOOL_CALL_RESULT","content":{}}`: "content", `{"type":"MESSAGES_SNAPSHOT","messages":[1]}`: "messages",
	} {
		got, err := AppendProto([]byte("before"), "", []byte(doc))
		e, ok := errors.AsType[*FieldError](err)
		if !ok || !strings.HasPrefix(e.Path, field) || string(got) != "before" {
			t.Errorf("%s: %q, %v", doc, got, err)
		}
	}
}
