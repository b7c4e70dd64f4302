package sqlstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pageside/pageside/internal/dbfile"
)

// recoverLog keeps a database and its damaged log aside, and leaves of the log what SQLite uses.
// What is behind the damage must go: SQLite would write over some of it, and the rest would look
// like damage again after the next crash.
func (s *settings) recoverLog(path string, left leftover) error {
	w := left.log
	kept, err := keepAside(path)
	if err != nil {
		return fmt.Errorf("recover %s: keep the damaged files: %w", path, err)
	}
	if err := cutLog(path+"-wal", w); err != nil {
		return fmt.Errorf("recover %s: leave what is before the damage of its log: %w", path, err)
	}
	s.log.Warn("the write-ahead log was damaged: the store begins with what is before the damage", "damage", left.damage, "kept", kept,
		"taken frames", w.frames, "taken transactions", w.transactions,
		"missing frames", w.lost, "missing transactions", w.lostTransactions, "missing bytes",
		int64(w.lost)*w.frameSize())
	return nil
}

// keepAside copies a database as PATH.damaged and its log as PATH.damaged-wal, or with a number
// where these names are taken. The copies are on the disk when it returns.
func keepAside(path string) (kept []string, err error) {
	aside := path + ".damaged"
	for n := 2; exists(aside) || exists(aside+"-wal"); n++ {
		aside = path + ".damaged." + strconv.Itoa(n)
	}
	for _, suffix := range []string{"-wal", ""} {
		err := copySynced(path+suffix, aside+suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue // what is missing is the whole log
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, aside+suffix)
	}
	return kept, dbfile.SyncFolder(filepath.Dir(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// copySynced copies a file to a new one that only its owner may read. A part of a copy is removed.
func copySynced(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Sync()
	}
	if err = errors.Join(err, target.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// cutLog cuts a log behind the last transaction that fits.
func cutLog(name string, w walk) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = file.Truncate(w.end())
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
