package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
)

// errUnknown means that AG-UI has no such event. Clients of version 1.0 leave those out too.
var errUnknown = errors.New("no event of AG-UI")

// known are the events that are passed on.
var known = map[agui.EventType]bool{
	agui.TypeStepStarted: true, agui.TypeStepFinished: true,
	agui.TypeTextMessageStart: true, agui.TypeTextMessageContent: true, agui.TypeTextMessageEnd: true,
	agui.TypeTextMessageChunk: true,
	agui.TypeToolCallStart:    true, agui.TypeToolCallArgs: true, agui.TypeToolCallEnd: true,
	agui.TypeToolCallChunk: true, agui.TypeToolCallResult: true,
	agui.TypeStateSnapshot: true, agui.TypeStateDelta: true, agui.TypeMessagesSnapshot: true,
	agui.TypeActivitySnapshot: true, agui.TypeActivityDelta: true,
	agui.TypeRaw: true, agui.TypeCustom: true,
	agui.TypeReasoningStart: true, agui.TypeReasoningEnd: true, agui.TypeReasoningMessageStart: true,
	agui.TypeReasoningMessageContent: true,
	agui.TypeReasoningMessageEnd:     true, agui.TypeReasoningMessageChunk: true,
	agui.TypeReasoningEncryptedValue: true,
	agui.TypeSubagentStarted:         true, agui.TypeSubagentFinished: true, agui.TypeSubagentError: true,
}

// decode reads an event: as AG-UI 1.0 has it, or else as agents of version 0.x are known to write
// it.
func decode(kind agui.EventType, data []byte) (agui.Event, error) {
	if !known[kind] {
		return nil, errUnknown
	}
	e, err := agui.UnmarshalEvent(data)
	if err == nil {
		return e, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return nil, err
	}
	mended, failed := decodeMembers(kind, members)
	if failed != nil {
		return nil, err
	}
	return mended, nil
}

// opaque are the members in which null is a value.
var opaque = map[string]bool{"snapshot": true, "value": true, "event": true, "result": true}

// decodeMembers reads an event after it has been brought into the form of AG-UI 1.0: without nulls
// for what is absent, without fractions of milliseconds, and with the members that 1.0 requires.
func decodeMembers(kind agui.EventType, members map[string]json.RawMessage) (agui.Event, error) {
	for name, value := range members {
		if !opaque[name] && bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			delete(members, name)
		}
	}
	delete(members, "timestamp")
	delete(members, "rawEvent")
	switch kind {
	case agui.TypeCustom:
		setDefault(members, "value", "null")
	case agui.TypeRaw:
		setDefault(members, "event", "null")
	case agui.TypeReasoningMessageStart:
		members["role"] = json.RawMessage(`"reasoning"`)
	case agui.TypeToolCallResult:
		if members["messageId"] == nil {
			members["messageId"] = quoted("result-" + unquoted(members["toolCallId"]))
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return agui.UnmarshalEvent(raw)
}

func setDefault(members map[string]json.RawMessage, name, value string) {
	if members[name] == nil {
		members[name] = json.RawMessage(value)
	}
}

func unquoted(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text) // "" if it is no text
	return text
}

// thoughts turns the events THINKING_* of AG-UI 0.x, which have no ids, into REASONING_*.
type thoughts struct {
	run           string
	spans, texts  int
	span, message string // ids of what is open; "" if nothing is
}

// read returns the events that one stands for; known is false for any other kind of event.
func (t *thoughts) read(kind agui.EventType, data []byte) (events []agui.Event, known bool) {
	switch kind {
	case "THINKING_START":
		return t.startSpan(), true
	case "THINKING_TEXT_MESSAGE_START":
		return t.startText(), true
	case "THINKING_TEXT_MESSAGE_CONTENT":
		var said struct{ Delta string }
		if json.Unmarshal(data, &said) != nil || said.Delta == "" {
			return nil, true
		}
		if t.message == "" {
			events = t.startText()
		}
		return append(events, &agui.ReasoningMessageContent{MessageID: t.message, Delta: said.Delta}), true
	case "THINKING_TEXT_MESSAGE_END":
		return t.endText(), true
	case "THINKING_END":
		events = t.endText()
		if t.span != "" {
			events = append(events, &agui.ReasoningEnd{MessageID: t.span})
		}
		t.span = ""
		return events, true
	}
	return nil, false
}

func (t *thoughts) startSpan() []agui.Event {
	if t.span != "" {
		return nil
	}
	t.spans++
	t.span = fmt.Sprintf("thinking-%s-%d", t.run, t.spans)
	return []agui.Event{&agui.ReasoningStart{MessageID: t.span}}
}

func (t *thoughts) startText() []agui.Event {
	events := t.endText()
	t.texts++
	t.message = fmt.Sprintf("thought-%s-%d", t.run, t.texts)
	return append(events, &agui.ReasoningMessageStart{MessageID: t.message})
}

func (t *thoughts) endText() []agui.Event {
	if t.message == "" {
		return nil
	}
	id := t.message
	t.message = ""
	return []agui.Event{&agui.ReasoningMessageEnd{MessageID: id}}
}
