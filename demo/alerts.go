package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/visible"
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
	Deleted   bool      `json:"deleted,omitempty"`
}

func alertID(a *alert) *string { return &a.ID }

// addAlert saves an alert under a new id. It replaces an alert of the same name.
func (d *Demo) addAlert(n alert) (alert, error) {
	return d.alerts.Update(func(list []alert, next string) (alert, []string, error) {
		var gone []string
		oldest := "" // of the deleted ones
		for _, old := range list {
			if old.Name == n.Name {
				gone = append(gone, old.ID)
			} else if old.Deleted && oldest == "" {
				oldest = old.ID
			}
		}
		if len(list)-len(gone) >= maxAlerts {
			if oldest == "" {
				return n, nil, refuse.BadField("name", "is one too many: there are %d alerts already; delete one first", maxAlerts)
			}
			gone = append(gone, oldest)
		}
		n.ID, n.CreatedAt = next, time.Now().UTC().Truncate(time.Second)
		return n, gone, nil
	})
}

// listed returns the alerts that are not deleted.
func (d *Demo) listed() []alert {
	return slices.DeleteFunc(d.alerts.All(), func(n alert) bool { return n.Deleted })
}

// called returns the alert that is called so: by its id, else by its name, else by its name in
// other letter case.
func called(list []alert, what string, deleted bool) (alert, bool) {
	for _, fits := range []func(alert) bool{
		func(n alert) bool { return n.ID == what }, func(n alert) bool { return n.Name == what },
		func(n alert) bool { return strings.EqualFold(n.Name, what) },
	} {
		if i := slices.IndexFunc(list, func(n alert) bool { return n.Deleted == deleted && fits(n) }); i >= 0 {
			return list[i], true
		}
	}
	return alert{}, false
}

// mark deletes or restores the alert with an id.
func (d *Demo) mark(id string, deleted bool) (alert, error) {
	return d.alerts.Update(func(list []alert, _ string) (alert, []string, error) {
		n, ok := called(list, id, !deleted)
		if !ok || n.ID != id {
			return n, nil, noAlert(id)
		}
		n.Deleted = deleted
		return n, nil, nil
	})
}

func noAlert(what string) error {
	return refuse.NotFound("alert: there is no alert %q; list_alerts says which there are", visible.Clip(what, 100))
}

type alertInput struct {
	Name      string `json:"name" jsonschema:"a short name for people"`
	Query     string `json:"query" jsonschema:"PPL of where commands only: the events that count"`
	Threshold int64  `json:"threshold" jsonschema:"fires when more events than this match within one interval"`
	Interval  string `json:"interval,omitempty" jsonschema:"1m, 5m, 10m, 30m, 1h (default), 3h, 6h, 12h or 1d"`
}

// createAlert tells its progress: it tries the alert on the whole log.
func (d *Demo) createAlert(ctx context.Context, call *tool.Call, in alertInput) (any, error) {
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
	return d.addAlert(n)
}

var alertIntervals = []string{"1m", "5m", "10m", "30m", "1h", "3h", "6h", "12h", "1d"}

// checkAlert refuses an invalid alert.
func (d *Demo) checkAlert(in *alertInput) (*selection, error) {
	in.Name, in.Query = strings.TrimSpace(in.Name), strings.TrimSpace(in.Query)
	in.Interval = cmp.Or(in.Interval, "1h")
	err := errors.Join(
		refuse.Length("name", in.Name, 1, 120), refuse.OneOf("interval", in.Interval, alertIntervals...))
	if err != nil {
		return nil, err
	}
	if in.Threshold < 0 {
		return nil, refuse.BadField("threshold", "must not be negative")
	}
	chosen, err := d.choose(in.Query, nil, nil)
	if err == nil && chosen.Reshapes {
		return nil, refuse.BadField("query", "of an alert counts events; leave out stats, head and the like")
	}
	return chosen, err
}

// dryRun evaluates every interval of the log. There may be more of them than a query returns, so
// the database counts those that fire.
func (d *Demo) dryRun(ctx context.Context, plan *ppl.Plan, n *alert) error {
	perInterval := fmt.Sprintf("stats count() as n by span(timestamp, %s)", n.Interval)
	fired, err := plan.Aggregate(ctx, d.log.DB, fmt.Sprintf("%s | where n > %d | stats count()", perInterval, n.Threshold))
	if err != nil {
		return err
	}
	n.Fired = int(asInt(fired[0][0]))
	highest, err := plan.Aggregate(ctx, d.log.DB, perInterval+" | sort - n | head 1")
	for _, row := range highest {
		n.Peak = asInt(row[0])
		n.PeakAt, _ = publicValue(ppl.Time, row[1]).(string)
	}
	return err
}

func (d *Demo) listAlerts(context.Context, *tool.Call, struct{}) (any, error) {
	return d.getAlerts(nil)
}

type deleteInput struct {
	Alert string `json:"alert" jsonschema:"its id or its name"`
}

func (d *Demo) deleteAlert(_ context.Context, _ *tool.Call, in deleteInput) (any, error) {
	n, err := d.named(in.Alert)
	if err == nil {
		n, err = d.mark(n.ID, true)
	}
	return map[string]any{"deleted": n}, err
}

func (d *Demo) whatIsDeleted(in deleteInput) (string, error) {
	n, err := d.named(in.Alert)
	return "Deletes " + n.describe(), err
}

// named returns the alert that a model or a person calls so.
func (d *Demo) named(what string) (alert, error) {
	n, ok := called(d.alerts.All(), what, false)
	if !ok {
		return n, noAlert(what)
	}
	return n, nil
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
	return map[string]any{"alerts": refuse.List(d.listed())}, nil
}

func (d *Demo) removeAlert(req *http.Request) (any, error) { return d.mark(req.PathValue("id"), true) }

func (d *Demo) restoreAlert(req *http.Request) (any, error) {
	return d.mark(req.PathValue("id"), false)
}
