package run

import (
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
)

// left is a run that somebody has read for a while and reads no more. It would take eight seconds.
func (f *fixture) left(text string) *Run {
	f.t.Helper()
	r := f.start(f.input("t1", text))
	reader := r.Read(false)
	time.Sleep(2500 * time.Millisecond)
	reader.Close()
	return r
}

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
