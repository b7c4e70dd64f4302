//go:build linux

package sqlstore_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
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
	ctx := context.Background()
	s, err := sqlstore.Open(ctx, path, sqlstore.WithCheckpoint(pages))
	for i := range written {
		if err == nil {
			err = s.BeginRun(ctx, me, store.Run{ID: fmt.Sprint("r", i), ThreadID: fmt.Sprint("t", i)}, nil)
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("stored")
	select {}
}

// leftBy returns a database of 20 threads where the process that stored them was killed.
func leftBy(t *testing.T, pages int) string {
	t.Helper()
	path := newPath(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), leaverEnv+"="+path, leaverPages+"="+fmt.Sprint(pages))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err := errors.Join(err, cmd.Process.Kill()); err != nil || line != "stored\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	_ = cmd.Wait()
	return path
}

// isCut checks that an error names the log, what is wrong with it and what to do.
func isCut(err error) bool {
	return err != nil && strings.Contains(err.Error(), "test.db-wal: the write-ahead log is cut or missing") && strings.Contains(err.Error(), "--recover")
}

// cutTo cuts a log at the end of a transaction.
func cutTo(transactions int) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		wal, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		_, ends := frameStarts(wal)
		at := ends[len(ends)-written+transactions-1] + 24 + 8192
		if err := os.Truncate(path+"-wal", int64(at)); err != nil {
			t.Fatal(err)
		}
	}
}

// otherCycle makes the header of a log one of a later or an earlier cycle, to which none of its
// frames belong.
func otherCycle(wal []byte, by int) {
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
}

// TestCutLogIsRefused: a log that lacks what a killed process had stored keeps the store from
// starting, however often that is tried, though it looks whole. With WithRecovery it begins with
// what is left.
func TestCutLogIsRefused(t *testing.T) {
	for what, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		left  int // threads
	}{
		"deleted": {func(t *testing.T, path string) {
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"deleted with its index": {func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm")); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"emptied": {func(t *testing.T, path string) {
			if err := os.Truncate(path+"-wal", 0); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"cut to its header": {func(t *testing.T, path string) {
			if err := os.Truncate(path+"-wal", 32); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"cleared": {func(t *testing.T, path string) {
			alter(t, path+"-wal", func(wal []byte) { clear(wal) })
		}, 0},
		"cut in the middle":              {cutTo(9), 9},
		"cut before its last frame ends": {cutTo(written - 1), written - 1},
		"replaced with an older one":     {func(t *testing.T, path string) { alter(t, path+"-wal", func(wal []byte) { otherCycle(wal, -1) }) }, 0},
	} {
		t.Run(what, func(t *testing.T) {
			path := leftBy(t, 2000)
			tt.spoil(t, path)
			for range 2 {
				if n, _, err := openLogged(t, path); !isCut(err) {
					t.Fatalf("%d threads, %v", n, err)
				}
			}
			n, log, err := recovered(t, path)
			if err != nil || n != tt.left || !strings.Contains(log, "missing frames") || strings.Contains(log, `"missing frames"=0`) {
				t.Errorf("%d threads are recovered, %v, want %d; log %s", n, err, tt.left, log)
			}
			if _, err := os.Stat(path + ".damaged"); err != nil {
				t.Errorf("the database is not kept: %v", err)
			}
			if again, log, err := openLogged(t, path); again != n || err != nil || strings.Contains(log, "damage") {
				t.Errorf("then %d threads, %v, log %s", again, err, log)
			}
		})
	}
}

// TestNotedLogStarts: what was noted of a log keeps nobody from starting with all of it, nor with
// another database.
func TestNotedLogStarts(t *testing.T) {
	backup := func(t *testing.T, n int) string {
		path := newPath(t)
		s := open(t, path)
		for i := range n {
			if err := s.BeginRun(t.Context(), me, store.Run{ID: fmt.Sprint("b", i), ThreadID: fmt.Sprint("b", i)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := func(path string) error { return errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm")) }
	for what, tt := range map[string]struct {
		pages int
		does  func(t *testing.T, path string) error
		want  int
	}{
		"nothing happened":                   {2000, func(*testing.T, string) error { return nil }, written},
		"the log is folded again and again":  {10, func(*testing.T, string) error { return nil }, written},
		"the log is folded with each commit": {1, func(*testing.T, string) error { return nil }, written},
		"its index was deleted":              {2000, func(_ *testing.T, path string) error { return os.Remove(path + "-shm") }, written},
		"the lock file was deleted":          {2000, func(_ *testing.T, path string) error { return os.Remove(path + ".lock") }, written},
		"the log was folded and deleted":     {1, func(_ *testing.T, path string) error { return gone(path) }, written},
		"the log has begun again": {2000, func(t *testing.T, path string) error {
			alter(t, path+"-wal", func(wal []byte) { otherCycle(wal, 1) })
			return nil
		}, 0},
		"another program has folded the log":  {2000, func(t *testing.T, path string) error { return folded(t, path) }, written},
		"a backup was moved there":            {2000, func(t *testing.T, path string) error { return errors.Join(gone(path), os.Rename(backup(t, 3), path)) }, 3},
		"a backup was moved there with a log": {2000, func(t *testing.T, path string) error { return moved(leftBy(t, 2000), path) }, written},
		"a backup was copied over it": {2000, func(t *testing.T, path string) error {
			raw, err := os.ReadFile(backup(t, 3))
			return errors.Join(gone(path), err, os.WriteFile(path, raw, 0o600))
		}, 3},
		"a backup of the same time was copied over it": {2000, func(t *testing.T, path string) error {
			raw, err := os.ReadFile(path)
			info, statErr := os.Stat(path)
			if err := errors.Join(err, statErr); err != nil {
				return err
			}
			return errors.Join(gone(path), os.WriteFile(path, raw, 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, 0},
		"an empty one was asked for": {2000, func(_ *testing.T, path string) error { return errors.Join(gone(path), os.Remove(path)) }, 0},
		"all files were copied without the log": {2000, func(t *testing.T, path string) error {
			for _, suffix := range []string{"", ".lock"} {
				copyFile(t, path+suffix, path+suffix+".copy")
				if err := os.Rename(path+suffix+".copy", path+suffix); err != nil {
					return err
				}
			}
			return gone(path)
		}, 0},
		"the machine was started again": {2000, func(t *testing.T, path string) error {
			alter(t, path+".lock", func(note []byte) { copy(note[24:], "another boot") })
			return gone(path)
		}, 0},
		"the note is garbled": {2000, func(t *testing.T, path string) error {
			alter(t, path+".lock", func(note []byte) {
				frames := bytes.Fields(note)[4] // of the process, the word wal, the mark, the salt
				copy(frames, bytes.Repeat([]byte("9"), len(frames)))
			})
			return nil
		}, written},
	} {
		t.Run(what, func(t *testing.T) {
			path := leftBy(t, tt.pages)
			if err := tt.does(t, path); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if n, log, err := openLogged(t, path); n != tt.want || err != nil || strings.Contains(log, "damage") {
					t.Errorf("%d threads, %v, want %d; log %s", n, err, tt.want, log)
				}
			}
		})
	}
}

// folded folds the log into the database, as the program sqlite3 does when it ends.
func folded(t *testing.T, path string) error {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	var n int
	err = db.QueryRow("SELECT count(*) FROM threads").Scan(&n)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the log is still there")
	}
	return nil
}

func moved(from, to string) error {
	return errors.Join(os.Rename(from, to), os.Rename(from+"-wal", to+"-wal"), os.Remove(to+"-shm"))
}

// TestNothingIsNotedOfAClosedStore: a store that was closed has all in the database.
func TestNothingIsNotedOfAClosedStore(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Fatal(err)
	}
	note, err := os.ReadFile(path + ".lock")
	if err != nil || !bytes.Contains(note, []byte("wal ")) {
		t.Errorf("of an open store %q is noted, %v", note, err)
	}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err != nil || !bytes.Contains(note, bytes.TrimSpace(boot)) {
		t.Errorf("%q does not name the boot %q, %v", note, boot, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	note, err = os.ReadFile(path + ".lock")
	if err != nil || bytes.Contains(note, []byte("wal")) || len(bytes.TrimSpace(note)) == 0 {
		t.Errorf("of a closed store %q is noted, %v", note, err)
	}
	if names, err := filepath.Glob(path + "-*"); err != nil || len(names) > 0 {
		t.Errorf("%v is left, %v", names, err)
	}
}
