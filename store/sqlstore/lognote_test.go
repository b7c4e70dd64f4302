//go:build linux

package sqlstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// leaverEnv names the database of a process that is to be killed, and leaverPages after how many
// pages it folds its log.
const (
	leaverEnv   = "PAGESIDE_TEST_LEAVER"
	leaverPages = "PAGESIDE_TEST_LEAVER_PAGES"
)

// leaver stores threads, a transaction each, says so and waits to be killed.
func leaver(path string) {
	pages := 2000
	_, _ = fmt.Sscan(os.Getenv(leaverPages), &pages)
	s, err := sqlstore.Open(context.Background(), path, sqlstore.WithCheckpoint(pages))
	for i := range written {
		if err == nil {
			err = begun(s, fmt.Sprint("r", i), fmt.Sprint("t", i))
		}
	}
	fmt.Println("stored", err)
	select {}
}

// leftBy returns a database of 20 threads where the process that stored them was killed.
func leftBy(t *testing.T, pages int) string {
	t.Helper()
	path := newPath(t)
	p := start(t, leaverEnv+"="+path, leaverPages+"="+fmt.Sprint(pages))
	p.says("stored <nil>")
	must.Do(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
	return path
}

// cutTo cuts a log at the end of a transaction.
func cutTo(transactions int) func(path string) error {
	return func(path string) error {
		_, ends := frameStarts(get(os.ReadFile(path + "-wal")))
		return os.Truncate(path+"-wal", int64(ends[len(ends)-written+transactions-1]+24+page))
	}
}

// otherCycle makes the header of a log one of a later or an earlier cycle, to which none of its
// frames belong.
func otherCycle(path string, by int) error {
	wal := get(os.ReadFile(path + "-wal"))
	salt := binary.BigEndian.Uint32(wal[16:])
	binary.BigEndian.PutUint32(wal[16:], salt+uint32(by))
	copy(wal[20:], "salt")
	var a, b uint32
	for at := 0; at < 24; at += 8 { // as SQLite does on little-endian machines
		a += binary.LittleEndian.Uint32(wal[at:]) + b
		b += binary.LittleEndian.Uint32(wal[at+4:]) + a
	}
	binary.BigEndian.PutUint32(wal[24:], a)
	binary.BigEndian.PutUint32(wal[28:], b)
	return os.WriteFile(path+"-wal", wal, 0o600)
}

// logGone deletes a log with its index.
func logGone(path string) error { return remove(path, "-wal", "-shm") }

// TestCutLogIsRefused: a log that lacks what a killed process had stored keeps the store from
// starting, however often that is tried, though it looks whole. With WithRecovery it begins with
// what is left.
func TestCutLogIsRefused(t *testing.T) {
	for what, tt := range map[string]struct {
		spoil func(path string) error
		left  int // threads
	}{
		"deleted":                {func(path string) error { return remove(path, "-wal") }, 0},
		"deleted with its index": {logGone, 0},
		"emptied":                {func(path string) error { return os.Truncate(path+"-wal", 0) }, 0},
		"cut to its header":      {func(path string) error { return os.Truncate(path+"-wal", 32) }, 0},
		"cleared": {func(path string) error {
			return os.WriteFile(path+"-wal", make([]byte, get(os.Stat(path+"-wal")).Size()), 0o600)
		}, 0},
		"cut in the middle":              {cutTo(9), 9},
		"cut before its last frame ends": {cutTo(written - 1), written - 1},
		"replaced with an older one":     {func(path string) error { return otherCycle(path, -1) }, 0},
	} {
		t.Run(what, func(t *testing.T) {
			path := leftBy(t, 2000)
			must.Do(t, tt.spoil(path))
			wantRefused(t, path, "cut or missing")
			n, logged, err := openLogged(t, path, sqlstore.WithRecovery())
			if err != nil || n != tt.left || !strings.Contains(logged, "missing frames") ||
				strings.Contains(logged, `"missing frames"=0`) {
				t.Errorf("%d threads are recovered, %v, want %d; log %s", n, err, tt.left, logged)
			}
			get(os.Stat(path + ".damaged")) // the database is kept
			wantSound(t, path, n)
		})
	}
}

// TestNotedLogStarts: what was noted of a log keeps nobody from starting with all of it, nor with
// another database.
func TestNotedLogStarts(t *testing.T) {
	backup := newPath(t)
	s := open(t, backup)
	beginMany(t, s, "b", 3)
	must.Do(t, s.Close())
	nothing := func(string) error { return nil }
	for what, tt := range map[string]struct {
		pages  int
		happen func(path string) error
		want   int
	}{
		"nothing happened":                   {2000, nothing, written},
		"the log is folded again and again":  {10, nothing, written},
		"the log is folded with each commit": {1, nothing, written},
		"its index was deleted":              {2000, func(path string) error { return remove(path, "-shm") }, written},
		"the lock file was deleted":          {2000, func(path string) error { return remove(path, ".lock") }, written},
		"the log was folded and deleted":     {1, logGone, written},
		"the log has begun again":            {2000, func(path string) error { return otherCycle(path, 1) }, 0},
		"another program has folded the log": {2000, func(path string) error {
			read[int](t, path, "SELECT count(*) FROM threads")
			if _, err := os.Stat(path + "-wal"); err == nil {
				return errors.New("the log is still there")
			}
			return nil
		}, written},
		"a backup was moved there": {2000, func(path string) error {
			return errors.Join(logGone(path), copyFile(backup, path+".new"), os.Rename(path+".new", path))
		}, 3},
		"a backup was moved there with a log": {2000, func(path string) error {
			from := leftBy(t, 2000)
			return errors.Join(os.Rename(from, path), os.Rename(from+"-wal", path+"-wal"), remove(path, "-shm"))
		}, written},
		"a backup was copied over it": {2000, func(path string) error {
			return errors.Join(logGone(path), copyFile(backup, path))
		}, 3},
		"a backup of the same time was copied over it": {2000, func(path string) error {
			at := get(os.Stat(path)).ModTime()
			return errors.Join(logGone(path), copyFile(path, path), os.Chtimes(path, at, at))
		}, 0},
		"an empty one was asked for": {2000, func(path string) error { return remove(path, "-wal", "-shm", "") }, 0},
		"all files were copied without the log": {2000, func(path string) (err error) {
			for _, file := range []string{path, path + ".lock"} {
				err = errors.Join(err, copyFile(file, file+".copy"), os.Rename(file+".copy", file))
			}
			return errors.Join(err, logGone(path))
		}, 0},
		"the machine was started again": {2000, func(path string) error {
			alter(t, path+".lock", func(note []byte) { copy(note[24:], "another boot") })
			return logGone(path)
		}, 0},
		"the note is garbled": {2000, func(path string) error {
			alter(t, path+".lock", func(note []byte) {
				frames := bytes.Fields(note)[4] // of the process, the word wal, the mark, the salt
				copy(frames, bytes.Repeat([]byte("9"), len(frames)))
			})
			return nil
		}, written},
	} {
		t.Run(what, func(t *testing.T) {
			path := leftBy(t, tt.pages)
			must.Do(t, tt.happen(path))
			wantSound(t, path, tt.want)
		})
	}
}

// TestEmptiedDatabase: a database of no bytes does not start where its log would be lost by that,
// nor does it to recover.
func TestEmptiedDatabase(t *testing.T) {
	path := leftBy(t, 2000)
	log := get(os.ReadFile(path + "-wal"))
	must.Do(t, os.Truncate(path, 0))
	for _, options := range [][]sqlstore.Option{nil, {sqlstore.WithRecovery()}} {
		must.Fail(t, must.Err(sqlstore.Open(t.Context(), path, options...)), "the database is empty, but its write-ahead log is not", "open")
	}
	must.Be(t, bytes.Equal(get(os.ReadFile(path+"-wal")), log), true, "the log is as it was")
	must.Do(t, remove(path, "-wal"))
	wantSound(t, path, 0)
}

// TestNothingIsNotedOfAClosedStore: a store that was closed has all in the database.
func TestNothingIsNotedOfAClosedStore(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	begin(t, s, "r", "t")
	note, boot := get(os.ReadFile(path+".lock")), get(os.ReadFile("/proc/sys/kernel/random/boot_id"))
	if !bytes.Contains(note, []byte("wal ")) || !bytes.Contains(note, bytes.TrimSpace(boot)) {
		t.Errorf("of an open store, in boot %s, %q is noted", boot, note)
	}
	must.Do(t, s.Close())
	note = get(os.ReadFile(path + ".lock"))
	if bytes.Contains(note, []byte("wal")) || len(bytes.TrimSpace(note)) == 0 {
		t.Errorf("of a closed store %q is noted", note)
	}
	must.Be(t, len(get(filepath.Glob(path+"-*"))), 0, "files that are left")
}
