package main

import (
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
			text := agui.TextContent("my heliotrope secret of " + o.Subject)
			said := []agui.Message{{ID: "m1", Role: agui.RoleUser, Content: text}}
			r := store.Run{ID: "r1", ThreadID: "t1", Fingerprint: "f"}
			must.Do(t, st.BeginRun(t.Context(), o, r, said, store.Batch{}))
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
			must.Be(t, must.Get(st.Holdings(t.Context(), ann))(t).Threads, threads, "threads of ann")
			must.Be(t, must.Get(st.Holdings(t.Context(), bob))(t).Threads, 1, "threads of bob")
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
	content := string(must.Get(os.ReadFile(strings.TrimPrefix(address, "sqlite:")))(t))
	must.Be(t, strings.Contains(content, "secret of ann"), false, "whether the file holds what was deleted")
	must.Be(t, strings.Contains(content, "secret of bob"), true, "whether the file holds what was kept")
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
	must.Do(t, must.Get(sqlstore.Open(t.Context(), address))(t).Close())
	call := func(args ...string) (string, error) {
		return printed(t, env, append([]string{"forget", "--store", address, "--subject", "ann", "--yes"}, args...)...)
	}
	must.Get(call("--config", file))(t)
	out, err := call()
	must.Fail(t, err, "--config", "without the key")
	has(t, out, "!Deleted")
	verified, err := printed(t, env, "audit", "verify", "--store", address, "--config", file)
	must.Be(t, err, nil, "%s: the log", verified)
}
