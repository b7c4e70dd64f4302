package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
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
	seen := map[string]int{}
	for place, block := range blocks(t, "ya?ml") {
		kind := "configuration"
		read := func() error { _, err := config.Parse(place, []byte(block)); return err }
		if regexp.MustCompile(`(?m)^rules:`).MatchString(block) {
			kind = "script"
			read = func() error { _, err := script.Parse(place, []byte(block)); return err }
		}
		must.Be(t, read(), nil, "a %s that cannot be read:\n%s", kind, block)
		seen[kind]++
	}
	if seen["configuration"] < 4 || seen["script"] < 1 {
		t.Errorf("only %v were found: does the test still look at the documentation?", seen)
	}
}

// TestDocumentedJSONIsJSON, and what an event of the protocol is, can be read as one.
func TestDocumentedJSONIsJSON(t *testing.T) {
	seen, events := 0, 0
	for place, block := range blocks(t, "json") {
		seen++
		must.Be(t, json.Valid([]byte(block)), true, "%s: whether this is JSON:\n%s", place, block)
		if strings.HasPrefix(block, `{"type":"`) {
			events++
			must.Be(t, must.Err(agui.UnmarshalEvent([]byte(block))), nil, "%s: this is no event:\n%s", place, block)
		}
	}
	if seen < 2 || events < 1 {
		t.Errorf("only %d blocks and %d events were found", seen, events)
	}
}

// blocks returns the blocks of a language in the documentation, by the place where they stand.
func blocks(t *testing.T, language string) map[string]string {
	t.Helper()
	fence, found := regexp.MustCompile("(?ms)^[ \t]*```"+language+"\n(.*?)^[ \t]*```"), map[string]string{}
	for _, file := range documents(t) {
		raw := contents(t, file)
		for _, at := range fence.FindAllStringSubmatchIndex(raw, -1) {
			line := strings.Count(raw[:at[2]], "\n") + 1
			found[fmt.Sprintf("%s:%d", strings.TrimPrefix(file, repository+"/"), line)] = raw[at[2]:at[3]]
		}
	}
	return found
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
	_, table, found := strings.Cut(contents(t, repository+"/docs/guide/your-own-server.md"), "| part of the file |")
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
	written, seen := contents(t, file), ""
	for _, part := range append(commentedOut(written), written) {
		must.Be(t, must.Err(config.Parse(file, []byte(part))), nil, "%s", part)
		key, _, _ := strings.Cut(part, ":")
		seen += key + " "
	}
	has(t, seen, "tools ", "mcp ", "store ")
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
