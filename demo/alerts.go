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

	"github.com/pageside/pageside/demo/keep"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/tool"
)

// maxAlerts bounds the list. Deleted ones, which can be brought back, make room for new ones.
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

// alerts is the list of the demo. It is safe for concurrent use.
type alerts struct {
	mu   sync.Mutex
	list []alert
	last int
	kept *keep.Drawer
}

// keptAlert is an alert as it is kept: with what pages are not told.
type keptAlert struct {
	alert
	Deleted bool `json:"deleted,omitempty"`
}

// loadAlerts is the list as a drawer has it, which keeps what becomes of it.
func loadAlerts(drawer *keep.Drawer) (*alerts, error) {
	kept, err := keep.All[keptAlert](drawer)
	if err != nil {
		return nil, err
	}
	a := &alerts{kept: drawer}
	for _, k := range kept {
		k.alert.deleted = k.Deleted
		a.list = append(a.list, k.alert)
		id, _ := strconv.Atoi(k.ID)
		a.last = max(a.last, id)
	}
	return a, nil
}

func kept(n alert) []keep.Item { return []keep.Item{{ID: n.ID, Value: keptAlert{n, n.deleted}}} }

// add keeps an alert under a new id. One of the same name takes the old one's place.
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
	if err := a.kept.Write(kept(n), gone...); err != nil {
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

// find returns an alert: the first that one of the tests fits, which are tried in their order.
func (a *alerts) find(deleted bool, tests ...func(alert) bool) (alert, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := a.at(deleted, tests); i >= 0 {
		return a.list[i], true
	}
	return alert{}, false
}

func (a *alerts) at(deleted bool, tests []func(alert) bool) int {
	for _, fits := range tests {
		if i := slices.IndexFunc(a.list, func(n alert) bool { return n.deleted == deleted && fits(n) }); i >= 0 {
			return i
		}
	}
	return -1
}

// mark deletes the alert that find finds, or brings it back.
func (a *alerts) mark(deleted bool, tests ...func(alert) bool) (alert, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.at(!deleted, tests)
	if i < 0 {
		return alert{}, false, nil
	}
	n := a.list[i]
	n.deleted = deleted
	if err := a.kept.Write(kept(n)); err != nil {
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
	t := tool.New("create_alert", "Makes an alert in three steps: checks its query, tries it on the whole log to see when it would have fired, and saves it in the page's list of alerts.",
		func(ctx context.Context, call *tool.Call, in alertInput) (tool.Result, error) {
			return d.makeAlert(ctx, call, in)
		})
	t.Effect, t.Category, t.Policy.Timeout = tool.Write, "discover", toolTimeout
	t.Policy.Approval = tool.ApprovalNever // it is one more line in a list, where it can be deleted
	return t
}

func (d *Demo) makeAlert(ctx context.Context, call *tool.Call, in alertInput) (tool.Result, error) {
	call.Progress("validate", "Checking the query", 0)
	plan, span, err := d.checkAlert(&in)
	if err != nil {
		return tool.Result{}, err
	}
	call.Progress("dry run", "Trying it on the whole log", 0.33)
	n := alert{Name: in.Name, Query: in.Query, Threshold: in.Threshold, Interval: in.Interval}
	if err := d.dryRun(ctx, plan, span, &n); err != nil {
		return tool.Result{}, fmt.Errorf("try alert: %w", err)
	}
	call.Progress("save", "Saving it", 0.66)
	if n, err = d.alerts.add(n); err != nil {
		return tool.Result{}, err
	}
	return jsonResult(n)
}

// checkAlert refuses what cannot be watched, and puts the query into its normal form.
func (d *Demo) checkAlert(in *alertInput) (*ppl.Plan, *ppl.Span, error) {
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" || utf8.RuneCountInString(in.Name) > 120 {
		return nil, nil, invalidArg("name: must have 1 to 120 characters")
	}
	if in.Threshold < 0 {
		return nil, nil, invalidArg("threshold: must not be negative")
	}
	in.Interval = cmp.Or(in.Interval, "1h")
	iv, err := findInterval(in.Interval)
	if err != nil || iv == nil || iv.width() < time.Minute || iv.width() > 24*time.Hour {
		return nil, nil, invalidArg("interval: must be one of 1m, 5m, 10m, 30m, 1h, 3h, 6h, 12h, 1d")
	}
	q, err := ppl.Parse(in.Query)
	if err != nil {
		return nil, nil, asToolError(err)
	}
	if q.Reshapes() {
		return nil, nil, invalidArg("query: an alert counts events; leave out stats, head and the like")
	}
	plan, err := d.compile(q)
	if err != nil {
		return nil, nil, asToolError(err)
	}
	in.Query = q.String()
	return plan, &iv.span, nil
}

// dryRun looks at every interval of the log. There may be more of them than a query returns: the
// database counts those that fire.
func (d *Demo) dryRun(ctx context.Context, plan *ppl.Plan, span *ppl.Span, n *alert) error {
	count := ppl.Name{Text: "the count"}
	perInterval := &ppl.Stats{Aggs: []ppl.Agg{{Func: "count", Alias: &count}}, By: []ppl.Group{{Field: ppl.Name{Text: timeField}, Span: span}}}
	fired, err := d.aggregate(ctx, plan, perInterval, &ppl.Where{Expr: &ppl.Compare{Op: ">", Left: count, Right: ppl.IntLiteral(n.Threshold)}}, &ppl.Stats{Aggs: []ppl.Agg{{Func: "count"}}})
	if err != nil {
		return err
	}
	n.Fired = int(asInt(fired[0][0]))
	highest, err := d.aggregate(ctx, plan, perInterval, &ppl.Sort{Keys: []ppl.SortKey{{Field: count, Desc: true}}}, &ppl.Head{Count: 1})
	for _, row := range highest {
		n.Peak = asInt(row[0])
		n.PeakAt, _ = publicValue(ppl.Time, row[1]).(string)
	}
	return err
}

func (d *Demo) listAlerts() *tool.Tool {
	t := tool.New("list_alerts", "The saved alerts, with how often each would have fired over the whole log.",
		func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
			return jsonResult(map[string]any{"alerts": d.alerts.all()})
		})
	t.Effect, t.Category = tool.Read, "discover"
	return t
}

type deleteInput struct {
	Alert string `json:"alert" jsonschema:"its id or its name"`
}

func (d *Demo) deleteAlert() *tool.Tool {
	t := tool.New("delete_alert", "Deletes an alert, once the user has agreed. The user can undo it on the page.",
		func(_ context.Context, _ *tool.Call, in deleteInput) (tool.Result, error) {
			n, ok, err := d.alerts.mark(true, in.tests()...)
			if err != nil {
				return tool.Result{}, err
			}
			if !ok {
				return tool.Result{}, in.unknown()
			}
			return jsonResult(map[string]any{"deleted": n})
		})
	t.Effect, t.Category, t.Policy.Approval = tool.Destructive, "discover", tool.ApprovalAlways
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

// tests are how an alert is found by what the model calls it: by its id before its name.
func (in deleteInput) tests() []func(alert) bool {
	return []func(alert) bool{withID(in.Alert), named(in.Alert), namedAbout(in.Alert)}
}

func (in deleteInput) unknown() error {
	return invalidArg("alert: there is no alert %q; list_alerts says which there are", clip(in.Alert, 100))
}

// describe says for people which alert it is.
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
		return nil, &requestError{http.StatusNotFound, "not_found", "there is no such alert", nil}
	}
	return n, nil
}
