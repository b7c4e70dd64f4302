package inspect_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
)

func prompt(texts ...string) *llm.Request {
	req := &llm.Request{}
	for _, text := range texts {
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: text}}})
	}
	return req
}

// TestOwnersMayHaveRunsOfTheSameName: what one's run does is not written down with the other's.
func TestOwnersMayHaveRunsOfTheSameName(t *testing.T) {
	r := inspect.New(0)
	mine, yours := began(r, "o", "r", "mine"), began(r, "other", "r", "yours")
	mine.Asked(asked("my answer"))
	mine.Decided(agent.CallTrace{ID: "c", Name: "mine"})
	mine.Ended(nil)
	yours.Asked(asked("your answer"))
	d, _ := r.Run(inspect.Access{Owner: "o"}, "r")
	if len(d.Steps) != 1 || d.Steps[0].Text != "my answer" || len(d.Calls) != 1 || d.Status != "done" {
		t.Errorf("mine is %+v", d)
	}
	d, _ = r.Run(inspect.Access{Owner: "other"}, "r")
	if len(d.Steps) != 1 || d.Steps[0].Text != "your answer" || len(d.Calls) != 0 || d.Status != "live" {
		t.Errorf("yours is %+v", d)
	}
}

// TestWhatIsKeptIsBounded in bytes too: of many large runs the newest are kept, whatever made them
// large, and the newest always is.
func TestWhatIsKeptIsBounded(t *testing.T) {
	const mebibyte = 1 << 20
	for name, fill := range map[string]func(r *inspect.Recorder, id, text string){
		"context": func(r *inspect.Recorder, id, text string) {
			r.Began(agent.RunTrace{Input: &agent.Input{RunID: id, Owner: "o", Context: []agui.ContextItem{{Value: text}}}})
		},
		"answer": func(r *inspect.Recorder, id, text string) { began(r, "o", id, "q").Asked(asked(text)) },
		"result": func(r *inspect.Recorder, id, text string) {
			began(r, "o", id, "q").Finished(agent.CallTrace{ID: "c", Result: text})
		},
		"calls": func(r *inspect.Recorder, id, text string) {
			began(r, "o", id, "q").Asked(asked("", llm.ToolCall{Args: text}))
		},
	} {
		r := inspect.New(1000)
		for i := range 40 {
			fill(r, fmt.Sprint(i), strings.Repeat("x", 4*mebibyte))
		}
		if n := len(r.Runs(inspect.Access{Owner: "o"})); n < 14 || n > 16 {
			t.Errorf("%s: %d runs of 4 MiB are kept, want about 15", name, n)
		}
		fill(r, "huge", strings.Repeat("x", 80*mebibyte))
		if list := r.Runs(inspect.Access{Owner: "o"}); len(list) != 1 || list[0].ID != "huge" {
			t.Errorf("%s: a huge run leaves %d", name, len(list))
		}
		fill(r, "small", "x")
		if list := r.Runs(inspect.Access{Owner: "o"}); len(list) != 1 || list[0].ID != "small" {
			t.Errorf("%s: a small run leaves %d", name, len(list))
		}
	}
}

// TestADroppedRunGoesOn: what it does is kept nowhere.
func TestADroppedRunGoesOn(t *testing.T) {
	r := inspect.New(1)
	old := began(r, "o", "old", "q")
	began(r, "o", "new", "q")
	old.Asked(asked(strings.Repeat("x", 100<<20)))
	old.Ended(nil)
	if list := r.Runs(inspect.Access{Owner: "o"}); len(list) != 1 || list[0].ID != "new" {
		t.Errorf("kept are %+v", list)
	}
}

// TestPromptsAreTheLoopsOwn: the loop goes on to write where the prompt stood, while somebody looks
// at what it was.
func TestPromptsAreTheLoopsOwn(t *testing.T) {
	r := inspect.New(0)
	run := began(r, "o", "r", "q")
	req := prompt("one", "two")
	step := asked("answer")
	step.Request = req
	run.Asked(step)
	var looking sync.WaitGroup
	looking.Go(func() {
		for range 100 {
			if d, _ := r.Run(inspect.Access{Owner: "o"}, "r"); d.Steps[0].Messages[1].Text != "two" {
				t.Errorf("the prompt was %+v", d.Steps[0].Messages)
			}
		}
	})
	for range 100 {
		req.Messages[1] = llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "three"}}}
	}
	looking.Wait()
	step.Request = prompt("one", "three", "four")
	run.Asked(step)
	if d, _ := r.Run(inspect.Access{Owner: "o"}, "r"); d.Steps[1].Unchanged != 1 || len(d.Steps[1].Messages) != 3 || d.Steps[0].Messages[1].Text != "two" {
		t.Errorf("the second call is %+v", d.Steps[1])
	}
}

// TestLongMessagesAreCutBetweenCharacters.
func TestLongMessagesAreCutBetweenCharacters(t *testing.T) {
	r := inspect.New(0)
	step := asked("")
	step.Request = prompt("a" + strings.Repeat("é", 4000))
	began(r, "o", "r", "q").Asked(step)
	d, _ := r.Run(inspect.Access{Owner: "o"}, "r")
	if text := d.Steps[0].Messages[0].Text; !strings.HasSuffix(text, "é…") || len(text) > 4010 {
		t.Errorf("it ends in %q", text[len(text)-12:])
	}
}
