package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

// ask has the user ask something with a page before them that shows items, and returns the prompt.
func (f *fixture) ask(model *steps, text string, items ...string) string {
	f.t.Helper()
	in := f.input("t1", text)
	for _, item := range items {
		in.Context = append(in.Context, agui.ContextItem{Description: "item", Value: item})
	}
	events(f.t, f.start(in), false)
	var b strings.Builder
	for _, m := range model.asked[len(model.asked)-1].Messages {
		b.WriteString("\n" + m.Role)
		for _, c := range m.Content {
			if text, ok := c.(llm.Text); ok {
				b.WriteString("\n" + text.String())
			}
		}
	}
	return b.String()
}

// TestThePageContextStaysWhereItWasShown: what the page shows is told once, and stays in the prompt
// where that was for as long as it does not change. What changes leaves its old place and stands
// before the newest question.
func TestThePageContextStaysWhereItWasShown(t *testing.T) {
	model := &steps{}
	f := managerWith(t, temp.Store(t), agentWith(t, model), nil)
	first := f.ask(model, "first", "fields", "rows 1")
	second := f.ask(model, "second", "fields", "rows 1")
	if !strings.HasPrefix(second, first) || strings.Count(second, "rows 1") != 1 {
		t.Errorf("nothing has changed, and still the prompt does not only grow:\n%s", second)
	}
	third := f.ask(model, "third", "fields", "rows 2")
	if strings.Contains(third, "rows 1") || strings.Index(third, "rows 2") < strings.Index(third, "second") || strings.Index(third, "fields") > strings.Index(third, "first") {
		t.Errorf("only the rows have changed:\n%s", third)
	}
	fourth := f.ask(model, "fourth", "fields", "rows 1")
	if strings.Count(fourth, "rows 1") != 1 || strings.Index(fourth, "rows 1") < strings.Index(fourth, "third") {
		t.Errorf("what comes back stands at the end:\n%s", fourth)
	}
	fifth := f.ask(model, "fifth")
	if strings.Contains(fifth, "<page_context") {
		t.Errorf("the page shows nothing any more:\n%s", fifth)
	}
}

// TestThePageContextIsWhole: whatever changes from run to run, a prompt holds what the page shows
// now, each item once, and nothing else; and up to the first item that went away it is the prompt
// before.
func TestThePageContextIsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		model := &steps{}
		f := managerWith(t, temp.Store(t), agentWith(t, model), nil)
		before, shown := "", []string(nil)
		for n := range rapid.IntRange(2, 7).Draw(rt, "runs") {
			items := rapid.SliceOfN(rapid.SampledFrom([]string{"<one>", "<two>", "<three>", "<four>"}), 0, 4).Draw(rt, "items")
			prompt := f.ask(model, fmt.Sprint("question ", n), items...)
			for _, item := range []string{"<one>", "<two>", "<three>", "<four>"} {
				want := 0
				if slices.Contains(items, item) {
					want = 1
				}
				if got := strings.Count(prompt, escaped(item)); got != want {
					rt.Fatalf("%s is in the prompt %d times, not %d:\n%s", item, got, want, prompt)
				}
			}
			end := len(before)
			for _, item := range shown {
				if !slices.Contains(items, item) {
					end = min(end, strings.Index(before, escaped(item)))
				}
			}
			if end < len(before) {
				end = max(0, strings.LastIndex(before[:end], "\n<page_context"))
			}
			if !strings.HasPrefix(prompt, before[:end]) {
				rt.Fatalf("what stayed has moved:\n%s\n---\n%s", before[:end], prompt)
			}
			before, shown = prompt, items
		}
	})
}

func escaped(item string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(item)
}
