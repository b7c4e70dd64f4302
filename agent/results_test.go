package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// Whatever a model asks for: every byte of a result can be read, in whole characters, and an
// excerpt says where it stands.
func TestAnyExcerpt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.String().Draw(t, "whole")
		var read strings.Builder
		step := rapid.IntRange(1, 20).Draw(t, "step")
		for offset := 0; offset < len(whole); {
			_, part, ok := strings.Cut(excerpt(whole, offset, step, 10), "]\n")
			if !ok || part == "" || !utf8.ValidString(part) {
				t.Fatalf("%q at %d", part, offset)
			}
			read.WriteString(part)
			offset += len(part)
		}
		if read.String() != whole {
			t.Fatalf("%q was read as %q", whole, read.String())
		}
		_ = excerpt(whole, rapid.Int().Draw(t, "offset"), rapid.Int().Draw(t, "limit"), 10)
		_ = passages(whole, rapid.StringN(1, -1, 3).Draw(t, "find"), rapid.IntRange(0, 1<<40).Draw(t, "from"))
	})
}

// A run without a journal reads on in the results it made itself.
func TestReadResultWithoutAJournal(t *testing.T) {
	long := tool.New("long", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: strings.Repeat("x", 20<<10) + "THE END"}, nil
	})
	model := &fakeModel{steps: [][]fakePart{
		callStep("c1", "long", "{}"), callStep("c2", "read_result", `{"id":"c1","offset":20000}`), textStep("Read."),
	}}
	out := newRecorder(nil)
	if _, err := (&Agent{ID: "x", Model: model, Pages: pagesOf(t, long)}).Run(t.Context(), Input{History: []agui.Message{user("Go")}}, out); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(out.lines, "\n"); strings.Count(all, "THE END") != 1 || strings.Contains(all, strings.Repeat("x", 17<<10)) {
		t.Errorf("the end was not read, or all was shown at once:\n%.2000s", all)
	}
}

// The journal has the whole of a result that is shown cut.
func TestJournalKeepsTheWholeResult(t *testing.T) {
	whole := strings.Repeat("y", 100<<10)
	long := tool.New("long", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{Text: whole}, nil })
	journal := &fakeJournal{}
	model := &fakeModel{steps: [][]fakePart{callStep("c1", "long", "{}"), textStep("Read.")}}
	in := Input{History: []agui.Message{user("Go")}, Journal: journal}
	must.Get((&Agent{ID: "x", Model: model, Pages: pagesOf(t, long)}).Run(t.Context(), in, newRecorder(nil)))(t)
	if got, err := journal.Result(t.Context(), "c1"); got != whole || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A journal that cannot find a result is something the model is told.
func TestReadResultThatIsGone(t *testing.T) {
	r := &resultReader{
		thread: func() prompt.Thread { return prompt.Thread{} }, ids: &callIDs{taken: map[string]bool{"c1": true}}, journal: &memory{},
	}
	_, err := r.whole(t.Context(), "c1")
	if err == nil || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
