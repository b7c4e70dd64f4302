package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"

	"github.com/pageside/pageside/store"
)

// conn is one connection to the database with its prepared statements. Not safe for concurrent use.
// It calls the driver directly: the pool, locks and copies of database/sql cost as much as a small
// statement.
//
// Statements take no context: all are short, and run to their end. Only queries of a search end
// with bound.
type conn struct {
	driver driver.Conn
	stmts  map[string]statement // by text; SQL comes only from constants, so it stays small
	args   []driver.NamedValue  // reused for each statement
	bound  context.Context      // of queries; nil is none
	ended  bool                 // the last transaction was rolled back, if only by SQLite itself
}

// statement is the interface of the driver's prepared statements.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func connect(ctx context.Context, c driver.Connector) (*conn, error) {
	d, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	opened := &conn{driver: d, stmts: map[string]statement{}}
	if hooked, ok := d.(rollbackHook); ok {
		hooked.RegisterRollbackHook(func() { opened.ended = true })
	}
	return opened, nil
}

// rollbackHook is the part of the driver's connections that tells of the end of a transaction.
type rollbackHook interface {
	RegisterRollbackHook(sqlite.RollbackHookFn)
}

func (c *conn) prepared(text string) (statement, error) {
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	d, err := c.driver.Prepare(text)
	if err != nil {
		return nil, err
	}
	s, ok := d.(statement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's statements are %T, which cannot be used", d), d.Close())
	}
	c.stmts[text] = s
	return s, nil
}

// bind converts arguments for the driver; they are valid until the next statement.
func (c *conn) bind(args []any) ([]driver.NamedValue, error) {
	c.args = c.args[:0]
	for i, a := range args {
		if v, ok := a.(driver.Valuer); ok {
			var err error
			if a, err = v.Value(); err != nil {
				return nil, err
			}
		}
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args, nil
}

// exec runs a statement and returns how many rows it has written.
func (c *conn) exec(text string, args ...any) (int64, error) {
	s, err := c.prepared(text)
	if err != nil {
		return 0, err
	}
	bound, err := c.bind(args)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), bound)
	clear(bound) // do not keep large values alive
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// each runs a query and calls scan for each of its rows.
func (c *conn) each(text string, args []any, scan func(row) error) error {
	s, err := c.prepared(text)
	if err != nil {
		return err
	}
	bound, err := c.bind(args)
	if err != nil {
		return err
	}
	ctx := c.bound
	if ctx == nil {
		ctx = context.Background()
	}
	rows, err := s.QueryContext(ctx, bound)
	clear(bound)
	if err != nil {
		return err
	}
	return errors.Join(scanAll(rows, scan), rows.Close())
}

func scanAll(rows driver.Rows, scan func(row) error) error {
	r := make(row, len(rows.Columns()))
	for {
		if err := rows.Next(r); err != nil {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		if err := scan(r); err != nil {
			return err
		}
	}
}

// row runs a statement that returns one row, and scans it. Without a row it returns sql.ErrNoRows.
func (c *conn) row(text string, args []any, dest ...any) error {
	found := false
	err := c.each(text, args, func(r row) error {
		found = true
		return r.Scan(dest...)
	})
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return err
}

// some is each for a query that finds a row unless what it asks for is missing. Then it returns
// store.ErrNotFound.
func (c *conn) some(text string, args []any, scan func(row) error) error {
	found := false
	err := c.each(text, args, func(r row) error {
		found = true
		return scan(r)
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return err
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	clear(c.stmts)
	if hooked, ok := c.driver.(rollbackHook); ok {
		hooked.RegisterRollbackHook(nil) // the driver keeps it by the connection's address
	}
	return errors.Join(append(errs, c.driver.Close())...)
}

// row is one row of a result.
type row []driver.Value

// Scan copies the columns to what dest points to: a string, a []byte, an int, an int64, a bool, or
// a sql.Scanner.
func (r row) Scan(dest ...any) error {
	if len(dest) != len(r) {
		return fmt.Errorf("%d columns are scanned into %d values", len(r), len(dest))
	}
	for i, d := range dest {
		if err := scanColumn(r[i], d); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func scanColumn(value driver.Value, dest any) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(value)
	case *string:
		if s, ok := value.(string); ok {
			*d = s
			return nil
		}
	case *[]byte:
		if value == nil {
			*d = nil
			return nil
		}
		if b, ok := value.([]byte); ok {
			*d = b
			return nil
		}
	case *int64:
		if n, ok := value.(int64); ok {
			*d = n
			return nil
		}
	case *int:
		if n, ok := value.(int64); ok {
			*d = int(n)
			return nil
		}
	case *bool:
		switch b := value.(type) {
		case bool:
			*d = b
			return nil
		case int64: // SQLite stores booleans as integers
			*d = b != 0
			return nil
		}
	}
	return fmt.Errorf("a %T does not fit into a %T", value, dest)
}
