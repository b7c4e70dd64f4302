package wholefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/internal/wholefile"
	"github.com/pageside/pageside/test/must"
)

// TestWrite: the file is new, for its owner alone, and nothing else is left in the folder, also
// where it cannot be written.
func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path, taken := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	must.Do(t, os.MkdirAll(filepath.Join(taken, "c"), 0o700))
	for _, text := range []string{"one", "two"} {
		must.Do(t, wholefile.Write(path, []byte(text)))
		must.Be(t, string(must.Get(os.ReadFile(path))(t)), text, "the file")
	}
	must.Fail(t, wholefile.Write(taken, nil), "", "in place of a folder")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	must.Be(t, len(must.Get(os.ReadDir(folder))(t)), 2, "files in the folder")
}
