package agui

import (
	"fmt"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// MaxDepth is the maximum nesting of arrays and objects in any document this package reads.
const MaxDepth = jsonx.DefaultMaxDepth

// MarshalEvent returns e as JSON on one line. See AppendEvent.
func MarshalEvent(e Event) ([]byte, error) { return AppendEvent(nil, e) }

// AppendEvent appends e as JSON on one line, ready for the data field of a server-sent event. It
// does not allocate if dst has room. If the schema of AG-UI 1.0 would refuse e, it returns a
// *FieldError and dst unchanged.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	if out, ok := appendDelta(dst, e); ok {
		return out, nil
	}
	out, err := write(dst, e)
	if err != nil {
		return dst, fmt.Errorf("agui: encode %s: %w", e.Type(), err)
	}
	return out, nil
}

// appendDelta is a fast path for the three most frequent events, if they carry nothing unusual.
func appendDelta(dst []byte, e Event) ([]byte, bool) {
	var id, delta string
	var base *Base
	var head string
	switch e := e.(type) {
	case *TextMessageContent:
		base, id, delta = &e.Base, e.MessageID, e.Delta
		head = `{"type":"TEXT_MESSAGE_CONTENT","messageId":`
	case *ToolCallArgs:
		base, id, delta = &e.Base, e.ToolCallID, e.Delta
		head = `{"type":"TOOL_CALL_ARGS","toolCallId":`
	case *ReasoningMessageContent:
		base, id, delta = &e.Base, e.MessageID, e.Delta
		head = `{"type":"REASONING_MESSAGE_CONTENT","messageId":`
	default:
		return dst, false
	}
	if base.Timestamp != nil || base.RawEvent != nil || base.Metadata != nil || base.SubagentRunID != "" {
		return dst, false
	}
	dst = append(dst, head...)
	dst = jsonx.AppendString(dst, id)
	dst = append(dst, `,"delta":`...)
	dst = jsonx.AppendString(dst, delta)
	return append(dst, '}'), true
}

// UnmarshalEvent reads one event. Errors are *FieldError and name the field. The event does not
// refer to data.
//
// It accepts AG-UI 1.0, and null for absent fields that peers of version 0.x may send. Unknown
// properties are dropped; unknown event types are an error, and so are the THINKING_* events that
// 1.0 has retired.
func UnmarshalEvent(data []byte) (Event, error) {
	if err := validate(data, jsonx.Limits{}); err != nil {
		return nil, err
	}
	e, err := emptyEvent(data)
	if err != nil {
		return nil, err
	}
	if err := read(data, e, true); err != nil {
		return nil, err
	}
	return e, nil
}

// emptyEvent returns an event of the type named in data.
func emptyEvent(data []byte) (Event, error) {
	if k := jsonx.KindOf(data); k != jsonx.Object {
		return nil, fieldError("", "must be an object, got "+k.String())
	}
	raw := jsonx.Find(data, "type")
	if raw == nil {
		return nil, fieldError("type", "is required")
	}
	if k := jsonx.KindOf(raw); k != jsonx.String {
		return nil, fieldError("type", "must be a string, got "+k.String())
	}
	if e := newEvent(EventType(raw[1 : len(raw)-1])); e != nil {
		return e, nil
	}
	t, err := jsonx.Unquote(raw)
	if e := newEvent(EventType(t)); e != nil && err == nil {
		return e, nil
	}
	return nil, fieldError("type", fmt.Sprintf("%.64q is not an event of AG-UI %s", t, ProtocolVersion))
}

// MarshalMessage returns m as JSON on one line.
func MarshalMessage(m Message) ([]byte, error) { return AppendMessage(nil, &m) }

// AppendMessage appends m as JSON on one line. It writes only the fields of m's role.
func AppendMessage(dst []byte, m *Message) ([]byte, error) {
	out, err := write(dst, m)
	if err != nil {
		return dst, fmt.Errorf("agui: encode message %q: %w", m.ID, err)
	}
	return out, nil
}

// UnmarshalMessage reads one message. Errors are *FieldError. The message refers to data, which
// must not be changed afterwards.
func UnmarshalMessage(data []byte) (Message, error) {
	var m Message
	if err := validate(data, jsonx.Limits{}); err != nil {
		return m, err
	}
	if err := read(data, &m, false); err != nil {
		return Message{}, err
	}
	return m, nil
}

// MarshalRunAgentInput returns in as JSON on one line. See AppendRunAgentInput.
func MarshalRunAgentInput(in *RunAgentInput) ([]byte, error) { return AppendRunAgentInput(nil, in) }

// AppendRunAgentInput appends in as JSON on one line. On an error it returns dst unchanged.
func AppendRunAgentInput(dst []byte, in *RunAgentInput) ([]byte, error) {
	out, err := writeInput(slices.Grow(dst, in.size()), in)
	if err != nil {
		return dst, fmt.Errorf("agui: encode run input: %w", err)
	}
	return out, nil
}

// size estimates the length of the JSON, so that it is allocated once.
func (in *RunAgentInput) size() int {
	n := 512 + len(in.State) + len(in.ForwardedProps)
	for i := range in.Context {
		n += len(in.Context[i].Value)*17/16 + len(in.Context[i].Description) + 64
	}
	for i := range in.Tools {
		n += len(in.Tools[i].Parameters) + len(in.Tools[i].Description) + 128
	}
	return n
}

// UnmarshalRunAgentInput reads the body of a run request. Errors are *FieldError and name the
// field. The result refers to data, which must not be changed afterwards; messages' contents stay
// JSON.
//
// Messages may come without ids: then ID is empty. The value of a context item may be any JSON.
//
// It accepts input of version 0.x clients: null for an absent state, forwardedProps, tool
// parameters, resume payload or media metadata; a binary part becomes an image, audio, video or
// document part. Keys that could reach a prototype in JavaScript (__proto__, constructor,
// prototype) are refused everywhere.
func UnmarshalRunAgentInput(data []byte) (*RunAgentInput, error) {
	return UnmarshalRunAgentInputUpTo(0, data)
}

// UnmarshalRunAgentInputUpTo is UnmarshalRunAgentInput for at most so many messages, and reads no
// more of them than that. 0 is no limit.
func UnmarshalRunAgentInputUpTo(messages int, data []byte) (*RunAgentInput, error) {
	if err := validate(data, jsonx.Limits{Keys: true}); err != nil {
		return nil, err
	}
	in := new(RunAgentInput)
	if err := readInput(messages, data, in); err != nil {
		return nil, err
	}
	return in, nil
}

// UnmarshalUsage reads what MarshalUsage writes.
func UnmarshalUsage(data []byte) ([]TokenUsage, error) {
	var o usageObject
	wrapped := append(append([]byte(`{"usage":`), data...), '}')
	if err := validate(wrapped, jsonx.Limits{Keys: true}); err != nil {
		return nil, err
	}
	err := read(wrapped, &o, true)
	return o.Usage, err
}

type usageObject struct {
	Usage []TokenUsage `agui:"usage,required"`
}

// MarshalUsage returns token usages in the JSON form of RUN_FINISHED.
func MarshalUsage(usage []TokenUsage) ([]byte, error) {
	c := codec{mode: writing}
	c.writeList(len(usage), func(i int) { c.object(&usage[i]) })
	if c.err != nil {
		return nil, fmt.Errorf("agui: encode usage: %w", c.err)
	}
	return c.dst, nil
}
