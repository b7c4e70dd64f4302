package dbfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks is the maximum number of dangling symbolic links to follow.
const maxLinks = 40

// realPath returns the absolute path of a file without symbolic links. The file need not exist; its
// folder must.
func realPath(name string) (string, error) {
	path, err := rooted(name)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		real, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return real, err
		}
		// without Clean: the meaning of .. depends on the links before it
		folder, last := filepath.Split(path)
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", err
		}
		path = filepath.Join(folder, last)
		to, err := os.Readlink(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil: // it exists
		case filepath.IsAbs(to):
			path = to
		default:
			path = folder + string(filepath.Separator) + to
		}
	}
	return "", fmt.Errorf("%s: too many symbolic links", name)
}

// rooted returns an absolute path and keeps every .. in it.
func rooted(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	// Windows has paths that are neither
	if filepath.VolumeName(name) != "" || name != "" && os.IsPathSeparator(name[0]) {
		return filepath.Abs(name)
	}
	dir, err := os.Getwd()
	return dir + string(filepath.Separator) + name, err
}
