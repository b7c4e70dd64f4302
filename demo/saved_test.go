package demo

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// restarted is the demo over a file where things are saved, as a new process has it.
func restarted(t *testing.T, file, log string) (*Demo, func()) {
	t.Helper()
	users := must.Get(saved.Open(t.Context(), file))(t)
	d := must.Get(New(t.Context(), Config{LogFile: log, Config: research.Config{Saved: users}}))(t)
	end := func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := users.Close(); err != nil {
			t.Error(err)
		}
	}
	return d, end
}

func makeAlert(t *testing.T, d *Demo, args string) string {
	t.Helper()
	result := demotest.RunTool(t, d, "create_alert", args)
	if result.IsError {
		t.Fatal(result.Text)
	}
	return result.Text
}

const (
	manyErrors  = `{"name":"Many errors","query":"source=access_log | where status >= 500","threshold":20}`
	manyMissing = `{"name":"Many 404s","query":"source=access_log | where status = 404","threshold":50,"interval":"30m"}`
)

// TestAlertsOutliveTheDemo: what was made is there after a restart, what was deleted then can be
// brought back, and no id is given twice.
func TestAlertsOutliveTheDemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.db")
	d, end := restarted(t, file, "")
	first := makeAlert(t, d, manyErrors)
	makeAlert(t, d, manyMissing)
	if r := demotest.RunTool(t, d, "delete_alert", `{"alert":"Many 404s"}`); r.IsError {
		t.Fatal(r.Text)
	}
	end()

	d, end = restarted(t, file, "")
	if _, got := call(t, d, "GET", "/demo/discover/alerts", ""); compact(got) != `{"alerts":[`+sortedJSON(t, first)+`]}` {
		t.Errorf("%s, want %s", compact(got), first)
	}
	if code, got := call(t, d, "POST", "/demo/discover/alerts/2/restore", ""); code != http.StatusOK || got["name"] != "Many 404s" {
		t.Errorf("%d %v", code, got)
	}
	if next := makeAlert(t, d, strings.Replace(manyErrors, "Many errors", "Some errors", 1)); !strings.Contains(next, `"id":"3"`) {
		t.Error(next)
	}
	makeAlert(t, d, manyErrors) // takes the place of that of its name
	end()

	d, end = restarted(t, file, "")
	defer end()
	var names []string
	for _, n := range d.listed() {
		names = append(names, n.ID+" "+n.Name)
	}
	if got := strings.Join(names, ", "); got != "2 Many 404s, 3 Some errors, 4 Many errors" {
		t.Error(got)
	}
}

func sortedJSON(t *testing.T, text string) string {
	t.Helper()
	v := must.JSON[any](t, text)
	return compact(v)
}

// TestAnotherLogHasItsOwnAlerts: how often an alert would have fired is true of one log only.
func TestAnotherLogHasItsOwnAlerts(t *testing.T) {
	folder := t.TempDir()
	d, end := restarted(t, filepath.Join(folder, "saved.db"), "")
	makeAlert(t, d, manyErrors)
	end()
	d, end = restarted(t, filepath.Join(folder, "saved.db"), writeLog(t, 1))
	defer end()
	if all := d.listed(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestWhoIsAskedIsToldWhatIsDeleted: by name, condition and age, not by an id; nobody is asked
// about an alert that is not there.
func TestWhoIsAskedIsToldWhatIsDeleted(t *testing.T) {
	d := fresh(t)
	makeAlert(t, d, manyErrors)
	made := d.listed()[0].CreatedAt.Format("2 January 2006 at 15:04 UTC")
	for _, called := range []string{"1", "Many errors", "many ERRORS"} {
		args, _ := json.Marshal(map[string]string{"alert": called})
		got, refused := demotest.WouldAsk(t, d, "delete_alert", string(args))
		want := "Deletes the alert “Many errors”: more than 20 in 1h of source=access_log | where status >= 500. Made on " + made + "; would have fired once over the log."
		if refused != nil || got != want {
			t.Errorf("%s: %q, %v", called, got, refused)
		}
	}
	if got, refused := demotest.WouldAsk(t, d, "delete_alert", `{"alert":"9"}`); refused == nil || !strings.Contains(refused.Message, "no alert \"9\"") {
		t.Errorf("%q, %v", got, refused)
	}
}

// TestEveryToolThatAsksSaysWhatItWouldDo: a person decides about what is written there.
func TestEveryToolThatAsksSaysWhatItWouldDo(t *testing.T) {
	for _, x := range fresh(t).Tools() {
		if x.Policy.Approval == tool.ApprovalNever || x.Effect == tool.Read {
			continue
		}
		if x.Policy.Summary == nil {
			t.Errorf("%s has no summary", x.Name)
		}
	}
}
