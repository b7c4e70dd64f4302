package guest

import (
	"slices"

	"github.com/pageside/pageside/agui"
)

// A guest's MESSAGES_SNAPSHOT restates the thread as the guest has it. The thread is the server's:
// a snapshot neither changes nor removes what is there. What it adds after the last message that
// the thread had before the run is taken as if the guest had streamed it; what was streamed
// already, by id or word for word, is not taken twice.

// maxAdditions is how many messages a snapshot may add: each is compared with those of the thread.
const maxAdditions = 100

// Additions returns the events that stream what a snapshot adds to the thread as it is now, and how
// many of its messages are ignored. Handle them before the next snapshot.
func (ids *IDs) Additions(snapshot, thread []agui.Message) (events []agui.Event, ignored int) {
	from := ids.added(snapshot)
	ignored = max(0, len(snapshot)-from-maxAdditions)
	for i := from; i < min(len(snapshot), from+maxAdditions); i++ {
		more := ids.eventsOf(&snapshot[i], thread)
		if more == nil && !ids.has(&snapshot[i], thread) {
			ignored++
		}
		events = append(events, more...)
	}
	return events, ignored
}

// added returns the index after the last message of a snapshot that the thread had before the run,
// or that is the user's.
func (ids *IDs) added(messages []agui.Message) int {
	for i, m := range slices.Backward(messages) {
		if ids.old[m.ID] != nil || m.Role == agui.RoleUser {
			return i + 1
		}
	}
	return 0
}

// has reports whether the thread has a message of a snapshot, by id or by what it says.
func (ids *IDs) has(m *agui.Message, thread []agui.Message) bool {
	return slices.ContainsFunc(thread, func(other agui.Message) bool {
		if other.ID == ids.Message(m.ID) {
			return true
		}
		switch m.Role {
		case agui.RoleTool:
			return other.Role == m.Role && other.ToolCallID == ids.Call(m.ToolCallID)
		case agui.RoleAssistant, agui.RoleReasoning:
			return other.Role == m.Role && ids.old[other.ID] == nil &&
				other.Content.Text() == m.Content.Text() && ids.sameCalls(&other, m)
		}
		return false
	})
}

func (ids *IDs) sameCalls(ours, theirs *agui.Message) bool {
	return slices.EqualFunc(ours.ToolCalls, theirs.ToolCalls, func(a, b agui.ToolCall) bool {
		return a.ID == ids.Call(b.ID)
	})
}

// eventsOf returns the events that stream a message of a snapshot, nil if it is not taken.
func (ids *IDs) eventsOf(m *agui.Message, thread []agui.Message) (events []agui.Event) {
	if ids.has(m, thread) {
		return nil
	}
	base := agui.Base{SubagentRunID: m.SubagentRunID, Metadata: agui.ClientMetadata(m.Metadata)}
	text := m.Content.Text()
	switch m.Role {
	case agui.RoleAssistant:
		if text != "" {
			events = append(events, &agui.TextMessageStart{Base: base, MessageID: m.ID, Role: m.Role},
				&agui.TextMessageContent{MessageID: m.ID, Delta: text}, &agui.TextMessageEnd{MessageID: m.ID})
		}
		for _, c := range m.ToolCalls {
			if ids.begun[c.ID] != "" || ids.calls.Taken(c.ID) {
				continue
			}
			events = append(events, &agui.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name, ParentMessageID: m.ID},
				&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Arguments}, &agui.ToolCallEnd{ToolCallID: c.ID})
		}
	case agui.RoleTool:
		events = append(events, &agui.ToolCallResult{
			Base: base, MessageID: m.ID, ToolCallID: m.ToolCallID, Content: m.Content, Role: m.Role,
		})
	case agui.RoleReasoning:
		if text != "" {
			events = append(events, &agui.ReasoningMessageStart{Base: base, MessageID: m.ID},
				&agui.ReasoningMessageContent{MessageID: m.ID, Delta: text}, &agui.ReasoningMessageEnd{MessageID: m.ID})
		}
	case agui.RoleActivity:
		events = append(events, &agui.ActivitySnapshot{
			Base: base, MessageID: m.ID, ActivityType: m.ActivityType, Content: m.Activity,
		})
	}
	return events
}
