package inspect_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	_ "github.com/pageside/pageside/test/chance"
)

// began tells a recorder that a run has begun.
func began(r *inspect.Recorder, owner, id, question string) agent.RunTracer {
	return r.Began(agent.RunTrace{Input: &agent.Input{ThreadID: "t", RunID: id, Owner: owner,
		History: []agui.Message{{ID: "u-" + id, Role: agui.RoleUser, Content: agui.TextContent(question)}}}})
}

func asked(text string, calls ...llm.ToolCall) agent.ModelTrace {
	return agent.ModelTrace{Attempt: 1, Text: text, Calls: calls, Request: &llm.Request{}}
}

// said is what a model answers to a question: its text, and its first call's arguments.
func said(m llm.Model, question string) (text, args string, err error) {
	var said strings.Builder
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: question}}}}}
	for p, streamErr := range m.Stream(context.Background(), req) {
		switch {
		case streamErr != nil:
			return said.String(), args, streamErr
		case p.Kind == llm.TextDelta:
			said.WriteString(p.Delta)
		case p.Kind == llm.ToolArgs:
			args += p.Delta
		}
	}
	return said.String(), args, nil
}

// play reads a run's report as a model.
func play(t rapid.TB, r *inspect.Recorder, id string) llm.Model {
	report, ok, err := r.Report("o", id)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	m, err := script.Parse("report", report)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	return m.WithPace(0)
}

// anyText is made of what YAML, templates and regular expressions take for something.
var anyText = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"{{", "}}", "{", "}", "{{- ", " -}}", "{{/*", `{{"`, "`", `"`, "'", "\n", "\r\n", "\t", "\x00", "\x07", "\x7f", "\u0085", "\u2028", "\ufeff", "\u00a0", "\v", "\\", "%", "#", ": ", "- ", "---\n",
		"...\n", "|", ">", "&a", "*a", "!!binary ", "null", "~", "true", "0x1f", "1e3", "\n  indented", "^", "$", "(?i)", "[", "😀", "e\u0301",
	})), 1, 12).Draw(t, "parts")
	return strings.Join(parts, "")
})

// TestReportsPlayAnyText: whatever was asked and said, the report can be read, and the scripted
// model says it again.
func TestReportsPlayAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mustPlay(t, anyText.Draw(t, "question"), anyText.Draw(t, "answer"), anyText.Draw(t, "args"))
	})
}

// TestReportsPlayOddText: the library writes some of these so that it reads back something else.
func TestReportsPlayOddText(t *testing.T) {
	for _, odd := range []string{"\n\t", "\t\n", "a\n\tb\n", "\n\n  a\nb", "  a\n\n b", " \n", "\ufeff\n a"} {
		mustPlay(t, odd, odd, odd)
	}
}

// mustPlay checks that a run in which this was asked and said is played as it was.
func mustPlay(t rapid.TB, question, answer, args string) {
	question = agui.TextContent(question).Text() // no NULs
	if strings.TrimSpace(question) == "" {
		question += "?"
	}
	r := inspect.New(0)
	run := began(r, "o", "r", question)
	run.Asked(asked(answer, llm.ToolCall{ID: "c", Name: "look", Args: args}))
	run.Decided(agent.CallTrace{ID: "c", Name: "look", Args: args, Decision: agent.DecisionRuns, Why: answer})
	run.Finished(agent.CallTrace{ID: "c", Result: answer})
	run.Ended(errors.New(answer))
	text, played, err := said(play(t, r, "r"), question)
	if err != nil || text != strings.TrimSpace(answer) || played != args {
		t.Fatalf("asked %q\nit says %q, want %q\nwith %q, want %q\n%v", question, text, answer, played, args, err)
	}
}

// TestLongReportsPlay: a question and an answer of a megabyte.
func TestLongReportsPlay(t *testing.T) {
	question, answer := strings.Repeat("why? ", 200_000), strings.Repeat("{{because}} ", 90_000)
	r := inspect.New(0)
	began(r, "o", "r", question).Asked(asked(answer))
	if text, _, err := said(play(t, r, "r"), question); err != nil || text != strings.TrimSpace(answer) {
		t.Errorf("%d bytes, want %d; %v", len(text), len(answer), err)
	}
}

// TestReportsOfFailuresPlay: a failure is said in the words it had, and a run without an answer has
// a report too.
func TestReportsOfFailuresPlay(t *testing.T) {
	r := inspect.New(0)
	failed := asked("")
	failed.Err = &llm.Error{Kind: llm.KindAuth, Model: "m", Message: `the key {{x}} is wrong`}
	began(r, "o", "r1", "hello").Asked(failed)
	if _, _, err := said(play(t, r, "r1"), "hello"); err == nil || !strings.Contains(err.Error(), "the key {{x}} is wrong") {
		t.Errorf("it says %v", err)
	}
	r = inspect.New(0)
	began(r, "o", "r2", "hello").Ended(context.Canceled)
	if text, _, err := said(play(t, r, "r2"), "hello"); err != nil || text != "" {
		t.Errorf("it says %q %v", text, err)
	}
	r = inspect.New(0)
	began(r, "o", "r3", "hello").Asked(asked(""))
	if text, _, err := said(play(t, r, "r3"), "hello"); err != nil || text != "" {
		t.Errorf("it says %q %v", text, err)
	}
}
