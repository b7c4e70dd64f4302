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

	"github.com/pageside/pageside/demo/tempdb"
)

// MaxLine is the maximum length of a line in bytes; longer ones are invalid.
const MaxLine = 64 << 10

// Log is a loaded log: the table access_log, whose columns are _id (the number of the line), raw
// (the line) and what queries may use, and error_summary, which counts its failed requests by hour,
// status and path. Times are milliseconds since 1970 UTC. Safe for concurrent use.
type Log struct {
	Stats tempdb.Stats // of the events
	Name  string       // the file's base name; "" for a reader or the sample
	db    *tempdb.DB
}

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

// sample is a generated day of a small shop's web server. Its clients are from the ranges reserved
// for documentation. It contains two incidents: a scanner probes for vulnerabilities from 03:05 to
// 03:27, and after a deployment at 14:10 the checkout fails with 502 until the rollback at 14:52.
//
//go:embed sample.log.gz
var sample []byte

// Sample loads the generated log.
func Sample(ctx context.Context) (*Log, error) { return Load(ctx, bytes.NewReader(sample)) }

// WriteSample writes the lines of the generated log.
func WriteSample(w io.Writer) error {
	text, err := tempdb.Unzip(bytes.NewReader(sample), MaxLine)
	if err == nil {
		_, err = text.WriteTo(w)
	}
	if err != nil {
		return fmt.Errorf("write sample log: %w", err)
	}
	return nil
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
	for line, err := range tempdb.Lines(r, MaxLine) {
		if err != nil {
			return err
		}
		e, wrong := ParseLine(line.Text)
		if line.TooLong {
			wrong = fmt.Errorf("longer than %d bytes", MaxLine)
		}
		if wrong != nil {
			l.Stats.Skip(line.Number, wrong.Error())
			continue
		}
		l.Stats.Count++
		if err := w.Exec("INSERT INTO access_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", e.values(line.Number)...); err != nil {
			return err
		}
	}
	if l.Stats.Count == 0 && l.Stats.Bad > 0 {
		return fmt.Errorf("%w; line %d: %s", ErrNoEvents, l.Stats.BadLines[0].Line, l.Stats.BadLines[0].Reason)
	}
	return w.Script(summary)
}

func (e *Event) values(line int64) []any {
	return []any{line, e.Time.UnixMilli(), e.ClientIP, tempdb.Null(e.User), tempdb.Null(e.Method), tempdb.Null(e.Path), tempdb.Null(e.Query), tempdb.Null(e.Protocol),
		e.Status, e.Bytes, tempdb.Null(e.Referrer), tempdb.Null(e.UserAgent), tempdb.Null(e.Browser), e.Raw}
}
