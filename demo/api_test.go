package demo

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/test/must"
)

// realLog is a real server's log; it lies beside the repository.
const realLog = "../../shared/data/apache_access.log.gz"

func openReal(t *testing.T) *Demo {
	t.Helper()
	if _, err := os.Stat(realLog); err != nil {
		t.Skip("no real data beside the repository")
	}
	return shared(t, realDemo)
}

func openSample(t *testing.T) *Demo {
	t.Helper()
	return shared(t, sampleDemo)
}

// A Demo is only read once it is loaded: the tests share two.
var (
	sampleDemo = sync.OnceValues(func() (*Demo, error) { return newDemo("") })
	realDemo   = sync.OnceValues(func() (*Demo, error) { return newDemo(realLog) })
)

func newDemo(file string) (*Demo, error) {
	return New(context.Background(), Config{LogFile: file,
		QueryTimeout: time.Minute}) // the race detector on a busy machine is slow
}

func shared(t *testing.T, open func() (*Demo, error)) *Demo {
	t.Helper()
	d := must.Get(open())(t)
	opened.Store(d, true)
	return d
}

var opened sync.Map // the demos that TestMain closes

func TestMain(m *testing.M) {
	code := m.Run()
	for d := range opened.Range {
		if err := d.(*Demo).Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func call(t *testing.T, d *Demo, method, path, body string) (int, map[string]any) {
	t.Helper()
	return demotest.Call(t, d.Handler(), method, path, body)
}

// query runs a query that must succeed.
func query(t *testing.T, d *Demo, body string) map[string]any {
	t.Helper()
	code, answer := call(t, d, "POST", "/demo/discover/query", body)
	if code != http.StatusOK {
		t.Fatalf("%s: status %d: %v", body, code, answer)
	}
	return answer
}

func columnNames(answer map[string]any) []string {
	var names []string
	for _, c := range answer["columns"].([]any) {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	return names
}

var compact = demotest.Compact

func TestInfo(t *testing.T) {
	d := openSample(t)
	code, info := call(t, d, "GET", "/demo/discover/info", "")
	if code != 200 {
		t.Fatal(code, info)
	}
	want := `{"file":"","generated":true,"label":"Generated sample","name":"access_log"}`
	must.Be(t, compact(info["source"]), want, "source")
	if got := compact(info["time"]); !strings.Contains(got, `"min":"2026-03-12T00:0`) || !strings.Contains(got, `"max":"2026-03-12T23:5`) {
		t.Errorf("time = %s", got)
	}
	var status bool
	for _, f := range info["fields"].([]any) {
		f := f.(map[string]any)
		status = status || f["name"] == "status" && f["type"] == "number" && f["description"] != ""
	}
	if !status {
		t.Errorf("fields = %s", compact(info["fields"]))
	}
}

func TestRow(t *testing.T) {
	d := openSample(t)
	code, row := call(t, d, "GET", "/demo/discover/rows/1", "")
	if code != 200 || !strings.Contains(row["raw"].(string), "[12/Mar/2026:00:00:00 +0000]") {
		t.Fatal(code, row)
	}
	fields := row["fields"].(map[string]any)
	if fields["timestamp"] != "2026-03-12T00:00:00Z" || fields["status"] == nil || fields["user"] != nil {
		t.Errorf("fields = %s", compact(fields))
	}
	if _, present := fields["user"]; !present {
		t.Error("a missing value must be null")
	}
	code, row = call(t, d, "GET", "/demo/discover/rows/55?source=error_summary", "")
	if code != 200 || row["fields"].(map[string]any)["status"] != 502.0 || row["raw"] != "" {
		t.Errorf("of the summary: %d %s", code, compact(row))
	}
}
