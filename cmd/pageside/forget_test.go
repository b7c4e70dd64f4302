package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

func TestForget(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	ann, bob := store.Owner{Tenant: "acme", Subject: "ann"}, store.Owner{Tenant: "acme", Subject: "bob"}
	withStore := func(do func(store.Store)) {
		t.Helper()
		st, err := sqlstore.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		do(st)
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	withStore(func(st store.Store) {
		for _, o := range []store.Owner{ann, bob} {
			message := agui.Message{ID: "m1", Role: agui.RoleUser, Content: agui.TextContent("my heliotrope secret of " + o.Subject)}
			if err := st.BeginRun(t.Context(), o, store.Run{ID: "r1", ThreadID: "t1", Fingerprint: "f"}, []agui.Message{message}); err != nil {
				t.Fatal(err)
			}
		}
	})
	call := func(want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"forget", "--store", address, "--tenant", "acme"}, args...), func(string) string { return "" }, &out, &out)
		if err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("forget %v says %q, not %q", args, out.String(), want)
		}
	}
	has := func(threads int) {
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
	has(1)
	stdin = strings.NewReader("yes\n")
	call("1 threads, 1 runs", "--subject", "ann")
	has(0)
	content, err := os.ReadFile(strings.TrimPrefix(address, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(content, []byte("secret of ann")) || !bytes.Contains(content, []byte("secret of bob")) {
		t.Error("the file still holds what was deleted, or not what was kept")
	}
	call("Deleted.", "--subject", "nobody", "--yes")
	var log bytes.Buffer
	if err := run(t.Context(), []string{"audit", "export", "--store", address}, environment(nil), &log, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"subject ann"`, `"subject nobody"`, `"begun"`, `"ok"`, `"command line"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the audit log has no %s:\n%s", want, log.String())
		}
	}
	withStore(func(store.Store) { call("must not be in use", "--subject", "bob", "--yes") })
	has(0)
	address += ".none"
	call("open the store", "--subject", "bob", "--yes")
	if made, _ := filepath.Glob(strings.TrimPrefix(address, "sqlite:")); made != nil {
		t.Errorf("a store was made: %v", made)
	}
}

// TestForgetOfASealedLog: what would look forged in the audit log is not written, and nothing is
// deleted without an entry.
func TestForgetOfASealedLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pageside.yaml")
	if err := os.WriteFile(file, []byte("audit: {key: env:AUDIT_KEY}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := environment(map[string]string{"AUDIT_KEY": strings.Repeat("k", 32)})
	address := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	if st, err := sqlstore.Open(t.Context(), address); err != nil {
		t.Fatal(err)
	} else if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"forget", "--store", address, "--subject", "ann", "--yes"}, args...), env, &out, &out)
		return out.String(), err
	}
	if out, err := call("--config", file); err != nil {
		t.Fatal(out, err)
	}
	out, err := call()
	if err == nil || !strings.Contains(err.Error(), "--config") || strings.Contains(out, "Deleted") {
		t.Errorf("without the key: %q, %v", out, err)
	}
	var verified bytes.Buffer
	if err := run(t.Context(), []string{"audit", "verify", "--store", address, "--config", file}, env, &verified, &verified); err != nil {
		t.Errorf("the log does not verify: %v\n%s", err, verified.String())
	}
}
