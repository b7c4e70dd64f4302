package agui

import (
	"fmt"
	"slices"
	"strings"
)

// Rule names a rule of the order of events.
type Rule string

// All rules but RulePending and RuleServer are those of the stock client, @ag-ui/client 1.0.0, and
// so are their messages.
const (
	RuleFirstEvent    Rule = "first-event"    // RUN_STARTED (or RUN_ERROR) comes first
	RuleRunActive     Rule = "run-active"     // no run starts inside another
	RuleAfterError    Rule = "after-error"    // only a new run follows RUN_ERROR
	RuleAfterFinished Rule = "after-finished" // only a new run follows RUN_FINISHED
	RuleText          Rule = "text"           // a text message is started, continued, ended
	RuleToolCall      Rule = "tool-call"      // so is a tool call
	RuleReasoning     Rule = "reasoning"      // so are a reasoning span and a reasoning message
	RuleStep          Rule = "step"           // so is a step, by the same agent
	RuleSubagent      Rule = "subagent"       // so is a sub-agent, once
	RuleOwner         Rule = "owner"          // no agent continues what another one opened
	RuleStillOpen     Rule = "still-open"     // RUN_FINISHED comes when everything is closed
	// pendingToolCallIds are exactly the calls of the run without a result, in order, after any of
	// earlier runs
	RulePending Rule = "pending"
	// stricter than stock clients: only a bug in this server would send it
	RuleServer Rule = "server"
)

// RuleError is returned for an event that breaks a rule.
type RuleError struct {
	Rule    Rule
	Message string // the stock client's, if it has the rule
}

// Error implements error.
func (e *RuleError) Error() string { return e.Message }

func violation(r Rule, format string, args ...any) error {
	return &RuleError{r, fmt.Sprintf(format, args...)}
}

// ownerName returns the name of an owner in messages.
func ownerName(owner string) string {
	if owner == "" {
		return "(the parent agent)"
	}
	return owner
}

// agrees checks that an event that continues something is not tagged for another agent. No tag
// agrees with any.
func (v *Verifier) agrees(e Event, owned map[string]string, kind, id string) error {
	tag := e.base().SubagentRunID
	if tag == "" {
		return nil
	}
	if owner, known := owned[id]; known && owner != tag {
		return violation(RuleOwner,
			"Cannot send '%s': subagentRunId '%s' does not match the %s '%s' opener's subagent '%s'.", e.Type(),
			tag, kind, id, ownerName(owner))
	}
	return nil
}

// begin records that something is open. The first agent to open an id owns it.
func (v *Verifier) begin(l *lane, owned *map[string]string, e Event, id, owner string) {
	if *l == nil {
		*l = make(lane)
	}
	x := &entity{kind: e.Type(), id: id, open: true}
	(*l)[id] = x
	v.open = append(v.open, x)
	if _, known := (*owned)[id]; !known {
		own(owned, id, owner)
	}
}

func own(owned *map[string]string, id, owner string) {
	if *owned == nil {
		*owned = make(map[string]string)
	}
	(*owned)[id] = owner
}

func (v *Verifier) startText(e *TextMessageStart) error {
	if v.text.find(e.MessageID) != nil {
		return violation(RuleText,
			"Cannot send 'TEXT_MESSAGE_START' event: A text message with ID '%s' is already in progress. Complete it with 'TEXT_MESSAGE_END' first.",
			e.MessageID)
	}
	if err := v.agrees(e, v.owners.message, "message", e.MessageID); err != nil {
		return err
	}
	v.begin(&v.text, &v.owners.message, e, e.MessageID, e.SubagentRunID)
	return nil
}

func (v *Verifier) startCall(e *ToolCallStart) error {
	switch x := v.calls[e.ToolCallID]; {
	case x != nil && x.open:
		return violation(RuleToolCall,
			"Cannot send 'TOOL_CALL_START' event: A tool call with ID '%s' is already in progress. Complete it with 'TOOL_CALL_END' first.",
			e.ToolCallID)
	case x != nil:
		return violation(RuleServer,
			"Cannot send 'TOOL_CALL_START' event: The tool call with ID '%s' has already been made in this run.",
			e.ToolCallID)
	}
	owner, err := v.callOwner(e)
	if err != nil {
		return err
	}
	v.begin(&v.calls, &v.owners.call, e, e.ToolCallID, owner)
	v.asked = append(v.asked, e.ToolCallID)
	return nil
}

// callOwner returns the owner of a tool call: from its tag, else the owner of its message.
func (v *Verifier) callOwner(e *ToolCallStart) (string, error) {
	tag := e.SubagentRunID
	parent, known := "", false
	if e.ParentMessageID != "" {
		parent, known = v.owners.message[e.ParentMessageID]
	}
	if known && tag != "" && tag != parent {
		return "", violation(RuleOwner, "Cannot send 'TOOL_CALL_START': subagentRunId '%s' does not match its parent message '%s' owner '%s'. A tool call belongs to the message that carries it.",
			tag, e.ParentMessageID, ownerName(parent))
	}
	if err := v.agrees(e, v.owners.call, "tool call", e.ToolCallID); err != nil {
		return "", err
	}
	if owner, old := v.owners.call[e.ToolCallID]; old && known && tag == "" && owner != parent {
		return "", violation(RuleOwner, "Cannot send 'TOOL_CALL_START': tool call '%s' is owned by '%s' but its parent message '%s' is owned by '%s'. A tool call belongs to the message that carries it.",
			e.ToolCallID, ownerName(owner), e.ParentMessageID, ownerName(parent))
	}
	if tag == "" {
		return parent, nil
	}
	return tag, nil
}

func (v *Verifier) startThought(l *lane, e Event, id string) error {
	if l.find(id) != nil {
		what, end := "reasoning message", TypeReasoningMessageEnd
		if e.Type() == TypeReasoningStart {
			what, end = "reasoning span", TypeReasoningEnd
		}
		return violation(RuleReasoning,
			"Cannot send '%s' event: A %s with ID '%s' is already in progress. Complete it with '%s' first.",
			e.Type(), what, id, end)
	}
	if err := v.agrees(e, v.owners.thought, "reasoning message", id); err != nil {
		return err
	}
	v.begin(l, &v.owners.thought, e, id, e.base().SubagentRunID)
	return nil
}

// continued checks an event inside something open.
func (v *Verifier) continued(l lane, owned map[string]string, kind string, e Event, id string) error {
	if l.find(id) == nil {
		return notOpen(e.Type(), id)
	}
	return v.agrees(e, owned, kind, id)
}

func (v *Verifier) end(l lane, owned map[string]string, kind string, e Event, id string) error {
	if err := v.continued(l, owned, kind, e, id); err != nil {
		return err
	}
	v.shut(l[id])
	return nil
}

func (v *Verifier) shut(x *entity) {
	x.open = false
	if v.closed++; v.closed > len(v.open)/2 {
		v.open = slices.DeleteFunc(v.open, func(x *entity) bool { return !x.open })
		v.closed = 0
	}
}

// notOpen returns the stock client's message for an event that continues or ends something not
// open.
func notOpen(t EventType, id string) error {
	const must = "A '%s' event must be sent first."
	const start = "Start a %s with '%s' first."
	rule, what, opener, advice := RuleText, "text message", TypeTextMessageStart, ""
	switch t {
	case TypeToolCallArgs, TypeToolCallEnd:
		rule, what, opener = RuleToolCall, "tool call", TypeToolCallStart
	case TypeReasoningMessageContent, TypeReasoningMessageEnd:
		rule, what, opener = RuleReasoning, "reasoning message", TypeReasoningMessageStart
	case TypeReasoningEnd:
		rule, what, opener = RuleReasoning, "reasoning span", TypeReasoningStart
	}
	switch t {
	case TypeTextMessageEnd, TypeToolCallEnd, TypeReasoningEnd:
		advice = fmt.Sprintf(must, opener)
	default:
		advice = fmt.Sprintf(start, what, opener)
	}
	return violation(rule, "Cannot send '%s' event: No active %s found with ID '%s'. %s", t, what, id, advice)
}

// result checks a tool's result. It may answer a call of an earlier run; a call of this run may
// have only one result, after its end.
func (v *Verifier) result(e *ToolCallResult) error {
	if v.calls.find(e.ToolCallID) != nil {
		return violation(RuleServer,
			"Cannot send 'TOOL_CALL_RESULT' event: The tool call with ID '%s' is still in progress. Complete it with 'TOOL_CALL_END' first.",
			e.ToolCallID)
	}
	if v.answered[e.ToolCallID] {
		return violation(RuleServer,
			"Cannot send 'TOOL_CALL_RESULT' event: The tool call with ID '%s' already has a result.", e.ToolCallID)
	}
	if v.answered == nil {
		v.answered = make(map[string]bool)
	}
	v.answered[e.ToolCallID] = true
	own(&v.owners.message, e.MessageID, e.SubagentRunID)
	return nil
}

func (v *Verifier) encrypted(e *ReasoningEncryptedValue) error {
	if e.Subtype == "tool-call" {
		return v.agrees(e, v.owners.call, "tool call", e.EntityID)
	}
	if _, known := v.owners.message[e.EntityID]; known {
		return v.agrees(e, v.owners.message, "message", e.EntityID)
	}
	return v.agrees(e, v.owners.thought, "message", e.EntityID)
}

// activity records the owner of an activity: the agent that made or last replaced it.
func (v *Verifier) activity(e *ActivitySnapshot) {
	if _, known := v.owners.activity[e.MessageID]; !known || e.Replace == nil || *e.Replace {
		own(&v.owners.activity, e.MessageID, e.SubagentRunID)
	}
}

// learn records the owners of the messages and tool calls of a history. A snapshot overrules known
// owners.
func (v *Verifier) learn(messages []Message, overrule bool) {
	set := func(owned *map[string]string, id, owner string) {
		if _, known := (*owned)[id]; !known || overrule {
			own(owned, id, owner)
		}
	}
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case RoleReasoning:
			set(&v.owners.thought, m.ID, m.SubagentRunID)
		case RoleActivity:
			set(&v.owners.activity, m.ID, m.SubagentRunID)
		default:
			set(&v.owners.message, m.ID, m.SubagentRunID)
		}
		for j := range m.ToolCalls {
			set(&v.owners.call, m.ToolCalls[j].ID, m.SubagentRunID)
		}
	}
}

func (v *Verifier) startStep(e *StepStarted) error {
	key := stepKey{e.StepName, e.SubagentRunID}
	if v.steps[key] != nil {
		return violation(RuleStep, "Step \"%s\" is already active for 'STEP_STARTED'%s", e.StepName,
			inSubagent(" in subagent '%s'", e.SubagentRunID))
	}
	if v.steps == nil {
		v.steps = make(map[stepKey]*entity)
	}
	x := &entity{kind: TypeStepStarted, id: e.StepName, owner: e.SubagentRunID, open: true}
	v.steps[key] = x
	v.open = append(v.open, x)
	return nil
}

func inSubagent(format, owner string) string {
	if owner == "" {
		return ""
	}
	return fmt.Sprintf(format, owner)
}

func (v *Verifier) finishStep(e *StepFinished) error {
	key := stepKey{e.StepName, e.SubagentRunID}
	if s := v.steps[key]; s != nil {
		delete(v.steps, key)
		v.shut(s)
		return nil
	}
	i := slices.IndexFunc(v.open, func(x *entity) bool {
		return x.open && x.kind == TypeStepStarted && x.id == e.StepName
	})
	if i < 0 {
		return violation(RuleStep, "Cannot send 'STEP_FINISHED' for step \"%s\" that was not started", e.StepName)
	}
	other := v.open[i]
	return violation(RuleStep, "Cannot send 'STEP_FINISHED' for step \"%s\" attributed to %s: that step is open under %s. A step must be finished by whoever started it.",
		e.StepName, agentName(e.SubagentRunID), agentName(other.owner))
}

func agentName(owner string) string {
	if owner == "" {
		return "the parent agent"
	}
	return "subagent '" + owner + "'"
}

func (v *Verifier) startAgent(e *SubagentStarted) error {
	if e.SubagentRunID == "" {
		return violation(RuleSubagent, "Cannot send 'SUBAGENT_STARTED' without a 'subagentRunId'.")
	}
	switch x := v.agents[e.SubagentRunID]; {
	case x != nil && x.open:
		return violation(RuleSubagent,
			"Cannot send 'SUBAGENT_STARTED': subagent '%s' is already active. Finish it with 'SUBAGENT_FINISHED' first.",
			e.SubagentRunID)
	case x != nil:
		return violation(RuleSubagent,
			"Cannot send 'SUBAGENT_STARTED': subagent '%s' has already finished in this run. Subagent IDs are per-invocation and cannot be reused.",
			e.SubagentRunID)
	case e.ParentSubagentRunID != "" && v.agents[e.ParentSubagentRunID] == nil:
		return violation(RuleSubagent,
			"Cannot send 'SUBAGENT_STARTED': parentSubagentRunId '%s' has not been started in this run.",
			e.ParentSubagentRunID)
	}
	if v.agents == nil {
		v.agents = make(lane)
	}
	x := &entity{kind: TypeSubagentStarted, id: e.SubagentRunID, open: true}
	v.agents[x.id] = x
	v.open = append(v.open, x)
	return nil
}

func (v *Verifier) endAgent(e Event) error {
	id := e.base().SubagentRunID
	if id == "" {
		return violation(RuleSubagent, "Cannot send '%s' without a 'subagentRunId'.", e.Type())
	}
	x := v.agents.find(id)
	if x == nil {
		return violation(RuleSubagent,
			"Cannot send '%s': no active subagent found with ID '%s'. A 'SUBAGENT_STARTED' event must be sent first.",
			e.Type(), id)
	}
	v.shut(x)
	return nil
}

// stillOpen returns the stock client's message for RUN_FINISHED while something is open.
func (v *Verifier) stillOpen() error {
	if v.Open() == 0 {
		return nil
	}
	for _, kind := range []struct {
		opener EventType
		what   string
	}{
		{TypeStepStarted, "steps"},
		{TypeTextMessageStart, "text messages"},
		{TypeReasoningMessageStart, "reasoning messages"},
		{TypeReasoningStart, "reasoning spans"},
		{TypeToolCallStart, "tool calls"},
		{TypeSubagentStarted, "subagents"},
	} {
		if names := v.openNames(kind.opener); len(names) > 0 {
			return violation(RuleStillOpen, "Cannot send 'RUN_FINISHED' while %s are still active: %s",
				kind.what, strings.Join(names, ", "))
		}
	}
	return nil
}

func (v *Verifier) openNames(opener EventType) []string {
	var names []string
	for _, e := range v.open {
		if e.kind != opener || !e.open {
			continue
		}
		name := e.id
		if opener == TypeStepStarted {
			name += inSubagent(" (subagent '%s')", e.owner)
		}
		names = append(names, name)
	}
	return names
}
