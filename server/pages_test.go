package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// embedded is a web part with the script for any page.
var embedded = fstest.MapFS{
	"index.html":                      {Data: []byte("<!doctype html>")},
	"pageside-core.js":                {Data: []byte("export {}")},
	"pageside.js":                     {Data: []byte(`import "./assets/pageside-chunk-1A2B3C.js";`)},
	"assets/pageside-chunk-1A2B3C.js": {Data: []byte("export {}")},
	"assets/index-9F8E7D.js":          {Data: []byte("export {}")},
}

func get(t *testing.T, url string, header http.Header) *http.Response {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
	req.Header = header
	resp := must.Get(http.DefaultClient.Do(req))(t)
	resp.Body.Close()
	return resp
}

func TestScriptTagLoadsFromAnyOrigin(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Web = embedded })
	from := http.Header{"Origin": {"https://shop.example.com"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}}
	for _, path := range []string{"/pageside.js", "/pageside-core.js", "/assets/pageside-chunk-1A2B3C.js"} {
		resp := get(t, s.URL+path, from)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d, allowed origin %q; want 200 and any", path, resp.StatusCode, resp.Header.Get("Access-Control-Allow-Origin"))
		}
		if got := resp.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
			t.Errorf("%s: content type %q, which a browser does not run as a module", path, got)
		}
		must.Be(t, resp.Header.Get("Access-Control-Allow-Credentials"), "", "%s allows credentials", path)
	}
	for _, path := range []string{"/", "/assets/index-9F8E7D.js", "/v1/agents"} {
		if got := get(t, s.URL+path, from).Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s allows origin %q; only the script does", path, got)
		}
	}
}

func TestScriptIsKeptUntilItChanges(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Web = embedded })
	first := get(t, s.URL+"/pageside.js", nil)
	tag := first.Header.Get("ETag")
	if tag == "" || first.Header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("ETag %q, Cache-Control %q; want a tag, and to be asked each time", tag, first.Header.Get("Cache-Control"))
	}
	if again := get(t, s.URL+"/pageside.js", http.Header{"If-None-Match": {tag}}); again.StatusCode != http.StatusNotModified {
		t.Errorf("the same script again: %d, want 304", again.StatusCode)
	}
	if chunk := get(t, s.URL+"/assets/pageside-chunk-1A2B3C.js", nil); chunk.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("a part named by its content: Cache-Control %q", chunk.Header.Get("Cache-Control"))
	}

	changed := fstest.MapFS{"index.html": embedded["index.html"], "pageside.js": {Data: []byte("export const next = true")}}
	s = newSite(t, func(c *server.Config) { c.Web = changed })
	if next := get(t, s.URL+"/pageside.js", http.Header{"If-None-Match": {tag}}); next.StatusCode != http.StatusOK {
		t.Errorf("a new script: %d, want 200", next.StatusCode)
	}
}

// TestInspectorPage: it is there for the runs or for the audit log, and not without either.
func TestInspectorPage(t *testing.T) {
	files := fstest.MapFS{"inspector.html": {Data: []byte("<title>Inspector</title>")}}
	for name, test := range map[string]struct {
		change func(*server.Config)
		status int
	}{
		"nothing to show": {func(*server.Config) {}, 404},
		"runs":            {func(c *server.Config) { c.Inspector = inspect.New(1) }, 200},
		"the audit log":   {func(c *server.Config) { c.Audit = new(recorded) }, 200},
	} {
		s := newSite(t, func(c *server.Config) { c.Web = files; test.change(c) })
		if page := s.read(s.get("/inspector"), test.status); (test.status == 200) != strings.Contains(page, "<title>Inspector") {
			t.Errorf("%s: %s", name, page)
		}
	}
}

// TestDocsAreFoundByTheirShortName, where they are: an application may have a page of that name.
func TestDocsAreFoundByTheirShortName(t *testing.T) {
	withDocs := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "docs/guide/README.html": {Data: []byte("<title>Documentation</title>")}}
	for web, want := range map[*fstest.MapFS]string{&withDocs: "/docs/guide/README.html", &embedded: "/docs"} {
		s := newSite(t, func(c *server.Config) { c.Web = *web })
		for _, path := range []string{"/docs", "/docs/"} {
			resp := get(t, s.URL+path, nil)
			if got := strings.TrimSuffix(resp.Request.URL.Path, "/"); resp.StatusCode != http.StatusOK || got != want {
				t.Errorf("%s leads to %s, %d; want %s", path, got, resp.StatusCode, want)
			}
		}
	}
}
