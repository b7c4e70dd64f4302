package ppl

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/test/must"
)

var randomSchema = schemaOf(Column{"timestamp", Time}, Column{"n", Int}, Column{"m", Int}, Column{"s", String}, Column{"odd \"name`", String})

const createRandom = `CREATE TABLE t (_id INTEGER PRIMARY KEY, timestamp INTEGER, n INTEGER, m INTEGER, s TEXT, "odd ""name` + "`" + `" TEXT)`

func openTable(t testing.TB) *sql.DB {
	t.Helper()
	db := must.Get(sql.Open("sqlite", ":memory:"))(t)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	must.Get(db.Exec(createRandom))(t)
	return db
}

func runQuery(t testing.TB, db *sql.DB, query string) (*Result, error) {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		return nil, err
	}
	plan, err := q.Compile(randomSchema)
	if err != nil {
		return nil, err
	}
	return plan.Run(t.Context(), db, Page{})
}

func TestLongConditionsRun(t *testing.T) {
	db := openTable(t)
	for _, op := range []string{" or ", " and "} {
		query := "source=t | where n=1" + strings.Repeat(op+"n=1", 800)
		must.Be(t, must.Err(runQuery(t, db, query)), nil, "%s", op)
	}
	if _, err := runQuery(t, db, "source=t | where n in ("+strings.Repeat("1,", 999)+"1)"); err != nil {
		t.Error(err)
	}
	if _, err := runQuery(t, db, "source=t"+strings.Repeat(" | head 9 | stats count() as n", 15)); err != nil {
		t.Error(err)
	}
}

// TestQueriesAnswer has what docs/reference/ppl.md promises, on rows with nulls.
func TestQueriesAnswer(t *testing.T) {
	db := openTable(t)
	at := func(text string) int64 {
		when, _ := ParseTime(text)
		return when.UnixMilli()
	}
	for _, row := range [][]any{
		{at("2015-05-17 10:00"), 1, 10, "abc"},
		{at("2015-05-17 10:30"), 2, nil, "Abd"},
		{at("2015-05-17 11:00"), 3, 0, nil},
		{at("2015-05-18 10:00"), -4, 5, "a%c"},
		{at("2015-05-18 10:01"), nil, 5, "abc"},
	} {
		must.Get(db.Exec(`INSERT INTO t (timestamp, n, m, s) VALUES (?, ?, ?, ?)`, row...))(t)
	}
	for _, row := range demotest.Rows(t, "testdata/answers.txt") {
		commands, want := row[0], row[1]
		got, err := runQuery(t, db, "source=t | "+commands)
		if err != nil || fmt.Sprint(got.Rows) != want {
			t.Errorf("%s: %v, %v, want %s", commands, got, err, want)
		}
	}
}

// TestDeepQueriesRun has fields made of fields made of fields, which SQLite would write out into
// each other.
func TestDeepQueriesRun(t *testing.T) {
	db := openTable(t)
	must.Get(db.Exec(`INSERT INTO t (n, s) VALUES (1, 'ab')`))(t)
	start := time.Now()
	got, err := runQuery(t, db, "source=t | eval x = n"+strings.Repeat(", x = x + x - n", 60)+" | stats max(x)")
	if err != nil || fmt.Sprint(got.Rows) != "[[1]]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = runQuery(t, db, "source=t"+strings.Repeat(" | eval a=n+1 | sort a | head 5", 7)); err != nil {
		t.Error(err)
	}
	if _, err = runQuery(t, db, "source=t | eval x = n"+strings.Repeat(" + 1", 150)+", y = x"+strings.Repeat(" + x", 40)+" | where y"+strings.Repeat(" + 1", 5)+" > 0"); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 2*time.Minute { // what grows exponentially takes for ever
		t.Errorf("took %v", took)
	}
	for range 2 {
		_, err = runQuery(t, db, "source=t | eval x = n"+strings.Repeat(", x = x", 60)+" | eval y = n"+strings.Repeat(", x = y", 60))
	}
	if refused(err) == nil || !strings.Contains(err.Error(), "at most 100 fields") {
		t.Error(err)
	}
}

// TestNamesNeverReachSQL has names and values that would end a quoted string or name.
func TestNamesNeverReachSQL(t *testing.T) {
	db := openTable(t)
	must.Get(db.Exec(`INSERT INTO t (s, "odd ""name` + "`" + `") VALUES ('x''; DROP TABLE t; --', 'y')`))(t)
	const name = "\"; DROP TABLE t; --``"
	got, err := runQuery(t, db, "source=t | where s = 'x''; DROP TABLE t; --' | stats count() as `"+name+"` by `odd \"name```, s | sort - `"+name+"`")
	must.Do(t, err)
	if fmt.Sprint(got.Rows) != "[[1 y x'; DROP TABLE t; --]]" || got.Columns[0].Name != strings.ReplaceAll(name, "``", "`") {
		t.Errorf("%v %v", got.Columns, got.Rows)
	}
}

func TestWeeksStartOnMonday(t *testing.T) {
	db := openTable(t)
	// Sunday, Monday, Sunday, Sunday
	for _, day := range []string{"2015-05-17 23:59:59", "2015-05-18", "2015-05-24 12:00", "1969-12-28"} {
		at, ok := ParseTime(day)
		if !ok {
			t.Fatal(day)
		}
		must.Get(db.Exec(`INSERT INTO t (timestamp) VALUES (?)`, at.UnixMilli()))(t)
	}
	got := must.Get(runQuery(t, db, "source=t | stats count() by span(timestamp, 1w)"))(t)
	var weeks []string
	for _, row := range got.Rows {
		weeks = append(weeks, fmt.Sprint(time.UnixMilli(row[1].(int64)).UTC().Format("2006-01-02 Mon"), " ", row[0]))
	}
	if s := strings.Join(weeks, ", "); s != "1969-12-22 Mon 1, 2015-05-11 Mon 1, 2015-05-18 Mon 2" {
		t.Error(s)
	}
}

func TestRowsAreCapped(t *testing.T) {
	db := openTable(t)
	if _, err := db.Exec(`INSERT INTO t (n) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10001) SELECT x FROM c`); err != nil {
		t.Fatal(err)
	}
	got, err := runQuery(t, db, "source=t")
	if err != nil || len(got.Rows) != MaxRows || !got.Truncated {
		t.Errorf("%d rows, %v", len(got.Rows), err)
	}
	if got, err = runQuery(t, db, "source=t | head 10000"); err != nil || len(got.Rows) != MaxRows || got.Truncated {
		t.Errorf("%d rows, %v", len(got.Rows), err)
	}
}

func TestRunawayQueryIsInterrupted(t *testing.T) {
	db := must.Get(sql.Open("sqlite", ":memory:"))(t)
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS _id, x AS n FROM c`); err != nil {
		t.Fatal(err)
	}
	q, _ := Parse("source=endless | stats count()")
	plan := must.Get(q.Compile(&Schema{Source: "endless", ID: "_id", Fields: []Field{{Column: Column{"n", Int}}}}))(t)
	tooLong := errors.New("too long")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, tooLong)
	defer cancel()
	start := time.Now()
	_, err := plan.Run(ctx, db, Page{})
	if !errors.Is(err, tooLong) || time.Since(start) > time.Minute {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2015, 5, 17, 10, 5, 0, 0, time.UTC)
	for _, text := range []string{"2015-05-17 10:05", "2015-05-17T10:05:00Z", "2015-05-17T12:05:00+02:00", " 2015-05-17 10:05:00.000 ", "2015-05-17T10:05"} {
		if got, ok := ParseTime(text); !ok || !got.Equal(want) {
			t.Errorf("%s: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "now", "17/May/2015", "2015-13-01", "99999-01-01", "0000-01-01"} {
		if got, ok := ParseTime(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzRun checks that whatever compiles is SQL that runs, and that errors say what is wrong where.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"source=t | where n = 1 and (s != 'x' or not m in (1, 2.5, '3')) or s like '%x_' | sort - n | head 3 | where m > n | fields - n",
		"source=t | stats count() as a, dc(s), sum(m), avg(n) by span(timestamp, 1h) as h, s | stats max(a), avg(a) as b by span(h, 1w) | stats count() by span(b, 3)",
		"source=t | eval a = n / 0, d = year(timestamp) + month(timestamp) | where length(s) > round(a, 2) or d = 1 | sort - d",
		"source=t | timechart span=1h sum(n) by s", "source=t | top 3 s, n", "source=t | eval y = n / 1.5, z = floor(y), x = abs(z) | stats max(x)",
		"source=t | eval a = n, a = a * a, a = a * a, a = a * a, a = a * a | where a between 1 and 2",
		"source=t", "source=t | where bytes between 1 and 2 or isnull(`a b`)", "search source=t|where n==-1.5e-3|sort - count()",
		"source=t | where s = 'it''s' | fields `x``y`", "source=\u00a0t | where \"é\" = n",
	} {
		f.Add(seed)
	}
	db := must.Get(sql.Open("sqlite", ":memory:"))(f)
	db.SetMaxOpenConns(1)
	must.Get(db.Exec(createRandom + `;
		INSERT INTO t VALUES (1, 0, 1, 2, 'x', 'y'), (2, -5, NULL, -2, NULL, '')`))(f)
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := runQuery(t, db, query); err != nil {
			if e := refused(err); e == nil || strings.Contains(point(e), "-") || strings.Contains(":"+point(e), ":0") || e.Message == "" {
				t.Fatalf("%q: %v", query, err)
			}
		}
	})
}
