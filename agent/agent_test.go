package agent

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
)

func user(text string) agui.Message {
	return agui.Message{ID: "u-" + text, Role: agui.RoleUser, Content: agui.TextContent(text)}
}

func textStep(text string) []fakePart {
	return []fakePart{{part: llm.Part{Kind: llm.TextDelta, Delta: text}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}}}
}

func callStep(id, name, args string) []fakePart {
	return []fakePart{
		{part: llm.Part{Kind: llm.ToolStart, ID: id, Name: name}}, {part: llm.Part{Kind: llm.ToolArgs, Delta: args}},
		{part: llm.Part{Kind: llm.ToolEnd}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}},
	}
}

func TestValidate(t *testing.T) {
	model := &fakeModel{}
	for want, a := range map[string]*Agent{
		"":                                     {ID: "x", Model: model},
		"agent: it has no id":                  {Model: model},
		`agent "x": it has no model`:           {ID: "x"},
		`agent "x": a limit is negative`:       {ID: "x", Model: model, Limits: Limits{Steps: -1}},
		`agent "x": a limit is negative` + " ": {ID: "x", Model: model, Limits: Limits{RetryFor: -1}},
	} {
		if err := a.Validate(); (err == nil) != (want == "") || err != nil && err.Error() != strings.TrimSpace(want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Over the runs of a thread the prompt is only appended to: the snapshot of the page is gone from
// the history, and everything before it stays byte for byte.
func TestPromptsOfAThread(t *testing.T) {
	model := &fakeModel{steps: [][]fakePart{
		callStep("c1", "back", `{"n": 1}`), textStep("One é \"quoted\"."),
		callStep("c2", "front", `{}`), textStep("Set."),
	}}
	a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: propertyPages(), Instructions: "Be kind."}
	var thread []agui.Message
	runOnce := func(m agui.Message, screen string) Outcome {
		thread = append(thread, m)
		out := newRecorder(thread)
		outcome, err := a.Run(t.Context(), Input{
			ThreadID: "t1", RunID: "r1", History: thread, Context: []agui.ContextItem{{Description: "screen", Value: screen}},
			Frontend: []agui.Tool{{Name: "front"}}, Place: page.ParsePlace("anywhere"),
		}, out)
		must.Do(t, err)
		thread = out.transcript.Messages()
		return outcome
	}
	runOnce(user("first"), "SCREEN 1")
	if pending := runOnce(user("second"), "SCREEN 2").Pending; len(pending) != 1 {
		t.Fatal(pending)
	}
	runOnce(agui.Message{ID: "t", Role: agui.RoleTool, ToolCallID: "c2", Content: agui.TextContent("ok")}, "SCREEN 3")

	prompts := make([]string, len(model.requests))
	for i, r := range model.requests {
		prompts[i] = showMessages(r.Messages)
		if n := strings.Count(prompts[i], "<page_context"); n != 1 {
			t.Errorf("prompt %d holds %d page contexts", i, n)
		}
	}
	stable := func(prompt, screen string) string { return withoutContext(t, prompt, screen) }
	for _, step := range [][2]string{
		{stable(prompts[0], "SCREEN 1"), stable(prompts[1], "SCREEN 1")},
		{stable(prompts[1], "SCREEN 1"), stable(prompts[2], "SCREEN 2")},
		{stable(prompts[2], "SCREEN 2"), stable(prompts[3], "SCREEN 3")},
	} {
		if !strings.HasPrefix(step[1], step[0]) {
			t.Errorf("the later prompt does not begin with the earlier one:\n%s\n---\n%s", step[0], step[1])
		}
	}
	if end := prompts[3][strings.LastIndex(prompts[3], "tool\n"):]; !strings.Contains(end, "result c2") || !strings.Contains(end, "SCREEN 3") {
		t.Errorf("what the page shows now must follow the results:\n%s", end)
	}
}

// withoutContext takes the block out, and the message that only held it.
func withoutContext(t *testing.T, prompt, screen string) string {
	t.Helper()
	start, end := strings.Index(prompt, "  text <page_context"), strings.Index(prompt, "</page_context>\n")
	if start < 0 || end < start || !strings.Contains(prompt[start:end], screen) {
		t.Fatalf("no page context with %s in\n%s", screen, prompt)
	}
	rest := prompt[:start] + prompt[end+len("</page_context>\n"):]
	return strings.TrimSuffix(rest, "user\n")
}

func TestWaitBefore(t *testing.T) {
	for attempt, longest := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 5: 8 * time.Second, 50: 8 * time.Second} {
		for range 50 {
			if w := waitBefore(attempt, 0); w < longest/2 || w > longest {
				t.Errorf("attempt %d waits %v, want %v to %v", attempt, w, longest/2, longest)
			}
		}
	}
	must.Be(t, waitBefore(9, 7*time.Second), 7*time.Second, "asked for 7s, waits")
}

// A provider that stays down is given up when the time for a step is over, and the attempts are
// counted.
func TestRetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := []fakePart{{err: &llm.Error{Kind: llm.KindOverloaded, Model: "fake/one", Message: "down"}}}
		model := &fakeModel{}
		for range 100 {
			model.steps = append(model.steps, down)
		}
		a := &Agent{ID: "x", Model: model, Limits: Limits{RetryFor: 20 * time.Second}}
		out := newRecorder(nil)
		start := time.Now()
		_, err := a.Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out)
		took := time.Since(start)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindOverloaded {
			t.Errorf("error %v", err)
		}
		if took > 20*time.Second || took < 8*time.Second || len(model.requests) < 4 || len(out.lines) != len(model.requests)-1 {
			t.Errorf("%d attempts in %v, %d announcements", len(model.requests), took, len(out.lines))
		}
	})
}

// Stop during the wait for a retry ends the run at once.
func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{steps: [][]fakePart{{{err: &llm.Error{Kind: llm.KindOverloaded, RetryAfter: 20 * time.Second}}}}}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("stop")) })
		start := time.Now()
		_, err := (&Agent{ID: "x", Model: model}).Run(ctx, Input{History: []agui.Message{user("Go")}}, newRecorder(nil))
		if err == nil || err.Error() != "stop" || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

type panicking struct{ fakeModel }

func (*panicking) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] { panic("nil map") }

// A bug in a model's adapter is an error of the run, not the end of the process.
func TestPanickingModel(t *testing.T) {
	quiet(t)
	_, err := (&Agent{ID: "x", Model: &panicking{}}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, newRecorder(nil))
	if err == nil || strings.Contains(err.Error(), "nil map") {
		t.Errorf("got %v", err)
	}
}

// Ten thousand calls in one step are a broken model: it is stopped, and the calls it made are
// answered.
func TestTooManyCalls(t *testing.T) {
	var step []fakePart
	for i := range 10_000 {
		step = append(step, fakePart{part: llm.Part{Kind: llm.ToolStart, Index: i, Name: "back"}})
	}
	out := newRecorder(nil)
	outcome, err := (&Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: [][]fakePart{step}}, Pages: propertyPages()}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out)
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindOutputLimit {
		t.Errorf("got %v", err)
	}
	if bad := out.finish(outcome, err); bad != nil {
		t.Error(bad)
	}
	checkBalance(t, out.transcript.Messages(), nil)
}
