//go:build !unix

package dbfile

import (
	"io/fs"
	"os"
)

// lockFile does nothing without flock.
func lockFile(*os.File) error { return nil }

// links is unknown here.
func links(fs.FileInfo) uint64 { return 1 }

func isFull(error) bool { return false }
