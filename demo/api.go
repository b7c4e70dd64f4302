package demo

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/rest"
)

func (d *Demo) api() rest.API {
	return rest.API{Timeout: cmp.Or(d.config.QueryTimeout, 2*time.Second), Explain: explain, Log: d.config.Log}
}

func (d *Demo) routes() http.Handler {
	return d.api().Handler(map[string]rest.Handler{
		"GET /demo/discover/info":                 d.getInfo,
		"POST /demo/discover/query":               rest.Body(d.postQuery),
		"GET /demo/discover/rows/{id}":            d.getRow,
		"GET /demo/discover/alerts":               d.getAlerts,
		"DELETE /demo/discover/alerts/{id}":       d.removeAlert,
		"POST /demo/discover/alerts/{id}/restore": d.restoreAlert,
	})
}

// explain converts the error of an invalid query for the client.
func explain(err error) *rest.Error {
	e := ppl.AsError(err)
	if e == nil {
		return nil
	}
	return &rest.Error{Status: http.StatusUnprocessableEntity, Code: "ppl_error", Message: e.Message, Where: fmt.Sprintf("query: line %d, column %d: ", e.Line, e.Column),
		Details: map[string]any{"line": e.Line, "column": e.Column, "length": e.Length, "expected": rest.List(e.Expected)}}
}

type info struct {
	Source   sourceInfo  `json:"source"`
	Total    int         `json:"total"`
	BadLines int         `json:"badLines"`
	Time     *timeInfo   `json:"time"`
	Fields   []fieldInfo `json:"fields"`
	Sources  []source    `json:"sources"`
	Samples  []string    `json:"samples"`
}

type sourceInfo struct {
	Name      string `json:"name"`
	File      string `json:"file"` // base name
	Generated bool   `json:"generated"`
	Label     string `json:"label"`
}

// samples are questions that the page offers; the scripted model can answer all of them.
var samples = []string{
	"Which pages give the most 404s?",
	"Show errors by status",
	"What happened in this log?",
	"Show the last 6 hours",
	"Who are the top clients?",
	"Why so few results?",
	"Draw a chart of requests by hour",
	"Alert me when there are more than 20 404s in an hour",
	"Use another data source",
}

func (d *Demo) getInfo(*http.Request) (any, error) { return d.info(), nil }

func (d *Demo) info() info {
	log := d.sources[0]
	return info{
		Source:   sourceInfo{Name: log.Name, File: d.log.Name, Generated: d.log.Name == "", Label: cmp.Or(d.log.Name, "Generated sample")},
		Total:    d.log.Stats.Count,
		BadLines: d.log.Stats.Bad,
		Time:     log.Time,
		Fields:   log.Fields,
		Sources:  d.sources,
		Samples:  samples,
	}
}

func (d *Demo) postQuery(req *http.Request, in *queryRequest) (any, error) {
	return d.run(req.Context(), in)
}

// getRow returns one whole row and, for a row of the log, its original line.
func (d *Demo) getRow(req *http.Request) (any, error) {
	id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return nil, rest.BadField("id", "must be the _id of a row")
	}
	from, ok := d.source(cmp.Or(req.URL.Query().Get("source"), d.schema.Source))
	if !ok {
		return nil, rest.BadField("source", "is none of the data sources")
	}
	raw := "''"
	if from.schema == d.schema {
		raw = "raw"
	}
	targets := make([]any, len(from.schema.Fields)+1)
	values := make([]any, len(targets))
	for i := range values {
		targets[i] = &values[i]
	}
	row := d.log.DB.QueryRowContext(req.Context(), "SELECT "+strings.Join(from.schema.Names(), ", ")+", "+raw+" FROM "+from.schema.Source+" WHERE _id = ?", id)
	if err := row.Scan(targets...); errors.Is(err, sql.ErrNoRows) {
		return nil, rest.NotFound(fmt.Sprintf("there is no row %d", id))
	} else if err != nil {
		return nil, fmt.Errorf("read row %d: %w", id, err)
	}
	fields := make(map[string]any, len(from.schema.Fields))
	for i, f := range from.schema.Fields {
		fields[f.Name] = publicValue(f.Type, values[i])
	}
	return map[string]any{"fields": fields, "raw": values[len(values)-1]}, nil
}
