package ppl

import (
	"context"
	"database/sql"
	"fmt"
	"math"
)

// MaxRows is the most rows that one Run returns.
const MaxRows = 10_000

// Queryer is the part of *sql.DB that Run needs.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Result is what a statement returned. Values are nil, string, int64 or float64.
type Result struct {
	Columns   []Column
	Rows      [][]any
	Truncated bool // there were more than MaxRows
}

// Run executes a statement. When ctx ends the query is interrupted.
func Run(ctx context.Context, db Queryer, st Statement) (*Result, error) {
	rows, err := db.QueryContext(ctx, st.SQL, st.Args...)
	if err != nil {
		return nil, fmt.Errorf("run query: %w", cause(ctx, err))
	}
	defer func() { _ = rows.Close() }()
	result := &Result{Columns: st.Columns}
	for rows.Next() {
		if len(result.Rows) == MaxRows {
			result.Truncated = true
			return result, nil
		}
		values := make([]any, len(st.Columns))
		targets := make([]any, len(values))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, fmt.Errorf("read query result: %w", err)
		}
		for i, v := range values {
			// what overflowed is no number that JSON has
			if f, ok := v.(float64); ok && math.IsInf(f, 0) {
				values[i] = nil
			}
		}
		result.Rows = append(result.Rows, values)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read query result: %w", cause(ctx, err))
	}
	return result, nil
}

// cause prefers the context's reason to "interrupted", which is all that SQLite says.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
