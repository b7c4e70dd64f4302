package server_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

// lines collects the lines of a log in JSON.
type lines struct{ logged.Text }

// of returns the lines with a message, decoded.
func (l *lines) of(t *testing.T, message string) (found []map[string]any) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		attrs := must.JSON[map[string]any](t, line)
		if attrs["msg"] == message {
			found = append(found, attrs)
		}
	}
	return found
}

func TestOneLineForEachRequest(t *testing.T) {
	var log lines
	s := newSite(t, func(c *server.Config) {
		c.Web, c.AccessLog = embedded, slog.New(slog.NewJSONHandler(&log, nil))
	})
	for _, path := range []string{"/v1/agents?q=what-somebody-looks-for", "/v1/threads/none", "/pageside.js", "/healthz", "/nothing.js", "/" + strings.Repeat("x", 2000) + ".js"} {
		get(t, s.URL+path, nil)
	}
	s.Close() // waits for the handlers, which log last
	got := log.of(t, "request")
	want := []struct {
		path    string
		status  float64
		subject any
	}{
		{"/v1/agents", 200, "local"}, {"/v1/threads/none", 404, "local"}, {"/pageside.js", 200, nil}, {"/nothing.js", 404, nil}, {"/xxx", 404, nil},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		line := got[i]
		path, _ := line["path"].(string)
		if !strings.HasPrefix(path, w.path) || len(path) > 600 || line["status"] != w.status || line["subject"] != w.subject || line["method"] != "GET" || line["durationMs"] == nil {
			t.Errorf("%v, want %v", line, w)
		}
		if b, _ := line["bytes"].(float64); b < 5 {
			t.Errorf("%v has no bytes", line)
		}
	}
	if strings.Contains(log.String(), "somebody") {
		t.Error("the log holds a query parameter")
	}
}

// TestMetricsAreNoPage: a collector that finds nothing gets 404, not the page for every path.
func TestMetricsAreNoPage(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Web = embedded })
	if resp := get(t, s.URL+"/metrics", nil); resp.StatusCode != http.StatusNotFound || strings.Contains(resp.Header.Get("Content-Type"), "html") {
		t.Errorf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	own := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s = newSite(t, func(c *server.Config) { c.Web, c.Mount = embedded, map[string]http.Handler{"GET /metrics": own} })
	if resp := get(t, s.URL+"/metrics", nil); resp.StatusCode != http.StatusTeapot {
		t.Errorf("%d: Mount does not reach it", resp.StatusCode)
	}
}

func TestPagePolicy(t *testing.T) {
	for given, want := range map[string]string{"": "default-src 'self'; ", "object-src 'none'": "object-src 'none'"} {
		s := newSite(t, func(c *server.Config) {
			c.Web, c.PagePolicy = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}, given
		})
		if got := get(t, s.URL+"/", nil).Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, want) || given != "" && got != given {
			t.Errorf("%q: %q", given, got)
		}
	}
}
