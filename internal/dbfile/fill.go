package dbfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// newSuffix is the suffix of what becomes the database once all of it is on the disk.
const newSuffix = ".new"

// Made reports whether Claim has made the file.
func (f *File) Made() bool { return f.made }

// Fill gives a file that Claim has made its first content: all of it or nothing, whenever the
// process or the machine stops. It stays empty if it cannot be filled, for example on a full disk,
// or beside a file of the name that it would have until then: that may be somebody's database.
//
// Call it before the database is opened. After an error the file is no longer claimed: call
// Release.
func (f *File) Fill(content io.Reader) error {
	held.mu.Lock()
	defer held.mu.Unlock()
	filled, err := f.replace(content)
	if err != nil {
		return nil // it is still empty
	}
	empty := f.file
	f.file = filled
	return errors.Join(f.identify(), SyncFolder(filepath.Dir(f.path)), empty.Close())
}

// replace puts a file with the content in place of the empty one. Nobody else does so meanwhile:
// whoever claims the path locks the file beside it first.
func (f *File) replace(content io.Reader) (filled *os.File, err error) {
	name := f.path + newSuffix
	filled, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(filled, content)
	if err == nil {
		err = errors.Join(filled.Sync(), lockDatabase(filled))
	}
	if err == nil {
		err = os.Rename(name, f.path)
	}
	if err != nil {
		return nil, errors.Join(err, filled.Close(), os.Remove(name))
	}
	return filled, nil
}
