package sqlstore_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd ?name#%20é.db")
	s := open(t, path)
	end := store.Run{ID: "r1", Status: store.RunFinished, Pending: []string{"c1"}}
	begin(t, s, "r1", "t1", text("m1"))
	get(s.UpdateThread(t.Context(), me, "t1", store.ThreadChange{Title: new("title")}))
	must.Do(t, s.EndRun(t.Context(), me, end, []agui.Message{text("m2")}, store.Batch{}))
	begin(t, s, "r2", "t1")
	must.Do(t, s.TaintRun(t.Context(), me, "r2"), s.Close())

	s = open(t, path)
	must.Be(t, get(s.Thread(t.Context(), me, "t1")).Title, "title", "the thread's title")
	wantMessages(t, s, "t1", "m1", "m2")
	live := get(s.LiveRuns(t.Context()))
	if len(live) != 1 || live[0].Run.ID != "r2" || live[0].Owner != me || !live[0].Run.Tainted {
		t.Errorf("live runs are %+v", live)
	}
	must.Be(t, get(os.Stat(path)).Mode().Perm(), 0o600, "the file's mode: others must not read it")
	if files := get(os.ReadDir(filepath.Dir(path))); len(files) > 4 {
		t.Errorf("files are %v", files)
	}
}

// wantMessages checks the messages of a thread by their ids, and that each has its text.
func wantMessages(t *testing.T, s store.Store, thread string, want ...string) {
	t.Helper()
	var got []string
	for _, m := range get(s.Transcript(t.Context(), me, thread, "")) {
		got = append(got, m.ID)
		must.Be(t, m.Content.Text(), text(m.ID).Content.Text(), "message %s", m.ID)
	}
	must.Be(t, fmt.Sprint(got), fmt.Sprint(want), "the messages of thread %s", thread)
}

// TestOpenTogether has several want one database. Each gets it when the one before has let it go.
func TestOpenTogether(t *testing.T) {
	for range 2 {
		path := newPath(t)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := sqlstore.Open(context.Background(), path, sqlstore.WithLockWait(time.Minute))
				if err == nil {
					err = errors.Join(s.Ping(context.Background()), s.Close())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// TestOneProcess: a database that is in use is refused with a sentence, but anybody may read it.
func TestOneProcess(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	begin(t, s, "r", "t", text("m"))
	wantErr(t, "in use", opening(path, sqlstore.WithLockWait(50*time.Millisecond)),
		fmt.Sprintf("another pageside (process %d) is using test.db", os.Getpid()))
	must.Be(t, read[int](t, "file:"+path+"?mode=ro", "SELECT count(*) FROM messages"), 1, "messages that another reads")
	must.Do(t, s.Close())
	open(t, path)
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	must.Do(t, os.WriteFile(garbage, []byte(strings.Repeat("this is no database\n", 100)), 0o600))
	for dsn, want := range map[string]string{
		"":                             "not the path of a file",
		"sqlite:":                      "not the path of a file",
		"sqlite::memory:":              "OpenTemp",
		"postgres://localhost/db":      `"postgres" is no kind of store`,
		filepath.Join(dir, "no/x.db"):  "no such file or directory",
		"sqlite:" + dir:                "is a directory",
		"sqlite:" + garbage:            "move the file away to begin with an empty one: file is not a database",
		"sqlite:file:x.db?mode=memory": "not the path of a file",
	} {
		wantErr(t, "open "+dsn, opening(dsn), want)
	}
}

// TestCloseDrains closes a store while it is written to: every write either is done or says that
// the store is closed.
func TestCloseDrains(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	const n = 200
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = begun(s, fmt.Sprint("r", i), "t") })
	}
	must.Do(t, s.Close())
	all.Wait()
	s = open(t, path)
	for i, err := range errs {
		if err == nil {
			get(s.Run(t.Context(), me, fmt.Sprint("r", i)))
		} else {
			must.FailWith(t, err, store.ErrClosed, "a write")
		}
	}
}

// A change that panics in the writer's goroutine fails, has written nothing, and the next write
// goes through.
func TestChangeThatPanics(t *testing.T) {
	s := open(t, newPath(t))
	begin(t, s, "r1", "t1", text("m1"))
	set := func(change func() json.RawMessage) error {
		return s.SetMessageMetadata(t.Context(), me, "t1", "m1", func(agui.Message) (json.RawMessage, error) {
			return change(), nil
		})
	}
	wantErr(t, "the change", set(func() json.RawMessage { panic("no luck") }), "no luck")
	must.Do(t, set(func() json.RawMessage { return json.RawMessage(`{"a":1}`) }))
	messages := get(s.Transcript(t.Context(), me, "t1", ""))
	if len(messages) != 1 || string(messages[0].Metadata) != `{"a":1}` {
		t.Errorf("then there is %+v", messages)
	}
}

// TestForgottenWordsLeaveTheFile: after Forget no word of the person is in the database's files, be
// it in messages, in the search index or in free pages. Words of others are.
func TestForgottenWordsLeaveTheFile(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	words := map[string]string{"ann": "zanzibarquetzal", "bob": "wolverinemarzipan"}
	owner := func(subject string) store.Owner { return store.Owner{Tenant: "acme", Subject: subject} }
	for subject, word := range words {
		run := store.Run{ID: "r", ThreadID: "t"}
		must.Do(t, s.BeginRun(t.Context(), owner(subject), run, []agui.Message{text("about-the-" + word)}, store.Batch{}))
		must.Do(t, s.PutShare(t.Context(), owner(subject), store.Share{
			ID: "s", ThreadID: "t", TokenHash: subject, Messages: json.RawMessage(`["shared ` + word + `"]`),
			ExpiresAt: time.Now().Add(time.Hour),
		}))
		// which writes the index
		page := get(s.Threads(t.Context(), owner(subject), store.ThreadQuery{Text: word}))
		must.Be(t, len(page.Items), 1, "threads that %s finds", subject)
	}
	must.Do(t, s.Forget(t.Context(), owner("ann")), s.Close()) // which folds the log into the file
	raw := get(os.ReadFile(path))
	for subject, word := range words {
		must.Be(t, bytes.Contains(raw, []byte(word)), subject == "bob", "whether the word of %s is in the file", subject)
	}
}

// TestNewerSchema has an older version meet the database of a newer one, which it must leave alone.
func TestNewerSchema(t *testing.T) {
	path := newPath(t)
	must.Do(t, opening(path))
	change(t, path, `INSERT INTO schema_steps (number, name) VALUES (99, '00099_later')`)
	wantErr(t, "open", opening(path), "newer version")
}

// TestNewFile: a new database has what the steps leave in an empty one. UPDATE=1 makes new ones of
// the latter, which is needed when a step is added, but not at once: it is applied to them, too.
func TestNewFile(t *testing.T) {
	filled, stepped := newPath(t), newPath(t)
	must.Do(t, os.WriteFile(stepped, nil, 0o600), opening(stepped))
	if os.Getenv("UPDATE") != "" {
		var packed bytes.Buffer
		w := get(gzip.NewWriterLevel(&packed, gzip.BestCompression))
		get(w.Write(get(os.ReadFile(stepped))))
		must.Do(t, w.Close(), os.WriteFile("migrations/empty.db.gz", packed.Bytes(), 0o644))
		t.Skip("the empty database was written anew")
	}
	must.Do(t, opening(filled))
	must.Be(t, everything(t, filled), everything(t, stepped), "a new database")
	integrity(t, filled)
}

// everything lists the settings, the schema and the rows of a database.
func everything(t *testing.T, path string) string {
	var all strings.Builder
	db := behind(t, path)
	list := func(query string) (first []string) {
		fmt.Fprintf(&all, "%s\n", query)
		rows := get(db.Query(query))
		values := make([]any, len(get(rows.Columns())))
		for rows.Next() {
			for i := range values {
				values[i] = new(any)
			}
			must.Do(t, rows.Scan(values...))
			first = append(first, fmt.Sprint(*values[0].(*any)))
			for _, v := range values {
				fmt.Fprintf(&all, "\t%v\n", *v.(*any))
			}
		}
		must.Do(t, rows.Err())
		return first
	}
	for _, setting := range []string{"page_size", "journal_mode", "encoding", "auto_vacuum", "user_version", "application_id"} {
		list("PRAGMA " + setting)
	}
	list("SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY name")
	for _, table := range list("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		list(`SELECT * FROM "` + table + `" ORDER BY 1`)
	}
	must.Do(t, db.Close())
	return all.String()
}

// TestForeignLog: a log of SQLite's that lies where a new database is made is not applied to it.
func TestForeignLog(t *testing.T) {
	for suffix, mode := range map[string]string{"-wal": "WAL", "-journal": "DELETE"} {
		t.Run(mode, func(t *testing.T) {
			other, path := newPath(t), newPath(t)
			must.Do(t, opening(other))
			db := behind(t, other)
			db.SetMaxOpenConns(1)
			const insert = "WITH RECURSIVE n (i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO schema_steps SELECT i, 'foreign' FROM n"
			for _, s := range []string{
				"PRAGMA journal_mode = " + mode, "PRAGMA cache_size = 1", insert,
				"BEGIN", "DELETE FROM schema_steps", insert, // not yet committed
			} {
				must.Get(db.Exec(s))(t)
			}
			must.Do(t, copyFile(other+suffix, path+suffix))
			begin(t, open(t, path), "r", "t")
			must.Be(t, read[int](t, path, "SELECT count(*) FROM schema_steps"), 1, "steps")
			integrity(t, path)
		})
	}
}

// TestFailedStep has a step fail half way. It must leave nothing, so that it can be tried again.
func TestFailedStep(t *testing.T) {
	path := newPath(t)
	// the step makes other tables first
	change(t, path, `CREATE TABLE histories (foreign_to_us TEXT)`)
	wantErr(t, "open", opening(path), "00027_schema")
	change(t, path, `DROP TABLE histories`)
	begin(t, open(t, path), "r", "t")
}

// TestSchemaInPieces opens a database whose schema was made in seventeen steps: what it holds is
// there. One that lacks the last of them is refused, and left alone.
func TestSchemaInPieces(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	begin(t, s, "r", "t", text("m"))
	must.Do(t, s.Close())
	change(t, path, `ALTER TABLE histories ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0`,
		`DELETE FROM schema_steps`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 17)
		INSERT INTO schema_steps SELECT i, 'a piece' FROM n`)
	s = open(t, path)
	wantMessages(t, s, "t", "m")
	begin(t, s, "r2", "t2", history(20)...)
	must.Do(t, s.Close())
	change(t, path, `DELETE FROM schema_steps WHERE number = 17`)
	for range 2 {
		wantErr(t, "open", opening(path), "before the first release")
	}
}
