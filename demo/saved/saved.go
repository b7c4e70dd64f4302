// Package saved stores what users of the demo create (alerts, streams and reports) in a file next
// to their threads, each as one row of JSON in SQLite.
//
//	store, err := saved.Open(ctx, "threads-demo.db")
//	alerts, err := saved.Load(store, "/var/log/nginx/access.log", "alert", alertID, nil)
//	a, err := alerts.Update(func(list []alert, next string) (alert, []string, error) { … })
//
// Saved items belong to the data they were made for, so a list is named by that data and a kind. A
// nil *Store saves nothing: its lists are in memory.
package saved

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pageside/pageside/internal/dbfile"
)

// Store is an open file, locked against other processes: two would assign the same ids. Safe for
// concurrent use.
type Store struct {
	db   *sql.DB
	file string
	own  *dbfile.File
}

// version is the version of the table; a file with a newer one is refused.
const version = 1

// patience limits the time of every access.
const patience = 30 * time.Second

const schema = `CREATE TABLE IF NOT EXISTS items (
	seq INTEGER PRIMARY KEY, about TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
	UNIQUE (about, kind, id));
PRAGMA user_version = 1`

// Open opens a file, creating it if it does not exist. Its folder must exist. If another process
// has it open, Open waits two seconds.
func Open(ctx context.Context, file string) (*Store, error) {
	own, err := dbfile.Claim(ctx, file, 2*time.Second)
	if err != nil {
		return nil, fmt.Errorf("open %s, where the demo saves alerts, streams and reports: %w", file, err)
	}
	values := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(2000)", "locking_mode(exclusive)", "synchronous(full)"}}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(own.Path()), RawQuery: values.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, errors.Join(err, own.Release())
	}
	db.SetMaxOpenConns(1)
	s := &Store{db, file, own}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s, where the demo saves alerts, streams and reports (move it away to begin anew): %w", file, err), s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	var found int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if found > version {
		return errors.New("it was written by a newer Pageside")
	}
	_, err := s.db.ExecContext(ctx, schema)
	return err
}

// Close closes the file.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.db.Close(), s.own.Release())
}

// Clear removes everything.
func (s *Store) Clear(ctx context.Context) error {
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

// About names the data of a file for Load; "" means generated data.
func About(file string) string {
	if file == "" {
		return "generated"
	}
	if path, err := filepath.Abs(file); err == nil {
		return path
	}
	return file
}

// read decodes the items of a kind, in the order they were first saved.
func (s *Store) read(about, kind string, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const query = "SELECT json_group_array(json(body) ORDER BY seq) FROM items WHERE about = ? AND kind = ?"
	var list []byte
	if err := s.db.QueryRowContext(ctx, query, about, kind).Scan(&list); err != nil {
		return err
	}
	return json.Unmarshal(list, into)
}

const (
	remove = "DELETE FROM items WHERE about = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))"
	upsert = `INSERT INTO items (about, kind, id, body) SELECT ?, ?, value ->> 'id', value FROM json_each(?)
		WHERE type = 'object' ON CONFLICT (about, kind, id) DO UPDATE SET body = excluded.body`
)

// write saves the items of a list, replacing those with the same ids, and removes others, in one
// transaction.
func (s *Store) write(about, kind string, items any, gone []string) error {
	// save what the user did even if the user leaves
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	saved, err := json.Marshal(items)
	if err = errors.Join(err, s.own.Check()); err != nil {
		return err
	}
	removed, _ := json.Marshal(gone) // texts
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, remove, about, kind, string(removed)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, upsert, about, kind, string(saved)); err != nil {
		return err
	}
	return tx.Commit()
}
