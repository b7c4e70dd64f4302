package main

import (
	"database/sql"
	"fmt"
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
		e := audit.Entry{Kind: audit.ToolCall, Principal: auth.Local, Tool: name, Outcome: audit.OK}
		must.Do(t, must.Get(log.Begin(t.Context(), e))(t)(t.Context()))
	}
	log.Close()
	write(t, filepath.Join(folder, "pageside.yaml"), "store: sqlite:"+filepath.Join(folder, "threads.db")+
		"\naudit: {key: 'env:AUDIT_KEY', anchor: 'file:anchors'}\n")
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
	has(t, must.Get(auditing(t, "verify", "--config", config, "--store", db))(t),
		"3 rows of 1 tenants were checked: ok: the log is as it was written.",
		"1 anchors were compared; 0 rows are newer")
	told := ""
	for line := range strings.Lines(must.Get(auditing(t, "export", "--store", db))(t)) {
		row := must.JSON[struct {
			Seq   int
			Entry struct{ Tool string }
		}](t, line)
		told += fmt.Sprint(row.Seq, " ", row.Entry.Tool, ". ")
	}
	must.Be(t, told, "1 first. 2 second. 3 third. ", "the export")
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
	tamper(t, db, "UPDATE audit_heads SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE seq = 2)",
		"DROP TRIGGER audit_heads_forward")
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
		must.FailWith(t, err, c.err, "%q", c.more)
		has(t, out, c.want)
	}
}

// tamper changes a database as somebody with the file could.
func tamper(t *testing.T, path, statement string, before ...string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", path))(t)
	defer db.Close()
	for _, trigger := range []string{"audit_log_no_update", "audit_log_no_delete"} {
		before = append(before, "DROP TRIGGER IF EXISTS "+trigger)
	}
	for _, s := range append(before, statement) {
		must.Get(db.Exec(s))(t)
	}
}
