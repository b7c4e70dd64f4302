package guest

import "github.com/pageside/pageside/agui"

// IDs keeps a guest from writing into messages and calls of earlier runs: an id that the thread has
// already gets a new one here. Within its run, a guest's ids mean what it says.
type IDs struct {
	old     map[string]*agui.Message // of the thread before the run
	renamed map[string]string        // of messages
	calls   CallIDs
	begun   map[string]string // calls of the run: the guest's id → the thread's
}

// CallIDs are the ids of all tool calls of a thread.
type CallIDs interface {
	// Take returns an id for a call that begins: the one given, if it can be had.
	Take(id string) string
	// Taken reports whether a call has the id.
	Taken(id string) bool
	// New returns an id that nothing has.
	New(prefix string) string
}

// NewIDs returns the ids of a run on a thread.
func NewIDs(thread []agui.Message, calls CallIDs) *IDs {
	ids := &IDs{make(map[string]*agui.Message, len(thread)), map[string]string{}, calls, map[string]string{}}
	for i := range thread {
		ids.old[thread[i].ID] = &thread[i]
	}
	return ids
}

// Message returns the thread's id of a message of the guest.
func (ids *IDs) Message(id string) string {
	if ids.old[id] == nil {
		return id
	}
	if ids.renamed[id] == "" {
		ids.renamed[id] = ids.calls.New("msg_")
	}
	return ids.renamed[id]
}

// Activity is Message for an activity: an earlier one of the same type may be changed.
func (ids *IDs) Activity(id, kind string) string {
	if m := ids.old[id]; m != nil && m.Role == agui.RoleActivity && m.ActivityType == kind {
		return id
	}
	return ids.Message(id)
}

// Parent returns the message that a call belongs to: none of an earlier run.
func (ids *IDs) Parent(id string) string {
	if ids.old[id] != nil && ids.renamed[id] == "" {
		return ""
	}
	return ids.Message(id)
}

// NewCall returns the thread's id of a call that begins.
func (ids *IDs) NewCall(id string) string {
	if ids.begun[id] == "" {
		ids.begun[id] = ids.calls.Take(id)
	}
	return ids.begun[id]
}

// Call returns the thread's id of a call: of this run, or else of an earlier one.
func (ids *IDs) Call(id string) string {
	if own := ids.begun[id]; own != "" {
		return own
	}
	return id
}

// Rename sets the thread's ids in an event. A text is the assistant's: nobody else speaks here.
func (ids *IDs) Rename(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		e.MessageID, e.Role = ids.Message(e.MessageID), agui.RoleAssistant
	case *agui.TextMessageContent:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.TextMessageEnd:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningStart:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningEnd:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningMessageStart:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningMessageContent:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningMessageEnd:
		e.MessageID = ids.Message(e.MessageID)
	case *agui.ReasoningEncryptedValue:
		e.EntityID = ids.entity(e)
	case *agui.SubagentStarted:
		e.ParentToolCallID = ids.Call(e.ParentToolCallID)
		e.ParentMessageID = ids.Parent(e.ParentMessageID)
	}
}

func (ids *IDs) entity(e *agui.ReasoningEncryptedValue) string {
	if e.Subtype == "tool-call" {
		return ids.Call(e.EntityID)
	}
	return ids.Message(e.EntityID)
}
