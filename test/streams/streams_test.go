package streams

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
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
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
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
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
