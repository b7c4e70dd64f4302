package streams

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestStreams: the files are those that are written here, and there are no others.
func TestStreams(t *testing.T) {
	for folder, write := range map[string]func(answer) string{
		"openai/testdata/chat": chat, "openai/testdata/responses": responses, "anthropic/testdata/streams": anthropic, "gemini/testdata/streams": gemini, "bedrock/testdata/streams": bedrock,
	} {
		folder = filepath.Join("..", "..", "llm", filepath.FromSlash(folder))
		want := map[string]string{}
		for _, a := range answers {
			want[filepath.Join(folder, a.name+".txt")] = write(a)
		}
		if os.Getenv("UPDATE") != "" {
			rewrite(t, folder, want)
		}
		files := must.Get(filepath.Glob(filepath.Join(folder, "*")))(t)
		if !slices.Equal(files, slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s has %v", folder, files)
		}
		for file, text := range want {
			if got, err := os.ReadFile(file); err != nil || string(got) != text {
				t.Errorf("%s is not what is written here: UPDATE=1 go test ./test/streams (%v)", file, err)
			}
		}
	}
}

func rewrite(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	must.Do(t, os.RemoveAll(folder))
	must.Do(t, os.MkdirAll(folder, 0o755))
	for file, text := range files {
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
}
