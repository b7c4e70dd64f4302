package demo

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pageside/pageside/demo/ppl"
)

// source is a table that queries may read, as the page offers it.
type source struct {
	ppl.Schema
	Label       string    `json:"label"`
	Description string    `json:"description"`
	Total       int       `json:"total"`
	Time        *timeInfo `json:"time"` // nil where the table is empty

	min, max time.Time
}

type timeInfo struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

// sourcesFile describes the tables of package accesslog.
//
//go:embed sources.json
var sourcesFile []byte

func loadSources(ctx context.Context, db *sql.DB) (sources []source, err error) {
	if err := json.Unmarshal(sourcesFile, &sources); err != nil {
		return nil, fmt.Errorf("read the data sources: %w", err)
	}
	for i := range sources {
		s := &sources[i]
		s.ID = "_id"
		var first, last sql.NullInt64
		if err := db.QueryRowContext(ctx, "SELECT count(*), min(timestamp), max(timestamp) FROM "+s.Source).Scan(&s.Total, &first, &last); err != nil {
			return nil, fmt.Errorf("measure %s: %w", s.Source, err)
		}
		if first.Valid {
			s.min, s.max = time.UnixMilli(first.Int64).UTC(), time.UnixMilli(last.Int64).UTC()
			s.Time = &timeInfo{formatTime(s.min), formatTime(s.max)}
		}
	}
	return sources, nil
}

func (d *Demo) source(name string) (source, bool) {
	for _, s := range d.sources {
		if s.Source == name {
			return s, true
		}
	}
	return source{}, false
}
