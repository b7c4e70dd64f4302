package sqlstore

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/pageside/pageside/internal/dbfile"
)

// A log that was cut at the end of a transaction, or deleted, looks like one that never had more.
// So after each commit the store notes, in the lock file, how much of the log there must be at
// least: logEnd. The next start believes the note only if the database is still as it was then, by
// dbfile.File.Mark: whoever puts another database there, or folds the log into this one, has made
// the note void, and so has a start of the machine, since nothing of it is synced. Within one boot
// all writes of a killed process are there, the note's and the log's.

// logEnd is a lower bound of what a log holds: the last frame of a commit.
type logEnd struct {
	salt   [8]byte
	frames int
	sum    [2]uint32 // of the last frame
}

// errCut says that the log is not all there, and what to do.
var errCut = errors.New("the write-ahead log is cut or missing, and what was stored last was in it: put it back, restore a backup, " +
	"or start once with --recover, which keeps the files aside and takes what is left")

// cut returns the damage of a log that lacks what was noted, or nil.
func (e *logEnd) cut(name string, log []byte, w walk) error {
	if e == nil || e.isIn(log, w) {
		return nil
	}
	return fmt.Errorf("%s: %w: it had %d frames, and of these it has %d", name, errCut, e.frames, w.frames)
}

// isIn reports whether a log has what was noted, or has begun again since: only what is in the
// database is left out of a later cycle, whose salt is one more.
func (e *logEnd) isIn(log []byte, w walk) bool {
	if len(log) < walHeader {
		return false
	}
	if salt := log[16:24]; !bytes.Equal(salt, e.salt[:]) {
		return int32(binary.BigEndian.Uint32(salt)-binary.BigEndian.Uint32(e.salt[:])) > 0
	}
	if w.frames < e.frames {
		return false
	}
	last := log[walHeader+int64(e.frames-1)*w.frameSize():]
	return sumAt(last[16:]) == e.sum
}

// line returns a line that notedEnd reads, bound to a version of the database.
func (e *logEnd) line(mark string) string {
	text := fmt.Sprintf("wal %s %x %d %d %d", mark, e.salt, e.frames, e.sum[0], e.sum[1])
	return fmt.Sprintf("%s %d", text, crc32.ChecksumIEEE([]byte(text)))
}

// notedEnd returns what the last process has noted of the log, or nil if it has noted nothing, or
// the database has changed since.
func notedEnd(file *dbfile.File) *logEnd {
	var e logEnd
	var mark, salt string
	var crc uint32
	line := file.Note()
	if _, err := fmt.Sscanf(line, "wal %s %s %d %d %d %d", &mark, &salt, &e.frames, &e.sum[0], &e.sum[1],
		&crc); err != nil {
		return nil
	}
	if n, err := hex.Decode(e.salt[:], []byte(salt)[:min(len(salt), 16)]); err != nil || n != len(e.salt) {
		return nil
	}
	if mark != file.Mark() || e.frames < 1 || e.line(mark) != line {
		return nil
	}
	return &e
}

// logNote notes the end of the log.
type logNote struct {
	file  *dbfile.File
	index *os.File // the log's index; nil: nothing is noted
	mark  string   // of the database when the log was last known to hold more than it
}

// newLogNote notes from now on. The index must be there. Close the note after all connections:
// closing a file drops SQLite's locks on it.
func newLogNote(file *dbfile.File) *logNote {
	n := &logNote{file: file, mark: file.Mark()}
	if n.mark != "" {
		n.index, _ = os.Open(file.Path() + "-shm") // without it nothing is noted
	}
	return n
}

// committed notes what the log holds after a commit. A commit that has changed the database has
// folded the log into it: there may be nothing in the log that is needed.
func (n *logNote) committed() {
	if n.index == nil {
		return
	}
	mark := n.file.Mark()
	end, ok := n.end()
	if mark != n.mark || !ok {
		n.mark = mark
		n.clear()
		return
	}
	_ = n.file.SetNote(end.line(mark)) // the older note holds too
}

// clear says that the log may be empty from now on. What folds the log calls it first.
func (n *logNote) clear() { _ = n.file.SetNote("") }

func (n *logNote) close() error {
	if n.index == nil {
		return nil
	}
	return n.index.Close()
}

// Layout of the log's index (https://www.sqlite.org/walformat.html#the_wal_index_header).
const (
	indexHeader  = 48 // it is there twice
	indexVersion = 3007000
)

// end reads the end of the last commit from the log's index. ok is false if there is none, or
// another process is writing it.
func (n *logNote) end() (e logEnd, ok bool) {
	var b [2 * indexHeader]byte
	if _, err := n.index.ReadAt(b[:], 0); err != nil || !bytes.Equal(b[:indexHeader], b[indexHeader:]) {
		return e, false
	}
	word := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	e = logEnd{salt: [8]byte(b[32:40]), frames: int(word(16)), sum: [2]uint32{word(24), word(28)}}
	return e, word(0) == indexVersion && b[12] != 0 && e.frames > 0
}
