package agui

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
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

// short are the names of events in verifier.txtar.
var short = map[string]func(id string) Event{
	"started": func(string) Event { return started() }, "finished": func(string) Event { return finished() },
	"error": func(string) Event { return &RunError{} }, "custom": func(string) Event { return &Custom{} },
	"pending":   func(ids string) Event { return pending(strings.Fields(ids)...) },
	"textStart": textStart, "textDelta": textDelta, "textEnd": textEnd,
	"callStart": callStart, "callDelta": callDelta, "callEnd": callEnd, "result": result,
	"spanStart": spanStart, "spanEnd": spanEnd, "stepStart": stepStart, "stepEnd": stepEnd,
	"thoughtStart": thoughtStart, "thoughtDelta": thoughtDelta, "thoughtEnd": thoughtEnd,
	"agentStart": agentStart, "agentEnd": agentEnd, "agentError": func(string) Event { return &SubagentError{} },
}

// sequence reads a line of verifier.txtar.
func sequence(t *testing.T, line string) (events []Event) {
	t.Helper()
	for word := range strings.SplitSeq(line, ", ") {
		if strings.HasPrefix(word, "{") {
			events = append(events, must.Get(UnmarshalEvent([]byte(word)))(t))
			continue
		}
		agent, plain, tagged := strings.Cut(word, ":")
		if !tagged {
			agent, plain = "", word
		}
		name, id, _ := strings.Cut(plain, " ")
		e := short[name](id)
		if tagged {
			e = by(agent, e)
		}
		events = append(events, e)
	}
	return events
}

func TestVerifier(t *testing.T) {
	talk.Lines(t, "testdata/verifier.txtar", func(t *testing.T, section, line string) []string {
		v, events := NewVerifier(), sequence(t, line)
		for i, e := range events {
			if err := v.Check(e); err != nil {
				must.Be(t, i, len(events)-1, "%s: the event that is refused", line)
				rule, _ := errors.AsType[*RuleError](err)
				must.Be(t, string(rule.Rule), section, "%s: the rule", line)
				return []string{rule.Message}
			}
		}
		return []string{"legal"}
	})
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
