package demo

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
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

func TestQueryRows(t *testing.T) {
	d := openSample(t)
	all := query(t, d, `{"query":"","pageSize":3}`)
	if all["kind"] != "rows" {
		t.Errorf("kind %v", all["kind"])
	}
	if all["total"] != float64(d.Stats().Count) || all["matched"] != all["total"] || len(all["rows"].([]any)) != 3 {
		t.Errorf("total %v matched %v rows %d", all["total"], all["matched"], len(all["rows"].([]any)))
	}
	if got := columnNames(all); !slices.Equal(got[:4], []string{"_id", "timestamp", "clientip", "user"}) {
		t.Errorf("columns %v", got)
	}
	row := all["rows"].([]any)[0].([]any)
	if row[0] != 1.0 || row[1] != "2026-03-12T00:00:00Z" {
		t.Errorf("first row %v", row)
	}
	head := query(t, d, `{"query":"source=access_log | where status = 404 | head 5 | fields path","page":1,"pageSize":50,"sort":{"field":"path","dir":"desc"}}`)
	if head["total"] != 5.0 || head["matched"].(float64) < 100 || len(head["rows"].([]any)) != 5 {
		t.Errorf("total %v matched %v", head["total"], head["matched"])
	}
	if got := columnNames(head); !slices.Equal(got, []string{"_id", "path"}) {
		t.Errorf("columns %v", got)
	}
}

func TestQueryPaging(t *testing.T) {
	d := openSample(t)
	seen := map[any]bool{}
	for page := 1; page <= 3; page++ {
		answer := query(t, d, fmt.Sprintf(`{"query":"source=access_log | where status >= 500","page":%d,"pageSize":20,"sort":{"field":"status","dir":"desc"}}`, page))
		for _, row := range answer["rows"].([]any) {
			seen[row.([]any)[0]] = true
		}
		if want := min(20, answer["total"].(float64)-float64(page-1)*20); float64(len(answer["rows"].([]any))) != want {
			t.Errorf("page %d has %d rows, want %v", page, len(answer["rows"].([]any)), want)
		}
		if len(seen) == int(answer["total"].(float64)) {
			return
		}
	}
	if len(seen) != 60 {
		t.Errorf("three pages hold %d different rows", len(seen))
	}
}

func TestQueryTable(t *testing.T) {
	d := openSample(t)
	answer := query(t, d, `{"query":"source=access_log | where status >= 400 | stats count() as n by status | sort - n"}`)
	if answer["kind"] != "table" || !slices.Equal(columnNames(answer), []string{"n", "status"}) {
		t.Fatalf("kind %v, columns %v", answer["kind"], columnNames(answer))
	}
	sum := 0.0
	for _, row := range answer["rows"].([]any) {
		sum += row.([]any)[0].(float64)
	}
	if sum != answer["matched"] {
		t.Errorf("the groups sum to %v, matched is %v", sum, answer["matched"])
	}
	empty := query(t, d, `{"query":"source=access_log | where status = 999 | stats count() by path"}`)
	if compact(empty["rows"]) != "[]" || empty["matched"] != 0.0 {
		t.Errorf("empty result: %s", compact(empty))
	}
}

func TestQueryTimeAndFilters(t *testing.T) {
	d := openSample(t)
	count := func(extra string) float64 {
		return query(t, d, `{"query":"source=access_log"`+extra+`}`)["matched"].(float64)
	}
	total := count("")
	night := count(`,"time":{"from":"2026-03-12T03:00:00Z","to":"2026-03-12T03:59:59.999Z"}`)
	scan := count(`,"time":{"from":"2026-03-12T03:00:00Z","to":"2026-03-12T03:59:59.999Z"},"filters":[{"field":"clientip","op":"is","value":"203.0.113.66"}]`)
	if night == 0 || night >= total || scan < 300 || scan >= night {
		t.Errorf("total %v, night %v, scanner %v", total, night, scan)
	}
	if got := count(`,"time":{"from":null}`); got != total {
		t.Errorf("open range: %v", got)
	}
	is := count(`,"filters":[{"field":"status","op":"is","value":404}]`)
	not := count(`,"filters":[{"field":"status","op":"is not","value":"404"}]`)
	if is == 0 || is+not != total {
		t.Errorf("is %v + is not %v != %v", is, not, total)
	}
	null, some := count(`,"filters":[{"field":"user","op":"is","value":null}]`), count(`,"filters":[{"field":"user","op":"is not","value":null}]`)
	if some != 2 || null+some != total {
		t.Errorf("null %v + not null %v != %v", null, some, total)
	}
	if got := count(`,"filters":[{"field":"user","op":"is not","value":"deploy"}]`); got != null {
		t.Errorf("is not keeps rows without the field: %v, want %v", got, null)
	}
	if got := count(`,"filters":[{"field":"path","op":"contains","value":"CHECKOUT"}]`); got == 0 || got == total {
		t.Errorf("contains: %v", got)
	}
	if got := count(`,"filters":[{"field":"path","op":"contains","value":"%"}]`); got != 0 {
		t.Errorf("contains takes %% literally: %v", got)
	}
	if got := count(`,"filters":[{"field":"status","op":">=","value":400,"disabled":true}]`); got != total {
		t.Errorf("disabled filter: %v", got)
	}
	if got := count(`,"filters":[{"field":"status","op":">=","value":400},{"field":"status","op":"<=","value":499}]`); got == 0 || got == total {
		t.Errorf("two filters: %v", got)
	}
}

func TestHistogram(t *testing.T) {
	d := openSample(t)
	for _, test := range []struct{ body, interval string }{
		{`{"query":"source=access_log"}`, "30m"},
		{`{"query":"source=access_log | stats count() by status"}`, "30m"},
		{`{"query":"source=access_log","time":{"from":"2026-03-12T14:00:00Z","to":"2026-03-12T15:00:00Z"}}`, "1m"},
		{`{"query":"source=access_log | where timestamp >= '2026-03-12 14:00:00' and timestamp < '2026-03-12 14:30'"}`, "30s"},
		{`{"query":"source=access_log | where status = 418"}`, "30m"},
		{`{"query":"source=access_log","time":{"from":"2020-01-01","to":"2030-01-01"}}`, "30m"},
	} {
		answer := query(t, d, test.body)
		h := answer["histogram"].(map[string]any)
		if h["interval"] != test.interval {
			t.Errorf("%s: interval %v, want %s", test.body, h["interval"], test.interval)
		}
		sum, errs := 0.0, 0.0
		for _, b := range h["buckets"].([]any) {
			sum += b.(map[string]any)["count"].(float64)
			errs += b.(map[string]any)["errors"].(float64)
		}
		if sum != answer["matched"] || errs > sum || errs == 0 && sum > 0 {
			t.Errorf("%s: buckets hold %v events (%v errors), matched %v", test.body, sum, errs, answer["matched"])
		}
		if n := len(h["buckets"].([]any)); n > 81 || n < 24 {
			t.Errorf("%s: %d buckets", test.body, n)
		}
	}
	answer := query(t, d, `{"query":"source=access_log","time":{"from":"2030-01-01","to":null}}`)
	if got := compact(answer["histogram"]); got != `{"buckets":[],"interval":"1s"}` || answer["matched"] != 0.0 {
		t.Errorf("beyond the log: %s", got)
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
}
