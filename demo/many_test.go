package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/test/must"
)

// writeLog is a log with a request of a path of its own in each of so many minutes; every other one
// has failed.
func writeLog(t *testing.T, minutes int) string {
	t.Helper()
	var log strings.Builder
	for i := range minutes {
		at := time.Unix(int64(i)*60, 0).UTC().Format("02/Jan/2006:15:04:05 -0700")
		fmt.Fprintf(&log, "127.0.0.1 - - [%s] \"GET /%d HTTP/1.1\" %d 23\n", at, i, []int{200, 404, 301, 503}[i%4])
	}
	file := filepath.Join(t.TempDir(), "access.log")
	must.Do(t, os.WriteFile(file, []byte(log.String()), 0o600))
	return file
}

// TestEveryEventCounts: there may be more intervals and groups than a query returns. Aggregations
// say how many rows there are, alerts look at all of them, a chart says what it leaves out, and
// nothing is summed up from a part.
func TestEveryEventCounts(t *testing.T) {
	const minutes = ppl.MaxRows + 500
	d := must.Get(New(t.Context(), Config{LogFile: writeLog(t, minutes), QueryTimeout: time.Minute}))(t)
	defer d.Close()
	must.Have(t, told(query(t, d, `{"query":"source=access_log"}`)), "; 10500 match; 59 intervals of 3h from 1970-01-01T00:00:00Z to 1970-01-08T06:00:00Z: 10500 requests, 5250 errors", "the histogram")
	must.Have(t, told(query(t, d, `{"query":"source=access_log | stats count() by path, status"}`)), "50 of 10500 table", "groups")

	result := demotest.RunTool(t, d, "make_chart", `{"type":"bar","title":"Paths","query":"source=access_log | stats count() by path"}`)
	c, ok := result.Payload.(*research.Chart)
	if !ok || c.Note != "The first 200 of 10,500 values." || !strings.Contains(result.Text, c.Note) || len(c.Data) != 200 {
		t.Fatalf("%s", result.Text[:min(len(result.Text), 200)])
	}
	if _, err := d.Payloads()[0].Encode(c); err != nil {
		t.Error(err)
	}

	everything, err := d.choose("", nil, nil)
	must.Do(t, err)
	_, err = everything.Aggregate(t.Context(), d.log.DB, "stats count() by path, status")
	must.Fail(t, err, "more than 10000 groups", "a part of the groups is taken for all")

	alert := demotest.RunTool(t, d, "create_alert", `{"name":"any","query":"source=access_log","threshold":0,"interval":"1m"}`)
	must.Have(t, alert.Text, fmt.Sprintf(`"fired":%d,"peak":1,`, minutes), "an alert")
}
