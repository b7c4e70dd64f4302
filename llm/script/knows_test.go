package script_test

import (
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/test/must"
)

// TestKnows: a rule answers, or only the fallback would.
func TestKnows(t *testing.T) {
	m, err := script.Parse("rules", []byte("rules:\n  - {match: hello, words: hello there, steps: [{text: Hi}]}\n  - {fallback: true, steps: [{text: No}]}\n"))
	must.Do(t, err)
	for question, want := range map[string]bool{"hello there": true, "hello Mars": false, "bye": false} {
		req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: question}}}}}
		if got := m.Knows(req); got != want {
			t.Errorf("%s: %v", question, got)
		}
	}
}
