package server_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestScriptsComeCompressed: to those who can read that, with a tag of their own, and the same
// bytes as for everybody else.
func TestScriptsComeCompressed(t *testing.T) {
	script := strings.Repeat("export const x = 1;\n", 500)
	s := newSite(t, func(c *server.Config) {
		c.Web = fstest.MapFS{"index.html": {Data: []byte("page")}, "pageside.js": {Data: []byte(script)}, "icon.png": {Data: []byte(script)}}
	})
	get := func(path string, headers ...string) *http.Response {
		return s.send(http.MethodGet, path, "", headers...)
	}
	small := get("/pageside.js", "Accept-Encoding", "br;q=1, gzip;q=0.8")
	if h := small.Header; h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") || small.ContentLength > 1000 {
		t.Errorf("compressed: %v, %d bytes", h, small.ContentLength)
	}
	z := must.Get(gzip.NewReader(small.Body))(t)
	if content, err := io.ReadAll(z); err != nil || string(content) != script {
		t.Errorf("it holds %d bytes, %v", len(content), err)
	}
	if again := get("/pageside.js", "Accept-Encoding", "gzip", "If-None-Match", small.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("a browser that has it is told %d", again.StatusCode)
	}
	for _, headers := range [][]string{{"Accept-Encoding", "identity"}, {"Accept-Encoding", "gzip;q=0, br"}, {"Accept-Encoding", "gzip", "Range", "bytes=0-9"}} {
		plain := get("/pageside.js", headers...)
		if h := plain.Header; h.Get("Content-Encoding") != "" || h.Get("Vary") != "Accept-Encoding" || h.Get("ETag") == small.Header.Get("ETag") {
			t.Errorf("%v: %v", headers, h)
		}
	}
	if picture := get("/icon.png", "Accept-Encoding", "gzip"); picture.Header.Get("Content-Encoding") != "" {
		t.Error("a picture is compressed again")
	}
}
