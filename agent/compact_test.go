package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// longHistory draws a thread with steps of words and calls of any length.
func longHistory(t *rapid.T) (thread []agui.Message) {
	words := func(most int) agui.Content {
		return agui.TextContent(strings.Repeat("word ", rapid.IntRange(1, most).Draw(t, "words")))
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
		thread = append(thread, agui.Message{ID: fmt.Sprint("u", i), Role: agui.RoleUser, Content: words(100)})
		for j := range rapid.IntRange(0, 3).Draw(t, "calls") {
			id := fmt.Sprint("c", i, "_", j)
			thread = append(thread,
				agui.Message{ID: "a" + id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: id, Name: "look", Arguments: "{}"}}},
				agui.Message{ID: "t" + id, Role: agui.RoleTool, ToolCallID: id, Content: words(400)})
		}
		thread = append(thread, agui.Message{ID: fmt.Sprint("a", i), Role: agui.RoleAssistant, Content: words(100)})
	}
	return append(thread, user("And now?"))
}

func summaryOrCalls(t *rapid.T) []fakePart {
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0:
		return callStep("", "look", fmt.Sprintf(`{"n":%d}`, rapid.IntRange(1, 400).Draw(t, "n")))
	case 1:
		return []fakePart{{err: &llm.Error{Kind: llm.KindContextFull, Model: "fake/one", Message: "too long"}}}
	case 2:
		n := int64(rapid.IntRange(1, 3000).Draw(t, "tokens"))
		return append([]fakePart{part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &n}})}, callStep("", "look", `{"n":3}`)...)
	}
	return textStep("Some words.")
}

// However long a thread is and whatever a model refuses: what is left out is left out in the middle
// of the thread and never of the question, every prompt is balanced, and the next run begins with
// the prompt that this one ended with.
func TestAnyLongThread(t *testing.T) {
	quiet(t)
	look := tool.New("look", "", func(_ context.Context, _ *tool.Call, in struct {
		N int `json:"n"`
	}) (tool.Result, error) {
		return tool.Result{Text: strings.Repeat("row ", in.N)}, nil
	})
	look.Effect = tool.Read
	pages := pagesOf(t, look)
	rapid.Check(t, func(t *rapid.T) {
		model := &fakeModel{info: fakeInfo}
		model.info.ContextWindow = rapid.IntRange(200, 2000).Draw(t, "window")
		for range 8 {
			model.steps = append(model.steps, summaryOrCalls(t))
		}
		history := longHistory(t)
		out := newRecorder(history)
		a := &Agent{ID: "x", Model: model, Pages: pages, Limits: Limits{Steps: 4}}
		outcome, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: history}, out)
		must.Do(t, out.finish(outcome, err))
		last := model.requests[len(model.requests)-1]
		for i, r := range model.requests {
			if err := llm.Balance(r.Messages); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
			shown := showMessages(r.Messages)
			if !strings.Contains(shown, "And now?") && !strings.Contains(shown, summaryRequest) {
				t.Fatalf("request %d lost the question:\n%s", i, shown)
			}
		}
		shown := showMessages(last.Messages)
		if err != nil || strings.Contains(shown, summaryRequest) || strings.Contains(shown, summaryFailed) {
			return
		}
		next := &fakeModel{steps: [][]fakePart{textStep("Yes.")}}
		a = &Agent{ID: "x", Model: next, Pages: pages}
		thread := append(out.transcript.Messages(), user("One more"))
		must.Get(a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r2", History: thread}, newRecorder(thread)))(t)
		kept := slices.DeleteFunc(slices.Clone(last.Messages), isClosingInstruction)
		if before, after := showMessages(kept), showMessages(next.requests[0].Messages); !strings.HasPrefix(after, before) {
			t.Fatalf("the next run does not begin like this one ended:\n%s\n---\n%s", before, after)
		}
	})
}

// isClosingInstruction reports whether a message is what only the last request of a run is told.
func isClosingInstruction(m llm.Message) bool {
	return m.Role == llm.RoleUser && showMessages([]llm.Message{m}) == showMessages([]llm.Message{prompt.UserText(closingInstruction)})
}
