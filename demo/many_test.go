package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/test/must"
)

// manyStatuses is a demo over a log with one request of each of six statuses in each of so many
// seconds.
func manyStatuses(t *testing.T, seconds int) *Demo {
	t.Helper()
	var log strings.Builder
	for i := range seconds {
		for _, status := range []int{200, 204, 301, 404, 500, 503} {
			fmt.Fprintf(&log, "127.0.0.1 - - [%s] \"GET /%d HTTP/1.1\" %d 23\n", time.Unix(int64(i), 0).UTC().Format("02/Jan/2006:15:04:05 -0700"), i, status)
		}
	}
	file := filepath.Join(t.TempDir(), "access.log")
	must.Do(t, os.WriteFile(file, []byte(log.String()), 0o600))
	d := must.Get(New(t.Context(), Config{LogFile: file, QueryTimeout: time.Minute}))(t)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestHistogramCountsEveryEvent: intervals times statuses may be more than a query returns;
// aggregations over more groups say how many rows there are, a chart says what it leaves out, and
// nothing is summed up from a part.
func TestHistogramCountsEveryEvent(t *testing.T) {
	const seconds = 1900
	d := manyStatuses(t, seconds)
	code, answer := call(t, d, "POST", "/demo/discover/query", `{"query":"source=access_log"}`)
	if code != 200 {
		t.Fatal(code, answer)
	}
	var count, failed float64
	for _, b := range answer["histogram"].(map[string]any)["buckets"].([]any) {
		count += b.(map[string]any)["count"].(float64)
		failed += b.(map[string]any)["errors"].(float64)
	}
	if count != 6*seconds || failed != 3*seconds || answer["matched"] != 6.0*seconds {
		t.Errorf("%v events, %v errors, %v matched", count, failed, answer["matched"])
	}

	_, answer = call(t, d, "POST", "/demo/discover/query", `{"query":"source=access_log | stats count() by path, status"}`)
	if answer["total"] != 6.0*seconds {
		t.Errorf("%v groups", answer["total"])
	}

	result := demotest.RunTool(t, d, "make_chart", `{"type":"bar","title":"Paths","query":"source=access_log | stats count() by path"}`)
	c, ok := result.Payload.(*research.Chart)
	if !ok || c.Note != "The first 200 of 1,900 values." || !strings.Contains(result.Text, c.Note) || len(c.Data) != 200 {
		t.Fatalf("%s", result.Text[:min(len(result.Text), 200)])
	}
	if _, err := chartType().Encode(c); err != nil {
		t.Error(err)
	}

	everything, err := d.choose("", nil, nil)
	must.Do(t, err)
	if _, err = everything.Aggregate(t.Context(), d.log.DB, "stats count() by path, status"); err == nil || !strings.Contains(err.Error(), "more than 10000 groups") {
		t.Errorf("a part of the groups is taken for all: %v", err)
	}
}
