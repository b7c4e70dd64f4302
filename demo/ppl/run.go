package ppl

import (
	"context"
	"database/sql"
	"fmt"
	"math"
)

// MaxRows is the most rows that one Run returns.
const MaxRows = 10_000

// Result is what a statement returned. Values are nil, string, int64 or float64.
type Result struct {
	Columns   []Column
	Rows      [][]any
	Truncated bool // there were more than MaxRows
}

// Run returns a page of the plan's rows. When ctx ends the query is interrupted. An error of type
// *refuse.Error is about what the page is sorted by.
func (p *Plan) Run(ctx context.Context, db *sql.DB, page Page) (*Result, error) {
	st, err := p.statement(page)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, st.sql, st.args...)
	if err != nil {
		return nil, fmt.Errorf("run query: %w", cause(ctx, err))
	}
	defer func() { _ = rows.Close() }()
	result := &Result{Columns: st.columns}
	for rows.Next() {
		if len(result.Rows) == MaxRows {
			result.Truncated = true
			return result, nil
		}
		values := make([]any, len(st.columns))
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

// Aggregate runs other commands, such as "stats count() by status", over the events that the query
// selects. What it returns is whole.
func (p *Plan) Aggregate(ctx context.Context, db *sql.DB, commands string) ([][]any, error) {
	events, err := p.overEvents(commands)
	if err != nil {
		return nil, err
	}
	result, err := events.Run(ctx, db, Page{})
	if err != nil {
		return nil, err
	}
	if result.Truncated {
		return nil, fmt.Errorf("there are more than %d groups", MaxRows)
	}
	return result.Rows, nil
}

// Count returns how many rows the result has.
func (p *Plan) Count(ctx context.Context, db *sql.DB) (n int64, err error) {
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM "+p.rel.from, p.rel.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the rows of a query: %w", cause(ctx, err))
	}
	return n, nil
}

// cause prefers the context's reason to "interrupted", which is all that SQLite says.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
