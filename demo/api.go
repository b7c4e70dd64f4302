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

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/rest"
)

func (d *Demo) api() rest.API {
	return rest.API{Timeout: cmp.Or(d.config.QueryTimeout, 2*time.Second), Log: d.config.Log}
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

func (d *Demo) getInfo(*http.Request) (any, error) {
	log, file := d.sources[0], d.log.Name
	return object{
		"source":   object{"name": log.Source, "file": file, "generated": file == "", "label": cmp.Or(file, "Generated sample")},
		"total":    d.log.Stats.Count,
		"badLines": d.log.Stats.Bad,
		"time":     log.Time,
		"fields":   log.Fields,
		"sources":  d.sources,
		"samples":  d.samples,
	}, nil
}

func (d *Demo) postQuery(req *http.Request, in *queryRequest) (any, error) {
	return d.run(req.Context(), in)
}

// getRow returns one whole row and, for a row of the log, its original line.
func (d *Demo) getRow(req *http.Request) (any, error) {
	id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return nil, refuse.BadField("id", "must be the _id of a row")
	}
	from, ok := d.source(cmp.Or(req.URL.Query().Get("source"), d.schema.Source))
	if !ok {
		return nil, refuse.BadField("source", "is none of the data sources")
	}
	raw := "''"
	if from.Source == d.schema.Source {
		raw = "raw"
	}
	targets := make([]any, len(from.Fields)+1)
	values := make([]any, len(targets))
	for i := range values {
		targets[i] = &values[i]
	}
	row := d.log.DB.QueryRowContext(req.Context(), "SELECT "+strings.Join(from.Names(), ", ")+", "+raw+" FROM "+from.Source+" WHERE _id = ?", id)
	if err := row.Scan(targets...); errors.Is(err, sql.ErrNoRows) {
		return nil, refuse.NotFound("there is no row %d", id)
	} else if err != nil {
		return nil, fmt.Errorf("read row %d: %w", id, err)
	}
	fields := make(object, len(from.Fields))
	for i, f := range from.Fields {
		fields[f.Name] = publicValue(f.Type, values[i])
	}
	return object{"fields": fields, "raw": values[len(values)-1]}, nil
}
