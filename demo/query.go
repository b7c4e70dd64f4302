package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/demo/ppl"
)

// queryTimeout bounds what one request may cost, unless Config says otherwise.
const queryTimeout = 2 * time.Second

// errTimeout is the cause of a context that ended because the query took too long.
var errTimeout = errors.New("the query took too long; narrow the time range or add a filter")

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
	Interval string     `json:"interval"`
}

type sortSpec struct {
	Field string `json:"field"`
	Dir   string `json:"dir"`
}

type queryResponse struct {
	Kind      string    `json:"kind"`
	Columns   []column  `json:"columns"`
	Rows      [][]any   `json:"rows"`
	Total     int64     `json:"total"`
	Matched   int64     `json:"matched"`
	Histogram histogram `json:"histogram"`
	TookMs    int64     `json:"tookMs"`
	PPL       string    `json:"ppl"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// search is a request that has been checked.
type search struct {
	source   source
	query    *ppl.Query
	filters  []ppl.Expr // time range and filter pills
	time     window
	page     ppl.Page
	interval *interval // nil is auto
}

// check turns a request into a search. Its errors are *requestError or *ppl.Error.
func (d *Demo) check(r *queryRequest) (*search, error) {
	q, err := ppl.Parse(cmp.Or(r.Query, "source="+d.schema.Source))
	if err != nil {
		return nil, err
	}
	s := &search{query: q, source: d.sourceOf(q)}
	if s.time, err = r.Time.window("time"); err != nil {
		return nil, err
	}
	filters, err := switchedOn(r.Filters, s.source.schema)
	if err != nil {
		return nil, err
	}
	s.filters = append(s.time.conditions(), filters...)
	if s.page, err = r.page(); err != nil {
		return nil, err
	}
	s.interval, err = findInterval(r.Interval)
	return s, err
}

func (r *queryRequest) page() (ppl.Page, error) {
	number, size := *cmp.Or(r.Page, new(1)), *cmp.Or(r.PageSize, new(defaultPageSize))
	if size < 1 || size > maxPageSize {
		return ppl.Page{}, badField("pageSize", "must be 1 to %d", maxPageSize)
	}
	if last := (ppl.MaxRows + size - 1) / size; number < 1 || number > last {
		return ppl.Page{}, badField("page", "must be 1 to %d: only the first %d rows can be paged through", last, ppl.MaxRows)
	}
	p := ppl.Page{Offset: (number - 1) * size, Limit: size, ID: true}
	if r.Sort == nil {
		return p, nil
	}
	if r.Sort.Field == "" {
		return p, badField("sort.field", "is missing")
	}
	if r.Sort.Dir != "asc" && r.Sort.Dir != "desc" {
		return p, badField("sort.dir", `must be "asc" or "desc"`)
	}
	p.Sort = &ppl.SortKey{Field: ppl.Name{Text: r.Sort.Field}, Desc: r.Sort.Dir == "desc"}
	return p, nil
}

// run answers a request within the query timeout.
func (d *Demo) run(ctx context.Context, r *queryRequest) (*queryResponse, error) {
	start := time.Now()
	s, err := d.check(r)
	if err != nil {
		return nil, err
	}
	plan, err := d.compile(s.query, s.filters...)
	if err != nil {
		return nil, err
	}
	page, err := plan.Select(s.page)
	if err != nil {
		return nil, badField("sort.field", "%s", ppl.AsError(err).Message)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(d.config.QueryTimeout, queryTimeout), errTimeout)
	defer cancel()
	response := &queryResponse{Kind: "rows", PPL: s.query.String()}
	if plan.Table {
		response.Kind = "table"
	}
	if err := d.fill(ctx, response, s, plan, page); err != nil {
		return nil, err
	}
	response.TookMs = time.Since(start).Milliseconds()
	return response, nil
}

func (d *Demo) fill(ctx context.Context, response *queryResponse, s *search, plan *ppl.Plan, page ppl.Statement) error {
	result, err := ppl.Run(ctx, d.log.DB(), page)
	if err != nil {
		return err
	}
	response.Columns, response.Rows = publish(result)
	matched, err := d.matched(ctx, plan)
	if err != nil {
		return err
	}
	response.Matched, response.Total = matched.count, matched.count
	if s.query.Reshapes() {
		count, err := ppl.Run(ctx, d.log.DB(), plan.Count())
		if err != nil {
			return err
		}
		response.Total = asInt(count.Rows[0][0])
	}
	response.Histogram, err = d.histogram(ctx, s, plan, matched)
	return err
}

// publish turns a result into what clients see: times become text.
func publish(r *ppl.Result) ([]column, [][]any) {
	columns, rows := make([]column, len(r.Columns)), make([][]any, 0, len(r.Rows))
	for i, c := range r.Columns {
		columns[i] = column{c.Name, c.Public()}
	}
	for _, row := range r.Rows {
		for i, v := range row {
			row[i] = publicValue(r.Columns[i].Type, v)
		}
		rows = append(rows, row)
	}
	return columns, rows
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

// matchedEvents says which events a search looks at, before anything is aggregated or cut.
type matchedEvents struct {
	count       int64
	first, last int64 // timestamps in ms; both 0 where count is 0
}

func (d *Demo) matched(ctx context.Context, plan *ppl.Plan) (matchedEvents, error) {
	timestamp := &ppl.Name{Text: timeField}
	rows, err := d.aggregate(ctx, plan, &ppl.Stats{Aggs: []ppl.Agg{
		{Func: "count"}, {Func: "min", Field: timestamp}, {Func: "max", Field: timestamp}}})
	if err != nil {
		return matchedEvents{}, err
	}
	return matchedEvents{asInt(rows[0][0]), asInt(rows[0][1]), asInt(rows[0][2])}, nil
}

// errTooManyGroups says that a part of the groups would be missing.
var errTooManyGroups = fmt.Errorf("there are more than %d groups", ppl.MaxRows)

// aggregate runs commands over the events that a plan looks at. Their result is whole, or an error.
func (d *Demo) aggregate(ctx context.Context, plan *ppl.Plan, commands ...ppl.Command) ([][]any, error) {
	events, err := plan.Events(commands...)
	if err != nil {
		return nil, err
	}
	statement, err := events.Select(ppl.Page{})
	if err != nil {
		return nil, err
	}
	result, err := ppl.Run(ctx, d.log.DB(), statement)
	if err != nil {
		return nil, err
	}
	if result.Truncated {
		return nil, errTooManyGroups
	}
	return result.Rows, nil
}

// everything is the plan of all events that the conditions let through.
func (d *Demo) everything(conditions ...ppl.Expr) (*ppl.Plan, error) {
	return ppl.Compile(&ppl.Query{Source: ppl.Name{Text: d.schema.Source}}, d.schema, conditions...)
}
