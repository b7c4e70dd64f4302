package agent

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// told is a tracer that keeps the warnings.
type told struct{ warnings []string }

func (w *told) Began(RunTrace) RunTracer        { return w }
func (w *told) Traced(string, string) RunTracer { return w }
func (w *told) Asked(ModelTrace)                {}
func (w *told) Decided(CallTrace)               {}
func (w *told) Finished(CallTrace)              {}
func (w *told) Warned(text string)              { w.warnings = append(w.warnings, text) }
func (w *told) Ended(error)                     {}

// counts is a step that reports how many tokens the prompt had.
func counts(tokens int64) []fakePart {
	return append([]fakePart{part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &tokens}})}, textStep("Yes.")...)
}

// TestWarnings: what a model's server does without an error is logged once, and told of every run.
func TestWarnings(t *testing.T) {
	const words = "Some words in English. "
	for name, tc := range map[string]struct {
		info   llm.Info
		said   string
		tokens int64 // that the provider counts
		want   string
	}{
		"a cut prompt":      {llm.Info{Tools: true}, strings.Repeat(words, 2000), 4096, "counted 4096 tokens of a prompt that has about 11"},
		"a whole prompt":    {llm.Info{Tools: true}, strings.Repeat(words, 2000), 10_000, ""},
		"a short prompt":    {llm.Info{Tools: true}, strings.Repeat(words, 200), 400, ""},
		"nothing counted":   {llm.Info{Tools: true}, strings.Repeat(words, 2000), 0, ""},
		"another language":  {llm.Info{Tools: true}, strings.Repeat("Несколько слов. ", 2000), 6000, ""},
		"no tools":          {llm.Info{ToolsRefused: true}, "Hello", 100, "takes no tools"},
		"an assumed window": {llm.Info{Tools: true, ContextWindow: 4096, WindowAssumed: true}, "Hello", 100, "4096 tokens are assumed"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			tracer := &told{}
			tc.info.Provider, tc.info.Model = "fake", "one"
			look := tool.New("look", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{}, nil })
			look.Effect, look.Global = tool.Read, true
			model := &fakeModel{info: tc.info, steps: [][]fakePart{counts(tc.tokens), counts(tc.tokens)}}
			a := &Agent{ID: "x", Model: model, Pages: pagesOf(t, look), Tracer: tracer, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			for range 2 {
				thread := []agui.Message{user(tc.said)}
				if _, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: thread, Place: page.Place{}}, newRecorder(thread)); err != nil {
					t.Fatal(err)
				}
			}
			if tc.want == "" {
				if len(tracer.warnings) > 0 || log.Len() > 0 {
					t.Errorf("warned of %q, log: %s", tracer.warnings, log.String())
				}
				return
			}
			if len(tracer.warnings) != 2 || !strings.Contains(tracer.warnings[1], tc.want) || strings.Count(log.String(), tc.want) != 1 {
				t.Errorf("warned of %q, log: %s", tracer.warnings, log.String())
			}
		})
	}
}

// TestACutCountIsNotTheSizeOfThePrompt: an agent goes on to reckon with what it sends.
func TestACutCountIsNotTheSizeOfThePrompt(t *testing.T) {
	quiet(t)
	model := &fakeModel{info: fakeInfo, steps: [][]fakePart{append(counts(4096)[:1], callStep("", "look", "{}")...), counts(4096)}}
	model.info.ContextWindow = 100_000
	a := &Agent{ID: "x", Model: model}
	thread := []agui.Message{user(strings.Repeat("Some words in English. ", 2000))}
	must.Get(a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: thread}, newRecorder(thread)))(t)
	if got := a.estimates.Tokens(4000); got != 1000 {
		t.Errorf("4000 bytes are thought to be %d tokens", got)
	}
}

// loading is a model whose window is assumed until it is asked.
type loading struct {
	*fakeModel
	window int // what it says
	asked  int
}

func (m *loading) Learn(context.Context) {
	m.asked++
	m.info.ContextWindow, m.info.WindowAssumed = m.window, m.window == 0
	if m.window == 0 {
		m.info.ContextWindow = 1000
	}
}

// TestAnAssumedWindowIsAskedFor before anything is left out for want of room, and not sooner.
func TestAnAssumedWindowIsAskedFor(t *testing.T) {
	quiet(t)
	for name, tc := range map[string]struct {
		words, window  int
		asked, request int // how often
	}{
		"room enough":       {10, 50_000, 0, 1},
		"a larger one":      {2000, 50_000, 1, 1},
		"as it was assumed": {2000, 1000, 1, 2},
		"not said":          {2000, 0, 1, 2},
	} {
		model := &loading{fakeModel: &fakeModel{info: fakeInfo, steps: [][]fakePart{textStep("Short."), textStep("Yes.")}}, window: tc.window}
		if tc.request == 1 {
			model.steps = model.steps[1:]
		}
		model.info.ContextWindow, model.info.WindowAssumed = 1000, true
		thread := []agui.Message{user(strings.Repeat("word ", tc.words)), {ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent("Well.")}, user("And now?")}
		thread[0].ID = "u0"
		a := &Agent{ID: "x", Model: model}
		if _, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: thread}, newRecorder(thread)); err != nil {
			t.Fatal(name, err)
		}
		if model.asked != tc.asked || len(model.requests) != tc.request {
			t.Errorf("%s: asked %d times, %d requests", name, model.asked, len(model.requests))
		}
	}
}
