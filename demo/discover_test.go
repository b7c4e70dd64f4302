package demo

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/test/must"
)

// fresh is a demo of its own, for tests that change it.
func fresh(t *testing.T) *Demo {
	t.Helper()
	return withoutAlerts(t, openSample(t))
}

// withoutAlerts is a demo with a list of alerts of its own.
func withoutAlerts(t *testing.T, of *Demo) *Demo {
	t.Helper()
	d := *of
	var err error
	if d.alerts, err = saved.Load(nil, "", "alert", alertID, nil); err != nil {
		t.Fatal(err)
	}
	return &d
}

func TestDeletingAnAlertAsksFirst(t *testing.T) {
	d := fresh(t)
	s := newScreen(t, d)
	s.ask("alert me when there are more than 7 server errors in an hour")
	s.answers = map[string]string{"delete_alert": `{"approved":false}`}
	if answer := s.ask("delete the alert"); !strings.Contains(answer, "leave the alert as it is") || len(d.listed()) != 1 {
		t.Errorf("denied: %s, %v", answer, d.listed())
	}
	s.answers["delete_alert"] = `{"approved":true}`
	if answer := s.ask("delete the alert"); !strings.Contains(answer, "I deleted the alert **More than 7 server errors in an hour**") || len(d.listed()) != 0 {
		t.Errorf("approved: %s, %v", answer, d.listed())
	}
	if code, _ := call(t, d, "POST", "/demo/discover/alerts/1/restore", ""); code != http.StatusOK || len(d.listed()) != 1 {
		t.Errorf("restore: %d, %v", code, d.listed())
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/1", ""); code != http.StatusOK || len(d.listed()) != 0 {
		t.Errorf("delete: %d, %v", code, d.listed())
	}
	if code, _ := call(t, d, "DELETE", "/demo/discover/alerts/1", ""); code != http.StatusNotFound {
		t.Errorf("again: %d", code)
	}
	if code, list := call(t, d, "GET", "/demo/discover/alerts", ""); code != http.StatusOK || compact(list) != `{"alerts":[]}` {
		t.Errorf("%d %s", code, compact(list))
	}
}

// TestAlertsAreBounded: those that were deleted make room.
func TestAlertsAreBounded(t *testing.T) {
	d := fresh(t)
	for i := range maxAlerts {
		must.Get(d.addAlert(alert{Name: fmt.Sprint(i)}))(t)
	}
	if _, err := d.addAlert(alert{Name: "one more"}); err == nil {
		t.Error("the list is not bounded")
	}
	must.Get(d.mark("7", true))(t)
	if _, err := d.addAlert(alert{Name: "one more"}); err != nil || len(d.alerts.All()) != maxAlerts {
		t.Errorf("one was deleted: %v, %d are kept", err, len(d.alerts.All()))
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
	must.Do(t, os.WriteFile(file, []byte(log.String()), 0o600))
	loaded := must.Get(accesslog.Open(t.Context(), file))(t)
	defer loaded.Close()
	d := *fresh(t)
	d.log = loaded
	r := demotest.RunTool(t, &d, "create_alert", `{"name":"any","query":"source=access_log","threshold":0,"interval":"1m"}`)
	if !strings.Contains(r.Text, fmt.Sprintf(`"fired":%d,"peak":1,`, minutes)) {
		t.Error(r.Text)
	}
}

// TestAlertsAreToldApart: an address is of an id; a name may look like the id of another, or be
// another's in capitals.
func TestAlertsAreToldApart(t *testing.T) {
	d := fresh(t)
	for _, name := range []string{"2", "b", "B"} {
		must.Get(d.addAlert(alert{Name: name}))(t)
	}
	left := func() (names []string) {
		for _, n := range d.listed() {
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
	if r := demotest.RunTool(t, d, "delete_alert", `{"alert":"B"}`); r.IsError || !slices.Equal(left(), []string{"2", "b"}) {
		t.Errorf("by name: %s, %v are left", r.Text, left())
	}
}
