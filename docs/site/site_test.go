package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// TestSite: every page of the documentation is in the site and can be found, and all links lead
// somewhere. read fails for a link to a file or heading that is not there.
func TestSite(t *testing.T) {
	out := t.TempDir()
	if err := run("..", out, false); err != nil {
		t.Fatal(err)
	}
	index := content(t, out, "search-index.js")
	first := content(t, out, "guide/README.html")
	names, _ := filepath.Glob("../[grs]*/*.md")
	if len(names) < 40 {
		t.Fatalf("only %d pages were found", len(names))
	}
	for _, name := range names {
		rel, _ := filepath.Rel("..", name)
		url := strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"
		if !strings.Contains(first, `href="../`+url+`"`) || !strings.Contains(index, `"URL":"`+url+`"`) {
			t.Errorf("%s is not in the navigation or the search", url)
		}
		html := content(t, out, url)
		for _, link := range regexp.MustCompile(`(?:href|src)="([^"#]+)`).FindAllStringSubmatch(html, -1) {
			if strings.Contains(link[1], ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(out, filepath.Dir(url), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", url, link[1], err)
			}
		}
	}
}

func TestDeadLinksAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a file":                   {"[x](nowhere.md)", "guide/a.md links to nowhere.md, which is not there"},
		"a heading":                {"[x](b.md#none)", "guide/a.md links to #none of guide/b.md, which has no such heading"},
		"a heading of its own":     {"[x](#none)", "guide/a.md links to #none of guide/a.md, which has no such heading"},
		"a heading that is there":  {"[x](b.md#two-words-1)", ""},
		"a file of the repository": {"[x](../../cmd/x.go)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(fstest.MapFS{
				"guide/a.md": {Data: []byte("# A\n\n" + c.source)},
				"guide/b.md": {Data: []byte("# B\n\n## Two words\n\n## Two words\n")},
			})
			if got := errorText(err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestFieldReference: docs/reference/fields.md is made from the schema beside it.
func TestFieldReference(t *testing.T) {
	want, err := fieldReference("../reference/pageside.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../reference/fields.md")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/reference/fields.md is not what the schema says: go run ./docs/site -fields (%v)", err)
	}
	for _, row := range []string{
		"| `auth.oidc[].issuer` | string | **required** ",
		"| `mcp.NAME.startTimeout` | string | ",
		"## listen\n\nString. ",
	} {
		if !strings.Contains(string(want), row) {
			t.Errorf("it lacks %q", row)
		}
	}
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
