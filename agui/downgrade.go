package agui

import "slices"

// Downgrade converts e for a client of version 0.x, to one event or none. A client that sends no
// protocolVersion is one. It ends the run, or the thread, at anything it does not know (measured
// with @ag-ui/client 0.0.59):
//
//   - RUN_FINISHED with the outcome cancelled becomes success;
//   - pendingToolCallIds is dropped;
//   - the expiresAt of an interrupt is dropped: after that time the client would send nothing more
//     on the thread, not even to cancel the interrupt. The server enforces the time itself;
//   - a tool result that is an array of parts, also inside MESSAGES_SNAPSHOT and
//     RUN_STARTED.input, becomes the joined texts of its parts;
//   - SUBAGENT_* is dropped.
//
// If nothing changes, the result is e itself. Downgrade never modifies e.
func Downgrade(e Event) []Event {
	if old, changed := downgrade(e); changed {
		return old
	}
	return []Event{e} // on the caller's stack: this function is small enough to be inlined
}

// DowngradeProto is Downgrade for a client of version 0.x that reads the binary framing. Its
// decoder (measured with @ag-ui/proto 0.0.59) ends the run at every event beside those of text,
// calls, state, steps, the run, MESSAGES_SNAPSHOT, RAW and CUSTOM. What it does not know is left
// out: results of calls, reasoning, chunks, and activities, also those inside MESSAGES_SNAPSHOT.
func DowngradeProto(e Event) []Event {
	switch e := e.(type) {
	case *ToolCallResult, *ActivitySnapshot, *ActivityDelta, *TextMessageChunk, *ToolCallChunk, *ReasoningStart, *ReasoningMessageStart,
		*ReasoningMessageContent, *ReasoningMessageEnd, *ReasoningMessageChunk, *ReasoningEnd, *ReasoningEncryptedValue:
		return nil
	case *MessagesSnapshot:
		old := *e
		old.Messages = protoMessages(e.Messages)
		return Downgrade(&old)
	}
	return Downgrade(e)
}

// protoMessages leaves out of messages what the decoder of 0.x does not know: activities, and files
// that a provider holds. It refuses a user's message without any part.
func protoMessages(messages []Message) []Message {
	var old []Message
	for _, m := range messages {
		if m.Role == RoleActivity {
			continue
		}
		if m.Role == RoleUser && !m.Content.IsText() {
			parts := m.Content.ownParts()
			if m.Content = PartsContent(parts); len(parts) == 0 {
				m.Content = TextContent("")
			}
		}
		old = append(old, m)
	}
	return old
}

// newer reports whether e may hold something unknown to 0.x.
func newer(e Event) bool {
	switch e := e.(type) {
	case *TextMessageContent, *ToolCallArgs, *ReasoningMessageContent:
		return false
	case *RunFinished:
		return e.Outcome != nil &&
			(e.Outcome.Type == OutcomeCancelled || e.Outcome.PendingToolCallIDs != nil ||
				slices.ContainsFunc(e.Outcome.Interrupts, expires))
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
		old.Outcome = downgradeOutcome(e.Outcome)
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

func expires(i Interrupt) bool { return i.ExpiresAt != "" }

func downgradeOutcome(o *Outcome) *Outcome {
	if o.Type != OutcomeInterrupt {
		return &Outcome{Type: OutcomeSuccess}
	}
	old := &Outcome{Type: OutcomeInterrupt, Interrupts: slices.Clone(o.Interrupts)}
	for i := range old.Interrupts {
		old.Interrupts[i].ExpiresAt = ""
	}
	return old
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
