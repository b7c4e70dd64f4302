package dbfile

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
)

// bootID is another one after each start of the machine.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})

// Mark returns a word for the file as it is: it is another one once anybody has written, renamed or
// replaced it, and after a start of the machine. It is "" where the system does not tell.
func (f *File) Mark() string {
	info, err := f.file.Stat()
	if err != nil || bootID() == "" {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || s.Ctim.Sec == 0 { // some file systems keep no times
		return ""
	}
	// The time of the last change, unlike that of the last write, cannot be set.
	return fmt.Sprintf("%s.%d.%d.%d.%d.%d", bootID(), s.Dev, s.Ino, s.Size, s.Mtim.Nano(), s.Ctim.Nano())
}

// lockDatabase locks the file itself. On Linux flock and SQLite's POSIX locks do not conflict.
func lockDatabase(file *os.File) error { return lockFile(file) }
