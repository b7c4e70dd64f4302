package agui

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/stock"
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
		if err := os.WriteFile(filepath.FromSlash(protoGolden), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.FromSlash(protoGolden))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(data))
	if len(want) != len(events) {
		t.Fatalf("%s has %d lines, the events are %d", protoGolden, len(want), len(events))
	}
	for i, event := range events {
		if got := hex.EncodeToString(protoFrame(t, "", event)[4:]); got != want[i] {
			t.Errorf("%s\nis  %s\nnot %s", event, got, want[i])
		}
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
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "proto.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	var answers []stockProto
	if err := json.Unmarshal(stock.Run(t, "..", "@ag-ui/proto", string(script), in), &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// TestProtoStock: the stock package decodes what we write, event ids included, to the event.
func TestProtoStock(t *testing.T) {
	events := goldenEvents(t)
	for _, et := range eventTypes {
		for seed := range 20 {
			doc, err := MarshalEvent(rapid.Custom(func(t *rapid.T) Event { return event(t, et) }).Example(seed))
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, doc)
		}
	}
	for i, s := range askStock(t, events) {
		if s.Warned != "" {
			t.Errorf("%s: %s", events[i], s.Warned)
		}
		if got, want := withoutEmpty(decoded(t, s.Decoded)), withoutEmpty(decoded(t, events[i])); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis decoded to %s", events[i], s.Decoded)
		}
	}
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

// protoReader reads messages with the tables they were written with. That these are AG-UI's, the
// stock package says.
type protoReader struct{ t testing.TB }

func (r protoReader) event(frame []byte) (event map[string]any, id string) {
	if got := binary.BigEndian.Uint32(frame); int(got) != len(frame)-4 {
		r.t.Fatalf("the length is %d of %d", got, len(frame)-4)
	}
	event = map[string]any{}
	r.each(frame[4:], func(num protowire.Number, value []byte, _ uint64) {
		if num == protoID {
			id = string(value)
			return
		}
		for name, arm := range protoEvent.arms {
			if arm.num == num {
				r.fields(arm.of, value, event)
				if event["type"] == nil {
					event["type"] = protoEventTypes[0]
				}
				if event["type"] != name {
					r.t.Fatalf("the type is %v in the arm of %s", event["type"], name)
				}
			}
		}
	})
	return event, id
}

// each calls yield with each field: its bytes, or its number.
func (r protoReader) each(data []byte, yield func(protowire.Number, []byte, uint64)) {
	for last := protowire.Number(0); len(data) > 0; {
		num, kind, n := protowire.ConsumeTag(data)
		if n < 0 || num < last {
			r.t.Fatalf("%x: field %d after %d", data, num, last)
		}
		last, data = num, data[n:]
		var value []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(data)
		default:
			n = -1
		}
		if n < 0 {
			r.t.Fatalf("%x is no field %d", data, num)
		}
		yield(num, value, number)
		data = data[n:]
	}
}

// object reads a message with a oneof, or one without.
func (r protoReader) object(t *protoType, data []byte) map[string]any {
	o := map[string]any{}
	if t.arms == nil {
		r.fields(t, data, o)
		return o
	}
	r.each(data, func(num protowire.Number, value []byte, _ uint64) {
		for name, arm := range t.arms {
			if arm.num == num {
				r.fields(arm.of, value, o)
				o["type"] = name
			}
		}
	})
	return o
}

func (r protoReader) fields(t *protoType, data []byte, o map[string]any) {
	for _, f := range t.fields {
		switch {
		case f.kind == protoText && !f.presence && f.within == "":
			o[f.name] = ""
		case f.kind == protoPatchOp:
			o[f.name] = protoPatchOps[0]
		}
	}
	r.each(data, func(num protowire.Number, value []byte, number uint64) {
		for _, f := range t.fields {
			if f.num != num {
				continue
			}
			into := o
			if f.within != "" {
				if o[f.within] == nil {
					o[f.within] = map[string]any{}
				}
				into = o[f.within].(map[string]any)
			}
			r.field(f, value, number, into)
			return
		}
		r.t.Fatalf("field %d is unknown", num)
	})
}

func (r protoReader) field(f protoField, value []byte, number uint64, o map[string]any) {
	list, _ := o[f.name].([]any)
	switch f.kind {
	case protoText:
		o[f.name] = string(value)
	case protoTexts:
		o[f.name] = append(list, string(value))
	case protoWhole:
		o[f.name] = float64(int64(number))
	case protoFlag:
		o[f.name] = number == 1
	case protoAny:
		o[f.name] = r.value(value)
	case protoStruct:
		o[f.name] = r.structure(value)
	case protoObject:
		o[f.name] = r.object(f.of, value)
	case protoObjects:
		o[f.name] = append(list, r.object(f.of, value))
	case protoSelf:
		r.fields(f.of, value, o)
	case protoEventType:
		o[f.name] = protoEventTypes[number]
	case protoPatchOp:
		o[f.name] = protoPatchOps[number]
	}
}

func (r protoReader) structure(data []byte) map[string]any {
	o := map[string]any{}
	r.each(data, func(_ protowire.Number, entry []byte, _ uint64) {
		key, value := "", any(nil)
		r.each(entry, func(num protowire.Number, v []byte, _ uint64) {
			if num == entryKey {
				key = string(v)
			} else {
				value = r.value(v)
			}
		})
		o[key] = value
	})
	return o
}

func (r protoReader) value(data []byte) (v any) {
	r.each(data, func(num protowire.Number, value []byte, number uint64) {
		switch num {
		case valueNumber:
			v = math.Float64frombits(number)
		case valueString:
			v = string(value)
		case valueBool:
			v = number == 1
		case valueStruct:
			v = r.structure(value)
		case valueList:
			items := []any{}
			r.each(value, func(_ protowire.Number, item []byte, _ uint64) { items = append(items, r.value(item)) })
			v = items
		}
	})
	return v
}

// checkProto: an event written and read again is the event.
func checkProto(t testing.TB, doc []byte) {
	t.Helper()
	frame := protoFrame(t, "r:1.2", doc)
	got, id := protoReader{t}.event(frame)
	var want any
	if err := json.Unmarshal(doc, &want); err != nil {
		if strings.Contains(err.Error(), "into Go value of type float64") {
			return // beyond all doubles
		}
		t.Fatal(err)
	}
	if !reflect.DeepEqual(withoutEmpty(got), withoutEmpty(want)) || id != "r:1.2" {
		t.Fatalf("%s\nbecame %v, id %q", doc, got, id)
	}
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
				doc, err := MarshalEvent(event(rt, et))
				if err != nil {
					rt.Fatal(err)
				}
				checkProto(t, doc)
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
		doc, err := MarshalEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		checkProto(t, doc)
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
