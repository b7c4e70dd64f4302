package agui

import "slices"

// Verifier checks that events come in an order AG-UI 1.0 allows: stock clients accept what it
// accepts. It also enforces this server's stricter rules (RuleServer). A stream may hold several
// runs, one after the other.
//
// Not safe for concurrent use. Checking a delta does not allocate.
type Verifier struct {
	state    runState
	started  RunStarted // its ids, which the terminal event must repeat
	text     lane
	calls    lane
	spans    lane
	thoughts lane
	agents   lane
	steps    map[stepKey]*entity // open ones
	open     []*entity           // of every kind, in the order they were opened; some may be closed
	closed   int                 // those among open
	asked    []string            // tool calls started in this run, in order
	answered map[string]bool
	owners   owners
}

// runState is the state of the stream.
type runState uint8

const (
	beforeRun runState = iota
	inRun
	afterFinished
	afterError
)

// entity is something that an event opened and another one closes.
type entity struct {
	kind  EventType // of the opener
	id    string
	owner string // the sub-agent of a step; empty for the parent agent
	open  bool
}

// stepKey names a step: sub-agents may have steps of the same name.
type stepKey struct{ name, owner string }

// lane holds the entities of one kind by id, for the whole run.
type lane map[string]*entity

func (l lane) find(id string) *entity {
	if e := l[id]; e != nil && e.open {
		return e
	}
	return nil
}

// owners records the agent that opened each id, for the whole run: also of what has been closed or
// came with a snapshot.
type owners struct{ message, call, activity, thought map[string]string }

// NewVerifier returns a Verifier for a new stream.
func NewVerifier() *Verifier { return new(Verifier) }

// Check returns a *RuleError if e must not come next; then the Verifier's state is unchanged.
func (v *Verifier) Check(e Event) error {
	if err := v.inOrder(e); err != nil {
		return err
	}
	switch e := e.(type) {
	case *TextMessageContent:
		return v.continued(v.text, v.owners.message, "message", e, e.MessageID)
	case *ToolCallArgs:
		return v.continued(v.calls, v.owners.call, "tool call", e, e.ToolCallID)
	case *ReasoningMessageContent:
		return v.continued(v.thoughts, v.owners.thought, "reasoning message", e, e.MessageID)
	case *TextMessageStart:
		return v.startText(e)
	case *TextMessageEnd:
		return v.end(v.text, v.owners.message, "message", e, e.MessageID)
	case *ToolCallStart:
		return v.startCall(e)
	case *ToolCallEnd:
		return v.end(v.calls, v.owners.call, "tool call", e, e.ToolCallID)
	case *ToolCallResult:
		return v.result(e)
	case *ReasoningStart:
		return v.startThought(&v.spans, e, e.MessageID)
	case *ReasoningMessageStart:
		return v.startThought(&v.thoughts, e, e.MessageID)
	case *ReasoningMessageEnd:
		return v.end(v.thoughts, v.owners.thought, "reasoning message", e, e.MessageID)
	case *ReasoningEnd:
		return v.end(v.spans, v.owners.thought, "reasoning message", e, e.MessageID)
	}
	return v.checkRare(e)
}

func (v *Verifier) checkRare(e Event) error {
	switch e := e.(type) {
	case *RunStarted:
		v.startRun(e)
	case *RunFinished:
		return v.finishRun(e)
	case *RunError:
		v.state = afterError
	case *StepStarted:
		return v.startStep(e)
	case *StepFinished:
		return v.finishStep(e)
	case *SubagentStarted:
		return v.startAgent(e)
	case *SubagentFinished, *SubagentError:
		return v.endAgent(e)
	case *ReasoningEncryptedValue:
		return v.encrypted(e)
	case *ActivitySnapshot:
		v.activity(e)
	case *ActivityDelta:
		return v.agrees(e, v.owners.activity, "activity", e.MessageID)
	case *MessagesSnapshot:
		v.learn(e.Messages, true)
	}
	return nil
}

// inOrder checks an event's position in the run: the first event, events after the last, and those
// this server never sends.
func (v *Verifier) inOrder(e Event) error {
	t := e.Type()
	switch v.state {
	case inRun:
		if t == TypeRunStarted {
			return violation(RuleRunActive,
				"Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished with 'RUN_FINISHED' before starting a new run.")
		}
	case beforeRun:
		if t != TypeRunStarted && t != TypeRunError {
			return violation(RuleFirstEvent, "First event must be 'RUN_STARTED'")
		}
	case afterFinished:
		if t != TypeRunStarted {
			return violation(RuleAfterFinished,
				"Cannot send event type '%s': The run has already finished with 'RUN_FINISHED'. Start a new run with 'RUN_STARTED'.",
				t)
		}
	case afterError:
		if t != TypeRunStarted {
			return violation(RuleAfterError,
				"Cannot send event type '%s': The run has already errored with 'RUN_ERROR'. No further events can be sent.",
				t)
		}
	}
	switch t {
	case TypeTextMessageChunk, TypeToolCallChunk, TypeReasoningMessageChunk:
		return violation(RuleServer, "Cannot send event type '%s': This server sends START, CONTENT and END.", t)
	case TypeRunStarted, TypeRunFinished, TypeRunError, TypeMessagesSnapshot:
		if BaseOf(e).SubagentRunID != "" {
			return violation(RuleOwner, "Cannot send '%s' with a subagentRunId.", t)
		}
	}
	return nil
}

func (v *Verifier) startRun(e *RunStarted) {
	*v = Verifier{state: inRun, started: RunStarted{ThreadID: e.ThreadID, RunID: e.RunID}}
	if e.Input != nil {
		v.learn(e.Input.Messages, false)
	}
}

func (v *Verifier) finishRun(e *RunFinished) error {
	if e.ThreadID != v.started.ThreadID || e.RunID != v.started.RunID {
		return violation(RuleServer, "Cannot send 'RUN_FINISHED' for run '%s' of thread '%s': The run that is active is '%s' of thread '%s'.",
			e.RunID, e.ThreadID, v.started.RunID, v.started.ThreadID)
	}
	if err := v.stillOpen(); err != nil {
		return err
	}
	if err := v.outcome(e); err != nil {
		return err
	}
	v.state = afterFinished
	return nil
}

func (v *Verifier) outcome(e *RunFinished) error {
	o := e.Outcome
	if o == nil {
		o = &Outcome{Type: OutcomeSuccess}
	}
	switch pending := v.Pending(); {
	case o.Type == OutcomeCancelled && e.Result != nil:
		return violation(RuleServer, "Cannot send 'RUN_FINISHED' with the outcome cancelled and a result.")
	case o.Type == OutcomeSuccess && !slices.Equal(v.ofThisRun(o.PendingToolCallIDs), pending):
		return violation(RulePending,
			"Cannot send 'RUN_FINISHED' with the pendingToolCallIds %q: The tool calls without a result are %q.",
			o.PendingToolCallIDs, pending)
	}
	return nil
}

// ofThisRun returns the ids after those of calls that an earlier run made and this one has not
// answered: they keep waiting.
func (v *Verifier) ofThisRun(ids []string) []string {
	first := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(v.asked, id) || v.answered[id] })
	if first < 0 {
		return nil
	}
	return ids[first:]
}

// Pending returns the tool calls of the run without a result, in the order they were started.
func (v *Verifier) Pending() []string {
	var ids []string
	for _, id := range v.asked {
		if !v.answered[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// Open returns how many messages, calls, steps and sub-agents are open.
func (v *Verifier) Open() int { return len(v.open) - v.closed }

// Close returns the events that end everything open, newest first, so that RUN_FINISHED or
// RUN_ERROR may follow. Each must still pass Check. Open sub-agents end with an error.
func (v *Verifier) Close() []Event {
	events := make([]Event, 0, v.Open())
	for _, e := range slices.Backward(v.open) {
		if e.open {
			events = append(events, e.closer())
		}
	}
	return events
}

// closer returns the event that ends e, untagged if possible: no tag agrees with every owner, and a
// snapshot may have changed the owner.
func (e *entity) closer() Event {
	switch e.kind {
	case TypeTextMessageStart:
		return &TextMessageEnd{MessageID: e.id}
	case TypeToolCallStart:
		return &ToolCallEnd{ToolCallID: e.id}
	case TypeReasoningStart:
		return &ReasoningEnd{MessageID: e.id}
	case TypeReasoningMessageStart:
		return &ReasoningMessageEnd{MessageID: e.id}
	case TypeStepStarted:
		return &StepFinished{Base: Base{SubagentRunID: e.owner}, StepName: e.id}
	}
	return &SubagentError{Base: Base{SubagentRunID: e.id}, Message: "the run ended before the sub-agent did"}
}
