package agui

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
)

// Short names for events, so that a sequence reads in one line.
func started() Event  { return &RunStarted{ThreadID: "t", RunID: "r"} }
func finished() Event { return &RunFinished{ThreadID: "t", RunID: "r"} }
func pending(ids ...string) Event {
	return &RunFinished{ThreadID: "t", RunID: "r", Outcome: &Outcome{Type: OutcomeSuccess, PendingToolCallIDs: ids}}
}
func by(agent string, e Event) Event {
	e.base().SubagentRunID = agent
	return e
}
func textStart(id string) Event { return &TextMessageStart{MessageID: id} }
func textDelta(id string) Event { return &TextMessageContent{MessageID: id, Delta: "x"} }
func textEnd(id string) Event   { return &TextMessageEnd{MessageID: id} }
func callStart(id string) Event { return &ToolCallStart{ToolCallID: id, ToolCallName: "n"} }
func callDelta(id string) Event { return &ToolCallArgs{ToolCallID: id, Delta: "{}"} }
func callEnd(id string) Event   { return &ToolCallEnd{ToolCallID: id} }
func result(id string) Event {
	return &ToolCallResult{MessageID: "m-" + id, ToolCallID: id, Content: TextContent("")}
}
func spanStart(id string) Event    { return &ReasoningStart{MessageID: id} }
func spanEnd(id string) Event      { return &ReasoningEnd{MessageID: id} }
func thoughtStart(id string) Event { return &ReasoningMessageStart{MessageID: id} }
func thoughtDelta(id string) Event { return &ReasoningMessageContent{MessageID: id, Delta: "x"} }
func thoughtEnd(id string) Event   { return &ReasoningMessageEnd{MessageID: id} }
func stepStart(n string) Event     { return &StepStarted{StepName: n} }
func stepEnd(n string) Event       { return &StepFinished{StepName: n} }
func agentStart(id string) Event   { return by(id, &SubagentStarted{Name: "a"}) }
func agentEnd(id string) Event     { return by(id, &SubagentFinished{}) }
func snapshot(m ...Message) Event  { return &MessagesSnapshot{Messages: m} }

// Every case ends with the event that breaks the rule.
var illegal = []struct {
	rule    Rule
	message string
	events  []Event
}{
	{RuleFirstEvent, "First event must be 'RUN_STARTED'", []Event{textStart("m")}},
	{RuleFirstEvent, "First event must be 'RUN_STARTED'", []Event{finished()}},
	{RuleRunActive, "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished with 'RUN_FINISHED' before starting a new run.", []Event{started(), started()}},
	{RuleAfterError, "Cannot send event type 'CUSTOM': The run has already errored with 'RUN_ERROR'. No further events can be sent.", []Event{started(), &RunError{}, &Custom{}}},
	{RuleAfterError, "Cannot send event type 'RUN_ERROR': The run has already errored with 'RUN_ERROR'. No further events can be sent.", []Event{&RunError{}, &RunError{}}},
	{RuleAfterFinished, "Cannot send event type 'TEXT_MESSAGE_START': The run has already finished with 'RUN_FINISHED'. Start a new run with 'RUN_STARTED'.", []Event{started(), finished(), textStart("m")}},
	{RuleAfterFinished, "Cannot send event type 'RUN_ERROR': The run has already finished with 'RUN_FINISHED'. Start a new run with 'RUN_STARTED'.", []Event{started(), finished(), &RunError{}}},

	{RuleText, "Cannot send 'TEXT_MESSAGE_START' event: A text message with ID 'm' is already in progress. Complete it with 'TEXT_MESSAGE_END' first.", []Event{started(), textStart("m"), textStart("m")}},
	{RuleText, "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm'. Start a text message with 'TEXT_MESSAGE_START' first.", []Event{started(), textDelta("m")}},
	{RuleText, "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm'. Start a text message with 'TEXT_MESSAGE_START' first.", []Event{started(), textStart("m"), textEnd("m"), textDelta("m")}},
	{RuleText, "Cannot send 'TEXT_MESSAGE_END' event: No active text message found with ID 'n'. A 'TEXT_MESSAGE_START' event must be sent first.", []Event{started(), textStart("m"), textEnd("n")}},

	{RuleToolCall, "Cannot send 'TOOL_CALL_START' event: A tool call with ID 'c' is already in progress. Complete it with 'TOOL_CALL_END' first.", []Event{started(), callStart("c"), callStart("c")}},
	{RuleToolCall, "Cannot send 'TOOL_CALL_ARGS' event: No active tool call found with ID 'c'. Start a tool call with 'TOOL_CALL_START' first.", []Event{started(), callDelta("c")}},
	{RuleToolCall, "Cannot send 'TOOL_CALL_END' event: No active tool call found with ID 'c'. A 'TOOL_CALL_START' event must be sent first.", []Event{started(), callEnd("c")}},

	{RuleReasoning, "Cannot send 'REASONING_START' event: A reasoning span with ID 'x' is already in progress. Complete it with 'REASONING_END' first.", []Event{started(), spanStart("x"), spanStart("x")}},
	{RuleReasoning, "Cannot send 'REASONING_MESSAGE_START' event: A reasoning message with ID 'x' is already in progress. Complete it with 'REASONING_MESSAGE_END' first.", []Event{started(), thoughtStart("x"), thoughtStart("x")}},
	{RuleReasoning, "Cannot send 'REASONING_END' event: No active reasoning span found with ID 'x'. A 'REASONING_START' event must be sent first.", []Event{started(), thoughtStart("x"), spanEnd("x")}},
	{RuleReasoning, "Cannot send 'REASONING_MESSAGE_CONTENT' event: No active reasoning message found with ID 'x'. Start a reasoning message with 'REASONING_MESSAGE_START' first.", []Event{started(), spanStart("x"), thoughtDelta("x")}},
	{RuleReasoning, "Cannot send 'REASONING_MESSAGE_END' event: No active reasoning message found with ID 'x'. Start a reasoning message with 'REASONING_MESSAGE_START' first.", []Event{started(), thoughtEnd("x")}},

	{RuleStep, `Step "s" is already active for 'STEP_STARTED'`, []Event{started(), stepStart("s"), stepStart("s")}},
	{RuleStep, `Step "s" is already active for 'STEP_STARTED' in subagent 'a'`, []Event{started(), stepStart("s"), by("a", stepStart("s")), by("a", stepStart("s"))}},
	{RuleStep, `Cannot send 'STEP_FINISHED' for step "s" that was not started`, []Event{started(), stepEnd("s")}},
	{RuleStep, `Cannot send 'STEP_FINISHED' for step "s" attributed to the parent agent: that step is open under subagent 'a'. A step must be finished by whoever started it.`, []Event{started(), by("a", stepStart("s")), stepEnd("s")}},
	{RuleStep, `Cannot send 'STEP_FINISHED' for step "s" attributed to subagent 'a': that step is open under the parent agent. A step must be finished by whoever started it.`, []Event{started(), stepStart("s"), by("a", stepEnd("s"))}},

	{RuleSubagent, "Cannot send 'SUBAGENT_STARTED' without a 'subagentRunId'.", []Event{started(), agentStart("")}},
	{RuleSubagent, "Cannot send 'SUBAGENT_STARTED': subagent 'a' is already active. Finish it with 'SUBAGENT_FINISHED' first.", []Event{started(), agentStart("a"), agentStart("a")}},
	{RuleSubagent, "Cannot send 'SUBAGENT_STARTED': subagent 'a' has already finished in this run. Subagent IDs are per-invocation and cannot be reused.", []Event{started(), agentStart("a"), agentEnd("a"), agentStart("a")}},
	{RuleSubagent, "Cannot send 'SUBAGENT_STARTED': parentSubagentRunId 'p' has not been started in this run.", []Event{started(), by("a", &SubagentStarted{ParentSubagentRunID: "p"})}},
	{RuleSubagent, "Cannot send 'SUBAGENT_FINISHED': no active subagent found with ID 'a'. A 'SUBAGENT_STARTED' event must be sent first.", []Event{started(), agentEnd("a")}},
	{RuleSubagent, "Cannot send 'SUBAGENT_ERROR' without a 'subagentRunId'.", []Event{started(), &SubagentError{}}},

	{RuleOwner, "Cannot send 'RUN_ERROR' with a subagentRunId.", []Event{started(), by("a", &RunError{})}},
	{RuleOwner, "Cannot send 'TEXT_MESSAGE_CONTENT': subagentRunId 'a' does not match the message 'm' opener's subagent '(the parent agent)'.", []Event{started(), textStart("m"), by("a", textDelta("m"))}},
	{RuleOwner, "Cannot send 'TEXT_MESSAGE_START': subagentRunId 'b' does not match the message 'm' opener's subagent 'a'.", []Event{started(), by("a", textStart("m")), textEnd("m"), by("b", textStart("m"))}},
	{RuleOwner, "Cannot send 'TOOL_CALL_END': subagentRunId 'b' does not match the tool call 'c' opener's subagent 'a'.", []Event{started(), by("a", callStart("c")), by("b", callEnd("c"))}},
	{RuleOwner, "Cannot send 'REASONING_MESSAGE_START': subagentRunId 'b' does not match the reasoning message 'x' opener's subagent 'a'.", []Event{started(), by("a", spanStart("x")), by("b", thoughtStart("x"))}},
	{RuleOwner, "Cannot send 'TOOL_CALL_START': subagentRunId 'b' does not match its parent message 'm' owner 'a'. A tool call belongs to the message that carries it.", []Event{started(), by("a", textStart("m")), by("b", &ToolCallStart{ToolCallID: "c", ParentMessageID: "m"})}},
	{RuleOwner, "Cannot send 'TOOL_CALL_START': tool call 'c' is owned by '(the parent agent)' but its parent message 'm' is owned by 'a'. A tool call belongs to the message that carries it.", []Event{started(), snapshot(Message{ID: "x", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c"}}}, Message{ID: "m", Role: RoleAssistant, SubagentRunID: "a"}), &ToolCallStart{ToolCallID: "c", ParentMessageID: "m"}}},
	{RuleOwner, "Cannot send 'ACTIVITY_DELTA': subagentRunId 'b' does not match the activity 'x' opener's subagent 'a'.", []Event{started(), by("a", &ActivitySnapshot{MessageID: "x"}), by("b", &ActivitySnapshot{MessageID: "x", Replace: new(false)}), by("b", &ActivityDelta{MessageID: "x"})}},
	{RuleOwner, "Cannot send 'REASONING_ENCRYPTED_VALUE': subagentRunId 'b' does not match the tool call 'c' opener's subagent 'a'.", []Event{started(), by("a", callStart("c")), callEnd("c"), by("b", &ReasoningEncryptedValue{Subtype: "tool-call", EntityID: "c"})}},
	{RuleOwner, "Cannot send 'REASONING_ENCRYPTED_VALUE': subagentRunId 'b' does not match the message 'x' opener's subagent 'a'.", []Event{started(), by("a", thoughtStart("x")), by("b", &ReasoningEncryptedValue{Subtype: "message", EntityID: "x"})}},
	{RuleOwner, "Cannot send 'TEXT_MESSAGE_START': subagentRunId 'b' does not match the message 'm-c' opener's subagent 'a'.", []Event{started(), by("a", result("c")), by("b", textStart("m-c"))}},
	{RuleOwner, "Cannot send 'TEXT_MESSAGE_START': subagentRunId 'b' does not match the message 'm' opener's subagent 'a'.", []Event{&RunStarted{Input: &RunAgentInput{Messages: []Message{{ID: "m", Role: RoleUser, SubagentRunID: "a"}}}}, by("b", textStart("m"))}},

	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while steps are still active: s, s (subagent 'a')", []Event{started(), stepStart("s"), by("a", stepStart("s")), textStart("m"), finished()}},
	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while text messages are still active: m, n", []Event{started(), textStart("m"), textStart("n"), finished()}},
	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while reasoning messages are still active: x", []Event{started(), spanStart("x"), thoughtStart("x"), finished()}},
	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while reasoning spans are still active: x", []Event{started(), spanStart("x"), finished()}},
	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while tool calls are still active: c", []Event{started(), callStart("c"), finished()}},
	{RuleStillOpen, "Cannot send 'RUN_FINISHED' while subagents are still active: a", []Event{started(), agentStart("a"), finished()}},

	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds []: The tool calls without a result are ["c"].`, []Event{started(), callStart("c"), callEnd("c"), finished()}},
	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds ["old"]: The tool calls without a result are ["c"].`, []Event{started(), callStart("c"), callEnd("c"), pending("old")}},
	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds ["c" "old"]: The tool calls without a result are ["c"].`, []Event{started(), callStart("c"), callEnd("c"), pending("c", "old")}},
	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds ["old"]: The tool calls without a result are [].`, []Event{started(), result("old"), pending("old")}},
	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds ["d" "c"]: The tool calls without a result are ["c" "d"].`, []Event{started(), callStart("c"), callStart("d"), callEnd("d"), callEnd("c"), pending("d", "c")}},
	{RulePending, `Cannot send 'RUN_FINISHED' with the pendingToolCallIds ["c"]: The tool calls without a result are [].`, []Event{started(), callStart("c"), callEnd("c"), result("c"), pending("c")}},

	{RuleServer, "Cannot send event type 'TEXT_MESSAGE_CHUNK': This server sends START, CONTENT and END.", []Event{started(), &TextMessageChunk{}}},
	{RuleServer, "Cannot send event type 'TOOL_CALL_CHUNK': This server sends START, CONTENT and END.", []Event{started(), &ToolCallChunk{}}},
	{RuleServer, "Cannot send event type 'REASONING_MESSAGE_CHUNK': This server sends START, CONTENT and END.", []Event{started(), &ReasoningMessageChunk{}}},
	{RuleServer, "Cannot send 'TOOL_CALL_START' event: The tool call with ID 'c' has already been made in this run.", []Event{started(), callStart("c"), callEnd("c"), callStart("c")}},
	{RuleServer, "Cannot send 'TOOL_CALL_RESULT' event: The tool call with ID 'c' is still in progress. Complete it with 'TOOL_CALL_END' first.", []Event{started(), callStart("c"), result("c")}},
	{RuleServer, "Cannot send 'TOOL_CALL_RESULT' event: The tool call with ID 'c' already has a result.", []Event{started(), callStart("c"), callEnd("c"), result("c"), result("c")}},
	{RuleServer, "Cannot send 'RUN_FINISHED' for run 'q' of thread 't': The run that is active is 'r' of thread 't'.", []Event{started(), &RunFinished{ThreadID: "t", RunID: "q"}}},
	{RuleServer, "Cannot send 'RUN_FINISHED' with the outcome cancelled and a result.", []Event{started(), &RunFinished{ThreadID: "t", RunID: "r", Result: []byte("1"), Outcome: &Outcome{Type: OutcomeCancelled}}}},
}

func TestVerifierRefuses(t *testing.T) {
	for _, c := range illegal {
		v := NewVerifier()
		last := len(c.events) - 1
		for _, e := range c.events[:last] {
			must.Be(t, v.Check(e), nil, "%s: %s is legal", c.message, e.Type())
		}
		err := v.Check(c.events[last])
		if rule, ok := errors.AsType[*RuleError](err); !ok || rule.Message != c.message || rule.Rule != c.rule {
			t.Errorf("got  %v\nwant %s: %s", err, c.rule, c.message)
		}
	}
}

func TestVerifierAccepts(t *testing.T) {
	for name, events := range map[string][]Event{
		"error first":              {&RunError{}, started(), finished()},
		"several runs":             {started(), stepStart("s"), stepEnd("s"), finished(), started(), stepStart("s"), &RunError{}, started(), callStart("c"), callEnd("c"), pending("c")},
		"everything at once":       {started(), textStart("x"), callStart("x"), spanStart("x"), thoughtStart("x"), stepStart("x"), textDelta("x"), callDelta("x"), thoughtDelta("x"), stepEnd("x"), spanEnd("x"), thoughtEnd("x"), callEnd("x"), textEnd("x"), result("x"), finished()},
		"message goes on":          {started(), textStart("m"), textEnd("m"), textStart("m"), textDelta("m"), textEnd("m"), finished()},
		"error with things open":   {started(), textStart("m"), callStart("c"), &RunError{}},
		"result of an older run":   {started(), result("old"), finished()},
		"calls of an earlier run":  {started(), callStart("c"), callEnd("c"), pending("old", "c")},
		"pending after a result":   {started(), callStart("a"), callStart("b"), callEnd("a"), callEnd("b"), result("a"), pending("b")},
		"interrupt":                {started(), callStart("a"), callEnd("a"), &RunFinished{ThreadID: "t", RunID: "r", Outcome: &Outcome{Type: OutcomeInterrupt}}},
		"cancelled":                {started(), callStart("a"), callEnd("a"), &RunFinished{ThreadID: "t", RunID: "r", Outcome: &Outcome{Type: OutcomeCancelled}}},
		"same step, two agents":    {started(), stepStart("s"), by("a", stepStart("s")), by("a", stepEnd("s")), stepEnd("s"), finished()},
		"tags without lifecycle":   {started(), by("a", textStart("m")), textDelta("m"), by("a", textEnd("m")), finished()},
		"sub-agent of a sub-agent": {started(), agentStart("a"), agentEnd("a"), by("b", &SubagentStarted{ParentSubagentRunID: "a"}), agentEnd("b"), finished()},
		"call inherits its owner":  {started(), by("a", textStart("m")), &ToolCallStart{ToolCallID: "c", ParentMessageID: "m"}, by("a", callEnd("c")), textEnd("m"), pending("c")},
		"replay":                   {started(), snapshot(Message{ID: "m", Role: RoleAssistant, SubagentRunID: "a", ToolCalls: []ToolCall{{ID: "c"}}}), by("a", textStart("m")), textEnd("m"), by("a", result("c")), finished()},
		"replaced activity":        {started(), by("a", &ActivitySnapshot{MessageID: "x"}), by("b", &ActivitySnapshot{MessageID: "x"}), by("b", &ActivityDelta{MessageID: "x"}), finished()},
		"the rest":                 {started(), &StateDelta{}, &StateSnapshot{}, &Raw{}, &Custom{}, &ReasoningEncryptedValue{}, finished()},
	} {
		v := NewVerifier()
		for i, e := range events {
			must.Be(t, v.Check(e), nil, "%s: event %d", name, i)
		}
	}
}

func TestVerifierClosesInnermostFirst(t *testing.T) {
	v := NewVerifier()
	for _, e := range []Event{started(), stepStart("s"), agentStart("a"), spanStart("x"), by("a", thoughtStart("y")), by("a", textStart("m")), callStart("c"), callStart("d"), callEnd("d")} {
		must.Do(t, v.Check(e))
	}
	want := []Event{
		callEnd("c"), textEnd("m"), thoughtEnd("y"), spanEnd("x"),
		by("a", &SubagentError{Message: "the run ended before the sub-agent did"}), stepEnd("s"),
	}
	closing := v.Close()
	must.Same(t, closing, want, "what closes the run")
	for _, e := range closing {
		must.Do(t, v.Check(e))
	}
	must.Same(t, v.Pending(), []string{"c", "d"}, "calls without a result")
	must.Do(t, v.Check(pending("c", "d")))
}

// Whatever was accepted so far, Close makes an end of the run legal; and what is refused changes
// nothing.
func TestAnyPrefixCanBeClosed(t *testing.T) {
	id := rapid.SampledFrom([]string{"a", "b", "c"})
	agent := rapid.SampledFrom([]string{"", "", "a", "b"})
	makers := []func(string) Event{
		textStart, textDelta, textEnd, callStart, callDelta, callEnd, result, spanStart, spanEnd, thoughtStart, thoughtDelta, thoughtEnd,
		stepStart, stepEnd, agentStart, agentEnd,
		func(id string) Event { return &ActivitySnapshot{MessageID: id} },
		func(id string) Event { return &ActivityDelta{MessageID: id} },
		func(id string) Event {
			return snapshot(Message{ID: id, Role: RoleAssistant, ToolCalls: []ToolCall{{ID: id}}})
		},
		func(id string) Event { return &ToolCallStart{ToolCallID: id, ParentMessageID: "a"} },
		func(string) Event { return started() },
		func(string) Event { return finished() },
		func(id string) Event { return pending(id) },
	}
	rapid.Check(t, func(t *rapid.T) {
		v := NewVerifier()
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			e := rapid.SampledFrom(makers).Draw(t, "make")(id.Draw(t, "id"))
			if e.base().SubagentRunID == "" {
				e.base().SubagentRunID = agent.Draw(t, "agent")
			}
			open, calls := v.Open(), v.Pending()
			if v.Check(e) != nil && (v.Open() != open || !slices.Equal(v.Pending(), calls)) {
				t.Fatalf("%s was refused but counted", e.Type())
			}
		}
		if v.state != inRun {
			if len(v.Close()) != 0 && v.state == afterFinished {
				t.Fatal("something is open after the run")
			}
			return
		}
		for _, e := range v.Close() {
			must.Do(t, v.Check(e))
		}
		if rapid.Bool().Draw(t, "fail") {
			must.Do(t, v.Check(&RunError{}))
			return
		}
		must.Do(t, v.Check(pending(v.Pending()...)))
	})
}

// TestVerifierClosesMuch: closing what is open is not quadratic, which would take minutes here.
func TestVerifierClosesMuch(t *testing.T) {
	v := NewVerifier()
	check := func(e Event) {
		t.Helper()
		must.Do(t, v.Check(e))
	}
	check(&RunStarted{ThreadID: "t", RunID: "r"})
	const n = 400_000
	for i := range n {
		check(&StepStarted{StepName: strconv.Itoa(i)})
	}
	for i := range n / 2 { // the oldest first
		check(&StepFinished{StepName: strconv.Itoa(i)})
	}
	must.Be(t, v.Open(), n/2, "what is open")
	for _, e := range v.Close() {
		check(e)
	}
	check(&RunFinished{ThreadID: "t", RunID: "r"})
}
