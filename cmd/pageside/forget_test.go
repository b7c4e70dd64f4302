package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

func TestForget(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	ann, bob := store.Owner{Tenant: "acme", Subject: "ann"}, store.Owner{Tenant: "acme", Subject: "bob"}
	withStore := func(do func(store.Store)) {
		t.Helper()
		st := must.Get(sqlstore.Open(t.Context(), address))(t)
		do(st)
		must.Do(t, st.Close())
	}
	withStore(func(st store.Store) {
		for _, o := range []store.Owner{ann, bob} {
			message := agui.Message{ID: "m1", Role: agui.RoleUser, Content: agui.TextContent("my heliotrope secret of " + o.Subject)}
			must.Do(t, st.BeginRun(t.Context(), o, store.Run{ID: "r1", ThreadID: "t1", Fingerprint: "f"}, []agui.Message{message}, store.Batch{}))
		}
	})
	call := func(want string, args ...string) {
		t.Helper()
		out, err := printed(t, nil, append([]string{"forget", "--store", address, "--tenant", "acme"}, args...)...)
		has(t, fmt.Sprint(out, err), want)
	}
	keeps := func(threads int) {
		t.Helper()
		withStore(func(st store.Store) {
			if h, err := st.Holdings(t.Context(), ann); err != nil || h.Threads != threads {
				t.Errorf("ann has %+v, %v", h, err)
			}
			if h, err := st.Holdings(t.Context(), bob); err != nil || h.Threads != 1 {
				t.Errorf("bob has %+v, %v", h, err)
			}
		})
	}
	call("--subject is needed")
	call("Nothing was deleted.", "--subject", "ann", "--dry-run")
	stdin = strings.NewReader("no\n")
	call("nothing was deleted", "--subject", "ann")
	keeps(1)
	stdin = strings.NewReader("yes\n")
	call("1 threads, 1 runs", "--subject", "ann")
	keeps(0)
	content := must.Get(os.ReadFile(strings.TrimPrefix(address, "sqlite:")))(t)
	if bytes.Contains(content, []byte("secret of ann")) || !bytes.Contains(content, []byte("secret of bob")) {
		t.Error("the file still holds what was deleted, or not what was kept")
	}
	call("Deleted.", "--subject", "nobody", "--yes")
	log := must.Get(printed(t, nil, "audit", "export", "--store", address))(t)
	has(t, log, `"subject ann"`, `"subject nobody"`, `"begun"`, `"ok"`, `"command line"`)
	withStore(func(store.Store) { call("must not be in use", "--subject", "bob", "--yes") })
	keeps(0)
	address += ".none"
	call("open the store", "--subject", "bob", "--yes")
	if made, _ := filepath.Glob(strings.TrimPrefix(address, "sqlite:")); made != nil {
		t.Errorf("a store was made: %v", made)
	}
}

// TestForgetOfASealedLog: what would look forged in the audit log is not written, and nothing is
// deleted without an entry.
func TestForgetOfASealedLog(t *testing.T) {
	file := fileOf(t, "pageside.yaml", "audit: {key: env:AUDIT_KEY}\n")
	env := map[string]string{"AUDIT_KEY": strings.Repeat("k", 32)}
	address := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	if st, err := sqlstore.Open(t.Context(), address); err != nil {
		t.Fatal(err)
	} else if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (string, error) {
		return printed(t, env, append([]string{"forget", "--store", address, "--subject", "ann", "--yes"}, args...)...)
	}
	if out, err := call("--config", file); err != nil {
		t.Fatal(out, err)
	}
	out, err := call()
	if err == nil || !strings.Contains(err.Error(), "--config") || strings.Contains(out, "Deleted") {
		t.Errorf("without the key: %q, %v", out, err)
	}
	if verified, err := printed(t, env, "audit", "verify", "--store", address, "--config", file); err != nil {
		t.Errorf("the log does not verify: %v\n%s", err, verified)
	}
}
