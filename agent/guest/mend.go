package guest

import "github.com/pageside/pageside/agui"

// Mend returns what is sent in place of an event out of order: nothing for a second START or END,
// and what is missing before the others. Only the order is at fault, not who sends it.
func Mend(e agui.Event, refused *agui.RuleError) (events []agui.Event, known bool) {
	if refused.Rule == agui.RuleOwner {
		return nil, false
	}
	base := agui.Base{SubagentRunID: agui.BaseOf(e).SubagentRunID}
	switch e := e.(type) {
	case *agui.TextMessageStart, *agui.TextMessageEnd, *agui.ReasoningStart, *agui.ReasoningEnd,
		*agui.ReasoningMessageStart, *agui.ReasoningMessageEnd, *agui.ToolCallEnd, *agui.SubagentStarted,
		*agui.SubagentFinished, *agui.SubagentError:
		return nil, true
	case *agui.StepStarted, *agui.StepFinished:
		return nil, true
	case *agui.TextMessageContent:
		return []agui.Event{
			&agui.TextMessageStart{Base: base, MessageID: e.MessageID, Role: agui.RoleAssistant}, e,
		}, true
	case *agui.ReasoningMessageContent:
		return []agui.Event{&agui.ReasoningMessageStart{Base: base, MessageID: e.MessageID}, e}, true
	case *agui.ToolCallStart: // of a call that is open
		return nil, refused.Rule == agui.RuleToolCall
	}
	return nil, false
}
