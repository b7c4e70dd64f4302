//go:build !linux

package dbfile

import "os"

// Mark returns "": this system does not tell whether it has been started again.
func (f *File) Mark() string { return "" }

// lockDatabase does nothing: elsewhere flock would keep SQLite from locking the file in this
// process.
func lockDatabase(*os.File) error { return nil }
