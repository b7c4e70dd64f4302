package agui

import (
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// entry is one message of a transcript and its unfinished content.
type entry struct {
	message Message
	changed bool // since the last Changed
	owned   bool // message.ToolCalls is not shared with a caller
	// unfinished content: a JSON string without its closing quote; if nil, message.Content is
	// current
	text     []byte
	calls    []*callText
	activity jsonx.Document // unfinished content; if zero, message.Activity is current
	// metadata of events, not merged yet: by the index of the call that has it, or whole. Merged
	// with each event, that of a long answer would take time that grows with its square.
	metadata map[int][]json.RawMessage
}

// whole stands for the message itself among its calls.
const whole = -1

// callText is a tool call with unfinished arguments.
type callText struct {
	entry *entry
	call  int // index in the message's tool calls
	args  []byte
}

// current returns the message as it is now.
func (e *entry) current() Message {
	for of, added := range e.metadata {
		kept := &e.message.Metadata
		if of != whole {
			kept = &e.message.ToolCalls[of].Metadata
		}
		*kept = jsonx.MergeObjects(*kept, added...)
	}
	e.metadata = nil
	if e.activity.Raw() != nil {
		e.message.Activity = e.activity.Raw()
	}
	for _, c := range e.calls {
		if len(c.args) > len(e.message.ToolCalls[c.call].Arguments) {
			e.message.ToolCalls[c.call].Arguments = string(c.args)
		}
	}
	m := e.message
	if e.text != nil {
		text := make([]byte, len(e.text)+1)
		copy(text, e.text)
		text[len(e.text)] = '"'
		m.Content = e.written(text)
	}
	if e.owned {
		m.ToolCalls = slices.Clone(m.ToolCalls)
	}
	return m
}

// write appends a delta to the content, replacing content that is not text.
func (e *entry) write(delta string) {
	if e.text == nil {
		e.text = append(e.text, '"')
		if raw := e.message.Content.raw; e.message.Content.IsText() && len(raw) > 2 {
			e.text = append(e.text, raw[1:len(raw)-1]...)
		}
	}
	e.text = jsonx.AppendStringBody(e.text, delta)
	e.changed = true
}

// seal finishes the content.
func (e *entry) seal() {
	if e.text != nil {
		e.message.Content = e.written(append(e.text, '"'))
		e.text = nil
	}
}

// written returns finished content in place of the message's old one.
func (e *entry) written(text []byte) Content {
	before := e.message.Content
	return Content{text, before.checked || !before.IsText()}
}

// merge folds the event's metadata into the message's.
func (e *entry) merge(from Event) { e.mergeInto(whole, from) }

// mergeInto folds the event's metadata into that of a tool call, or of the whole message.
func (e *entry) mergeInto(of int, from Event) {
	metadata := from.base().Metadata
	if metadata == nil {
		return
	}
	if e.metadata == nil {
		e.metadata = map[int][]json.RawMessage{}
	}
	e.metadata[of] = append(e.metadata[of], metadata)
	e.changed = true
}

// own makes the message's tool calls writable by the transcript.
func (e *entry) own() {
	if !e.owned {
		e.message.ToolCalls = slices.Clone(e.message.ToolCalls)
		e.owned = true
	}
}

// startCall starts a tool call, or continues the one with its id: the event may come twice.
func (t *Transcript) startCall(e *ToolCallStart) error {
	if at, call := t.caller(e.ToolCallID, ""); at >= 0 {
		x := t.entries[at]
		x.own()
		c := &x.message.ToolCalls[call]
		if c.Name != e.ToolCallName {
			c.Name = e.ToolCallName
			x.changed = true
		}
		x.mergeInto(call, e)
		return nil
	}
	x := t.parent(e)
	x.own()
	x.changed = true
	x.message.ToolCalls = append(x.message.ToolCalls, ToolCall{ID: e.ToolCallID, Name: e.ToolCallName})
	x.mergeInto(len(x.message.ToolCalls)-1, e)
	return nil
}

// parent returns the assistant message of a tool call. If the event names an unknown message, a new
// one gets that id; if it names none, or one of another role, a new one gets the call's id.
func (t *Transcript) parent(e *ToolCallStart) *entry {
	id := e.ParentMessageID
	if id != "" {
		switch x := t.find(id); {
		case x == nil:
		case x.message.Role == RoleAssistant:
			return x
		default:
			id = ""
		}
	}
	if id == "" {
		id = e.ToolCallID
	}
	taken := t.find(id) != nil
	x := t.add(Message{ID: id, Role: RoleAssistant})
	if !taken {
		x.message.SubagentRunID = e.SubagentRunID
	}
	return x
}

// writing returns the tool call for appending arguments.
func (t *Transcript) writing(e Event, id string) (*callText, error) {
	if c := t.calls[id]; c != nil {
		return c, nil
	}
	at, call := t.caller(id, "")
	if at < 0 {
		return nil, unfolded(e, id, "no message has the tool call")
	}
	x := t.entries[at]
	x.own()
	c := &callText{entry: x, call: call, args: []byte(x.message.ToolCalls[call].Arguments)}
	x.calls = append(x.calls, c)
	if t.calls == nil {
		t.calls = make(map[string]*callText)
	}
	t.calls[id] = c
	return c, nil
}

func (t *Transcript) appendArgs(e *ToolCallArgs) error {
	c, err := t.writing(e, e.ToolCallID)
	if err != nil {
		return err
	}
	c.args = append(c.args, e.Delta...)
	c.entry.changed = true
	c.entry.mergeInto(c.call, e)
	return nil
}

func (t *Transcript) endCall(e *ToolCallEnd) error {
	c, err := t.writing(e, e.ToolCallID)
	if err != nil {
		return err
	}
	x := c.entry
	x.message.ToolCalls[c.call].Arguments = string(c.args)
	x.calls = slices.DeleteFunc(x.calls, func(o *callText) bool { return o == c })
	delete(t.calls, e.ToolCallID)
	x.mergeInto(c.call, e)
	return nil
}
