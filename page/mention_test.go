package page_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
)

// TestMentions: the SDK has the same cases.
func TestMentions(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/mentions.json"))(t)
	cases := must.JSON[[]struct {
		Text         string
		Labels, Want []string
	}](t, raw)
	for _, tt := range cases {
		var items []page.Item
		for _, label := range tt.Labels {
			items = append(items, page.Item{Label: label})
		}
		got := []string{}
		for _, i := range page.Mentions(tt.Text, items) {
			got = append(got, tt.Labels[i])
		}
		must.Same(t, got, tt.Want, "%q mentions", tt.Text)
	}
}

// TestMentionsOfDescriptions: an item of a client that knows no labels is mentioned by its
// description, or by a word in it. Where it has a label, only by that.
func TestMentionsOfDescriptions(t *testing.T) {
	items := []page.Item{
		{Description: "Rows selected in the table (@selected-rows)"}, {Description: "The chart"},
		{Description: "@notes: what the user noted"}, {Description: "Owner ada@example.com"}, {Label: "@form", Description: "Fields"},
	}
	for text, want := range map[string][]int{
		"Explain @selected-rows": {0}, "Explain @the chart": {1}, "Sum up @notes": {2}, "@example.com": nil, "@form": {4}, "@fields": nil,
		"@form and @selected-rows": {0, 4},
	} {
		must.Same(t, page.Mentions(text, items), want, "%q mentions", text)
	}
}

// TestHostileMentions take no long time, wherever their @ and backticks are.
func TestHostileMentions(t *testing.T) {
	var items []page.Item
	for n := range 300 {
		items = append(items, page.Item{Label: strings.Repeat("a", n+1)})
	}
	for _, text := range []string{strings.Repeat(" @a", 1<<20), strings.Repeat("`a``b```c", 1<<18), strings.Repeat("@", 4<<20), strings.Repeat("\n```", 1<<20)} {
		page.Mentions(text, items)
	}
	if got := page.Mentions(strings.Repeat("x ", 40<<10)+"@aaa", items); got != nil {
		t.Errorf("far behind in a long message: %v", got)
	}
}

// FuzzMentions: what is mentioned stands there behind an @, and an item without a label is not.
func FuzzMentions(f *testing.F) {
	f.Add("Compare @selected-rows with @rows of today", "@selected-rows", "rows of today")
	f.Add("a `@x` ~~~\n@y", "x", "y")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		items := []page.Item{{Label: a}, {Label: b}, {}}
		for _, i := range page.Mentions(text, items) {
			if i == 2 {
				t.Fatal("an item without a name is mentioned")
			}
			if !utf8.ValidString(text) || !utf8.ValidString(items[i].Label) {
				continue
			}
			label := strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(items[i].Label), "@")), " ")
			plain := strings.Join(strings.Fields(text), " ")
			must.Have(t, strings.ToLower(plain), "@"+strings.ToLower(label), "%q, which mentions %q", text, label)
		}
	})
}
