// Package web holds the built web part: the demo page and the scripts it loads.
//
// It is empty but for a placeholder until `make build` has run npm, so that a Go build works without it.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built files. Without an index.html there is a placeholder.html, which says how to build the real page.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path: cannot happen
	}
	return sub
}
