package script_test

import (
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/test/must"
)

// TestWords: a rule with words answers only what it knows every word of.
func TestWords(t *testing.T) {
	m := must.Get(script.Parse("r", []byte(`
words: the me of
rules:
  - {match: '(?i)top (?P<n>\d+) pages', words: top page* show, steps: [{text: 'top {{ .Match.n }}'}]}
  - {match: free, steps: [{text: free}]}
  - {fallback: true, steps: [{text: refused}]}
`)))(t)
	for question, want := range map[string]string{
		"Show me the top 5 pages": "top 5", "top 5 pages of Firefox": "refused", "top 5 pages, 7": "refused", "free of anything": "free", "TOP 5 PAGES!": "top 5",
	} {
		got := ""
		for part, err := range m.Stream(t.Context(), &llm.Request{Messages: []llm.Message{user(question)}}) {
			must.Do(t, err)
			got += part.Delta
		}
		must.Be(t, got, want, "%s", question)
	}
}
