package agui

// newEvent returns an empty event of type t, or nil if AG-UI 1.0 has no such type.
func newEvent(t EventType) Event {
	switch t {
	case TypeRunStarted:
		return new(RunStarted)
	case TypeRunFinished:
		return new(RunFinished)
	case TypeRunError:
		return new(RunError)
	case TypeStepStarted:
		return new(StepStarted)
	case TypeStepFinished:
		return new(StepFinished)
	case TypeTextMessageStart:
		return new(TextMessageStart)
	case TypeTextMessageContent:
		return new(TextMessageContent)
	case TypeTextMessageEnd:
		return new(TextMessageEnd)
	case TypeTextMessageChunk:
		return new(TextMessageChunk)
	case TypeToolCallStart:
		return new(ToolCallStart)
	case TypeToolCallArgs:
		return new(ToolCallArgs)
	case TypeToolCallEnd:
		return new(ToolCallEnd)
	case TypeToolCallChunk:
		return new(ToolCallChunk)
	case TypeToolCallResult:
		return new(ToolCallResult)
	case TypeStateSnapshot:
		return new(StateSnapshot)
	case TypeStateDelta:
		return new(StateDelta)
	case TypeMessagesSnapshot:
		return new(MessagesSnapshot)
	case TypeActivitySnapshot:
		return new(ActivitySnapshot)
	case TypeActivityDelta:
		return new(ActivityDelta)
	case TypeRaw:
		return new(Raw)
	case TypeCustom:
		return new(Custom)
	}
	return newReasoningOrSubagentEvent(t)
}

func newReasoningOrSubagentEvent(t EventType) Event {
	switch t {
	case TypeReasoningStart:
		return new(ReasoningStart)
	case TypeReasoningEnd:
		return new(ReasoningEnd)
	case TypeReasoningMessageStart:
		return new(ReasoningMessageStart)
	case TypeReasoningMessageContent:
		return new(ReasoningMessageContent)
	case TypeReasoningMessageEnd:
		return new(ReasoningMessageEnd)
	case TypeReasoningMessageChunk:
		return new(ReasoningMessageChunk)
	case TypeReasoningEncryptedValue:
		return new(ReasoningEncryptedValue)
	case TypeSubagentStarted:
		return new(SubagentStarted)
	case TypeSubagentFinished:
		return new(SubagentFinished)
	case TypeSubagentError:
		return new(SubagentError)
	}
	return nil
}
