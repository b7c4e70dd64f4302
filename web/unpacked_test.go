package web_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/web"
)

// TestFilesAreThoseBuilt: what the binary holds is what npm and the documentation's program have
// built, and a file system as others expect it.
func TestFilesAreThoseBuilt(t *testing.T) {
	dist := os.DirFS("dist")
	if _, err := fs.Stat(dist, "index.html"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("web/dist: not built")
	}
	var names []string
	must.Do(t, fs.WalkDir(dist, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		names = append(names, name)
		want := must.Get(fs.ReadFile(dist, name))(t)
		got := must.Get(fs.ReadFile(web.Files(), name))(t)
		if string(got) != string(want) {
			t.Errorf("%s is not the built one: make build", name)
		}
		file := must.Get(web.Files().Open(name))(t)
		if date := must.Get(file.Stat())(t).ModTime(); !date.Equal(time.Unix(0, 0)) {
			t.Errorf("%s is sent with a date, %v, which would stay the same when it changes", name, date)
		}
		if _, ok := file.(io.Seeker); !ok {
			t.Errorf("%s cannot be sent in parts", name)
		}
		return file.Close()
	}))
	must.Do(t, fstest.TestFS(web.Files(), names...))
}
