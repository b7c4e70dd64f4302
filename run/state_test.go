package run

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
)

// shared returns the state that a thread has after its last run.
func (f *fixture) shared(thread string) string {
	f.t.Helper()
	row := must.Get(f.store.LastRun(f.t.Context(), ada, thread))(f.t)
	return string(row.State)
}

func wantSame(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want || got != "" && want != "" && jsonx.Equal(json.RawMessage(got), json.RawMessage(want)) {
		return
	}
	t.Errorf("%s is %s, want %s", what, got, want)
}
