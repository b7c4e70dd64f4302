package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/tool"
)

// entries reads a log with the line parser alone: what it gives is counted here, not by SQL.
func entries(lines []string) (list []accesslog.Event) {
	for _, line := range lines {
		if e, err := accesslog.ParseLine(line); err == nil {
			list = append(list, e)
		}
	}
	return list
}

// fresh is a demo of its own, for tests that change it.
func fresh(t *testing.T) *Demo {
	t.Helper()
	d := *openSample(t)
	d.alerts = &alerts{}
	return &d
}

func TestAlertOverTheLog(t *testing.T) {
	eachLog(t, func(t *testing.T, d *Demo, lines []string) {
		alone := *d
		alone.alerts = &alerts{}
		hours := map[string]int{}
		for _, e := range entries(lines) {
			if *e.Status == 404 {
				hours[e.Time.UTC().Format("2006-01-02T15")]++
			}
		}
		fired, peak := 0, 0
		for _, n := range hours {
			peak = max(peak, n)
			if n > 5 {
				fired++
			}
		}
		answer := newScreen(t, &alone).ask("Alert me when there are more than 5 404s in an hour")
		if want := fmt.Sprintf("it would have fired **%d** times; the most were %d in", fired, peak); !strings.Contains(answer, want) {
			t.Errorf("%q is not in %s", want, answer)
		}
	})
}

func TestClientOfTheLog(t *testing.T) {
	eachLog(t, func(t *testing.T, d *Demo, lines []string) {
		ip := entries(lines)[0].ClientIP
		requests, errors := 0, 0
		for _, e := range entries(lines) {
			if e.ClientIP == ip {
				requests++
				if *e.Status >= 400 {
					errors++
				}
			}
		}
		var stages []string
		facts := &clientFacts{}
		registry, err := tool.NewRegistry(d.Tools()...)
		if err != nil {
			t.Fatal(err)
		}
		look, _ := registry.Get("look_up_client")
		result := tool.Execute(t.Context(), look, tool.Call{Tool: "look_up_client", Args: json.RawMessage(`{"clientip":"` + ip + `"}`)},
			func(p tool.Progress) { stages = append(stages, p.Stage) })
		if err := json.Unmarshal([]byte(result.Text), facts); err != nil {
			t.Fatal(err, result.Text)
		}
		if facts.Requests != int64(requests) || facts.Errors != int64(errors) || requests == 0 || len(facts.Pages) == 0 || facts.Verdict == "" {
			t.Errorf("%+v, want %d requests and %d errors", facts, requests, errors)
		}
		if len(stages) == 0 {
			t.Error("it told nothing of its progress")
		}
	})
}

func TestChartOfTheLog(t *testing.T) {
	eachLog(t, func(t *testing.T, d *Demo, lines []string) {
		days := map[string]float64{}
		for _, e := range entries(lines) {
			days[e.Time.UTC().Format("2 Jan")+" 00:00"]++
		}
		s := newScreen(t, d)
		s.ask("chart of requests by day")
		if len(s.payloads) != 1 {
			t.Fatalf("%d payloads", len(s.payloads))
		}
		var c chart
		if err := json.Unmarshal(s.payloads[0].Activity, &c); err != nil {
			t.Fatal(err)
		}
		if c.Type != "line" || c.Title != "Requests by day" || len(c.Data) != len(days) {
			t.Errorf("%+v, want %v", c, days)
		}
		for _, p := range c.Data {
			if days[p.Label] != p.Value {
				t.Errorf("%s: %v, want %v", p.Label, p.Value, days[p.Label])
			}
		}
	})
}

func TestDeletingAnAlertAsksFirst(t *testing.T) {
	d := fresh(t)
	s := newScreen(t, d)
	s.ask("alert me when there are more than 7 server errors in an hour")
	s.answers = map[string]string{"delete_alert": `{"approved":false}`}
	if answer := s.ask("delete the alert"); !strings.Contains(answer, "leave the alert as it is") || len(d.alerts.all()) != 1 {
		t.Errorf("denied: %s, %v", answer, d.alerts.all())
	}
	s.answers["delete_alert"] = `{"approved":true}`
	if answer := s.ask("delete the alert"); !strings.Contains(answer, "I deleted the alert **More than 7 server errors in an hour**") || len(d.alerts.all()) != 0 {
		t.Errorf("approved: %s, %v", answer, d.alerts.all())
	}
	if code, _ := call(t, d, "POST", "/demo/discover/alerts/1/restore", ""); code != http.StatusOK || len(d.alerts.all()) != 1 {
		t.Errorf("restore: %d, %v", code, d.alerts.all())
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/1", ""); code != http.StatusOK || len(d.alerts.all()) != 0 {
		t.Errorf("delete: %d, %v", code, d.alerts.all())
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/1", ""); code != http.StatusNotFound {
		t.Errorf("again: %d", code)
	}
	if code, list := call(t, d, "GET", "/demo/discover/alerts", ""); code != http.StatusOK || compact(list) != `{"alerts":[]}` {
		t.Errorf("%d %s", code, compact(list))
	}
}

func TestAskingForTheDataSource(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.answers = map[string]string{"ask_user": `{"answer":"Error summary"}`}
	if answer := s.ask("Use another data source"); !strings.Contains(answer, "The page shows Error summary") || s.request.Query != "source=error_summary" {
		t.Errorf("%s: %s", s.request.Query, answer)
	}
	s = newScreen(t, openSample(t))
	if answer := s.ask("Use another data source"); !strings.Contains(answer, "stays as it is") || s.request.Query != "source=access_log" {
		t.Errorf("%s: %s", s.request.Query, answer)
	}
}

func TestSelectedRows(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.extra = map[string]any{"Rows selected in the table": map[string]any{"count": 2, "rows": []map[string]any{
		{"timestamp": "2026-03-12T03:00:01Z", "status": 404, "method": "GET", "path": "/a|b", "clientip": "203.0.113.66", "bytes": 150},
		{"timestamp": "2026-03-12T03:00:02Z", "status": 200, "method": "GET", "path": "/", "clientip": "203.0.113.9", "bytes": 50}}}}
	answer := s.ask("Explain @selected-rows")
	for _, part := range []string{"**2** rows", "**1** of 2 failed", "sent 200 bytes", "| 12 Mar 03:00:01 | 404 | `GET /a\\|b` | `203.0.113.66` |"} {
		if !strings.Contains(answer, part) {
			t.Errorf("%q is not in %s", part, answer)
		}
	}
}

// TestErrorSummary queries the second source; its numbers are those of the first.
func TestErrorSummary(t *testing.T) {
	d := openSample(t)
	errors := query(t, d, `{"query":"source=access_log | where status >= 400"}`)["matched"]
	answer := query(t, d, `{"query":"source=error_summary | stats sum(requests) as n"}`)
	if got := answer["rows"].([]any)[0].([]any)[0]; got != errors {
		t.Errorf("%v failed requests in the summary, %v in the log", got, errors)
	}
	rows := query(t, d, `{"query":"source=error_summary","filters":[{"field":"status","op":"is","value":502}]}`)
	if len(rows["rows"].([]any)) == 0 || len(rows["histogram"].(map[string]any)["buckets"].([]any)) == 0 {
		t.Error(compact(rows))
	}
	id := rows["rows"].([]any)[0].([]any)[0]
	if code, row := call(t, d, "GET", fmt.Sprintf("/demo/discover/rows/%v?source=error_summary", id), ""); code != 200 || row["fields"].(map[string]any)["status"] != 502.0 {
		t.Errorf("%d %s", code, compact(row))
	}
	if code, refused := call(t, d, "POST", "/demo/discover/query", `{"query":"source=error_summary","filters":[{"field":"browser","op":"is","value":"Bot"}]}`); code != 400 {
		t.Errorf("%d %s", code, compact(refused))
	}
	if code, refused := call(t, d, "GET", "/demo/discover/rows/1?source=sqlite_master", ""); code != 400 {
		t.Errorf("%d %s", code, compact(refused))
	}
}

func TestAlertsAreChecked(t *testing.T) {
	d := fresh(t)
	for _, test := range []struct {
		in    alertInput
		words string
	}{
		{alertInput{"", "source=access_log", 1, ""}, "name"},
		{alertInput{"a", "source=access_log", -1, ""}, "threshold"},
		{alertInput{"a", "source=access_log", 1, "2h"}, "interval"},
		{alertInput{"a", "source=access_log", 1, "1s"}, "interval"},
		{alertInput{"a", "source=access_log | stats count()", 1, ""}, "leave out stats"},
		{alertInput{"a", "source=access_log | where statu = 1", 1, ""}, "did you mean status?"},
	} {
		_, err := d.makeAlert(t.Context(), &tool.Call{}, test.in)
		if err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%+v: %v", test.in, err)
		}
	}
	for range maxAlerts {
		if _, err := d.alerts.add(alert{Name: fmt.Sprint(len(d.alerts.all()))}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.alerts.add(alert{Name: "one more"}); err == nil {
		t.Error("the list is not bounded")
	}
	d.alerts.mark(true, withID("7"))
	if _, err := d.alerts.add(alert{Name: "one more"}); err != nil || len(d.alerts.list) != maxAlerts {
		t.Errorf("one was deleted: %v, %d are kept", err, len(d.alerts.list))
	}
}

// TestAlertsLookAtEveryInterval: there may be more of them than a query returns.
func TestAlertsLookAtEveryInterval(t *testing.T) {
	var log strings.Builder
	const minutes = ppl.MaxRows + 500
	for i := range minutes {
		fmt.Fprintf(&log, "127.0.0.1 - - [%s] \"GET / HTTP/1.1\" 200 23\n", time.Unix(int64(i)*60, 0).UTC().Format("02/Jan/2006:15:04:05 -0700"))
	}
	file := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := accesslog.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	d := *fresh(t)
	d.log = loaded
	n, err := d.makeAlert(t.Context(), &tool.Call{}, alertInput{Name: "any", Query: "source=access_log", Interval: "1m"})
	if err != nil || n.Fired != minutes || n.Peak != 1 {
		t.Errorf("%+v %v", n, err)
	}
}

// TestAlertsAreToldApart: an address is of an id; a name may look like the id of another, or be
// another's in capitals.
func TestAlertsAreToldApart(t *testing.T) {
	d := fresh(t)
	for _, name := range []string{"2", "b", "B"} {
		if _, err := d.alerts.add(alert{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (names []string) {
		for _, n := range d.alerts.all() {
			names = append(names, n.Name)
		}
		return names
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/2", ""); code != http.StatusOK || !slices.Equal(left(), []string{"2", "B"}) {
		t.Errorf("of id 2: %d, %v are left", code, left())
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/B", ""); code != http.StatusNotFound {
		t.Errorf("a name is no id: %d", code)
	}
	if code, _ := call(t, d, "POST", "/demo/discover/alerts/2/restore", ""); code != http.StatusOK {
		t.Errorf("restore: %d", code)
	}
	registry, err := tool.NewRegistry(d.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	remove, _ := registry.Get("delete_alert")
	if r := tool.Execute(t.Context(), remove, tool.Call{Tool: "delete_alert", Args: json.RawMessage(`{"alert":"B"}`)}, nil); r.IsError || !slices.Equal(left(), []string{"2", "b"}) {
		t.Errorf("by name: %s, %v are left", r.Text, left())
	}
}
