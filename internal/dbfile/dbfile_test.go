package dbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestReleasedTwice: a second Release must not let go of what somebody else has by then.
func TestReleasedTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.db")
	first := must.Get(Claim(t.Context(), name, 0))(t)
	must.Do(t, first.Release())
	second := must.Get(Claim(t.Context(), name, 0))(t)
	defer second.Release()
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	if third, err := Claim(t.Context(), name, 0); err == nil || !strings.Contains(err.Error(), "is using x.db") {
		t.Errorf("it was claimed a second time: %+v, %v", third, err)
	}
}

// TestDotsBehindALink: what .. leads to depends on where the link before it does, and on the folder
// the process is really in.
func TestDotsBehindALink(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(there, "a", "b"), 0o700))
	if err := os.Symlink(filepath.Join(there, "a", "b"), filepath.Join(here, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("link/../dangling.db", filepath.Join(here, "near.db")); err != nil {
		t.Skip(err)
	}
	there = must.Get(filepath.EvalSymlinks(there))(t)
	check := func(name, want string) {
		t.Helper()
		if got, err := realPath(name); err != nil || got != filepath.Join(there, want) {
			t.Errorf("%s is %s, %v, want %s", name, got, err, filepath.Join(there, want))
		}
	}
	check(filepath.Join(here, "link")+"/../x.db", "a/x.db")
	check(filepath.Join(here, "near.db"), "a/dangling.db")
	t.Chdir(filepath.Join(here, "link")) // $PWD says link
	check("../x.db", "a/x.db")
	check("x.db", "a/b/x.db")
}

func BenchmarkCheck(b *testing.B) {
	name := filepath.Join(b.TempDir(), "x.db")
	f := must.Get(Claim(b.Context(), name, 0))(b)
	defer f.Release()
	for _, suffix := range []string{"-wal", "-shm"} {
		must.Do(b, os.WriteFile(name+suffix, nil, 0o600))
	}
	must.Do(b, f.Watch("-wal", "-shm"))
	for b.Loop() {
		must.Do(b, f.Check())
	}
}
