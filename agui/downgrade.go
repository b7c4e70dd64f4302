package agui

// Downgrade returns what a client of version 0.x is sent instead of e: one event, or none. A client that sends no
// protocolVersion is one; its validators end the run on what they do not know (measured with @ag-ui/client 0.0.59):
//
//   - RUN_FINISHED with the outcome cancelled, which becomes success;
//   - pendingToolCallIds, which is left out;
//   - a tool result that is an array of parts, also inside MESSAGES_SNAPSHOT and RUN_STARTED.input, which becomes the
//     texts of its parts joined;
//   - SUBAGENT_*, which is left out.
//
// Where nothing changes the result is e itself. e is never changed.
func Downgrade(e Event) []Event {
	if old, changed := downgrade(e); changed {
		return old
	}
	return []Event{e} // on the caller's stack: this function is small enough to be inlined
}

// newer reports whether e may hold something that 0.x does not know.
func newer(e Event) bool {
	switch e := e.(type) {
	case *TextMessageContent, *ToolCallArgs, *ReasoningMessageContent:
		return false
	case *RunFinished:
		return e.Outcome != nil && (e.Outcome.Type == OutcomeCancelled || e.Outcome.PendingToolCallIDs != nil)
	case *ToolCallResult:
		return !e.Content.IsText()
	case *MessagesSnapshot:
		return hasPartResults(e.Messages)
	case *RunStarted:
		return e.Input != nil && hasPartResults(e.Input.Messages)
	case *SubagentStarted, *SubagentFinished, *SubagentError:
		return true
	}
	return false
}

func downgrade(e Event) (old []Event, changed bool) {
	if !newer(e) {
		return nil, false
	}
	return older(e), true
}

func older(e Event) []Event {
	switch e := e.(type) {
	case *RunFinished:
		old := *e
		old.Outcome = &Outcome{Type: OutcomeSuccess}
		return []Event{&old}
	case *ToolCallResult:
		old := *e
		old.Content = TextContent(e.Content.Text())
		return []Event{&old}
	case *MessagesSnapshot:
		old := *e
		old.Messages = downgradeMessages(e.Messages)
		return []Event{&old}
	case *RunStarted:
		old, input := *e, *e.Input
		input.Messages = downgradeMessages(input.Messages)
		old.Input = &input
		return []Event{&old}
	}
	return nil
}

func isPartResult(m *Message) bool { return m.Role == RoleTool && !m.Content.IsText() }

func hasPartResults(messages []Message) bool {
	for i := range messages {
		if isPartResult(&messages[i]) {
			return true
		}
	}
	return false
}

func downgradeMessages(messages []Message) []Message {
	old := make([]Message, len(messages))
	for i, m := range messages {
		if isPartResult(&m) {
			m.Content = TextContent(m.Content.Text())
		}
		old[i] = m
	}
	return old
}
