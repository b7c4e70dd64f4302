package demo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
)

const (
	defaultPageSize = 50
	maxPageSize     = 200
)

type queryRequest struct {
	Query    string     `json:"query"`
	Time     *timeRange `json:"time"`
	Filters  []filter   `json:"filters"`
	Page     *int       `json:"page"`
	PageSize *int       `json:"pageSize"`
	Sort     *sortSpec  `json:"sort"`
}

type sortSpec struct {
	Field string `json:"field"`
	Dir   string `json:"dir"`
}

type queryResponse struct {
	Kind      string       `json:"kind"`
	Columns   []ppl.Column `json:"columns"`
	Rows      [][]any      `json:"rows"`
	Total     int64        `json:"total"`
	Matched   int64        `json:"matched"`
	Histogram histogram    `json:"histogram"`
	TookMs    int64        `json:"tookMs"`
}

// selection is which events a request or a tool asks for: by a query, a time range and filters.
type selection struct {
	*ppl.Plan
	source source
	window window
}

// choose reads a selection. Its errors are *refuse.Error.
func (d *Demo) choose(query string, r *timeRange, filters []filter) (*selection, error) {
	q, err := ppl.Parse(cmp.Or(query, "source="+d.schema.Source))
	if err != nil {
		return nil, err
	}
	s := &selection{source: d.sources[0]}
	if named, ok := d.source(q.Source); ok {
		s.source = named
	}
	if s.window, err = r.window(); err != nil {
		return nil, err
	}
	all, err := conditions(&s.source.Schema, s.window, filters)
	if err != nil {
		return nil, err
	}
	s.Plan, err = q.Compile(&s.source.Schema, all...)
	return s, err
}

func (r *queryRequest) page() (ppl.Page, error) {
	number, size := *cmp.Or(r.Page, new(1)), *cmp.Or(r.PageSize, new(defaultPageSize))
	if size < 1 || size > maxPageSize {
		return ppl.Page{}, refuse.BadField("pageSize", "must be 1 to %d", maxPageSize)
	}
	if last := (ppl.MaxRows + size - 1) / size; number < 1 || number > last {
		return ppl.Page{}, refuse.BadField("page", "must be 1 to %d: only the first %d rows can be paged through", last, ppl.MaxRows)
	}
	p := ppl.Page{Offset: (number - 1) * size, Limit: size, ID: true}
	if r.Sort == nil {
		return p, nil
	}
	if r.Sort.Field == "" {
		return p, refuse.BadField("sort.field", "is missing")
	}
	if r.Sort.Dir != "asc" && r.Sort.Dir != "desc" {
		return p, refuse.BadField("sort.dir", `must be "asc" or "desc"`)
	}
	p.Sort, p.Desc = r.Sort.Field, r.Sort.Dir == "desc"
	return p, nil
}

// run answers a request.
func (d *Demo) run(ctx context.Context, r *queryRequest) (*queryResponse, error) {
	start := time.Now()
	s, err := d.choose(r.Query, r.Time, r.Filters)
	if err != nil {
		return nil, err
	}
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	result, err := s.Run(ctx, d.log.DB, page)
	if wrong, ok := errors.AsType[*refuse.Error](err); ok {
		return nil, refuse.BadField("sort.field", "%s", wrong.Message)
	}
	if err != nil {
		return nil, err
	}
	response := &queryResponse{Kind: "rows", Columns: result.Columns, Rows: publish(result)}
	if s.Table {
		response.Kind = "table"
	}
	if err := d.count(ctx, s, response); err != nil {
		return nil, err
	}
	response.TookMs = time.Since(start).Milliseconds()
	return response, nil
}

// count fills in what a response says about all that a selection finds.
func (d *Demo) count(ctx context.Context, s *selection, response *queryResponse) error {
	rows, err := s.Aggregate(ctx, d.log.DB, "stats count(), min(timestamp), max(timestamp)")
	if err != nil {
		return err
	}
	response.Matched = asInt(rows[0][0])
	response.Total = response.Matched
	if s.Reshapes {
		if response.Total, err = s.Count(ctx, d.log.DB); err != nil {
			return err
		}
	}
	from, to := s.extent(response.Matched, asInt(rows[0][1]), asInt(rows[0][2]))
	response.Histogram, err = d.histogram(ctx, s.Plan, from, to)
	return err
}

// publish turns the rows of a result into what clients see: times become text.
func publish(r *ppl.Result) [][]any {
	for _, row := range r.Rows {
		for i, c := range r.Columns {
			row[i] = publicValue(c.Type, row[i])
		}
	}
	return refuse.List(r.Rows)
}

func publicValue(t ppl.Type, v any) any {
	if millis, ok := v.(int64); ok && t == ppl.Time {
		return formatTime(time.UnixMilli(millis))
	}
	return v
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func asInt(v any) int64 {
	n, _ := v.(int64)
	return n
}
