package dbfile

import "os"

// lockDatabase locks the file itself. On Linux flock and SQLite's POSIX locks do not conflict.
func lockDatabase(file *os.File) error { return lockFile(file) }
