package agent

import (
	"errors"

	"github.com/pageside/pageside/agui"
)

// guestIDs keeps a guest from writing into messages and calls of earlier runs: an id that the
// thread has already gets a new one here. Within its run, a guest's ids mean what it says.
type guestIDs struct {
	old     map[string]*agui.Message // of the thread before the run
	renamed map[string]string        // of messages
	calls   *callIDs
	begun   map[string]string // calls of the run: the guest's id → the thread's
}

func newGuestIDs(in *Input, calls *callIDs) *guestIDs {
	ids := &guestIDs{make(map[string]*agui.Message, len(in.History)), map[string]string{}, calls, map[string]string{}}
	for i := range in.History {
		ids.old[in.History[i].ID] = &in.History[i]
	}
	return ids
}

// message returns the thread's id of a message of the guest.
func (ids *guestIDs) message(id string) string {
	if ids.old[id] == nil {
		return id
	}
	if ids.renamed[id] == "" {
		ids.renamed[id] = ids.calls.newID("msg_")
	}
	return ids.renamed[id]
}

// activity is message for an activity: an earlier one of the same type may be changed.
func (ids *guestIDs) activity(id, kind string) string {
	if m := ids.old[id]; m != nil && m.Role == agui.RoleActivity && m.ActivityType == kind {
		return id
	}
	return ids.message(id)
}

// parent returns the message that a call belongs to: none of an earlier run.
func (ids *guestIDs) parent(id string) string {
	if ids.old[id] != nil && ids.renamed[id] == "" {
		return ""
	}
	return ids.message(id)
}

// newCall returns the thread's id of a call that begins.
func (ids *guestIDs) newCall(id string) string {
	if ids.begun[id] == "" {
		ids.begun[id] = ids.calls.take(id)
	}
	return ids.begun[id]
}

// call returns the thread's id of a call: of this run, or else of an earlier one.
func (ids *guestIDs) call(id string) string {
	if own := ids.begun[id]; own != "" {
		return own
	}
	return id
}

// rename sets the thread's ids in an event. A text is the assistant's: nobody else speaks here.
func (ids *guestIDs) rename(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		e.MessageID, e.Role = ids.message(e.MessageID), agui.RoleAssistant
	case *agui.TextMessageContent:
		e.MessageID = ids.message(e.MessageID)
	case *agui.TextMessageEnd:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningStart:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningEnd:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningMessageStart:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningMessageContent:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningMessageEnd:
		e.MessageID = ids.message(e.MessageID)
	case *agui.ReasoningEncryptedValue:
		e.EntityID = ids.entity(e)
	case *agui.SubagentStarted:
		e.ParentToolCallID = ids.call(e.ParentToolCallID)
		e.ParentMessageID = ids.parent(e.ParentMessageID)
	}
}

func (ids *guestIDs) entity(e *agui.ReasoningEncryptedValue) string {
	if e.Subtype == "tool-call" {
		return ids.call(e.EntityID)
	}
	return ids.message(e.EntityID)
}

// chunks turns the events *_CHUNK, which stateless producers send, into START, CONTENT and END. One
// message or call is open at a time: it ends with the next event that is not part of it.
type chunks struct {
	kind agui.EventType // of the chunks that are open; "" if none are
	id   string
	tag  string // their sub-agent
}

// expand returns the events that one stands for.
func (c *chunks) expand(e agui.Event) ([]agui.Event, error) {
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
func (c *chunks) next(
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
func (c *chunks) close() []agui.Event {
	kind, id, base := c.kind, c.id, agui.Base{SubagentRunID: c.tag}
	*c = chunks{}
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
