package accesslog

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pageside/pageside/demo/tempdb"
)

// Table is the table of the log. Its columns are _id (the line number), raw (the line) and the
// Columns.
const Table = "access_log"

// Column describes a column of Table. Type is "string", "int" or "time"; times are milliseconds
// since 1970 UTC.
type Column struct{ Name, Type, Description string }

// Columns are the columns of Table for queries, in order.
var Columns = []Column{
	{"timestamp", "time", "when the request was received, in UTC"},
	{"clientip", "string", "address (or host name) of the client"},
	{"user", "string", "name the client authenticated with"},
	{"method", "string", "HTTP method: GET, POST, …"},
	{"path", "string", "request target without its query string"},
	{"query", "string", "query string, without the question mark"},
	{"protocol", "string", "HTTP version: HTTP/1.1, …"},
	{"status", "int", "HTTP status of the response; 400 and above are errors"},
	{"bytes", "int", "size of the response's body in bytes; null where none was sent"},
	{"referrer", "string", "page that linked here"},
	{"useragent", "string", "what the client says it is"},
	{"browser", "string", "family of the user agent: Chrome, Firefox, …, Bot for crawlers and feed readers, Tool for libraries, Other"},
}

// SummaryTable counts the failed requests of Table by hour, status and path. Its columns are _id
// and the SummaryColumns.
const SummaryTable = "error_summary"

// SummaryColumns are the columns of SummaryTable for queries, in order.
var SummaryColumns = []Column{
	{"timestamp", "time", "the hour, by its beginning, in UTC"},
	{"status", "int", "HTTP status, 400 and above"},
	{"path", "string", "request target without its query string"},
	{"requests", "int", "how many requests for that path had that status in that hour"},
	{"clients", "int", "how many different clients made them"},
	{"bytes", "int", "bytes sent for them"},
}

// Stats describes what was loaded.
type Stats struct {
	Total    int       // events
	Bad      int       // invalid lines
	BadLines []BadLine // the first ten of them
	Min, Max time.Time // of the events, UTC; zero if there are none
}

// Log is a loaded log. Safe for concurrent use.
type Log struct {
	Stats Stats
	Name  string // the file's base name; "" for a reader or the sample
	db    *tempdb.DB
}

const maxReported = 10

// Open loads the log in the file.
func Open(ctx context.Context, path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = f.Close() }()
	log, err := Load(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("load log %s: %w", filepath.Base(path), err)
	}
	log.Name = filepath.Base(path)
	return log, nil
}

// Sample loads the generated log with its default options.
func Sample(ctx context.Context) (*Log, error) {
	var text bytes.Buffer
	if err := Generate(&text); err != nil {
		return nil, err
	}
	return Load(ctx, &text)
}

// ErrNoEvents means that the input has no valid line: it is probably another file.
var ErrNoEvents = errors.New("no line is in the common or combined log format")

// Load reads a log into a database, which Close removes.
func Load(ctx context.Context, r io.Reader) (*Log, error) {
	log := &Log{}
	var err error
	log.db, err = tempdb.New(ctx, "log", func(w *tempdb.Writer) error { return log.fill(w, r) })
	if err != nil {
		return nil, err
	}
	return log, nil
}

// DB is a read-only connection pool on the log.
func (l *Log) DB() *sql.DB { return l.db.DB }

// Close removes the log's database.
func (l *Log) Close() error { return l.db.Close() }

const createTable = `CREATE TABLE access_log (
	_id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, clientip TEXT NOT NULL, user TEXT, method TEXT, path TEXT, query TEXT, protocol TEXT,
	status INTEGER, bytes INTEGER, referrer TEXT, useragent TEXT, browser TEXT, raw TEXT NOT NULL)`

//go:embed summary.sql
var summary string

func (l *Log) fill(w *tempdb.Writer, r io.Reader) error {
	if err := w.Script(createTable); err != nil {
		return err
	}
	for e, err := range Read(r) {
		if bad, ok := errors.AsType[*BadLineError](err); ok {
			l.Stats.addBad(bad.BadLine)
			continue
		}
		if err == nil {
			err = w.Exec("INSERT INTO access_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", e.values()...)
		}
		if err != nil {
			return err
		}
		l.Stats.add(e.Time)
	}
	if l.Stats.Total == 0 && l.Stats.Bad > 0 {
		return fmt.Errorf("%w; line %d: %s", ErrNoEvents, l.Stats.BadLines[0].Line, l.Stats.BadLines[0].Reason)
	}
	return w.Script(summary)
}

func (e *Event) values() []any {
	return []any{e.Line, e.Time.UnixMilli(), e.ClientIP, tempdb.Null(e.User), tempdb.Null(e.Method), tempdb.Null(e.Path), tempdb.Null(e.Query), tempdb.Null(e.Protocol),
		e.Status, e.Bytes, tempdb.Null(e.Referrer), tempdb.Null(e.UserAgent), tempdb.Null(e.Browser), e.Raw}
}

func (s *Stats) addBad(b BadLine) {
	s.Bad++
	if len(s.BadLines) < maxReported {
		s.BadLines = append(s.BadLines, b)
	}
}

func (s *Stats) add(t time.Time) {
	t = t.UTC()
	if s.Total == 0 || t.Before(s.Min) {
		s.Min = t
	}
	if s.Total == 0 || t.After(s.Max) {
		s.Max = t
	}
	s.Total++
}
