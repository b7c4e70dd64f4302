package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/test/must"
)

// fresh is a demo with a list of alerts of its own, for tests that change it.
func fresh(t *testing.T) *Demo {
	t.Helper()
	d := *openSample(t)
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
