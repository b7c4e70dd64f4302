package dbfile

import "os"

// lockDatabase locks the file itself, whatever it is called. On Linux the locks of flock and the
// POSIX locks of SQLite know nothing of each other.
func lockDatabase(file *os.File) error { return lockFile(file) }
