package script

import (
	"encoding/json"
	"strings"
	"testing"
	"text/template"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// TestListFunctions renders each on the same data.
func TestListFunctions(t *testing.T) {
	var d any
	if err := json.Unmarshal([]byte(`{"rows":[{"n":3,"p":["x","y"],"s":"b"},{"n":1,"p":["x"],"s":"a"},"…and 2 more"],"o":{"a":1,"b":2}}`), &d); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{{ len (records .rows) }}`:                                                      "2",
		`{{ json (countBy "p" (records .rows)) }}`:                                       `[{"count":2,"value":"x"},{"count":1,"value":"y"}]`,
		`{{ json (countBy "" (list "b" "a" "b")) }}`:                                     `[{"count":2,"value":"b"},{"count":1,"value":"a"}]`,
		`{{ json (countBy "none" (records .rows)) }}`:                                    `[]`,
		`{{ json (pluck "n" (where "s" "a" .rows)) }}`:                                   `[1]`,
		`{{ json (pluck "n" (where "p" "y" .rows)) }}`:                                   `[3]`,
		`{{ json (pluck "s" (having "p" "(?i)^X$" (records .rows))) }}`:                  `["b","a"]`,
		`{{ json (having "" "^a" (list "ab" "b")) }}`:                                    `["ab"]`,
		`{{ json (pluck "n" (sortBy "n" (records .rows))) }}`:                            `[1,3]`,
		`{{ json (pluck "s" (sortBy "s" (records .rows))) }}`:                            `["a","b"]`,
		`{{ json (take 1 (list 1 2)) }}{{ json (take 9 (list 1)) }}`:                     `[1][1]`,
		`{{ json (drop 1 (list 1 2)) }}{{ json (drop 9 (list 1)) }}`:                     `[2][]`,
		`{{ json (concat (list 1) .none (list 2 3)) }}`:                                  `[1,2,3]`,
		`{{ $l := list }}{{ $l = append $l "x" }}{{ json $l }}`:                          `["x"]`,
		`{{ json (unique (list "a" "b" "a")) }}`:                                         `["a","b"]`,
		`{{ json (dict "a" 1 "b" (list)) }}`:                                             `{"a":1,"b":[]}`,
		`{{ json (omit "a" .o) }}{{ json (omit "a" .none) }}`:                            `{"b":2}{}`,
		`{{ json (merge .o (dict "b" 3 "c" 4) .none) }}`:                                 `{"a":1,"b":3,"c":4}`,
		`{{ matches "^a+$" "aa" }} {{ matches (quoteRe "a+") "aa" }}`:                    "true false",
		`{{ replaceRe "(\\w+)@(\\w+)" "$2 at $1" "x@y" }}`:                               "y at x",
		`{{ len (words " a  b ") }}`:                                                     "2",
		`{{ len (take 3 .none) }}{{ len (where "a" 1 .none) }}{{ len (records .none) }}`: "000",
	} {
		if got, err := renderOn(text, d); err != nil || got != want {
			t.Errorf("%s renders %s, want %s (%v)", text, got, want, err)
		}
	}
	for text, want := range map[string]string{
		`{{ dict "a" }}`: "names and values", `{{ dict 1 2 }}`: "not a name", `{{ countBy "a" "text" }}`: "not a list", `{{ having "a" "(" (list 1) }}`: "missing closing",
		`{{ omit "a" 7 }}`: "not an object", `{{ merge 7 }}`: "not an object", `{{ replaceRe "(" "" "x" }}`: "missing closing",
	} {
		must.Fail(t, must.Err(renderOn(text, d)), want, "%s", text)
	}
}

func renderOn(text string, d any) (string, error) {
	tmpl, err := template.New("").Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = tmpl.Execute(&out, d)
	return out.String(), err
}

// TestListsAreNotChanged: sorting and choosing work on copies, since the same context serves every
// template.
func TestListsAreNotChanged(t *testing.T) {
	d := map[string]any{"l": []any{map[string]any{"n": 2}, map[string]any{"n": 1}}, "o": map[string]any{"a": 1}}
	if _, err := renderOn(`{{ $x := sortBy "n" .l }}{{ $x = append .l 1 }}{{ $x = where "n" 1 .l }}{{ $y := omit "a" .o }}{{ $y = merge .o (dict "a" 2) }}`, d); err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(d); string(text) != `{"l":[{"n":2},{"n":1}],"o":{"a":1}}` {
		t.Errorf("%s", text)
	}
}

// TestContextWithARemarkBehindIt: a block that is followed by a sentence about what was left out is
// context all the same, and no question.
func TestContextWithARemarkBehindIt(t *testing.T) {
	block := "<page_context id=\"x\">\n[\n{\"description\":\"d\",\"value\":{\"n\":1}}\n]\n</page_context>\nSome of it was left out. The tool returns what is missing."
	q := ReadRequest(&llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "How many?"}, llm.Text{Text: block}}}}})
	if q.Text != "How many?" || len(q.Context) != 1 || get(q.Context[0].Value, "n") != int64(1) {
		t.Errorf("%+v", q)
	}
}
