package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// noted is a tracer that keeps the model calls.
type noted struct{ asked []ModelTrace }

func (n *noted) Began(RunTrace) RunTracer        { return n }
func (n *noted) Traced(string, string) RunTracer { return n }
func (n *noted) Asked(m ModelTrace)              { n.asked = append(n.asked, m) }
func (n *noted) Decided(CallTrace)               {}
func (n *noted) Finished(CallTrace)              {}
func (n *noted) Ended(error)                     {}
func (n *noted) Warned(string)                   {}
func (n *noted) purposes() (all []string) {
	for _, m := range n.asked {
		all = append(all, m.Purpose+":"+m.Model)
	}
	return all
}

// TestTracedCalls: the tracer is told of summaries and titles as well as of steps, each with its
// purpose, who answered and what it cost.
func TestTracedCalls(t *testing.T) {
	quiet(t)
	n := int64(100)
	counted := part(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &n, Output: &n}})
	model := &fakeModel{info: fakeInfo, steps: [][]fakePart{append([]fakePart{counted}, textStep("A summary.")...), append([]fakePart{counted}, textStep("Yes.")...)}}
	model.info.ContextWindow, model.info.Prices = 1000, llm.Prices{Input: 1, Output: 2}
	var history []agui.Message
	for i := range 20 {
		history = append(history, user(strings.Repeat("word ", 60)), agui.Message{ID: fmt.Sprint("a", i), Role: agui.RoleAssistant, Content: agui.TextContent("Yes.")})
	}
	for i := range history {
		history[i].ID = fmt.Sprint("m", i)
	}
	history = append(history, user("And now?"))
	told := &noted{}
	a := &Agent{ID: "x", Model: model, TitleModel: &fakeModel{steps: [][]fakePart{textStep("A title")}}, Tracer: told}
	must.Get(a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: history}, newRecorder(history)))(t)
	if _, _, err := a.Title(t.Context(), &Input{RunID: "r1", History: history}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told.purposes(), " "); got != "summary:fake/one :fake/one title:fake/one" {
		t.Fatalf("told of %s", got)
	}
	for i, want := range []float64{300e-6, 300e-6} {
		if cost := told.asked[i].Cost; cost == nil || *cost != want {
			t.Errorf("call %d cost %v", i, cost)
		}
	}
	if told.asked[2].Cost != nil {
		t.Error("the title has a cost without a price")
	}
}
