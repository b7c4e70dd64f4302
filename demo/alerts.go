package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/tool"
)

// maxAlerts limits the list. Deleted alerts, which can be restored, make room for new ones.
const maxAlerts = 200

// alert watches the log: it fires in each interval in which more events than the threshold match
// its query's conditions.
type alert struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Query     string    `json:"query"`
	Threshold int64     `json:"threshold"`
	Interval  string    `json:"interval"`
	Fired     int       `json:"fired"` // intervals of the log in which it would have fired
	Peak      int64     `json:"peak"`  // the most events in one interval
	PeakAt    string    `json:"peakAt,omitempty"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	deleted   bool
}

// alerts is the demo's list of alerts. Safe for concurrent use.
type alerts struct {
	mu    sync.Mutex
	list  []alert
	last  int
	saved *saved.Collection
}

// savedAlert is an alert with its internal data.
type savedAlert struct {
	alert
	Deleted bool `json:"deleted,omitempty"`
}

// loadAlerts loads the list from a collection.
func loadAlerts(collection *saved.Collection) (*alerts, error) {
	list, err := saved.All[savedAlert](collection)
	if err != nil {
		return nil, err
	}
	a := &alerts{saved: collection}
	for _, s := range list {
		s.alert.deleted = s.Deleted
		a.list = append(a.list, s.alert)
		id, _ := strconv.Atoi(s.ID)
		a.last = max(a.last, id)
	}
	return a, nil
}

// write saves the current state of an alert. Requires a.mu.
func (a *alerts) write(n alert, gone ...string) error {
	return a.saved.Write([]saved.Item{{ID: n.ID, Value: savedAlert{n, n.deleted}}}, gone...)
}

// add saves an alert under a new id. It replaces an alert of the same name.
func (a *alerts) add(n alert) (alert, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var gone []string
	list := slices.DeleteFunc(slices.Clone(a.list), func(old alert) bool {
		if old.Name == n.Name {
			gone = append(gone, old.ID)
		}
		return old.Name == n.Name
	})
	if len(list) >= maxAlerts {
		oldest := slices.IndexFunc(list, func(old alert) bool { return old.deleted })
		if oldest < 0 {
			return n, invalidArg("there are %d alerts already; delete one first", maxAlerts)
		}
		gone = append(gone, list[oldest].ID)
		list = slices.Delete(list, oldest, oldest+1)
	}
	n.ID, n.CreatedAt = strconv.Itoa(a.last+1), time.Now().UTC().Truncate(time.Second)
	if err := a.write(n, gone...); err != nil {
		return n, err
	}
	a.last++
	a.list = append(list, n)
	return n, nil
}

func (a *alerts) all() []alert {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.list), func(n alert) bool { return n.deleted })
}

// find returns the first alert that matches a test; earlier tests take precedence.
func (a *alerts) find(deleted bool, tests ...func(alert) bool) (alert, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := a.index(deleted, tests); i >= 0 {
		return a.list[i], true
	}
	return alert{}, false
}

// index returns the index of the alert that find returns, or -1. Requires a.mu.
func (a *alerts) index(deleted bool, tests []func(alert) bool) int {
	for _, fits := range tests {
		if i := slices.IndexFunc(a.list, func(n alert) bool { return n.deleted == deleted && fits(n) }); i >= 0 {
			return i
		}
	}
	return -1
}

// mark deletes or restores the alert that find returns.
func (a *alerts) mark(deleted bool, tests ...func(alert) bool) (alert, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.index(!deleted, tests)
	if i < 0 {
		return alert{}, false, nil
	}
	n := a.list[i]
	n.deleted = deleted
	if err := a.write(n); err != nil {
		return n, true, err
	}
	a.list[i] = n
	return n, true, nil
}

func withID(id string) func(alert) bool { return func(n alert) bool { return n.ID == id } }

func named(name string) func(alert) bool { return func(n alert) bool { return n.Name == name } }

func namedAbout(name string) func(alert) bool {
	return func(n alert) bool { return strings.EqualFold(n.Name, name) }
}

type alertInput struct {
	Name      string `json:"name" jsonschema:"a short name for people"`
	Query     string `json:"query" jsonschema:"PPL of where commands only: the events that count"`
	Threshold int64  `json:"threshold" jsonschema:"fires when more events than this match within one interval"`
	Interval  string `json:"interval,omitempty" jsonschema:"1m, 5m, 10m, 30m, 1h (default), 3h, 6h, 12h or 1d"`
}

func (d *Demo) createAlert() *tool.Tool {
	t := readTool("create_alert", "Makes an alert in three steps: checks its query, tries it on the whole log to see when it would have fired, and saves it in the page's list of alerts.",
		func(ctx context.Context, call *tool.Call, in alertInput) (any, error) {
			return d.makeAlert(ctx, call, in)
		})
	t.Effect = tool.Write
	t.Policy.Approval = tool.ApprovalNever // it only adds a line to a list, which can be deleted
	return t
}

func (d *Demo) makeAlert(ctx context.Context, call *tool.Call, in alertInput) (*alert, error) {
	call.Progress("validate", "Checking the query", 0)
	chosen, err := d.checkAlert(&in)
	if err != nil {
		return nil, err
	}
	call.Progress("dry run", "Trying it on the whole log", 0.33)
	n := alert{Name: in.Name, Query: in.Query, Threshold: in.Threshold, Interval: in.Interval}
	if err := d.dryRun(ctx, chosen.Plan, &n); err != nil {
		return nil, fmt.Errorf("try alert: %w", err)
	}
	call.Progress("save", "Saving it", 0.66)
	n, err = d.alerts.add(n)
	return &n, err
}

var alertIntervals = []string{"1m", "5m", "10m", "30m", "1h", "3h", "6h", "12h", "1d"}

// checkAlert refuses an invalid alert.
func (d *Demo) checkAlert(in *alertInput) (*selection, error) {
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" || utf8.RuneCountInString(in.Name) > 120 {
		return nil, invalidArg("name: must have 1 to 120 characters")
	}
	if in.Threshold < 0 {
		return nil, invalidArg("threshold: must not be negative")
	}
	if in.Interval = cmp.Or(in.Interval, "1h"); !slices.Contains(alertIntervals, in.Interval) {
		return nil, invalidArg("interval: must be one of %s", strings.Join(alertIntervals, ", "))
	}
	in.Query = strings.TrimSpace(in.Query)
	chosen, err := d.choose(in.Query, nil, nil)
	if err == nil && chosen.query.Reshapes() {
		return nil, invalidArg("query: an alert counts events; leave out stats, head and the like")
	}
	return chosen, err
}

// dryRun evaluates every interval of the log. There may be more of them than a query returns, so
// the database counts those that fire.
func (d *Demo) dryRun(ctx context.Context, plan *ppl.Plan, n *alert) error {
	perInterval := fmt.Sprintf("stats count() as n by span(timestamp, %s)", n.Interval)
	fired, err := d.aggregate(ctx, plan, fmt.Sprintf("%s | where n > %d | stats count()", perInterval, n.Threshold))
	if err != nil {
		return err
	}
	n.Fired = int(asInt(fired[0][0]))
	highest, err := d.aggregate(ctx, plan, perInterval+" | sort - n | head 1")
	for _, row := range highest {
		n.Peak = asInt(row[0])
		n.PeakAt, _ = publicValue(ppl.Time, row[1]).(string)
	}
	return err
}

func (d *Demo) listAlerts() *tool.Tool {
	return readTool("list_alerts", "The saved alerts, with how often each would have fired over the whole log.",
		func(context.Context, *tool.Call, struct{}) (any, error) {
			return map[string]any{"alerts": d.alerts.all()}, nil
		})
}

type deleteInput struct {
	Alert string `json:"alert" jsonschema:"its id or its name"`
}

func (d *Demo) deleteAlert() *tool.Tool {
	t := readTool("delete_alert", "Deletes an alert, once the user has agreed. The user can undo it on the page.",
		func(_ context.Context, _ *tool.Call, in deleteInput) (any, error) {
			n, ok, err := d.alerts.mark(true, in.tests()...)
			if err == nil && !ok {
				err = in.unknown()
			}
			return map[string]any{"deleted": n}, err
		})
	t.Effect, t.Policy.Approval = tool.Destructive, tool.ApprovalAlways
	t.Policy.Summary = func(_ context.Context, call *tool.Call) (string, error) {
		var in deleteInput
		if err := json.Unmarshal(call.Args, &in); err != nil {
			return "", fmt.Errorf("read arguments: %w", err)
		}
		n, ok := d.alerts.find(false, in.tests()...)
		if !ok {
			return "", in.unknown()
		}
		return "Deletes " + n.describe(), nil
	}
	return t
}

// tests match an alert by what the model calls it: its id, then its name.
func (in deleteInput) tests() []func(alert) bool {
	return []func(alert) bool{withID(in.Alert), named(in.Alert), namedAbout(in.Alert)}
}

func (in deleteInput) unknown() error {
	return invalidArg("alert: there is no alert %q; list_alerts says which there are", rest.Clip(in.Alert, 100))
}

// describe describes the alert for people.
func (n alert) describe() string {
	fired := fmt.Sprintf("would have fired %d times", n.Fired)
	switch n.Fired {
	case 0:
		fired = "would never have fired"
	case 1:
		fired = "would have fired once"
	}
	made := n.CreatedAt.Format("2 January 2006 at 15:04 UTC")
	return fmt.Sprintf("the alert “%s”: more than %d in %s of %s. Made on %s; %s over the log.", n.Name, n.Threshold, n.Interval, n.Query, made, fired)
}

func (d *Demo) getAlerts(*http.Request) (any, error) {
	return map[string]any{"alerts": d.alerts.all()}, nil
}

func (d *Demo) removeAlert(req *http.Request) (any, error) { return d.markAlert(req, true) }

func (d *Demo) restoreAlert(req *http.Request) (any, error) { return d.markAlert(req, false) }

func (d *Demo) markAlert(req *http.Request, deleted bool) (any, error) {
	n, ok, err := d.alerts.mark(deleted, withID(req.PathValue("id")))
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, rest.NotFound("there is no such alert")
	}
	return n, nil
}
