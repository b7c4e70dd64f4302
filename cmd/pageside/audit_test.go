package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
)

// auditedStore writes a small sealed log with anchors and leaves the store open, as a server does.
func auditedStore(t *testing.T) (folder string, st *sqlstore.Store) {
	t.Helper()
	folder = t.TempDir()
	st, err := sqlstore.Open(t.Context(), filepath.Join(folder, "threads.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	log := audit.NewLog(audit.Config{Key: []byte("a key of enough bytes"), File: filepath.Join(folder, "anchors")})
	if err := log.Open(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second", "third"} {
		confirm, err := log.Begin(t.Context(), audit.Entry{Kind: audit.ToolCall, Principal: auth.Local, Tool: name, Outcome: audit.OK})
		if err != nil || confirm(t.Context()) != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	file := "store: sqlite:" + filepath.Join(folder, "threads.db") + "\naudit: {key: 'env:AUDIT_KEY', anchor: 'file:anchors'}\n"
	if err := os.WriteFile(filepath.Join(folder, "pageside.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, st
}

func auditEnv(name string) string {
	return map[string]string{"AUDIT_KEY": "a key of enough bytes"}[name]
}

func TestAuditVerifyAndExport(t *testing.T) {
	folder, st := auditedStore(t)
	config := filepath.Join(folder, "pageside.yaml")
	// SQLite's locks are a process's: the copy is what another process would see of the open store
	copied := t.TempDir()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		raw, err := os.ReadFile(filepath.Join(folder, "threads.db"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, "threads.db"+suffix), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	db := "sqlite:" + filepath.Join(copied, "threads.db")
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"audit", "verify", "--config", config, "--store", db}, auditEnv, &out, &errs); err != nil {
		t.Fatalf("verify: %v\n%s", err, &out)
	}
	if got := out.String(); !strings.Contains(got, "3 rows of 1 tenants were checked: ok: the log is as it was written.") || !strings.Contains(got, "1 anchors were compared; 0 rows are newer") {
		t.Errorf("verify printed %s", got)
	}
	out.Reset()
	if err := run(t.Context(), []string{"audit", "export", "--store", db}, auditEnv, &out, &errs); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var row struct {
		Seq   int
		Entry struct{ Tool string }
	}
	if len(lines) != 3 || json.Unmarshal([]byte(lines[1]), &row) != nil || row.Seq != 2 || row.Entry.Tool != "second" {
		t.Errorf("export printed %s", &out)
	}
}

// TestAuditVerifyFails: a change, a cut-off end and a missing key make the command fail, and say
// where.
func TestAuditVerifyFails(t *testing.T) {
	for name, c := range map[string]struct {
		change, want string
		env          func(string) string
	}{
		"an edit":       {"UPDATE audit_log SET body = replace(body, 'second', 'nothing') WHERE seq = 2", "row 2 of", auditEnv},
		"a short log":   {"DELETE FROM audit_log WHERE seq = 3", "row 3 was anchored", auditEnv},
		"a missing row": {"DELETE FROM audit_log WHERE seq = 2", "rows 2 to 2 before it are missing", auditEnv},
	} {
		t.Run(name, func(t *testing.T) {
			folder, st := auditedStore(t)
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, filepath.Join(folder, "threads.db"), c.change)
			var out bytes.Buffer
			err := run(context.Background(), []string{"audit", "verify", "--config", filepath.Join(folder, "pageside.yaml")}, c.env, &out, &out)
			if !errors.Is(err, errTampered) || !strings.Contains(out.String(), c.want) {
				t.Errorf("error is %v, printed was %s", err, &out)
			}
		})
	}
}

// TestAuditVerifyUnanchored: without anchors, a log is not called in order, since a cut-off end
// does not show. It is not called changed, either.
func TestAuditVerifyUnanchored(t *testing.T) {
	folder, st := auditedStore(t)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(folder, "threads.db")
	tamper(t, db, "DELETE FROM audit_log WHERE seq = 3")
	tamper(t, db, "UPDATE audit_heads SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 2)", "DROP TRIGGER audit_heads_forward")
	var out bytes.Buffer
	args := []string{"audit", "verify", "--store", "sqlite:" + db, "--key", "env:AUDIT_KEY"}
	if err := run(t.Context(), args, auditEnv, &out, &out); err != nil || !strings.HasPrefix(out.String(), "2 rows of 1 tenants were checked: unanchored: ") {
		t.Errorf("error is %v, printed was %s", err, &out)
	}
	out.Reset()
	if err := run(t.Context(), append(args, "--json"), auditEnv, &out, &out); err != nil || !strings.HasPrefix(out.String(), "{\n  \"state\": \"unanchored\",\n") {
		t.Errorf("error is %v, printed was %s", err, &out)
	}
	out.Reset()
	args = append(args, "--anchors", filepath.Join(folder, "anchors"))
	if err := run(t.Context(), args, auditEnv, &out, &out); !errors.Is(err, errTampered) || !strings.Contains(out.String(), "changed: ") {
		t.Errorf("with anchors, error is %v, printed was %s", err, &out)
	}
}

func TestAuditUsage(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"audit"}, auditEnv, &out, &out); err != nil || !strings.Contains(out.String(), "audit verify") {
		t.Errorf("audit alone: %v, %s", err, &out)
	}
	for _, args := range [][]string{{"audit", "erase"}, {"audit", "export", "--from", "yesterday"}, {"audit", "verify", "--key", "secret"}} {
		if err := run(t.Context(), args, auditEnv, &out, &out); !errors.Is(err, errUsage) {
			t.Errorf("%q: error is %v", args, err)
		}
	}
}

// tamper changes a database as somebody with the file could.
func tamper(t *testing.T, path, statement string, before ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append(before, "DROP TRIGGER IF EXISTS audit_log_no_update", "DROP TRIGGER IF EXISTS audit_log_no_delete", statement) {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}
