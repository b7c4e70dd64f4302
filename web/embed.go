// Package web holds the built web part: the demo page and the scripts it loads, and the script tag
// for any page.
//
// It is empty but for a placeholder until `make build` has run npm and packed what it built, so
// that a Go build works without it.
package web

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// packed holds dist.zip, which ./pack makes of dist. In the binary the files would be three times
// as large.
//
//go:embed packed
var packed embed.FS

var built = sync.OnceValue(func() fs.FS {
	files, err := fs.Sub(packed, "packed")
	if err != nil {
		panic(err) // "packed" is a valid path: cannot happen
	}
	raw, err := fs.ReadFile(files, "dist.zip")
	if err != nil {
		return files // not built: the placeholder
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		panic(fmt.Sprintf("web/packed/dist.zip: %v: make build", err))
	}
	return &unpacked{archive: archive}
})

// Files returns the built files. If nothing has been built, there is only a placeholder.html, which
// says how to build the real page.
func Files() fs.FS { return built() }

// Script returns of the built files those that a server without the demo needs: pageside.js,
// pageside-core.js (the same without a tray), the inspector, and what they load.
func Script() fs.FS { return scriptFS{Files()} }

type scriptFS struct{ files fs.FS }

func (s scriptFS) Open(name string) (fs.File, error) {
	switch {
	case name == "pageside.js", name == "pageside-core.js", name == "inspector.html":
	case strings.HasPrefix(name, "assets/pageside-"), strings.HasPrefix(name, "assets/inspector-"):
	default:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s.files.Open(name)
}
