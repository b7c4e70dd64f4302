package server

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// pagePolicy is what the pages may load: their own files, and pictures the reader asks for.
const pagePolicy = "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// pages serves the web part. Where it has not been built, every page is the placeholder that says how to build it.
func (s *Server) pages() http.Handler {
	index := "index.html"
	if _, err := fs.Stat(s.cfg.Web, index); err != nil {
		index = "placeholder.html"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.notFound(w, r)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if path.Ext(name) == "" {
			name = index // the page finds its own way from the path
		}
		if info, err := fs.Stat(s.cfg.Web, name); err != nil || info.IsDir() {
			s.notFound(w, r)
			return
		}
		h := w.Header()
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable") // their names hold a hash of their content
		} else {
			h.Set("Cache-Control", "no-cache")
			h.Set("Content-Security-Policy", pagePolicy)
		}
		http.ServeFileFS(w, r, s.cfg.Web, name)
	})
}
