package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// packed caches compressed web files by content: compression reduces scripts to a third of their
// size, and takes longer than sending them.
type packed struct {
	mu    sync.Mutex
	files map[[sha256.Size]byte][]byte
}

// Limits on the number of cached files and their size: a folder of pages may change while it is
// served.
const (
	maxPacked     = 256
	maxPackedSize = 4 << 20
)

// serve answers with the compressed file and reports whether it did. It does not if the client does
// not accept gzip or if it would save nothing.
func (p *packed) serve(w http.ResponseWriter, r *http.Request, files fs.FS, name string) bool {
	if !worthPacking(name) {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if r.Header.Get("Range") != "" || !acceptsGzip(r.Header.Get("Accept-Encoding")) {
		return false
	}
	content, err := fs.ReadFile(files, name)
	if err != nil || len(content) < 1024 || len(content) > maxPackedSize {
		return false
	}
	h.Set("Content-Encoding", "gzip")
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	}
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", strings.TrimSuffix(tag, `"`)+`-gz"`) // different bytes need a different tag
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(p.pack(content)))
	return true
}

func (p *packed) pack(content []byte) []byte {
	key := sha256.Sum256(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	if done, ok := p.files[key]; ok {
		return done
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a valid level: cannot fail
	_, _ = z.Write(content)                                 // nor does writing to memory
	_ = z.Close()
	if p.files == nil || len(p.files) >= maxPacked {
		p.files = make(map[[sha256.Size]byte][]byte)
	}
	p.files[key] = out.Bytes()
	return out.Bytes()
}

// worthPacking reports whether a file is text, by its name.
func worthPacking(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".css", ".html", ".svg", ".json", ".map", ".txt":
		return true
	}
	return false
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110, 12.5.3): gzip, x-gzip or *, unless its
// weight is 0.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip", "*":
			q := strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return strings.Trim(q, "0.") != "" || q == ""
		}
	}
	return false
}
