// Package tempdb makes the demo's SQLite databases, which are filled once from files and then only
// read, in a temporary folder that Close removes.
//
//	db, err := tempdb.New(ctx, "log", func(w *tempdb.Writer) error { return w.Script("…") })
//	defer db.Close()
package tempdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// DB is a read-only pool of connections.
type DB struct {
	*sql.DB
	folder string
}

// New makes a database and fills it in one transaction. what names it in errors.
func New(ctx context.Context, what string, fill func(*Writer) error) (*DB, error) {
	folder, err := os.MkdirTemp("", "pageside-"+what+"-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the %s: %w", what, err)
	}
	db := &DB{folder: folder}
	// no journal: a crash discards the file
	err = db.write(ctx, db.dsn("rwc", "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)"), fill)
	if err == nil {
		db.DB, err = sql.Open("sqlite", db.dsn("ro", "query_only(1)"))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the %s: %w", what, err), os.RemoveAll(folder))
	}
	db.SetMaxOpenConns(4)
	return db, nil
}

func (db *DB) dsn(mode string, pragmas ...string) string {
	values := url.Values{"mode": {mode}, "_pragma": pragmas}
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(db.folder, "temp.db")), RawQuery: values.Encode()}
	return file.String()
}

func (db *DB) write(ctx context.Context, dsn string, fill func(*Writer) error) (err error) {
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fill(&Writer{ctx, tx, map[string]*sql.Stmt{}}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Writer fills a database.
type Writer struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
}

// Script runs several statements.
func (w *Writer) Script(text string) error {
	_, err := w.tx.ExecContext(w.ctx, text)
	return err
}

// Exec runs a statement, preparing it the first time.
func (w *Writer) Exec(statement string, args ...any) error {
	s, ok := w.prepared[statement]
	if !ok {
		var err error
		if s, err = w.tx.PrepareContext(w.ctx, statement); err != nil {
			return err
		}
		w.prepared[statement] = s
	}
	_, err := s.ExecContext(w.ctx, args...)
	return err
}

// Close removes the database.
func (db *DB) Close() error { return errors.Join(db.DB.Close(), os.RemoveAll(db.folder)) }

// Null returns text as a column value: NULL if empty.
func Null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
