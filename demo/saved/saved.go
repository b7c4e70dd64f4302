// Package keep holds what users of the demo made, beside their threads: alerts, streams and
// reports, each as one row of JSON in a SQLite file.
//
//	shelf, err := keep.Open(ctx, "threads-demo.db")
//	alerts := shelf.Drawer("/var/log/nginx/access.log", "alert")
//	err = alerts.Write([]keep.Item{{ID: "1", Value: a}})
//	list, err := keep.All[alert](alerts)
//
// What is on the shelf belongs to the data it was made for: a drawer is named by that and by a
// kind. What the rows mean is their owners' business. A nil *Shelf, and a drawer of it, keeps
// nothing.
package keep

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"modernc.org/sqlite" // the driver "sqlite", too
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/pageside/pageside/internal/dbfile"
)

// Shelf is an open file, which no other process can use meanwhile: what two of them make would get
// the same ids. It is safe for concurrent use.
type Shelf struct {
	db   *sql.DB
	file string
	own  *dbfile.File
}

// Drawer is what a shelf keeps of one kind for the same data.
type Drawer struct {
	shelf       *Shelf
	about, kind string
}

// Item is a value to be kept, as encoding/json writes it.
type Item struct {
	ID    string
	Value any
}

// version is that of the table; a file of a newer one is refused.
const version = 1

// patience bounds every access.
const patience = 30 * time.Second

const schema = `CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, about TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (about, kind, id));
PRAGMA user_version = 1`

// Open opens a file, making it where it does not exist. Its folder must exist. While another
// process has it open, Open waits two seconds.
func Open(ctx context.Context, file string) (*Shelf, error) {
	const doing = "open %s, where the demo keeps alerts, streams and reports%s: %w"
	own, err := dbfile.Claim(ctx, file, 2*time.Second)
	if err != nil {
		return nil, fmt.Errorf(doing, file, "", err)
	}
	values := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(2000)", "locking_mode(exclusive)", "synchronous(full)"}}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(own.Path()), RawQuery: values.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf(doing, file, "", err), own.Release())
	}
	db.SetMaxOpenConns(1)
	s := &Shelf{db, file, own}
	if err := s.prepare(ctx); err != nil {
		hint := " (move it away to begin anew)"
		if err == errInUse {
			hint = ""
		}
		return nil, errors.Join(fmt.Errorf(doing, file, hint, err), s.Close())
	}
	return s, nil
}

func (s *Shelf) prepare(ctx context.Context) error {
	var found int
	err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found)
	if inUse(err) {
		return errInUse
	}
	if err != nil {
		return err
	}
	if found > version {
		return errors.New("it was written by a newer Pageside")
	}
	if _, err = s.db.ExecContext(ctx, schema); inUse(err) {
		return errInUse
	}
	return err
}

var errInUse = errors.New("another process has it open")

func inUse(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlitelib.SQLITE_BUSY // without what an extended code adds
}

// Close closes the file.
func (s *Shelf) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.db.Close(), s.own.Release())
}

// Clear takes everything off the shelf.
func (s *Shelf) Clear(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.own.Check()
	if err == nil {
		_, err = s.db.ExecContext(ctx, "DELETE FROM items")
	}
	if err != nil {
		return fmt.Errorf("clear %s: %w", s.file, err)
	}
	return nil
}

// Drawer is what is kept of a kind, made for the data that about names.
func (s *Shelf) Drawer(about, kind string) *Drawer { return &Drawer{s, about, kind} }

// About names the data of a file for Drawer; "" is what the demo generates.
func About(file string) string {
	if file == "" {
		return "generated"
	}
	if path, err := filepath.Abs(file); err == nil {
		return path
	}
	return file
}

// Write keeps items, in the place of those with the same ids, and removes others: all of it or
// nothing.
func (d *Drawer) Write(items []Item, gone ...string) error {
	if d == nil || d.shelf == nil {
		return nil
	}
	if err := d.shelf.own.Check(); err != nil {
		return fmt.Errorf("keep %s: %w", d.kind, err)
	}
	// what a user did is kept whether the user stays or not
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tx, err := d.shelf.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("keep %s: %w", d.kind, err)
	}
	if err := d.write(ctx, tx, items, gone); err != nil {
		return fmt.Errorf("keep %s: %w", d.kind, errors.Join(err, tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("keep %s: %w", d.kind, err)
	}
	return nil
}

func (d *Drawer) write(ctx context.Context, tx *sql.Tx, items []Item, gone []string) error {
	for _, id := range gone {
		if _, err := tx.ExecContext(ctx, "DELETE FROM items WHERE about = ? AND kind = ? AND id = ?", d.about, d.kind, id); err != nil {
			return err
		}
	}
	for _, item := range items {
		body, err := json.Marshal(item.Value)
		if err != nil {
			return fmt.Errorf("encode %s: %w", item.ID, err)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO items (about, kind, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (about, kind, id) DO UPDATE SET body = excluded.body",
			d.about, d.kind, item.ID, string(body)); err != nil {
			return err
		}
	}
	return nil
}

// All returns what a drawer keeps, in the order in which it was first kept.
func All[T any](d *Drawer) ([]T, error) {
	if d == nil || d.shelf == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	rows, err := d.shelf.db.QueryContext(ctx, "SELECT id, body FROM items WHERE about = ? AND kind = ? ORDER BY seq", d.about, d.kind)
	if err != nil {
		return nil, fmt.Errorf("read kept %s: %w", d.kind, err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var id string
		var body []byte
		var v T
		if err := rows.Scan(&id, &body); err != nil {
			return nil, fmt.Errorf("read kept %s: %w", d.kind, err)
		}
		if err := json.Unmarshal(body, &v); err != nil {
			return nil, fmt.Errorf("read kept %s %s: %w", d.kind, id, err)
		}
		list = append(list, v)
	}
	return list, rows.Err()
}
