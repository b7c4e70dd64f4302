package streams

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// Stream is one answer, as an API sent it or would send it.
type Stream struct{ Name, Body string }

// Read returns the streams in a folder, of which there must be some.
func Read(t *testing.T, folder ...string) (all []Stream) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Join(folder...), "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in %s: %v", filepath.Join(folder...), err)
	}
	for _, f := range files {
		raw := must.Get(os.ReadFile(f))(t)
		all = append(all, Stream{strings.TrimSuffix(filepath.Base(f), ".txt"), string(raw)})
	}
	return all
}

// Recorded returns the folder with recordings of real servers, which lies beside the repository,
// for tests in llm/*. Where it is missing, a test is skipped that says so.
func Recorded(t *testing.T) (folder string, ok bool) {
	t.Helper()
	folder = filepath.Join("..", "..", "..", "shared", "recordings")
	if _, err := os.Stat(folder); err != nil {
		t.Run("real servers", func(t *testing.T) { t.Skip("no recordings of real servers beside the repository") })
		return "", false
	}
	return folder, true
}
