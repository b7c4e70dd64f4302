//go:build !linux

package dbfile

import "os"

// lockDatabase does nothing: elsewhere flock would keep SQLite from locking the file in this
// process.
func lockDatabase(*os.File) error { return nil }
