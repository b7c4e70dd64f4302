package dbfile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/test/must"
)

// TestNote: a note is there for the next holder of the file, until it is replaced, and hides nobody
// who has the lock.
func TestNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	claim := func() *dbfile.File {
		t.Helper()
		f := must.Get(dbfile.Claim(t.Context(), path, time.Second))(t)
		t.Cleanup(func() { f.Release() })
		return f
	}
	f := claim()
	must.Be(t, f.Note(), "", "the note of a new file")
	for _, note := range []string{strings.Repeat("long ", 40), "short"} {
		must.Do(t, f.SetNote(note))
	}
	must.Fail(t, f.SetNote(strings.Repeat("x", 300)), "", "a note that has no room")
	must.Do(t, f.Release())
	f = claim()
	must.Be(t, f.Note(), "short", "what the next holder is told")
	_, err := dbfile.Claim(t.Context(), path, 0)
	must.Fail(t, err, "(process "+strconv.Itoa(os.Getpid())+")", "another is told")
	must.Do(t, f.SetNote(""))
	must.Be(t, f.Note(), "", "the note that was cleared")
}
