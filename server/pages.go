package server

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// pagePolicy limits what the pages may load: their own files, and pictures the reader asks for.
const pagePolicy = "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// docsStart is the first page of the documentation's site, where it is among the files.
const docsStart = "docs/guide/README.html"

// pages serves the web part. If that has not been built, every page is a placeholder that says how
// to build it.
func (s *Server) pages() http.Handler {
	index := "index.html"
	if !isFile(s.cfg.Web, index) {
		index = "placeholder.html"
	}
	small := &packed{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.notFound(w, r)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		switch isInspector := name == "inspector" || name == "inspector.html"; {
		case isInspector && s.cfg.Inspector == nil && s.cfg.Audit == nil: // it shows both
			s.notFound(w, r)
			return
		case isInspector:
			name = "inspector.html"
		case name == "docs" && isFile(s.cfg.Web, docsStart):
			http.Redirect(w, r, "/"+docsStart, http.StatusFound)
			return
		case path.Ext(name) == "":
			name = index // the page routes by the path
		}
		if !isFile(s.cfg.Web, name) {
			s.notFound(w, r)
			return
		}
		h := w.Header()
		if path.Ext(name) == ".js" {
			// the system's table of types varies
			h.Set("Content-Type", "text/javascript; charset=utf-8")
		}
		if isScript(name) {
			h.Set("Access-Control-Allow-Origin", "*")
			h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		}
		if strings.HasPrefix(name, "assets/") {
			// their names hold a hash of their content
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
			h.Set("Content-Security-Policy", pagePolicy)
			h.Set("ETag", entityTag(s.cfg.Web, name))
		}
		if !small.serve(w, r, s.cfg.Web, name) {
			http.ServeFileFS(w, r, s.cfg.Web, name)
		}
	})
}

func isFile(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && !info.IsDir()
}

// isScript reports whether a file is one of the scripts that any page may load. Browsers load
// modules of another origin only if the answer permits that. The scripts are the same for everybody
// and hold no data; guard checks their later requests.
func isScript(name string) bool {
	return name == "pageside.js" || name == "pageside-core.js" || strings.HasPrefix(name, "assets/pageside-")
}

// entityTag identifies a file's content for caching: embedded files have no date. It is empty,
// meaning no tag, if the file cannot be read.
func entityTag(files fs.FS, name string) string {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
