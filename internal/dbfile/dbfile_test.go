package dbfile

import (
	"os"
	"path/filepath"
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
	must.Be(t, first.Release(), nil, "a second release")
	must.Fail(t, must.Err(Claim(t.Context(), name, 0)), "is using x.db", "a second claim")
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
		must.Be(t, must.Get(realPath(name))(t), filepath.Join(there, want), "%s", name)
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
