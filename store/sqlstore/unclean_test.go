package sqlstore_test

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// killed returns a database as a killed process leaves it, with a thread in its log.
func killed(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Fatal(err)
	}
	to := newPath(t)
	for _, end := range []string{"", "-wal"} {
		raw, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+end, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// openLogged opens a database and returns what was logged.
func openLogged(t *testing.T, path string) (threads int, logged string, err error) {
	t.Helper()
	var log bytes.Buffer
	s, err := sqlstore.Open(t.Context(), path, sqlstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		return 0, log.String(), err
	}
	defer s.Close()
	list, err := s.Threads(t.Context(), me, store.ThreadQuery{})
	return len(list.Items), log.String(), err
}

// TestAfterAKill: what a killed process has left is checked, and the log says so. A log that SQLite
// would drop without a word is an error.
func TestAfterAKill(t *testing.T) {
	if n, log, err := openLogged(t, killed(t)); n != 1 || err != nil || !strings.Contains(log, "is sound") {
		t.Errorf("%d threads, %v, log %q", n, err, log)
	}
	for name, spoilt := range map[string]func([]byte){
		"the header":      func(wal []byte) { wal[17] ^= 1 },
		"its magic":       func(wal []byte) { copy(wal, "none") },
		"the first frame": func(wal []byte) { wal[32+24+100] ^= 1 },
		"all of it":       func(wal []byte) { copy(wal, bytes.Repeat([]byte{0xa5}, len(wal))) },
	} {
		path := killed(t)
		alter(t, path+"-wal", spoilt)
		if _, _, err := openLogged(t, path); err == nil || !strings.Contains(err.Error(), "the write-ahead log is damaged") || !strings.Contains(err.Error(), filepath.Base(path)+"-wal") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, harmless := range map[string]func([]byte){
		"nothing was written": func(wal []byte) { clear(wal) },
		"the only transaction is torn": func(wal []byte) {
			wal[32+24+100] ^= 1
			asEarlier(wal, 1)
		},
		"the last frame is torn": func(wal []byte) { clear(wal[len(wal)-100:]) },
	} {
		path := killed(t)
		alter(t, path+"-wal", harmless)
		if _, _, err := openLogged(t, path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := killed(t)
	alter(t, path+"-wal", func(wal []byte) { clear(wal[len(wal)-100:]) })
	if _, log, _ := openLogged(t, path); !strings.Contains(log, "the end of the write-ahead log is damaged") {
		t.Errorf("of a torn end the log says %q", log)
	}
}

// asEarlier makes the frames of a log from one on look like those of an earlier cycle.
func asEarlier(wal []byte, from int) {
	size := 24 + int(binary.BigEndian.Uint32(wal[8:]))
	for at := 32 + from*size; at+size <= len(wal); at += size {
		wal[at+11]--                      // the salt, which counts the cycles
		copy(wal[at+12:], "saltsumssums") // and what is drawn for each, and follows from it
	}
}

// TestDamagedAfterAKill: damage in the file is found before anything is served.
func TestDamagedAfterAKill(t *testing.T) {
	path := killed(t)
	if _, _, err := openLogged(t, path); err != nil { // folds the log
		t.Fatal(err)
	}
	spoil(t, path, "runs")
	left := killed(t) // a log of another database: its header alone says that nobody closed it
	raw, err := os.ReadFile(left + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", raw[:32], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openLogged(t, path); err == nil || !strings.Contains(err.Error(), "the database is damaged: stop the server and restore a backup") {
		t.Errorf("it opens with %v", err)
	}
}

func alter(t *testing.T, path string, by func([]byte)) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	by(raw)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}
