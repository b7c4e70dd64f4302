package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
)

// Visible returns what clients see of a thread: the messages without notes, each result
// after its call. In the store a result may be later: an approved call runs after the user's new
// message is stored. A client that has read the events puts the result after its call too.
func Visible(messages []agui.Message) []agui.Message {
	out := make([]agui.Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.IsNote():
		case m.Role == agui.RoleTool:
			out = slices.Insert(out, resultIndex(out, m.ToolCallID), m)
		default:
			out = append(out, m)
		}
	}
	return out
}

// resultIndex returns the index where the result of a call belongs: after the newest message with
// the call and the results already there.
func resultIndex(messages []agui.Message, callID string) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(messages[i].ToolCalls, func(c agui.ToolCall) bool { return c.ID == callID }) {
			continue
		}
		for i++; i < len(messages) && messages[i].Role == agui.RoleTool; i++ {
		}
		return i
	}
	return len(messages)
}

// Long threads are shown in windows: the newest messages first, older ones on request. A window
// consists of whole turns. It begins with a user message, and a call is never without its result.

// Window returns the last messages of what clients see of a thread: at least limit of them if there
// are that many, back to the beginning of a turn, and further if it would leave out a call that
// waits. A limit of 0 means all, and no outcome that nothing waits. before is the id of the first
// one if it leaves something out, else "".
func Window(messages []agui.Message, limit int, waits *agui.Outcome) (window []agui.Message, before string) {
	if limit <= 0 || limit >= len(messages) {
		return messages, ""
	}
	start, waiting := turnOf(messages, len(messages)-limit), waitingCalls(waits)
	for i := range messages[:start] {
		if slices.ContainsFunc(messages[i].ToolCalls, func(c agui.ToolCall) bool {
			return slices.Contains(waiting, c.ID)
		}) {
			start = turnOf(messages, i)
			break
		}
	}
	if start == 0 {
		return messages, ""
	}
	return messages[start:], messages[start].ID
}

// turnOf returns the index of the user message that begins the turn of a message, or 0.
func turnOf(messages []agui.Message, i int) int {
	for ; i > 0 && messages[i].Role != agui.RoleUser; i-- {
	}
	return i
}

// waitingCalls returns the calls that an outcome says are waiting.
func waitingCalls(o *agui.Outcome) []string {
	if o == nil {
		return nil
	}
	ids := slices.Clone(o.PendingToolCallIDs)
	for i := range o.Interrupts {
		ids = append(ids, o.Interrupts[i].ToolCallID)
	}
	return ids
}
