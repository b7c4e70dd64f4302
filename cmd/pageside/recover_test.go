package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// damagedStore leaves the files of a killed server of 20 threads, with 3,000 bytes of the log
// overwritten.
func damagedStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.db")
	s := must.Get(sqlstore.Open(t.Context(), path))(t)
	defer s.Close()
	for i := range 20 {
		r := store.Run{ID: fmt.Sprint("r", i), ThreadID: fmt.Sprint("t", i)}
		must.Do(t, s.BeginRun(t.Context(), store.Owner{Subject: "local"}, r, nil, store.Batch{}))
	}
	left := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-wal"} {
		raw := must.Get(os.ReadFile(path + suffix))(t)
		if suffix != "" {
			copy(raw[len(raw)/2/8216*8216-1000:], strings.Repeat("\xd1\x5e", 1500))
		}
		write(t, left+suffix, string(raw))
	}
	return left
}

// TestRecoverFlag: a server does not start on a damaged log, says which flag starts it, starts with
// that, and tells what is missing.
func TestRecoverFlag(t *testing.T) {
	for command, more := range map[string][]string{"serve": {"--model", "script/" + rulesFile(t)}, "demo": nil} {
		t.Run(command, func(t *testing.T) {
			path := damagedStore(t)
			args := append([]string{command, "--store", "sqlite:" + path}, more...)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // should it serve after all
			defer stop()
			var stdout, stderr strings.Builder
			err := run(ctx, append(args, "--listen", "127.0.0.1:0"), environment(nil), &stdout, &stderr)
			must.Fail(t, err, path+"-wal: the write-ahead log is damaged", "without the flag")
			must.Fail(t, err, "--recover", "without the flag")
			s := serving(t, append(args, "--recover")...)
			s.wants(person{}, "GET", "/readyz", "", http.StatusOK)
			has(t, s.log.String(), path+".damaged-wal", "missing frames", "missing transactions", "missing bytes")
			s.ends()
			s = serving(t, append(args, "--recover")...)
			has(t, s.log.String(), "nothing to recover")
			s.ends()
		})
	}
}
