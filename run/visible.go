package run

import (
	"slices"

	"github.com/pageside/pageside/agui"
)

// visibleMessages returns what clients see of a thread: the messages without notes, each result
// behind the call it answers. In the store a result may stand later, because a call that a person
// approved runs after what the user said besides is stored. A client that read the events has put
// the result behind its call too.
func visibleMessages(messages []agui.Message) []agui.Message {
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

// resultIndex returns where the result of a call belongs: behind the newest message that makes the
// call and the results that are already there.
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
