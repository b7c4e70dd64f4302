package sqlstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A store that was closed has folded its log into the database file and removed it. A log that is
// there at the start belongs to a process that was killed, or a machine that lost power. SQLite
// reads the log up to the first part that does not fit, and says nothing about the rest.

// Sizes of a write-ahead log.
const (
	walHeader   = 32
	frameHeader = 24
	minPage     = 512
	maxPage     = 64 << 10
)

// maxChecked is the largest database that is checked at the start after a crash, in bytes: the
// check reads all of it.
const maxChecked = 256 << 20

// errLog says that the log cannot be relied on, and what to do.
var errLog = errors.New("the write-ahead log is damaged, and what was stored last is in it: restore a backup, " +
	"or move the file away to start without what it holds")

// checkLog reports whether the last process has left a log. Its error says that the log is damaged
// where it had been committed: SQLite would ignore that and all that follows.
func (s *settings) checkLog(path string) (unclean bool, err error) {
	log, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(log) < walHeader:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the log: %w", err)
	}
	if len(log) < walHeader+frameHeader+minPage || len(bytes.Trim(log[:walHeader], "\x00")) == 0 {
		return true, nil // power was lost before anything in it was committed
	}
	frames, lost, commits, ok := readLog(log)
	switch {
	case !ok || commits > 1: // one may be the last, which the lost power has torn
		return true, fmt.Errorf("%s: %w", path, errLog)
	case lost > 0:
		s.log.Warn("the end of the write-ahead log is damaged: what was being stored when the last process ended is lost", "log", path, "frames", frames, "lost", lost)
	}
	return true, nil
}

// readLog counts the frames of a log that fit, and those after them that were written in the same
// cycle, with how many of these end a transaction. A transaction is synced before the next one is
// written. ok is false if the log has no header.
func readLog(log []byte) (frames, lost, commits int, ok bool) {
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(log) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return 0, 0, 0, false
	}
	size := int(binary.BigEndian.Uint32(log[8:])) // of a page
	sum := checksum(order, [2]uint32{}, log[:24])
	if size < minPage || size > maxPage || sum != sumAt(log[24:]) {
		return 0, 0, 0, false
	}
	salt := log[16:24]
	fits := true
	for rest := log[walHeader:]; len(rest) >= frameHeader+size; rest = rest[frameHeader+size:] {
		if !bytes.Equal(rest[8:16], salt) {
			break // left from an earlier cycle
		}
		sum = checksum(order, checksum(order, sum, rest[:8]), rest[frameHeader:frameHeader+size])
		if fits = fits && sum == sumAt(rest[16:]); fits {
			frames++
			continue
		}
		lost++
		if binary.BigEndian.Uint32(rest[4:]) != 0 {
			commits++
		}
	}
	return frames, lost, commits, true
}

func sumAt(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// checksum is SQLite's, of a multiple of eight bytes.
func checksum(order binary.ByteOrder, sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += order.Uint32(data) + sum[1]
		sum[1] += order.Uint32(data[4:]) + sum[0]
	}
	return sum
}

// checkDatabase checks the pages of the database after an unclean end.
func (s *settings) checkDatabase(c *conn, path string) error {
	about, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if about.Size() > maxChecked {
		s.log.Warn("the store was not closed, and is too large to be checked at the start: run PRAGMA quick_check on a copy", "database", path, "bytes", about.Size())
		return nil
	}
	var found string
	if err := c.row("PRAGMA quick_check(1)", nil, &found); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, found)
	}
	s.log.Info("the store was not closed: it has been checked, and is sound", "database", path, "bytes", about.Size())
	return nil
}
