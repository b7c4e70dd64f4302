package sqlstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/pageside/pageside/internal/dbfile"
)

// A store that was closed has folded its log into the database file and removed it. A log that is
// there at the start belongs to a process that was killed, or a machine that lost power. SQLite
// reads the log up to the first part that does not fit, and says nothing about the rest.

// maxChecked is the largest database that is checked at the start after a crash, in bytes: the
// check reads all of it.
const maxChecked = 256 << 20

// errLog says that the log cannot be relied on, and what to do.
var errLog = errors.New("the write-ahead log is damaged, and what was stored last is in it: restore a backup, " +
	"or start once with --recover, which keeps the damaged files aside and takes what is before the damage")

// leftover is what the last process has left beside the database.
type leftover struct {
	unclean bool // it has not closed the database
	log     walk
	damage  error // nil: what was committed is there
}

// inspect reads the log that the last process has left beside a database. A transaction is synced
// before the next one is written, so a power cut tears one at most. Where more may have ended
// behind the first part that does not fit, or there is less than was noted, the log was damaged
// after it was written.
func inspect(path string, noted *logEnd) (leftover, error) {
	name := path + "-wal"
	log, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return leftover{}, fmt.Errorf("read the log: %w", err)
	}
	left := leftover{unclean: len(log) >= walHeader || noted != nil}
	if !left.unclean {
		return left, nil
	}
	page, err := pageSize(path)
	if err != nil {
		return leftover{}, err
	}
	if len(bytes.Trim(log, "\x00")) == 0 || len(log) < walHeader+frameHeader+minPage {
		left.log.page = page
		left.damage = noted.cut(name, nil, left.log) // without a note nothing in it was committed
		return left.lacking(noted), nil
	}
	left.log = walkLog(log, page)
	switch w := left.log; {
	case !w.legible:
		left.damage = fmt.Errorf("%s: %w: its header is not SQLite's", name, errLog)
	case w.lostTransactions > 1:
		left.damage = fmt.Errorf("%s: %w: behind frame %d is damage, and behind that up to %d transactions",
			name, errLog, w.frames, w.lostTransactions)
	default:
		left.damage = noted.cut(name, log, w)
	}
	return left.lacking(noted), nil
}

// errEmptied says that a database has lost all that was in it but not its log, and what to do.
var errEmptied = errors.New("the database is empty, but its write-ahead log is not: restore a backup, or move the log away to begin with nothing")

// checkEmptied fails for such a database: SQLite would take it for a new one, and delete the log.
func checkEmptied(file *dbfile.File) error {
	about, err := os.Stat(file.Path())
	if err != nil || about.Size() > 0 || file.Made() {
		return err
	}
	log, err := os.Stat(file.Path() + "-wal")
	if err != nil || log.Size() < walHeader+frameHeader+minPage {
		return nil // no transaction is in it
	}
	return errEmptied
}

// lacking counts what a note says as lost, if the log is damaged.
func (l leftover) lacking(noted *logEnd) leftover {
	if l.damage != nil && noted != nil {
		l.log.lost = max(l.log.lost, noted.frames-l.log.frames)
		l.log.lostTransactions = max(l.log.lostTransactions, 1)
	}
	return l
}

// pageSize returns the size of a database's pages: what its header says, or else ours.
func pageSize(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read the size of a page: %w", err)
	}
	defer file.Close()
	var header [18]byte
	if _, err := file.ReadAt(header[:], 0); err != nil && err != io.EOF {
		return 0, fmt.Errorf("read the size of a page of %s: %w", path, err)
	}
	if size := int(binary.BigEndian.Uint16(header[16:])); isPage(size) {
		return size, nil
	}
	return ourPage, nil
}

// checkLog reports whether the last process has left a log. It fails if SQLite would ignore
// committed parts of it, unless WithRecovery was given.
func (s *settings) checkLog(path string, noted *logEnd) (unclean bool, err error) {
	left, err := inspect(path, noted)
	if err != nil {
		return false, err
	}
	switch w := left.log; {
	case left.damage != nil && !s.recover:
		return true, left.damage
	case left.damage != nil:
		return true, s.recoverLog(path, left)
	case w.lost > 0:
		s.log.Warn("the end of the write-ahead log is damaged: what was being stored when the last process ended is lost",
			"log", path+"-wal", "frames", w.frames, "lost", w.lost)
	}
	if s.recover {
		s.log.Info("there is nothing to recover: the write-ahead log is not damaged", "database", path)
	}
	return left.unclean, nil
}

// checkLeft checks a database that was not closed, and folds its log into it. A torn transaction at
// the log's end would otherwise still be there, partly overwritten, after another power cut, and be
// counted with what that tears.
func (s *settings) checkLeft(c *conn, path string) error {
	if err := s.checkDatabase(c, path); err != nil {
		return err
	}
	if folded, err := fold(c); err != nil || !folded {
		s.log.Info("the log that was left cannot be folded into the database now: somebody reads it, or the disk is full",
			"database", path, "error", err)
	}
	return nil
}

// checkDatabase checks the pages of the database after an unclean end.
func (s *settings) checkDatabase(c *conn, path string) error {
	about, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if about.Size() > maxChecked && !s.recover {
		s.log.Warn("the store was not closed, and is too large to be checked at the start: run PRAGMA quick_check on a copy",
			"database", path, "bytes", about.Size())
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

// errDamaged says that the database file cannot be relied on, and what to do.
var errDamaged = errors.New("the database is damaged: stop the server and restore a backup")

// errNoDatabase says the same of a file that cannot even be opened.
var errNoDatabase = errors.New("the file is damaged, or no database: restore a backup, or move the file away to begin with an empty one")

// damage records that a statement has met a damaged part of the database. Others may still succeed:
// Ping touches only one page. Safe for concurrent use.
type damage struct {
	files *fileGuard
	first atomic.Pointer[error]
}

// explain adds errDamaged to an error caused by damage, unless the files have been replaced: each
// of them may be intact.
func (d *damage) explain(err error) error {
	if d == nil || err == nil || !isTorn(err) || errors.Is(err, errDamaged) || d.files.check() != nil {
		return err
	}
	err = fmt.Errorf("%w: %w", errDamaged, err)
	d.first.CompareAndSwap(nil, &err)
	return err
}

// err returns the first error that explain has recorded.
func (d *damage) err() error {
	if first := d.first.Load(); first != nil {
		return *first
	}
	return nil
}
