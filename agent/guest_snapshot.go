package agent

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

// additions returns the events that stream what a snapshot adds.
func (g *guestRun) additions(messages []agui.Message) (events []agui.Event) {
	from := g.added(messages)
	if from == len(messages) {
		return nil
	}
	thread := g.watched.messages()
	ignored := max(0, len(messages)-from-maxAdditions)
	for i := from; i < min(len(messages), from+maxAdditions); i++ {
		more := g.eventsOf(&messages[i], thread)
		if more == nil && !g.has(&messages[i], thread) {
			ignored++
		}
		events = append(events, more...)
	}
	if ignored > 0 {
		g.agent.log().Warn("left out messages of an agent's snapshot", "agent", g.agent.ID, "run", g.in.RunID,
			"count", ignored)
	}
	return events
}

// added returns the index after the last message of a snapshot that the thread had before the run,
// or that is the user's.
func (g *guestRun) added(messages []agui.Message) int {
	for i, m := range slices.Backward(messages) {
		if g.ids.old[m.ID] != nil || m.Role == agui.RoleUser {
			return i + 1
		}
	}
	return 0
}

// has reports whether the thread has a message of a snapshot, by id or by what it says.
func (g *guestRun) has(m *agui.Message, thread []agui.Message) bool {
	return slices.ContainsFunc(thread, func(other agui.Message) bool {
		if other.ID == g.ids.message(m.ID) {
			return true
		}
		switch m.Role {
		case agui.RoleTool:
			return other.Role == m.Role && other.ToolCallID == g.ids.call(m.ToolCallID)
		case agui.RoleAssistant, agui.RoleReasoning:
			return other.Role == m.Role && g.ids.old[other.ID] == nil &&
				other.Content.Text() == m.Content.Text() && g.sameCalls(&other, m)
		}
		return false
	})
}

func (g *guestRun) sameCalls(ours, theirs *agui.Message) bool {
	return slices.EqualFunc(ours.ToolCalls, theirs.ToolCalls, func(a, b agui.ToolCall) bool {
		return a.ID == g.ids.call(b.ID)
	})
}

// eventsOf returns the events that stream a message of a snapshot, nil if it is not taken.
func (g *guestRun) eventsOf(m *agui.Message, thread []agui.Message) (events []agui.Event) {
	if g.has(m, thread) {
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
			if g.ids.begun[c.ID] != "" || g.ids.calls.taken[c.ID] {
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
