package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/test/must"
)

// repository is where this program's source is.
const repository = "../.."

// TestDocumentedYAMLIsRead: every block of YAML in the documentation, and every key that the guide
// names, is one that the program takes.
func TestDocumentedYAMLIsRead(t *testing.T) {
	fence := regexp.MustCompile("(?ms)^[ \t]*```(?:yaml|yml)\n(.*?)^[ \t]*```")
	seen := map[string]int{}
	for _, file := range documents(t) {
		raw := must.Get(os.ReadFile(file))(t)
		for _, block := range fence.FindAllStringSubmatch(string(raw), -1) {
			kind := "configuration"
			read := func() error { _, err := config.Parse(file, []byte(block[1])); return err }
			if regexp.MustCompile(`(?m)^rules:`).MatchString(block[1]) {
				kind = "script"
				read = func() error { _, err := script.Parse(file, []byte(block[1])); return err }
			}
			if err := read(); err != nil {
				t.Errorf("%s: a %s in it cannot be read: %v\n%s", file, kind, err, block[1])
			}
			seen[kind]++
		}
	}
	if seen["configuration"] < 4 || seen["script"] < 1 {
		t.Errorf("only %v were found: does the test still look at the documentation?", seen)
	}
}

// TestDocumentedJSONIsJSON, and what an event of the protocol is, can be read as one.
func TestDocumentedJSONIsJSON(t *testing.T) {
	fence, seen, events := regexp.MustCompile("(?ms)^[ \t]*```json\n(.*?)^[ \t]*```"), 0, 0
	for _, file := range documents(t) {
		raw := must.Get(os.ReadFile(file))(t)
		for _, block := range fence.FindAllSubmatch(raw, -1) {
			seen++
			if !json.Valid(block[1]) {
				t.Errorf("%s: this is no JSON:\n%s", file, block[1])
			}
			if bytes.HasPrefix(block[1], []byte(`{"type":"`)) {
				events++
				if _, err := agui.UnmarshalEvent(block[1]); err != nil {
					t.Errorf("%s: this is no event: %v\n%s", file, err, block[1])
				}
			}
		}
	}
	if seen < 2 || events < 1 {
		t.Errorf("only %d blocks and %d events were found", seen, events)
	}
}

// documents are the Markdown files of the repository.
func documents(t *testing.T) (files []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist" || d.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md") && d.Name() != "CHANGELOG.md":
			files = append(files, path)
		}
		return nil
	}))
	return files
}

// TestTheGuideNamesKeysThatThereAre: the table of the file's parts.
func TestTheGuideNamesKeysThatThereAre(t *testing.T) {
	raw := must.Get(os.ReadFile(repository + "/docs/guide/your-own-server.md"))(t)
	_, table, found := strings.Cut(string(raw), "| part of the file |")
	table, _, _ = strings.Cut(table, "\n\n")
	keys := map[string]bool{}
	for f := range reflect.TypeFor[config.File]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[name] = true
	}
	named := 0
	for line := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			if named++; !keys[word[1]] {
				t.Errorf("the guide names %s, which is no key", word[1])
			}
		}
	}
	if !found || named < 5 {
		t.Errorf("the table names %d keys", named)
	}
}

// TestWhatInitSuggestsIsRead: the file that init writes, and what stands in it as comments, to be
// taken in.
func TestWhatInitSuggestsIsRead(t *testing.T) {
	folder := t.TempDir()
	must.Get(initialise(t, "--dir", folder))(t)
	file := filepath.Join(folder, "pageside.yaml")
	raw := must.Get(os.ReadFile(file))(t)
	if _, err := config.Parse(file, raw); err != nil {
		t.Error(err)
	}
	seen := ""
	for _, part := range commentedOut(string(raw)) {
		if _, err := config.Parse(file, []byte(part)); err != nil {
			t.Errorf("%v\n%s", err, part)
		}
		key, _, _ := strings.Cut(part, ":")
		seen += key + " "
	}
	for _, want := range []string{"tools", "mcp", "store"} {
		if !strings.Contains(seen, want+" ") {
			t.Errorf("among %q there is no %s", seen, want)
		}
	}
}

// commentedOut are the parts of a file that stand in it as comments, one for each key of the file's
// own level.
func commentedOut(file string) (parts []string) {
	key, inside := regexp.MustCompile(`^# ([a-z][a-zA-Z]*):( |$)`), regexp.MustCompile(`^#  +\S`)
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, "\n")
		switch {
		case key.MatchString(line):
			parts = append(parts, strings.TrimPrefix(line, "# ")+"\n")
		case inside.MatchString(line) && len(parts) > 0:
			parts[len(parts)-1] += strings.TrimPrefix(line, "# ") + "\n"
		}
	}
	return parts
}
