package run

import (
	"testing"

	"github.com/pageside/pageside/agui"
)

// outcome is how a run ended: the outcome's type, success where it names none, or the code of an
// error.
func outcome(t *testing.T, r *Run) string {
	t.Helper()
	all := events(t, r, false)
	legal(t, all)
	switch end := all[len(all)-1].(type) {
	case *agui.RunFinished:
		if end.Outcome == nil {
			return agui.OutcomeSuccess
		}
		return end.Outcome.Type
	case *agui.RunError:
		return end.Code
	}
	return ""
}
