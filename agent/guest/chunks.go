package guest

import (
	"errors"

	"github.com/pageside/pageside/agui"
)

// Chunks turns the events *_CHUNK, which stateless producers send, into START, CONTENT and END. One
// message or call is open at a time: it ends with the next event that is not part of it.
type Chunks struct {
	kind agui.EventType // of the chunks that are open; "" if none are
	id   string
	tag  string // their sub-agent
}

// Expand returns the events that one stands for.
func (c *Chunks) Expand(e agui.Event) ([]agui.Event, error) {
	switch e := e.(type) {
	case *agui.TextMessageChunk:
		return c.next(e, e.MessageID, e.Delta, func(id string) agui.Event {
			return &agui.TextMessageStart{Base: e.Base, MessageID: id, Role: e.Role, Name: e.Name}
		})
	case *agui.ReasoningMessageChunk:
		return c.next(e, e.MessageID, e.Delta, func(id string) agui.Event {
			return &agui.ReasoningMessageStart{Base: e.Base, MessageID: id}
		})
	case *agui.ToolCallChunk:
		if e.ToolCallName == "" && (c.kind != e.Type() || e.ToolCallID != "" && e.ToolCallID != c.id) {
			return nil, errors.New("the first chunk of a tool call has no name")
		}
		return c.next(e, e.ToolCallID, e.Delta, func(id string) agui.Event {
			return &agui.ToolCallStart{
				Base: e.Base, ToolCallID: id, ToolCallName: e.ToolCallName, ParentMessageID: e.ParentMessageID,
			}
		})
	case *agui.Raw, *agui.ActivitySnapshot, *agui.ActivityDelta, *agui.ReasoningEncryptedValue:
		return []agui.Event{e}, nil
	}
	return append(c.close(), e), nil
}

// next returns the events of one chunk. Without an id it continues what is open.
func (c *Chunks) next(
	e agui.Event, id string, delta *string, start func(id string) agui.Event,
) (events []agui.Event, err error) {
	if c.kind != e.Type() || id != "" && id != c.id {
		if id == "" {
			return nil, errors.New("the first chunk has no id")
		}
		events = append(c.close(), start(id))
		c.kind, c.id, c.tag = e.Type(), id, agui.BaseOf(e).SubagentRunID
	}
	if delta == nil || *delta == "" {
		return events, nil
	}
	base := agui.Base{SubagentRunID: c.tag}
	switch c.kind {
	case agui.TypeTextMessageChunk:
		return append(events, &agui.TextMessageContent{Base: base, MessageID: c.id, Delta: *delta}), nil
	case agui.TypeReasoningMessageChunk:
		return append(events, &agui.ReasoningMessageContent{Base: base, MessageID: c.id, Delta: *delta}), nil
	}
	return append(events, &agui.ToolCallArgs{Base: base, ToolCallID: c.id, Delta: *delta}), nil
}

// close returns the END of what is open, if anything is.
func (c *Chunks) close() []agui.Event {
	kind, id, base := c.kind, c.id, agui.Base{SubagentRunID: c.tag}
	*c = Chunks{}
	switch kind {
	case agui.TypeTextMessageChunk:
		return []agui.Event{&agui.TextMessageEnd{Base: base, MessageID: id}}
	case agui.TypeReasoningMessageChunk:
		return []agui.Event{&agui.ReasoningMessageEnd{Base: base, MessageID: id}}
	case agui.TypeToolCallChunk:
		return []agui.Event{&agui.ToolCallEnd{Base: base, ToolCallID: id}}
	}
	return nil
}
