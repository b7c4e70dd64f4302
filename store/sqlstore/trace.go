package sqlstore

import (
	"context"
	"database/sql/driver"
	"fmt"

	"modernc.org/sqlite"
)

// traced is a connector whose connections report their statements. It is used only with a trace, so
// statements cost nothing extra without one.
type traced struct {
	driver.Connector
	trace func(statement string)
}

func (t traced) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := t.Connector.Connect(ctx)
	return tracedConn{c, t.trace}, err
}

type tracedConn struct {
	driver.Conn
	trace func(statement string)
}

func (t tracedConn) RegisterRollbackHook(f sqlite.RollbackHookFn) {
	if hooked, ok := t.Conn.(rollbackHook); ok {
		hooked.RegisterRollbackHook(f)
	}
}

func (t tracedConn) Prepare(text string) (driver.Stmt, error) {
	s, err := t.Conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	full, ok := s.(statement)
	if !ok {
		return nil, fmt.Errorf("the driver's statements are %T, which cannot be traced", s)
	}
	return tracedStatement{full, text, t.trace}, nil
}

type tracedStatement struct {
	statement
	text  string
	trace func(statement string)
}

func (t tracedStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	t.trace(t.text)
	return t.statement.ExecContext(ctx, args)
}

func (t tracedStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	t.trace(t.text)
	return t.statement.QueryContext(ctx, args)
}
