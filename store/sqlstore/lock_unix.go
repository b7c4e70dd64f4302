//go:build unix

package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fileLock keeps other processes from writing to a database. It goes with the process that has it, however that ends.
type fileLock struct{ file *os.File }

// lockFile locks the file beside the database that is there for that, and waits for it as long as it may.
func lockFile(ctx context.Context, path string, wait time.Duration) (*fileLock, error) {
	name := path + ".lock"
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(wait); ; {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return &fileLock{file}, note(file)
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("lock %q: %w", name, err), file.Close())
		case !time.Now().Before(deadline):
			return nil, errors.Join(inUse(file, path), file.Close())
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), inUse(file, path), file.Close())
		}
	}
}

// note writes down who has the lock, for the message that the next one gets.
func note(file *os.File) error {
	if err := file.Truncate(0); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, file.Close())
	}
	file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0) // on a full disk it stays empty
	return nil
}

func inUse(file *os.File, path string) error {
	who := "another pageside"
	text := make([]byte, 20)
	if n, _ := file.ReadAt(text, 0); n > 0 {
		who += " (process " + strings.TrimSpace(string(text[:n])) + ")"
	}
	return fmt.Errorf("%s is using %s: stop it first, or give this one a database of its own", who, filepath.Base(path))
}

func (l *fileLock) release() error { return l.file.Close() }
