package dbfile

import (
	"fmt"
	"strings"
)

// The lock file begins with its holder's process, for a person who has to find it. The note comes
// behind it.
const (
	holderSize = 20
	noteSize   = 256
)

// Note returns what SetNote has set last, also in an earlier process; "" if that is nothing.
func (f *File) Note() string {
	text := make([]byte, noteSize)
	n, _ := f.note.ReadAt(text, holderSize) // what cannot be read is no note
	return strings.TrimSpace(string(text[:n]))
}

// SetNote keeps a line for whoever claims the file next. It outlives the process, however that
// ends, but need not outlive a power cut: it is never synced.
func (f *File) SetNote(line string) error {
	switch {
	case len(line) >= noteSize:
		return fmt.Errorf("a note of %d bytes is too long", len(line))
	case line == "" && f.Note() == "":
		return nil // also on a full disk
	}
	_, err := f.note.WriteAt(fmt.Appendf(nil, "%-*s\n", noteSize-1, line), holderSize)
	return err
}
