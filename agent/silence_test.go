package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func part(p llm.Part) fakePart { return fakePart{part: p} }

func ends(f llm.Finish) fakePart { return part(llm.Part{Kind: llm.FinishPart, Finish: f}) }

func says(text string) fakePart { return part(llm.Part{Kind: llm.TextDelta, Delta: text}) }

// calls is one whole tool call without arguments.
func calling(index int, name string) []fakePart {
	return []fakePart{part(llm.Part{Kind: llm.ToolStart, Index: index, Name: name}), part(llm.Part{Kind: llm.ToolEnd, Index: index})}
}

// Whatever a step holds and however it ends: what leaves the user with nothing is asked for once
// more where that can help, and then an error that says what happened.
func TestSilence(t *testing.T) {
	quiet(t)
	thought := part(llm.Part{Kind: llm.ReasoningDelta, Delta: "Hm."})
	silent := map[string][]fakePart{
		"nothing":             nil,
		"only thoughts":       {thought},
		"only blanks":         {says(" \n\t"), says("\n")},
		"only no-break space": {says("\u00a0\u3000")},
		"only zero width":     {says("\u200b"), says("\u2060\ufeff\u00ad")},
		"only fillers":        {says("\u3164\u2800\ufe0f\u034f")},
		"only suggestions":    {says("SUGGESTED_VALUES: [\"Go on\"]\n")},
		"a call without name": calling(0, ""),
	}
	for name, parts := range silent {
		for _, finish := range []llm.Finish{llm.FinishStop, llm.FinishTools, llm.FinishOther, llm.FinishLength, llm.FinishFilter} {
			t.Run(name+", "+string(finish), func(t *testing.T) {
				want, asked := map[llm.Finish]llm.ErrorKind{llm.FinishLength: llm.KindOutputLimit, llm.FinishFilter: llm.KindFiltered}[finish], 1
				if want == "" {
					want, asked = llm.KindEmpty, 2
				}
				step := append(append([]fakePart{}, parts...), ends(finish))
				model := &fakeModel{steps: [][]fakePart{step, step, step}}
				out, err := runFake(t, &Agent{ID: "x", Model: model})
				if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != want {
					t.Errorf("error is %v, want kind %s", err, want)
				}
				if len(model.requests) != asked {
					t.Errorf("the model was asked %d times, want %d", len(model.requests), asked)
				}
				if readable(out.events) {
					t.Errorf("there is something to read:\n%s", strings.Join(out.lines, "\n"))
				}
			})
		}
	}
}

// A model that says nothing is asked once more, and what it says then is the answer.
func TestSilenceIsAskedAbout(t *testing.T) {
	model := &fakeModel{steps: [][]fakePart{
		append(calling(0, ""), ends(llm.FinishTools)),
		{says("Here."), ends(llm.FinishStop)},
	}}
	out, err := runFake(t, &Agent{ID: "x", Model: model})
	if err != nil || !readable(out.events) {
		t.Errorf("error is %v", err)
	}
	if system := model.requests[1].System; system[len(system)-1].Text != urgingInstruction {
		t.Error("it was not told what was wrong")
	}
}

// What a tool did is no answer by itself; a card it shows is.
func TestSilenceAfterTools(t *testing.T) {
	quiet(t)
	for name, tt := range map[string]struct {
		steps [][]fakePart
		kind  llm.ErrorKind // "" is no error
		code  string
	}{
		"says nothing": {[][]fakePart{append(calling(0, "noop"), ends(llm.FinishTools)), {ends(llm.FinishStop)}, {ends(llm.FinishStop)}}, llm.KindEmpty, ""},
		"says it at last": {
			[][]fakePart{append(calling(0, "noop"), ends(llm.FinishTools)), {ends(llm.FinishStop)}, {says("Done."), ends(llm.FinishStop)}}, "", "",
		},
		"said it before": {
			[][]fakePart{append([]fakePart{says("I look.")}, append(calling(1, "noop"), ends(llm.FinishTools))...), {ends(llm.FinishStop)}, {ends(llm.FinishStop)}}, llm.KindEmpty, "",
		},
		"a card":       {[][]fakePart{append(calling(0, "card"), ends(llm.FinishTools)), {ends(llm.FinishStop)}}, "", ""},
		"is withheld":  {[][]fakePart{append(calling(0, "noop"), ends(llm.FinishTools)), {ends(llm.FinishFilter)}}, llm.KindFiltered, ""},
		"has no room":  {[][]fakePart{append(calling(0, "noop"), ends(llm.FinishTools)), {ends(llm.FinishLength)}}, llm.KindOutputLimit, ""},
		"calls on":     {repeated(9, func(int) []fakePart { return append(calling(0, "count"), ends(llm.FinishTools)) }), "", CodeStepsExhausted},
		"in a circle":  {repeated(9, func(int) []fakePart { return append(calling(0, "noop"), ends(llm.FinishTools)) }), "", CodeToolLoop},
		"unknown tool": {repeated(9, func(int) []fakePart { return append(calling(0, "nosuch"), ends(llm.FinishTools)) }), "", CodeToolLoop},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runFake(t, &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: tt.steps}, Pages: silencePages(t), Limits: Limits{Steps: 6}})
			e, _ := errors.AsType[*llm.Error](err)
			n, _ := errors.AsType[*Failure](err)
			switch {
			case tt.kind != "" && (e == nil || e.Kind != tt.kind):
				t.Errorf("error is %v, want kind %s", err, tt.kind)
			case tt.code != "" && (n == nil || n.Code != tt.code):
				t.Errorf("error is %v, want code %s", err, tt.code)
			case tt.kind == "" && tt.code == "" && err != nil:
				t.Error(err)
			}
		})
	}
}

// The mark of an answer that was cut stands on its text, beside the suggestions, or on its card.
func TestCutIsMarked(t *testing.T) {
	for _, finish := range []llm.Finish{llm.FinishLength, llm.FinishFilter} {
		for name, text := range map[string]string{
			"text":                 "Half of",
			"text and suggestions": "Half of\nSUGGESTED_VALUES: [\"More\"]\n",
			"text and card":        "Here:\nPLAN: {\"n\":1}\n",
			"half a card":          "PLAN: {\"n\":",
			"card":                 "PLAN: {\"n\":1}\n",
		} {
			model := &fakeModel{steps: [][]fakePart{{says(text), ends(finish)}}}
			out, err := runFake(t, &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: propertyPages()})
			must.Do(t, err)
			messages := out.transcript.Messages()
			marked := 0
			for _, m := range messages {
				if strings.Contains(string(m.Metadata), `"reason":"`+string(finish)+`"`) {
					marked++
					if status := strings.Contains(string(m.Metadata), `"status":"cut"`); status != (m.Role == agui.RoleAssistant) {
						t.Errorf("%s: %s message is marked %s", name, m.Role, m.Metadata)
					}
				}
			}
			if all := strings.Join(out.lines, "\n"); marked != 1 || strings.Contains(text, "More") && !strings.Contains(all, `"reason":"`+string(finish)+`","suggestedValues":[{"label":"More","value":"More"}]`) {
				t.Errorf("%s, %s: %d messages are marked:\n%s", name, finish, marked, all)
			}
		}
	}
}

// Whatever a model does, step for step: at the end there is something the user can read, or an
// error with words.
func TestAnyModelLeavesSomethingToRead(t *testing.T) {
	quiet(t)
	pages := propertyPages()
	silent := [][]fakePart{
		nil, {says("")}, {says(" \n")}, {says("\u200b\u200d")}, {part(llm.Part{Kind: llm.ReasoningDelta, Delta: "Hm."})},
		{says("SUGGESTED_VALUES: [\"a\"]\n")}, calling(0, ""), calling(1, "back"), calling(2, "nosuch"), calling(3, "boom"),
	}
	finishes := []llm.Finish{llm.FinishStop, llm.FinishTools, llm.FinishOther, llm.FinishLength, llm.FinishFilter}
	rapid.Check(t, func(t *rapid.T) {
		var steps [][]fakePart
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.IntRange(0, 5).Draw(t, "any") == 0 {
				steps = append(steps, randomStep(t))
				continue
			}
			var step []fakePart
			for range rapid.IntRange(0, 3).Draw(t, "pieces") {
				step = append(step, rapid.SampledFrom(silent).Draw(t, "piece")...)
			}
			steps = append(steps, append(step, ends(rapid.SampledFrom(finishes).Draw(t, "finish"))))
		}
		out := newRecorder(nil)
		a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: steps}, Pages: pages, Limits: Limits{Steps: rapid.IntRange(1, 6).Draw(t, "steps")}, AskUser: true}
		in := Input{ThreadID: "t1", RunID: "r1", History: []agui.Message{user("Go")}, Frontend: []agui.Tool{{Name: "front"}}}
		outcome, err := a.Run(t.Context(), in, out)
		if bad := out.finish(outcome, err); bad != nil {
			t.Fatalf("not a legal run: %v", bad)
		}
		if err == nil && len(outcome.Pending) == 0 && len(outcome.Interrupts) == 0 && !readable(out.events) || err != nil && err.Error() == "" {
			t.Fatalf("there is nothing to read:\n%s", strings.Join(out.lines, "\n"))
		}
	})
}

// readable looks at what was emitted as a person does who sees text and cards.
func readable(events []agui.Event) bool {
	for _, e := range events {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			const unseen = " \t\r\n\u00a0\u3000\u200b\u200d\u2060\ufeff\u00ad\u3164\u2800\ufe0f\u034f"
			if strings.Trim(e.Delta, unseen) != "" {
				return true
			}
		case *agui.ActivitySnapshot:
			return true
		}
	}
	return false
}

func repeated(n int, step func(int) []fakePart) (steps [][]fakePart) {
	for i := range n {
		steps = append(steps, step(i))
	}
	return steps
}

func runFake(t *testing.T, a *Agent) (*recorder, error) {
	t.Helper()
	out := newRecorder(nil)
	outcome, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: []agui.Message{user("Go")}}, out)
	must.Be(t, out.finish(outcome, err), nil, "the run")
	return out, err
}

// silencePages has tools that always give the same result, that count, and that show a card.
func silencePages(t *testing.T) *page.Registry {
	t.Helper()
	n := 0
	answering := func(name string, result func() tool.Result) *tool.Tool {
		made := tool.New(name, "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return result(), nil })
		made.Global = true
		return made
	}
	card := answering("card", func() tool.Result { return tool.Result{Text: "shown", Payload: map[string]int{"n": 1}} })
	card.PayloadType = "chart"
	tools, err := tool.NewRegistry(
		answering("noop", func() tool.Result { return tool.Result{Text: "done"} }),
		answering("count", func() tool.Result { n++; return tool.Result{Text: strings.Repeat("I", n)} }), card)
	payloads, bad := payload.NewRegistry(&payload.Type{Name: "chart", Source: payload.FromTool, Global: true})
	pages, worse := page.NewRegistry(tools, payloads)
	must.Do(t, cmp.Or(err, bad, worse))
	return pages
}

// What a model cost that said nothing is told all the same.
func TestSilenceTellsItsCost(t *testing.T) {
	spent := int64(7)
	step := []fakePart{part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &spent}}), ends(llm.FinishFilter)}
	outcome, err := (&Agent{ID: "x", Model: &fakeModel{steps: [][]fakePart{step}}}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, newRecorder(nil))
	if err == nil || len(outcome.Usage) != 1 {
		t.Errorf("%v, usage %v", err, outcome.Usage)
	}
}

// TestUsageAddsUpOrReplaces as the model declares: a step's reports are one call, the steps' calls
// add up, and a report of a call that is retried counts as well.
func TestUsageAddsUpOrReplaces(t *testing.T) {
	report := func(how llm.Counting, input, output int64) fakePart {
		return part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &input, Output: &output}, Counting: how})
	}
	text := part(llm.Part{Kind: llm.TextDelta, Delta: "hi"})
	called := []fakePart{part(llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "noop"}), part(llm.Part{Kind: llm.ToolArgs, Delta: "{}"}), part(llm.Part{Kind: llm.ToolEnd})}
	failed := fakePart{err: &llm.Error{Kind: llm.KindOverloaded, Model: "fake/model", Message: "busy", RetryAfter: time.Nanosecond}}
	for name, c := range map[string]struct {
		steps         [][]fakePart
		input, output int64
	}{
		"totals":            {[][]fakePart{{report(llm.CountsTotal, 10, 1), text, report(llm.CountsTotal, 10, 5), ends(llm.FinishStop)}}, 10, 5},
		"deltas":            {[][]fakePart{{report(llm.CountsDelta, 10, 1), text, report(llm.CountsDelta, 0, 4), ends(llm.FinishStop)}}, 10, 5},
		"totals, then more": {[][]fakePart{{report(llm.CountsTotal, 10, 1), report(llm.CountsTotal, 10, 2), text, report(llm.CountsDelta, 0, 3), ends(llm.FinishStop)}}, 10, 5},
		"two steps": {[][]fakePart{
			slices.Concat([]fakePart{report(llm.CountsDelta, 10, 1)}, called, []fakePart{report(llm.CountsDelta, 0, 1), ends(llm.FinishTools)}),
			{report(llm.CountsDelta, 20, 1), text, ends(llm.FinishStop)},
		}, 30, 3},
		"a call that is retried": {[][]fakePart{{report(llm.CountsDelta, 10, 1), failed}, {report(llm.CountsTotal, 10, 2), text, ends(llm.FinishStop)}}, 20, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var seen seenUsage
			a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: &fakeModel{steps: c.steps}, Pages: silencePages(t), Tracer: &seen}
			outcome, err := a.Run(t.Context(), Input{History: []agui.Message{user("Go")}}, newRecorder(nil))
			if err != nil || len(outcome.Usage) != 1 || *outcome.Usage[0].InputTokens != c.input || *outcome.Usage[0].OutputTokens != c.output {
				t.Errorf("%v, usage %+v, want %d and %d", err, outcome.Usage, c.input, c.output)
			}
			if seen.input != c.input || seen.output != c.output {
				t.Errorf("the tracer was told %d and %d", seen.input, seen.output)
			}
		})
	}
}

// seenUsage adds up what a tracer is told of the calls of one run.
type seenUsage struct{ input, output int64 }

func (s *seenUsage) Began(RunTrace) RunTracer        { return s }
func (s *seenUsage) Traced(string, string) RunTracer { return s }
func (s *seenUsage) Asked(m ModelTrace) {
	s.input, s.output = s.input+*m.Usage.Input, s.output+*m.Usage.Output
}
func (s *seenUsage) Decided(CallTrace)  {}
func (s *seenUsage) Finished(CallTrace) {}
func (s *seenUsage) Ended(error)        {}
func (s *seenUsage) Warned(string)      {}
