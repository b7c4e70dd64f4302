package llmtest_test

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/test/talk"
)

// Each request that an earlier version sent, and the provider refused, is refused by the mock in
// the provider's words. What is sent now for the same conversation is taken.
func TestOldFaultsAreRefused(t *testing.T) {
	talk.In(t, "testdata/refused", func(t *testing.T, file *talk.File) {
		file.Cases(t, func(t *testing.T, lines []string) []string {
			setup, req := llmtest.ReadRequest(t, lines)
			if err := adapterOf(setup).Check(req); err != nil {
				t.Errorf("the present request: %v", err)
			}
			if err := llmtest.Check(llmtest.Dialect(setup.With["as"]), []byte(setup.With["body"])); err != nil {
				return []string{err.Error()}
			}
			return []string{"taken"}
		})
	})
}

// adapterOf is the adapter that a section names, or any.
func adapterOf(setup llmtest.Setup) *dialects.Adapter {
	i := slices.IndexFunc(dialects.All, func(a *dialects.Adapter) bool { return a.Name == setup.With["adapter"] })
	return dialects.All[max(i, 0)]
}

// Requests that some provider refuses are sent in another form.
func TestWhatSomeProviderRefusesIsNotSent(t *testing.T) {
	talk.In(t, "testdata/taken", func(t *testing.T, file *talk.File) {
		file.Cases(t, func(t *testing.T, lines []string) (refused []string) {
			_, req := llmtest.ReadRequest(t, lines)
			everywhere(t, "it", req)
			return nil
		})
	})
}
