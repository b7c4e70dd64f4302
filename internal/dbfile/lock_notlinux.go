//go:build !linux

package dbfile

import "os"

// lockDatabase does nothing: elsewhere a lock of flock keeps SQLite, in this same process, from
// locking the file.
func lockDatabase(*os.File) error { return nil }
