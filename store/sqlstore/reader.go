package sqlstore

import (
	"context"
	"database/sql"
	"sync/atomic"

	"github.com/pageside/pageside/store"
)

// reader runs queries on a pool of connections that cannot write.
type reader struct {
	stmts  *statements
	closed atomic.Bool
}

func newReader(db *sql.DB) *reader { return &reader{stmts: newStatements(db.PrepareContext)} }

// each runs a query and has scan read each of its rows.
func (r *reader) each(ctx context.Context, text string, args []any, scan func(*sql.Rows) error) error {
	err := r.query(ctx, text, args, scan)
	if err != nil && r.closed.Load() {
		return store.ErrClosed // whatever it says: the pool was closed under it
	}
	return err
}

func (r *reader) query(ctx context.Context, text string, args []any, scan func(*sql.Rows) error) error {
	stmt, err := r.stmts.get(ctx, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *reader) close() error {
	r.closed.Store(true)
	return r.stmts.close()
}
