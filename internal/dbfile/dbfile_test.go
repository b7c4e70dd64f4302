package dbfile

import (
	"os"
	"path/filepath"
	"runtime"
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
		path, _, err := realPath(name)
		must.Do(t, err)
		must.Be(t, path, filepath.Join(there, want), "%s", name)
	}
	check(filepath.Join(here, "link")+"/../x.db", "a/x.db")
	check(filepath.Join(here, "near.db"), "a/dangling.db")
	t.Chdir(filepath.Join(here, "link")) // $PWD says link
	check("../x.db", "a/x.db")
	check("x.db", "a/b/x.db")
}

// TestFilled: a new file gets its content at once, and stays claimed. One that cannot be filled is
// empty, and claimed as well.
func TestFilled(t *testing.T) {
	for name, c := range map[string]struct {
		before func(path string) error // what is done before the file is filled
		want   string
	}{
		"nothing beside it": {func(string) error { return nil }, "content"},
		"a file beside it":  {func(path string) error { return os.WriteFile(path+newSuffix, []byte("somebody's"), 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			f := must.Get(Claim(t.Context(), path, 0))(t)
			must.Be(t, f.Made(), true, "made")
			must.Do(t, c.before(path), f.Fill(strings.NewReader("content")), f.Check())
			must.Be(t, string(must.Get(os.ReadFile(path))(t)), c.want, "content")
			if kept, err := os.ReadFile(path + newSuffix); err == nil {
				must.Be(t, string(kept), "somebody's", "what was beside it")
			}
			must.Fail(t, must.Err(Claim(t.Context(), path, 0)), "is using x.db", "a second claim")
			if runtime.GOOS == "linux" {
				file := must.Get(os.Open(path))(t)
				must.FailWith(t, lockDatabase(file), errLocked, "a lock of the file itself")
				must.Do(t, file.Close())
			}
			must.Do(t, f.Release())
			again := must.Get(Claim(t.Context(), path, 0))(t)
			defer again.Release()
			must.Be(t, again.Made(), false, "made again")
			info := must.Get(os.Stat(path))(t)
			must.Be(t, info.Mode().Perm(), 0o600, "mode")
		})
	}
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
