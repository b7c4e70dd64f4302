package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// Wherever a model's stream is cut, no call runs: the step was never complete. What was said is
// marked, and every call is answered.
func TestStreamCutAnywhereRunsNoCall(t *testing.T) {
	quiet(t)
	whole := []llm.Part{
		{Kind: llm.ReasoningDelta, Delta: "Hm."}, {Kind: llm.TextDelta, Index: 1, Delta: "On it"}, {Kind: llm.TextDelta, Index: 1, Delta: "."},
		{Kind: llm.ToolStart, Index: 2, ID: "c1", Name: "write"}, {Kind: llm.ToolArgs, Index: 2, Delta: `{"n"`}, {Kind: llm.ToolArgs, Index: 2, Delta: `:1}`}, {Kind: llm.ToolEnd, Index: 2},
		{Kind: llm.ToolStart, Index: 3, ID: "c2", Name: "front"}, {Kind: llm.ToolEnd, Index: 3},
		{Kind: llm.ToolStart, Index: 4, ID: "c3", Name: "write"}, {Kind: llm.ToolArgs, Index: 4, Delta: `{}`}, {Kind: llm.ToolEnd, Index: 4},
	}
	var ran atomic.Int32
	write := tool.New("write", "", func(context.Context, *tool.Call, map[string]int) (tool.Result, error) {
		ran.Add(1)
		return tool.Result{}, nil
	})
	pages := pagesOf(t, write)
	ends := map[string]*fakePart{
		"no end":  nil,
		"an end":  {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishLength}},
		"filter":  {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishFilter}},
		"network": {err: &llm.Error{Kind: llm.KindProtocol, Model: "fake/one", Message: "cut off"}},
	}
	for name, end := range ends {
		for n := range len(whole) + 1 {
			var step []fakePart
			for _, p := range whole[:n] {
				step = append(step, part(p))
			}
			if end != nil {
				step = append(step, *end)
			}
			out := newRecorder(nil)
			in := Input{History: []agui.Message{user("Go")}, Frontend: []agui.Tool{{Name: "front"}}}
			outcome, err := (&Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: [][]fakePart{step, textStep("Sorry.")}}, Pages: pages}).Run(t.Context(), in, out)
			if ran.Load() != 0 || len(outcome.Pending) != 0 {
				t.Fatalf("%s after %d parts: %d calls ran, %v are pending", name, n, ran.Load(), outcome.Pending)
			}
			must.Be(t, out.finish(outcome, err), nil, "%s after %d parts", name, n)
			checkBalance(t, out.transcript.Messages(), nil)
		}
	}
}

// A tool that never returns costs each call its time and no more; after a number of such calls it
// is not begun again.
func TestToolThatNeverReturnsIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		var begun atomic.Int32
		stuck := tool.New("stuck", "", func(context.Context, *tool.Call, map[string]int) (tool.Result, error) {
			begun.Add(1)
			<-release
			return tool.Result{Text: "LATE"}, nil
		})
		stuck.Policy.Timeout = time.Second
		out := newRecorder(nil)
		a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: [][]fakePart{manyCalls("stuck", 60), textStep("It does not answer.")}}, Pages: pagesOf(t, stuck)}
		start := time.Now()
		must.Get(a.Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out))(t)
		all := strings.Join(out.lines, "\n")
		if n := begun.Load(); n > 16 || time.Since(start) > 5*time.Second {
			t.Errorf("%d calls were begun, in %v", n, time.Since(start))
		}
		if strings.Contains(all, "LATE") || strings.Count(all, `\"code\":\"timeout\"`)+strings.Count(all, `\"code\":\"unavailable\"`) != 60 {
			t.Errorf("the results are not all told:\n%.1000s", all)
		}
	})
}

// A tool that panics or fails is data for the model, with a shape that says whether to try again.
func TestToolErrorsAreData(t *testing.T) {
	quiet(t)
	boom := tool.New("boom", "", func(context.Context, *tool.Call, map[string]int) (tool.Result, error) { panic("secret") })
	fail := tool.New("fail", "", func(context.Context, *tool.Call, map[string]int) (tool.Result, error) {
		return tool.Result{}, fmt.Errorf("no such row: %w", context.DeadlineExceeded)
	})
	out := newRecorder(nil)
	a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: [][]fakePart{callStep("c1", "boom", "{}"), callStep("c2", "fail", "{}"), textStep("Sorry.")}}, Pages: pagesOf(t, boom, fail)}
	must.Get(a.Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out))(t)
	all := strings.Join(out.lines, "\n")
	for _, want := range []string{`{\"error\":{\"code\":\"panic\"`, `{\"error\":{\"code\":\"failed\",\"message\":\"no such row`, `\"retryable\":false`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
	if strings.Contains(all, "secret") {
		t.Error("a panic's value was told")
	}
}

// The end of a text is stored together with what follows it: a crash between the two would leave a
// thread whose answer looks complete, and the call, the card or the rest of it would never come. At
// the end of the answer nothing follows.
func TestTheEndOfATextIsStoredWithWhatFollows(t *testing.T) {
	parts := func(parts ...llm.Part) (step []fakePart) {
		for _, p := range parts {
			step = append(step, fakePart{part: p})
		}
		return step
	}
	text := func(s string) llm.Part { return llm.Part{Kind: llm.TextDelta, Delta: s} }
	model := &fakeModel{steps: [][]fakePart{
		parts(text("I look"), llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "nosuch"}, llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}),
		parts(text("First"), llm.Part{Kind: llm.ReasoningDelta, Delta: "hm"}, text("then"), llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}),
	}}
	history := []agui.Message{user("Go")}
	out := newRecorder(history)
	must.Get((&Agent{ID: "test", Model: model, newID: counting()}).Run(t.Context(), Input{History: history}, out))(t)
	want := []string{"TEXT_MESSAGE_END TOOL_CALL_START", "TEXT_MESSAGE_END TEXT_MESSAGE_START"}
	if !slices.Equal(out.together, want) {
		t.Errorf("together came %q, want %q", out.together, want)
	}
	must.Be(t, out.events[len(out.events)-1].Type(), agui.TypeTextMessageEnd, "the last event")
}

// TestWithheldCallsAreOnePiece: a call that the page is given, and one that is refused with its
// result, are stored and sent together: a client never has a part of them, and a crash leaves none.
func TestWithheldCallsAreOnePiece(t *testing.T) {
	for payload, want := range map[string]string{
		`{"approved":true}`:  "TOOL_CALL_START TOOL_CALL_ARGS REASONING_ENCRYPTED_VALUE TOOL_CALL_END",
		`{"approved":false}`: "TOOL_CALL_START TOOL_CALL_ARGS REASONING_ENCRYPTED_VALUE TOOL_CALL_END TOOL_CALL_RESULT",
	} {
		note := agui.Note{Kind: agui.NoteCall, Call: &agui.NotedCall{ID: "c1", Name: "paint", Arguments: "{}", EncryptedValue: "signed", MessageID: "a1"}}
		in := Input{
			History:  []agui.Message{user("Paint"), note.Message("n1")},
			Frontend: []agui.Tool{{Name: "paint"}},
			Waiting: Waiting{
				Interrupts: []calls.Interrupt{{ID: "i1", Reason: calls.ReasonToolCall, ToolCallID: "c1", Tool: "paint", Args: []byte("{}"), Frontend: true}},
				Resume:     []agui.ResumeEntry{{InterruptID: "i1", Status: agui.ResumeResolved, Payload: []byte(payload)}},
			},
		}
		out := newRecorder(in.History)
		a := &Agent{ID: "test", Model: &fakeModel{steps: [][]fakePart{textStep("Done.")}}}
		must.Get(a.Run(t.Context(), in, out))(t)
		if len(out.together) == 0 || out.together[0] != want {
			t.Errorf("%s: together came %q, want %q", payload, out.together, want)
		}
	}
}
