package demo

import (
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
)

// pplPath is where OpenSearch answers queries: what was written for it can ask the demo's log.
const pplPath = "/_plugins/_ppl"

type pplRequest struct {
	Query string `json:"query"`
}

// postPPL runs a query over the whole log, and answers in OpenSearch's format "jdbc".
func (d *Demo) postPPL(req *http.Request, in *pplRequest) (any, error) {
	if format := req.URL.Query().Get("format"); format != "" && format != "jdbc" {
		return nil, refuse.BadField("format", "must be jdbc")
	}
	if strings.TrimSpace(in.Query) == "" {
		return nil, refuse.BadField("query", "is missing")
	}
	s, err := d.choose(in.Query, nil, nil)
	if err != nil {
		return nil, err
	}
	result, err := s.Run(req.Context(), d.log.DB, ppl.Page{})
	if err != nil {
		return nil, err
	}
	columns, rows := make([]object, len(result.Columns)), refuse.List(result.Rows)
	for i, c := range result.Columns {
		columns[i] = object{"name": c.Name, "type": openSearchTypes[c.Type]}
		for _, row := range rows {
			if millis, ok := row[i].(int64); ok && c.Type == ppl.Time {
				row[i] = time.UnixMilli(millis).UTC().Format("2006-01-02 15:04:05.999")
			}
		}
	}
	return object{"schema": columns, "datarows": rows, "total": len(rows), "size": len(rows)}, nil
}

var openSearchTypes = map[ppl.Type]string{ppl.String: "string", ppl.Int: "bigint", ppl.Decimal: "double", ppl.Time: "timestamp"}

// openSearchError is the body of an error, as OpenSearch has it.
func openSearchError(e *refuse.Error) any {
	kind, reason := "IllegalArgumentException", "Invalid request"
	if e.Code == "ppl_error" {
		kind, reason = "SyntaxCheckException", "Invalid Query"
	} else if e.Status >= http.StatusInternalServerError {
		kind, reason = "RuntimeException", "There was internal problem at backend"
	}
	return object{"status": e.Status, "error": object{"type": kind, "reason": reason, "details": e.Message}}
}
