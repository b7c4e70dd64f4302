package dbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleasedTwice: a second Release must not let go of what somebody else has by then.
func TestReleasedTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.db")
	first, err := Claim(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := Claim(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.MkdirAll(filepath.Join(there, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(there, "a", "b"), filepath.Join(here, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("link/../dangling.db", filepath.Join(here, "near.db")); err != nil {
		t.Skip(err)
	}
	there, err := filepath.EvalSymlinks(there)
	if err != nil {
		t.Fatal(err)
	}
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
	f, err := Claim(b.Context(), name, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Release()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.WriteFile(name+suffix, nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Watch("-wal", "-shm"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := f.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
