// Package wholefile replaces files in one step, so that nobody reads half of one.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write writes a file beside its place, and moves it there. Only its owner may read it.
func Write(path string, raw []byte) error {
	folder := filepath.Dir(path)
	temp, err := os.CreateTemp(folder, filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // best effort: once it is moved there is none
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes a rename last. Best effort: some systems cannot sync a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = folder.Sync()
	return folder.Close()
}
