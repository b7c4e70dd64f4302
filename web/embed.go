// Package web holds the built web part: the demo page and the scripts it loads, and the script tag
// for any page.
//
// It is empty but for a placeholder until `make build` has run npm, so that a Go build works
// without it.
package web

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built files. Without an index.html there is a placeholder.html, which says how
// to build the real page.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path: cannot happen
	}
	return sub
}

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
