package dbfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Moved reports whether the file has been renamed since it was claimed.
func (f *File) Moved() bool {
	info, err := f.file.Stat()
	return err == nil && links(info) > 0 && f.own.check() != nil
}

// PutAside renames the watched files if the database next to them was deleted or replaced, and
// returns their new names. Otherwise SQLite would apply the write-ahead log of one database to
// another that has taken its name. It does not rename a watched file that was replaced itself, and
// never overwrites a file.
//
// Call it after the last connection is closed and before Release. If another process has claimed
// the path, it renames nothing and returns an error.
func (f *File) PutAside() (names []string, err error) {
	left := f.leftBehind()
	if len(left) == 0 {
		return nil, nil
	}
	free, err := f.keepOut()
	if err != nil {
		return nil, fmt.Errorf("%s is the log of a database that is gone, and was not put aside: %w", left[0].path, err)
	}
	defer free()
	suffix := asideSuffix(left)
	for _, p := range left {
		if err := os.Rename(p.path, p.path+suffix); err != nil {
			return names, err
		}
		names = append(names, p.path+suffix)
	}
	return names, SyncFolder(filepath.Dir(f.path))
}

// leftBehind returns the watched files that are still there without the database.
func (f *File) leftBehind() (left []part) {
	if f.own.check() == nil {
		return nil
	}
	for _, p := range f.parts {
		if p.check() == nil {
			left = append(left, p)
		}
	}
	return left
}

// asideSuffix returns a suffix that no file beside the given ones has: they belong together.
func asideSuffix(parts []part) string {
	suffix := ".old"
	taken := func(p part) bool {
		_, err := os.Lstat(p.path + suffix)
		return err == nil
	}
	for n := 2; slices.ContainsFunc(parts, taken); n++ {
		suffix = ".old." + strconv.Itoa(n)
	}
	return suffix
}

// keepOut prevents other processes from claiming the path until free is called. Our own lock only
// does so while the locked file is at the path.
func (f *File) keepOut() (free func() error, err error) {
	own, err := f.note.Stat()
	if err != nil {
		return nil, err
	}
	if now, err := os.Lstat(f.path + lockSuffix); err == nil && os.SameFile(own, now) {
		return func() error { return nil }, nil
	}
	note, err := os.OpenFile(f.path+lockSuffix, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(note); err != nil {
		if errors.Is(err, errLocked) {
			err = inUse(f.path)
		}
		return nil, errors.Join(err, note.Close())
	}
	return note.Close, nil
}
