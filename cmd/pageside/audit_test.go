package main

import (
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
	"github.com/pageside/pageside/test/must"
)

// auditedStore writes a small sealed log with anchors and leaves the store open, as a server does.
func auditedStore(t *testing.T) (folder string, st *sqlstore.Store) {
	t.Helper()
	folder = t.TempDir()
	st = must.Get(sqlstore.Open(t.Context(), filepath.Join(folder, "threads.db")))(t)
	t.Cleanup(func() { st.Close() })
	log := audit.NewLog(audit.Config{Key: []byte("a key of enough bytes"), File: filepath.Join(folder, "anchors")})
	must.Do(t, log.Open(t.Context(), st))
	for _, name := range []string{"first", "second", "third"} {
		confirm, err := log.Begin(t.Context(), audit.Entry{Kind: audit.ToolCall, Principal: auth.Local, Tool: name, Outcome: audit.OK})
		if err != nil || confirm(t.Context()) != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	file := "store: sqlite:" + filepath.Join(folder, "threads.db") + "\naudit: {key: 'env:AUDIT_KEY', anchor: 'file:anchors'}\n"
	write(t, filepath.Join(folder, "pageside.yaml"), file)
	return folder, st
}

// auditing runs a command about the audit log with its key, and returns what it prints.
func auditing(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return printed(t, map[string]string{"AUDIT_KEY": "a key of enough bytes"}, append([]string{"audit"}, args...)...)
}

func TestAuditVerifyAndExport(t *testing.T) {
	folder, st := auditedStore(t)
	config := filepath.Join(folder, "pageside.yaml")
	// SQLite's locks are a process's: the copy is what another process would see of the open store
	copied := t.TempDir()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		raw := must.Get(os.ReadFile(filepath.Join(folder, "threads.db"+suffix)))(t)
		write(t, filepath.Join(copied, "threads.db"+suffix), string(raw))
	}
	must.Do(t, st.Close())
	db := "sqlite:" + filepath.Join(copied, "threads.db")
	out := must.Get(auditing(t, "verify", "--config", config, "--store", db))(t)
	has(t, out, "3 rows of 1 tenants were checked: ok: the log is as it was written.", "1 anchors were compared; 0 rows are newer")
	out = must.Get(auditing(t, "export", "--store", db))(t)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var row struct {
		Seq   int
		Entry struct{ Tool string }
	}
	if len(lines) != 3 || json.Unmarshal([]byte(lines[1]), &row) != nil || row.Seq != 2 || row.Entry.Tool != "second" {
		t.Errorf("export printed %s", out)
	}
}

// TestAuditVerifyFails: a change, a cut-off end and a missing key make the command fail, and say
// where.
func TestAuditVerifyFails(t *testing.T) {
	for name, c := range map[string]struct{ change, want string }{
		"an edit":       {"UPDATE audit_log SET body = replace(body, 'second', 'nothing') WHERE seq = 2", "row 2 of"},
		"a short log":   {"DELETE FROM audit_log WHERE seq = 3", "row 3 was anchored"},
		"a missing row": {"DELETE FROM audit_log WHERE seq = 2", "rows 2 to 2 before it are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, st := auditedStore(t)
			must.Do(t, st.Close())
			tamper(t, filepath.Join(folder, "threads.db"), c.change)
			out, err := auditing(t, "verify", "--config", filepath.Join(folder, "pageside.yaml"))
			must.FailWith(t, err, errTampered, "error")
			has(t, out, c.want)
		})
	}
}

// TestAuditVerifyUnanchored: without anchors, a log is not called in order, since a cut-off end
// does not show. It is not called changed, either.
func TestAuditVerifyUnanchored(t *testing.T) {
	folder, st := auditedStore(t)
	must.Do(t, st.Close())
	db := filepath.Join(folder, "threads.db")
	tamper(t, db, "DELETE FROM audit_log WHERE seq = 3")
	tamper(t, db, "UPDATE audit_heads SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 2)", "DROP TRIGGER audit_heads_forward")
	args := []string{"verify", "--store", "sqlite:" + db, "--key", "env:AUDIT_KEY"}
	for _, c := range []struct {
		more []string
		want string
		err  error
	}{
		{nil, "2 rows of 1 tenants were checked: unanchored: ", nil},
		{[]string{"--json"}, "{\n  \"state\": \"unanchored\",\n", nil},
		{[]string{"--anchors", filepath.Join(folder, "anchors")}, "changed: ", errTampered},
	} {
		out, err := auditing(t, append(args, c.more...)...)
		if !errors.Is(err, c.err) || !strings.Contains(out, c.want) {
			t.Errorf("%q: error is %v, printed was %s", c.more, err, out)
		}
	}
}

// tamper changes a database as somebody with the file could.
func tamper(t *testing.T, path, statement string, before ...string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	defer db.Close()
	for _, s := range append(before, "DROP TRIGGER IF EXISTS audit_log_no_update", "DROP TRIGGER IF EXISTS audit_log_no_delete", statement) {
		must.Get(db.Exec(s))(t)
	}
}
