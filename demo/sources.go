package demo

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/ppl"
)

// source is a table that queries may read.
type source struct {
	schema      *ppl.Schema
	columns     []accesslog.Column
	label       string
	description string
	total       int
	min, max    time.Time // zero where the table is empty
}

// sourceOption is a source as the page offers it.
type sourceOption struct {
	Name        string      `json:"name"`
	Label       string      `json:"label"`
	Description string      `json:"description"`
	Total       int         `json:"total"`
	Time        *timeInfo   `json:"time"`
	Fields      []fieldInfo `json:"fields"`
}

func loadSources(ctx context.Context, log *accesslog.Log) ([]source, error) {
	sources := []source{
		{schema: schemaOf(accesslog.Table, accesslog.Columns), columns: accesslog.Columns, label: "Access log", description: "Every request, as the server logged it"},
		{schema: schemaOf(accesslog.SummaryTable, accesslog.SummaryColumns), columns: accesslog.SummaryColumns, label: "Error summary",
			description: "Failed requests, counted by hour, status and path"},
	}
	for i := range sources {
		if err := sources[i].measure(ctx, log.DB()); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// schemaOf is what queries may use of a table.
func schemaOf(table string, columns []accesslog.Column) *ppl.Schema {
	s := &ppl.Schema{Source: table, ID: "_id"}
	for _, c := range columns {
		s.Fields = append(s.Fields, ppl.Field{Name: c.Name, Type: ppl.Type(c.Type)})
	}
	return s
}

func (s *source) measure(ctx context.Context, db *sql.DB) error {
	var first, last sql.NullInt64
	row := db.QueryRowContext(ctx, "SELECT count(*), min(timestamp), max(timestamp) FROM "+s.schema.Source)
	if err := row.Scan(&s.total, &first, &last); err != nil {
		return fmt.Errorf("measure %s: %w", s.schema.Source, err)
	}
	if first.Valid {
		s.min, s.max = time.UnixMilli(first.Int64).UTC(), time.UnixMilli(last.Int64).UTC()
	}
	return nil
}

func (s source) option() sourceOption {
	o := sourceOption{Name: s.schema.Source, Label: s.label, Description: s.description, Total: s.total}
	if s.total > 0 {
		o.Time = &timeInfo{formatTime(s.min), formatTime(s.max)}
	}
	for _, c := range s.columns {
		o.Fields = append(o.Fields, fieldInfo{c.Name, ppl.Column{Type: ppl.Type(c.Type)}.Public(), c.Description})
	}
	return o
}

func (d *Demo) source(name string) (source, bool) {
	for _, s := range d.sources {
		if s.schema.Source == name {
			return s, true
		}
	}
	return source{}, false
}
