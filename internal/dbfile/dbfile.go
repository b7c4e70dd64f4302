// Package dbfile claims the file of a SQLite database for one process, and detects when another
// file, or none, is at its path.
//
//	f, err := dbfile.Claim(ctx, "pageside.db", 3*time.Second)
//	if err != nil {
//		return err
//	}
//	defer f.Release() // after the database has been closed
//	db := open(f.Path())
//	f.Watch("-wal", "-shm")
//	…
//	err = f.Check()
//
// SQLite finds the files that go with a database by its name, so a database must have one name:
// symbolic links are followed first, and a file with several hard links is refused. Claim locks the
// file itself, if the system permits that, and a file next to it.
package dbfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrReplaced means that a file is no longer the one at its path: writes to it would be lost.
var ErrReplaced = errors.New("deleted or replaced while the server was running; restart it")

// File is a database file claimed by this process. Safe for concurrent use after Watch.
type File struct {
	path  string
	file  *os.File // holds the lock on the file
	note  *os.File // holds the second lock, and names its holder
	own   part     // the file; changes only in Fill
	parts []part   // watched files
	made  bool     // Claim has made the file
}

// part is a file as it was when opened.
type part struct {
	path string
	info fs.FileInfo
}

// held holds the files claimed in this process. A file must not be opened a second time while
// SQLite uses it: closing any descriptor of a file drops SQLite's POSIX locks on it
// (https://www.sqlite.org/howtocorrupt.html).
var held struct {
	mu    sync.Mutex
	files []*File
}

// Claim locks the file, creating it, readable only by its owner, if it does not exist. It waits up
// to wait for another process to release it. The error says who uses the file, or what is at the
// path if that is not a plain file.
func Claim(ctx context.Context, name string, wait time.Duration) (*File, error) {
	for deadline := time.Now().Add(wait); ; {
		f, path, err := claim(name)
		if !errors.Is(err, errLocked) {
			return f, err
		}
		if !time.Now().Before(deadline) {
			return nil, inUse(path)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), inUse(path))
		}
	}
}

// errLocked means that another process has locked a file.
var errLocked = errors.New("the file is locked")

// claim tries once. It also returns the file's path.
func claim(name string) (f *File, _ string, err error) {
	held.mu.Lock()
	defer held.mu.Unlock()
	path, made, err := realPath(name)
	if err != nil {
		return nil, "", err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, path, err
	}
	if isHeld(info) {
		return nil, path, errLocked
	}
	if err := checkPlain(path, info); err != nil {
		return nil, path, err
	}
	f = &File{path: path, made: made}
	if err := f.lock(); err != nil {
		return nil, path, errors.Join(err, f.close())
	}
	held.files = append(held.files, f)
	return f, path, nil
}

// realPath returns the absolute path of a file without symbolic links. It makes the file if there
// is none. Callers hold held.mu: nobody has the new file open.
func realPath(name string) (path string, made bool, err error) {
	// without Clean: the meaning of .. depends on the links before it
	if !filepath.IsAbs(name) && filepath.VolumeName(name) == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", false, err
		}
		name = dir + string(filepath.Separator) + name
	}
	path, err = filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return path, false, err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", false, err
	}
	if err := file.Close(); err != nil {
		return "", false, err
	}
	path, err = filepath.EvalSymlinks(name)
	return path, true, err
}

func isHeld(info fs.FileInfo) bool {
	return slices.ContainsFunc(held.files, func(f *File) bool { return os.SameFile(f.own.info, info) })
}

// lock opens and locks both files. If it fails, the caller closes what it has opened.
func (f *File) lock() (err error) {
	if f.note, err = os.OpenFile(f.path+lockSuffix, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := lockFile(f.note); err != nil {
		return err
	}
	if f.file, err = os.OpenFile(f.path, os.O_RDWR, 0); err != nil {
		return err
	}
	if err := lockDatabase(f.file); err != nil {
		return err
	}
	return errors.Join(f.identify(), sign(f.note))
}

// identify records which file was locked, and checks that it is the one at the path.
func (f *File) identify() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if err := checkPlain(f.path, info); err != nil {
		return err
	}
	if now, err := os.Lstat(f.path); err != nil || !os.SameFile(info, now) {
		return errLocked // it was replaced just now: try the new one
	}
	f.own = part{f.path, info}
	if info.Size() > 0 {
		return nil
	}
	// A file is lost in a power cut if its directory entry is, and SQLite only syncs directories
	// for files that it creates itself.
	return SyncFolder(filepath.Dir(f.path))
}

// checkPlain returns why a file cannot be a database.
func checkPlain(path string, info fs.FileInfo) error {
	if kind := kindOf(info.Mode()); kind != "" {
		return fmt.Errorf("%s is %s: a database is a plain file", path, kind)
	}
	if n := links(info); n > 1 {
		const refusal = "%s is one of %d hard links to the same file, and a database must have one name: remove the others, or copy the file and use the copy"
		return fmt.Errorf(refusal, path, n)
	}
	return nil
}

// kindOf names the kind of a file that is not plain.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// SyncFolder makes new names in a folder last.
func SyncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) &&
		!errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil // some file systems do not support it
}

// lockSuffix is the suffix of the second lock file: the database itself cannot be locked
// everywhere, and earlier releases know no other lock.
const lockSuffix = ".lock"

// sign records who has the lock, for the error of the next process. On a full disk the file stays
// empty.
func sign(note *os.File) error {
	_, err := note.WriteAt(fmt.Appendf(nil, "%-*d\n", holderSize-1, os.Getpid()), 0)
	if isFull(err) {
		return nil
	}
	return err
}

// ErrInUse means that another process has the file. Its text says what to do.
var ErrInUse = errors.New("stop it first, or give this one a database of its own")

func inUse(path string) error {
	who := "another pageside"
	if text, _ := os.ReadFile(path + lockSuffix); len(text) > 0 {
		who += " (process " + strings.TrimSpace(string(text[:min(len(text), holderSize)])) + ")"
	}
	return fmt.Errorf("%s is using %s: %w", who, filepath.Base(path), ErrInUse)
}

// Path returns the file's path without symbolic links: the name to open the database by.
func (f *File) Path() string { return f.path }

// Watch makes Check also inspect the files of the database with these suffixes. They must exist.
func (f *File) Watch(suffixes ...string) error {
	for _, suffix := range suffixes {
		info, err := os.Lstat(f.path + suffix)
		if err != nil {
			return err
		}
		f.parts = append(f.parts, part{f.path + suffix, info})
	}
	return nil
}

// Check returns an error that wraps ErrReplaced if a file is gone from its path or was replaced. It
// costs one system call per file.
func (f *File) Check() error {
	if err := f.own.check(); err != nil {
		return err
	}
	for _, p := range f.parts {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

func (p part) check() error {
	now, err := os.Lstat(p.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(p.info, now) {
		return fmt.Errorf("database file %s was %w", p.path, ErrReplaced)
	}
	return nil
}

// Release releases the file. Close the database first: this ends SQLite's own locks on the file. A
// second call does nothing.
func (f *File) Release() error {
	held.mu.Lock()
	defer held.mu.Unlock()
	i := slices.Index(held.files, f)
	if i < 0 {
		return nil
	}
	held.files = slices.Delete(held.files, i, i+1)
	return f.close()
}

func (f *File) close() error {
	var errs []error
	for _, file := range []*os.File{f.file, f.note} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(errs...)
}
