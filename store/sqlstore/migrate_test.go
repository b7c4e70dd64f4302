package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// change runs statements on a database behind the store's back.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNewerSchema has an older version meet the database of a newer one, which it must leave alone.
func TestNewerSchema(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, `INSERT INTO schema_steps (number, name) VALUES (99, '00099_later')`)
	later, err := sqlstore.Open(t.Context(), path)
	if err == nil {
		later.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("error is %v", err)
	}
}

// TestFailedStep has a step fail half way. It must leave nothing, so that it can be tried again.
func TestFailedStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	// the step makes other tables first
	change(t, path, `CREATE TABLE histories (foreign_to_us TEXT)`)
	if s, err := sqlstore.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "00001_threads") {
		if err == nil {
			s.Close()
		}
		t.Fatalf("error is %v", err)
	}
	change(t, path, `DROP TABLE histories`)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Error(err)
	}
}

// firstSchema makes a database as the first version left it, with what it would hold.
func firstSchema(t *testing.T, path string) {
	t.Helper()
	schema, err := os.ReadFile("migrations/00001_threads.sql")
	if err != nil {
		t.Fatal(err)
	}
	const owner = `'acme', 'ada'`
	body := func(id, role, text string) string {
		return fmt.Sprintf(`{"id":"%s","role":"%s","content":"%s"}`, id, role, text)
	}
	long := []string{body("h1", "user", "Why so many 404s?"), body("h2", "assistant", "A crawler."), "", body("h3", "user", "And now?")}
	change(t, path,
		`PRAGMA page_size = 8192`, `PRAGMA journal_mode = WAL`, string(schema),
		`CREATE TABLE schema_steps (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)`,
		`INSERT INTO schema_steps VALUES (1, '00001_threads')`,
		`INSERT INTO threads VALUES (`+owner+`, 't1', 'default', 'Errors', FALSE, 6, 0, 1000, 2000), (`+owner+`, 't2', 'default', '', TRUE, 6, 4, 1000, 3000)`,
		`INSERT INTO runs VALUES
			(`+owner+`, 'r1', 't1', 1, 'default', 'made up by a client', 'f1', 'finished', '["c1"]', '', '[1]', 1000, 1500),
			(`+owner+`, 'r2', 't1', 4, 'default', '', 'f2', 'live', NULL, '', NULL, 1600, NULL),
			(`+owner+`, 'r3', 't2', 1, 'default', '', 'f3', 'failed', NULL, 'model_error', NULL, 1000, 1500)`,
		`INSERT INTO messages VALUES
			(`+owner+`, 't1', 2, 'm1', 'r1', 1000, '`+body("m1", "user", "Is Zürich down?")+`'),
			(`+owner+`, 't1', 3, 'm2', 'r1', 1500, '`+body("m2", "assistant", "It is up.")+`'),
			(`+owner+`, 't1', 5, 'm3', 'r2', 1600, '`+body("m3", "user", "And Genf?")+`'),
			(`+owner+`, 't2', 3, 'h2', 'r3', 1000, '`+body("h2", "assistant", "Two crawlers.")+`')`,
		`INSERT INTO histories VALUES (`+owner+`, 't2', 'r3', 1000, '`+"\"h1\"\n\"h2\"\n\n\"h3\"\n"+`', '`+strings.Join(long, "\n")+"\n"+`')`,
	)
}

// TestFirstSchema opens a database of the first version: everything is there, and everything new
// works on it.
func TestFirstSchema(t *testing.T) {
	path := newPath(t)
	firstSchema(t, path)
	s := open(t, path)
	ctx := t.Context()

	wantIDs(t, s, "t1", "m1", "m2", "m3")
	wantIDs(t, s, "t2", "h1", "h2", "h3")
	runs, err := s.Runs(ctx, me, "t1")
	if err != nil || len(runs) != 2 || runs[0].ParentRunID != store.RootRun || runs[1].ParentRunID != "r1" {
		t.Fatalf("runs are %+v, %v", runs, err)
	}
	for _, r := range runs {
		if !r.Tainted { // nobody knows what it has read
			t.Errorf("run %s is not tainted", r.ID)
		}
	}
	if f := runs[1].FirstUser; f == nil || f.ID != "m3" || f.Preview != "And Genf?" {
		t.Errorf("the first message of r2 is %+v", f)
	}
	if runs, err := s.Runs(ctx, me, "t2"); err != nil || runs[0].FirstUser == nil || runs[0].FirstUser.ID != "h1" {
		t.Errorf("runs are %+v, %v", runs, err)
	}
	for text, want := range map[string]string{"errors": "t1", "zurich": "t1", "crawlers two": "t2", "404s": "t2", "genf": "t1"} {
		page, err := s.Threads(ctx, me, store.ThreadQuery{Text: text, Archived: want == "t2"})
		if err != nil || len(page.Items) != 1 || page.Items[0].ID != want {
			t.Errorf("%q finds %+v, %v", text, page.Items, err)
		}
	}
	for _, err := range s.Events(ctx, me, "r1", 0) {
		if !errors.Is(err, store.ErrGone) {
			t.Errorf("events of a run that was never logged: %v", err)
		}
	}

	// The run that was live is taken up, and then another goes on from an earlier one.
	epoch, err := s.TakeOver(ctx, me, "r2")
	if err != nil || epoch != 2 {
		t.Fatalf("epoch is %d, %v", epoch, err)
	}
	last := store.Batch{First: 1, Count: 1, Frames: frame("r2", 1)}
	if err := s.EndRun(ctx, me, store.Run{ID: "r2", Status: store.RunFailed, Epoch: 2}, nil, last); err != nil {
		t.Fatal(err)
	}
	if n, err := checkEvents(t, s, "r2"); err != nil || n != 1 {
		t.Errorf("the log of r2 ends with %d, %v", n, err)
	}
	if err := s.BeginRun(ctx, me, store.Run{ID: "r4", ThreadID: "t1", ParentRunID: "r1"}, []agui.Message{text("m4")}); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, s, "t1", "m1", "m2", "m4")
	if err := s.BeginRun(ctx, me, store.Run{ID: "r5", ThreadID: "t3"}, nil); err != nil {
		t.Fatal(err)
	}
	// one that goes on from an old run, one that does not
	for id, want := range map[string]bool{"r4": true, "r5": false} {
		if r, err := s.Run(ctx, me, id); err != nil || r.Tainted != want {
			t.Errorf("run %s is tainted: %t, %v", id, r.Tainted, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	integrity(t, path)
	s = open(t, path) // and once more
	wantIDs(t, s, "t1", "m1", "m2", "m4")
}

// TestSearchBeforePending opens a database whose search index has not got everything yet, as an
// earlier version left it: words that waited for it, and a history of which a part was in it.
func TestSearchBeforePending(t *testing.T) {
	path := newPath(t)
	firstSchema(t, path)
	const waiting = `'16777218' || char(9) || '0' || char(9) || ' is zurich down' || char(10)
		|| '16777219' || char(9) || '1' || char(9) || ' it is up' || char(10)`
	steps := []string{`DELETE FROM schema_steps`}
	for i, name := range []string{"00001_threads", "00002_events", "00003_search", "00004_taint", "00005_allowances"} {
		text, err := os.ReadFile("migrations/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			steps = append(steps, string(text))
		}
		steps = append(steps, fmt.Sprintf(`INSERT INTO schema_steps VALUES (%d, '%s')`, i+1, name))
	}
	change(t, path, append(steps,
		`INSERT INTO search (rowid, words) VALUES (1 << 24, 'outdated'), (1 << 24 | 3, 'outdated')`,
		`INSERT INTO search_waiting (docs) VALUES (`+waiting+`), (16777216 || char(9) || '1' || char(9) || char(10))`,
		`UPDATE histories SET indexed = 3`)...)
	s := open(t, path)
	for text, want := range map[string]string{"zurich": "t1", "errors": "t1", "it is up": "t1", "and now": "t2", "outdated": ""} {
		page, err := s.Threads(t.Context(), me, store.ThreadQuery{Text: text, Archived: want == "t2"})
		if err != nil || want == "" && len(page.Items) > 0 || want != "" && (len(page.Items) != 1 || page.Items[0].ID != want) {
			t.Errorf("%q finds %+v, %v", text, page.Items, err)
		}
	}
	if n, err := s.Pending(); n != 0 || err != nil {
		t.Errorf("%d documents are pending, %v", n, err)
	}
}

func wantIDs(t *testing.T, s store.Store, thread string, want ...string) {
	t.Helper()
	messages, err := s.Transcript(t.Context(), me, thread, "")
	var got []string
	for _, m := range messages {
		got = append(got, m.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("thread %s has the messages %q, %v, want %q", thread, got, err, want)
	}
}
