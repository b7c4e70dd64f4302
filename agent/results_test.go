package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

func TestShorten(t *testing.T) {
	rows := make([]string, 200)
	for i := range rows {
		rows[i] = `{"path":"/a/b/c","status":200}`
	}
	list := "[" + strings.Join(rows, ",") + "]"
	const advice = `"The result of `
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a list keeps its first elements":     {list, []string{`[{"path":"/a/b/c","status":200},`, `{"path":"/a/b/c","status":200},` + advice, ` of 200 elements are shown."]`}},
		"an object keeps what is short":       {`{"total":200,"rows":` + list + `,"took":"12ms"}`, []string{`{"total":200,"rows":[{"path"`, `"status":200}],"took":"12ms","_cut":` + advice, ` rows: 1`, ` of 200 elements are shown."}`}},
		"a long text inside loses its end":    {`{"log":"` + strings.Repeat("é", 3000) + `","n":1}`, []string{`{"log":"éé`, `é…","n":1,"_cut":`, ` log: `, ` of 6000 bytes are shown."}`}},
		"text keeps its head":                 {strings.Repeat("line é\n", 400), []string{"line é\n", "\n[Cut at byte "}},
		"what only looks like JSON is text":   {"[" + strings.Repeat("x", 4000), []string{"[xxx", "\n[Cut at byte "}},
		"a long text in JSON is text":         {`"` + strings.Repeat("x", 4000) + `"`, []string{`"xxx`, "\n[Cut at byte "}},
		"an error stays one":                  {`{"error":{"code":"failed","message":"` + strings.Repeat("x", 4000) + `","retryable":false}}`, []string{`{"error":{"code":"failed","message":"xxx`, `x…","retryable":false},"_cut":`, ` error.message: `}},
		"a list of one long thing is cut too": {`[{"a":"` + strings.Repeat("x", 4000) + `"}]`, []string{`[{"a":"xxx`, `x…"},` + advice, ` [0].a: `}},
	} {
		got := shorten(1024, "c1", c.text)
		at := 0
		for _, want := range c.want {
			i := strings.Index(got[at:], want)
			if i < 0 {
				t.Errorf("%s: %q is missing in\n%s", name, want, got)
				break
			}
			at += i + len(want)
		}
		if len(got) > 1024 || !strings.Contains(got, readResultTag) || tool.IsErrorText(c.text) != tool.IsErrorText(got) {
			t.Errorf("%s: %d bytes\n%s", name, len(got), got)
		}
	}
	if got := shorten(1024, "c1", `{"a":1}`); got != `{"a":1}` {
		t.Errorf("what is short was changed: %s", got)
	}
}

// anyJSON draws a document.
func anyJSON(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return rapid.Float64().Draw(t, "number")
	case 1, 2:
		return rapid.StringN(0, -1, 600).Draw(t, "text")
	case 3:
		list := []any{}
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			list = append(list, anyJSON(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 30).Draw(t, "members") {
		object[rapid.StringN(0, -1, 40).Draw(t, "key")] = anyJSON(t, depth-1)
	}
	return object
}

// A result that is shown is never longer than the limit, is valid UTF-8, is the same when it is
// shortened again, says how to read on where something is missing, and where most of it fits is
// JSON if the whole is.
func TestAnyResultIsShownWithinTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, err := json.Marshal(anyJSON(t, 3))
		if err != nil {
			t.Skip(err)
		}
		text := string(whole)
		if rapid.Bool().Draw(t, "broken") {
			text = text[:len(text)/2]
			text = strings.ToValidUTF8(text, "")
		}
		limit := rapid.IntRange(leastResult, 3*leastResult).Draw(t, "limit")
		short := shorten(limit, "c1", text)
		if len(short) > limit || !utf8.ValidString(short) {
			t.Fatalf("%d bytes of %d, limit %d:\n%s", len(short), len(text), limit, short)
		}
		if again := shorten(limit, "c1", short); again != short {
			t.Fatalf("shortened twice:\n%s\n%s", short, again)
		}
		if cut := len(text) > limit; cut != (short != text) || cut && !strings.Contains(short, readResultTag) {
			t.Fatalf("cut is %t:\n%s", cut, short)
		}
		if json.Valid([]byte(text)) && strings.HasPrefix(short, "{") && strings.Contains(short, `"`+cutMember+`":`) && !json.Valid([]byte(short)) {
			t.Fatalf("no JSON any more:\n%s", short)
		}
	})
}

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
	model := &fakeModel{turns: [][]fakePart{
		callTurn("c1", "long", "{}"), callTurn("c2", "read_result", `{"id":"c1","offset":20000}`), textTurn("Read."),
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
	model := &fakeModel{turns: [][]fakePart{callTurn("c1", "long", "{}"), textTurn("Read.")}}
	in := Input{History: []agui.Message{user("Go")}, Journal: journal}
	if _, err := (&Agent{ID: "x", Model: model, Pages: pagesOf(t, long)}).Run(t.Context(), in, newRecorder(nil)); err != nil {
		t.Fatal(err)
	}
	if got, err := journal.Result(t.Context(), "c1"); got != whole || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A journal that cannot find a result is something the model is told.
func TestReadResultThatIsGone(t *testing.T) {
	r := &run{agent: &Agent{}, callIDs: map[string]bool{"c1": true}, journal: &memory{}}
	_, err := r.wholeResult(t.Context(), "c1")
	if err == nil || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
