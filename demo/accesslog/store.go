package accesslog

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pageside/pageside/demo/lines"
)

// MaxLine is the maximum length of a line in bytes; longer ones are invalid.
const MaxLine = 64 << 10

// Log is a loaded log: the table access_log, whose columns are _id (the number of the line), raw
// (the line) and what queries may use, and error_summary, which counts its failed requests by hour,
// status and path. Times are milliseconds since 1970 UTC. They are in SQLite, in a temporary folder
// that Close removes. Safe for concurrent use.
type Log struct {
	Stats  lines.Stats // of the events
	Name   string      // the file's base name; "" for a reader or the sample
	DB     *sql.DB     // can only be read
	folder string
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
	text, err := lines.Unzip(bytes.NewReader(sample), MaxLine)
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
	folder, err := os.MkdirTemp("", "pageside-log-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the log: %w", err)
	}
	log := &Log{folder: folder}
	if err = log.write(ctx, r); err == nil {
		log.DB, err = log.open("ro", "query_only(1)")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the log: %w", err), os.RemoveAll(folder))
	}
	log.DB.SetMaxOpenConns(4)
	return log, nil
}

// Close removes the log's database.
func (l *Log) Close() error { return errors.Join(l.DB.Close(), os.RemoveAll(l.folder)) }

func (l *Log) open(mode string, pragmas ...string) (*sql.DB, error) {
	values := url.Values{"mode": {mode}, "_pragma": pragmas}
	path := filepath.ToSlash(filepath.Join(l.folder, "log.db"))
	file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: values.Encode()}
	return sql.Open("sqlite", file.String())
}

// write makes the database in one transaction.
func (l *Log) write(ctx context.Context, r io.Reader) (err error) {
	// no journal: a crash discards the file
	db, err := l.open("rwc", "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := l.fill(ctx, tx, r); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

const createTable = `CREATE TABLE access_log (
	_id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, clientip TEXT NOT NULL, user TEXT, method TEXT, path TEXT, query TEXT, protocol TEXT,
	status INTEGER, bytes INTEGER, referrer TEXT, useragent TEXT, browser TEXT, raw TEXT NOT NULL)`

//go:embed summary.sql
var summary string

func (l *Log) fill(ctx context.Context, tx *sql.Tx, r io.Reader) error {
	if _, err := tx.ExecContext(ctx, createTable); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO access_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	for line, err := range lines.Read(r, MaxLine) {
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
		if _, err := insert.ExecContext(ctx, e.values(line.Number)...); err != nil {
			return err
		}
	}
	if l.Stats.Count == 0 && l.Stats.Bad > 0 {
		return fmt.Errorf("%w; line %d: %s", ErrNoEvents, l.Stats.BadLines[0].Line, l.Stats.BadLines[0].Reason)
	}
	_, err = tx.ExecContext(ctx, summary)
	return err
}

func (e *Event) values(line int64) []any {
	row := []any{line, e.Time.UnixMilli(), e.ClientIP, e.User, e.Method, e.Path, e.Query, e.Protocol,
		e.Status, e.Bytes, e.Referrer, e.UserAgent, e.Browser, e.Raw}
	for i, v := range row {
		if v == "" {
			row[i] = nil
		}
	}
	return row
}
