package demo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/test/must"
)

// TestQueries: what the page gets for its queries.
func TestQueries(t *testing.T) {
	d := openSample(t)
	for _, row := range demotest.Rows(t, "testdata/queries.txt") {
		must.Be(t, told(query(t, d, row[0])), row[1], "%s", row[0])
	}
}

// told is an answer as queries.txt writes it.
func told(a map[string]any) string {
	list := a["rows"].([]any)
	edges := list
	if len(list) > 2 {
		edges = []any{list[0], list[len(list)-1]}
	}
	h := a["histogram"].(map[string]any)
	buckets := h["buckets"].([]any)
	requests, errors := 0.0, 0.0
	for _, b := range buckets {
		requests += b.(map[string]any)["count"].(float64)
		errors += b.(map[string]any)["errors"].(float64)
	}
	if len(buckets) > 0 {
		first, last := buckets[0].(map[string]any)["from"], buckets[len(buckets)-1].(map[string]any)["from"]
		h["interval"] = fmt.Sprint(h["interval"], " from ", first, " to ", last)
	}
	return fmt.Sprintf("%d of %v %s, %s: %s; %v match; %d intervals of %s: %v requests, %v errors", len(list), a["total"], a["kind"],
		strings.Join(columnNames(a), " "), compact(edges), a["matched"], len(buckets), h["interval"], requests, errors)
}
