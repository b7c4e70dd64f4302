package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// TestPack: the same files make the same archive whatever their dates, an archive that would not
// change is not written, and without a built page there is none.
func TestPack(t *testing.T) {
	dist, target := t.TempDir(), filepath.Join(t.TempDir(), "dist.zip")
	write := func(name, content string, date time.Time) {
		file := filepath.Join(dist, name)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644), os.Chtimes(file, date, date))
	}
	write("index.html", "<p>page", time.Unix(1, 0))
	write("docs/index.html", "<p>docs", time.Unix(1, 0))
	must.Do(t, pack(dist, target), os.Chtimes(target, time.Unix(5, 0), time.Unix(5, 0)))
	first := must.Get(os.ReadFile(target))(t)

	write("index.html", "<p>page", time.Unix(2, 0))
	must.Do(t, pack(dist, target))
	must.Be(t, must.Get(os.Stat(target))(t).ModTime().Unix(), 5, "an archive that did not change was written at")

	write("index.html", "<p>new", time.Unix(2, 0))
	must.Do(t, pack(dist, target))
	if string(must.Get(os.ReadFile(target))(t)) == string(first) {
		t.Error("the archive holds the old page")
	}
	left := must.Get(os.ReadDir(filepath.Dir(target)))(t)
	must.Be(t, len(left), 1, "files beside the archive, and itself")

	must.Do(t, os.Remove(filepath.Join(dist, "index.html")), pack(dist, target))
	if _, err := os.Stat(target); err == nil {
		t.Error("the archive of an earlier build is left")
	}
}
