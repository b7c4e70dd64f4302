package audit

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// written is a log in memory: two tenants with six rows each, of three days, of which nothing was
// purged. So each check stands alone: no other problem hides that it is missing.
type written struct {
	rows    []Row
	heads   []Head
	later   []Head // heads after the rows were read, if they differ
	reads   int    // of the heads
	anchors []Anchor
}

var (
	sealing = NewChain([]byte("a key of the operator's"))
	begin   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func writtenLog() *written {
	w := new(written)
	for _, tenant := range []string{"acme", "other"} {
		head := Head{Tenant: tenant}
		for i := range 6 {
			now := begin.Add(time.Duration(i) * 12 * time.Hour)
			d := draft(&Entry{Time: now, Kind: ToolCall, CallID: fmt.Sprint("call", i)})
			d.Tenant = tenant
			r := sealing.Next(head, d, now)
			head = head.Advance(&r)
			w.rows = append(w.rows, r)
		}
		w.heads = append(w.heads, head)
		w.anchors = append(w.anchors, anchorOf(head))
	}
	return w
}

func anchorOf(h Head) Anchor { return Anchor{begin, h.Tenant, h.Day, h.Seq, h.Hash} }

func (w *written) AuditHeads(context.Context) ([]Head, error) {
	if w.reads++; w.reads%2 == 0 && w.later != nil {
		return w.later, nil
	}
	return w.heads, nil
}

func (w *written) AuditRows(context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, r := range w.rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// replace puts a row, sealed by a chain, in the stead of one, and makes it the tenant's head if it
// is the last.
func (w *written) replace(i int, c *Chain, change func(*Row)) {
	r := w.rows[i]
	r.Key = c.id
	change(&r)
	r.Hash = c.sum(&r)
	w.rows[i] = r
	if i == 5 {
		w.heads[0] = w.heads[0].Advance(&r)
	}
}

// purge removes the first rows of the first tenant, as the store does, but for the entry about it.
func (w *written) purge(n int, c *Chain) {
	last := w.rows[n-1]
	w.heads[0].Purged = c.Checkpoint("acme", last.Day, last.Seq, last.Hash)
	w.rows = w.rows[n:]
}

// record appends the entry about what was purged, with which the log is in order.
func (w *written) record() {
	w.anchors = nil
	r := sealing.Next(w.heads[0], sealing.Purged("acme", w.heads[0].Purged, begin.Add(60*time.Hour)), begin.Add(60*time.Hour))
	at := slices.IndexFunc(w.rows, func(r Row) bool { return r.Tenant == "other" })
	w.rows = slices.Insert(w.rows, at, r)
	w.heads[0] = w.heads[0].Advance(&r)
}

// Each change of the log is found by the one check that is meant to.
func TestVerifyFinds(t *testing.T) {
	hashed := NewChain(nil)
	for name, c := range map[string]struct {
		change func(*written)
		want   string
	}{
		"nothing": {func(*written) {}, ""},
		"a missing row": {
			func(w *written) { w.rows = slices.Delete(w.rows, 1, 3) },
			`tenant "acme", row 4 of 2026-11-22: rows 2 to 3 before it are missing`,
		},
		"a repeated row": {
			func(w *written) { w.rows = slices.Insert(w.rows, 2, w.rows[1]) },
			`tenant "acme", row 2 of 2026-11-21: it comes after row 2`,
		},
		"a row of another history, spliced in": {
			func(w *written) {
				w.anchors = nil
				w.replace(5, sealing, func(r *Row) { r.Prev = w.rows[0].Hash })
			},
			`tenant "acme", row 6 of 2026-11-23: it does not follow the row before it`,
		},
		"a day that is too early": {
			func(w *written) {
				w.anchors = nil
				w.replace(5, sealing, func(r *Row) { r.Day = "2026-11-19" })
			},
			`tenant "acme", row 6 of 2026-11-19: its day is before that of the row before it`,
		},
		"an edit": {
			func(w *written) { w.rows[1].Body = []byte("{}") },
			`tenant "acme", row 2 of 2026-11-21: it was changed`,
		},
		"the rows of another tenant": {
			func(w *written) {
				w.anchors = nil
				w.rows = slices.Clone(w.rows[6:])
				for i := range w.rows {
					w.rows[i].Tenant = "acme"
				}
				w.heads = []Head{{Tenant: "acme"}}
				w.heads[0] = w.heads[0].Advance(&w.rows[5])
			},
			"tenant \"acme\", row 1 of 2026-11-20: it was changed\n" +
				"tenant \"acme\", row 2 of 2026-11-21: it was changed\n" +
				"tenant \"acme\", row 3 of 2026-11-21: it was changed\n" +
				"tenant \"acme\", row 4 of 2026-11-22: it was changed\n" +
				"tenant \"acme\", row 5 of 2026-11-22: it was changed\n" +
				"tenant \"acme\", row 6 of 2026-11-23: it was changed",
		},
		"rows without a seal behind sealed ones": {
			func(w *written) {
				w.anchors = nil
				w.replace(5, hashed, func(*Row) {})
			},
			`tenant "acme", row 6 of 2026-11-23: it is not sealed, though rows before it are`,
		},
		"a key that nobody gave": {
			func(w *written) {
				w.anchors = nil
				w.replace(5, NewChain([]byte("of somebody else")), func(*Row) {})
			},
			`tenant "acme", row 6 of 2026-11-23: it and others are sealed with a key that was not given (id ` + NewChain([]byte("of somebody else")).id + `)`,
		},
		"a row that was anchored differently": {
			func(w *written) {
				w.anchors = append(w.anchors, anchorOf(Head{Tenant: "acme", Day: "2026-11-21", Seq: 2}))
			},
			`tenant "acme", row 2 of 2026-11-21: it is not the row that was anchored at 2026-11-20T12:00:00Z`,
		},
		"a row that was anchored on another day": {
			func(w *written) { w.anchors[0].Day = "2026-11-24" },
			`tenant "acme", row 6 of 2026-11-23: it is not the row that was anchored at 2026-11-20T12:00:00Z`,
		},
		"a cut end with a moved head": {
			func(w *written) {
				w.heads[0] = w.heads[0].Advance(&w.rows[3])
				w.rows = slices.Delete(w.rows, 4, 6)
			},
			`tenant "acme", row 6 of 2026-11-23: the log ends at row 4, though row 6 was anchored at 2026-11-20T12:00:00Z`,
		},
		"a cut end": {
			func(w *written) {
				w.anchors = nil
				w.rows = slices.Delete(w.rows, 4, 6)
			},
			`tenant "acme", row 4 of 2026-11-22: the log ends here, though 6 rows were written`,
		},
		"rows behind the head": {
			func(w *written) {
				w.anchors = nil
				w.heads[0] = w.heads[0].Advance(&w.rows[4])
			},
			`tenant "acme", row 6 of 2026-11-23: it is not the last row that was written, which is row 5`,
		},
		"another head": {
			func(w *written) { w.heads[0].Hash = Hash{1} },
			`tenant "acme", row 6 of 2026-11-23: it is not the last row that was written`,
		},
		"another head, once the rows are read": {
			func(w *written) {
				w.later = slices.Clone(w.heads)
				w.later[0].Hash = Hash{1}
			},
			`tenant "acme", row 6 of 2026-11-23: it is not the last row that was written`,
		},
		"a tenant whose rows are gone": {
			func(w *written) {
				w.anchors = nil
				w.rows = w.rows[6:]
			},
			`tenant "acme", row 6 of 2026-11-23: all rows of the tenant are missing`,
		},
		"a tenant that is gone": {
			func(w *written) { w.rows, w.heads = w.rows[6:], w.heads[1:] },
			`tenant "acme", row 6 of 2026-11-23: all rows of the tenant are missing, though the row was anchored at 2026-11-20T12:00:00Z`,
		},
		"a tenant in two pieces": {
			func(w *written) { w.anchors, w.rows = nil, slices.Concat(w.rows[:2], w.rows[6:], w.rows[2:6]) },
			// the end of the first piece is found, too, and the second begins without one
			`tenant "acme", row 0: its rows are not together` + "\n" +
				`tenant "acme", row 3 of 2026-11-21: rows 1 to 2 before it are missing` + "\n" +
				`tenant "acme", row 2 of 2026-11-21: the log ends here, though 6 rows were written`,
		},
		"a purge": {
			func(w *written) { w.purge(2, sealing); w.record() },
			"",
		},
		"a purge that nobody recorded": {
			func(w *written) { w.purge(2, sealing) },
			`tenant "acme", row 2 of 2026-11-21: rows up to it are gone, and no entry says that they were purged`,
		},
		"a forged checkpoint": {
			func(w *written) {
				w.purge(2, sealing)
				w.record()
				w.heads[0].Purged.Seal = Hash{1}
			},
			`tenant "acme", row 2 of 2026-11-21: the checkpoint of purged rows was changed`,
		},
		"a checkpoint without a seal": {
			func(w *written) {
				w.purge(2, NewChain([]byte("of somebody else")))
				w.record()
			},
			`tenant "acme", row 2 of 2026-11-21: the checkpoint of purged rows is sealed with a key that was not given (id ` + NewChain([]byte("of somebody else")).id + `)`,
		},
		"a purged row that was anchored differently": {
			func(w *written) {
				w.purge(2, sealing)
				w.record()
				w.anchors = []Anchor{anchorOf(Head{Tenant: "acme", Day: "2026-11-21", Seq: 2})}
			},
			`tenant "acme", row 2 of 2026-11-21: the last purged row is not the row that was anchored at 2026-11-20T12:00:00Z`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := writtenLog()
			c.change(w)
			report := must.Get(Verify(t.Context(), w, w.anchors, sealing.key))(t)
			var found []string
			for _, p := range report.Problems {
				found = append(found, p.String())
			}
			must.Be(t, strings.Join(found, "\n"), c.want, "found")
			must.Be(t, report.State == Tampered, c.want != "", "the state %q says so", report.State)
		})
	}
}

// A tenant whose rows were never sealed, in a log with a key, may be a forgery of all of them.
func TestVerifyWantsASeal(t *testing.T) {
	w, chain, head := new(written), NewChain(nil), Head{Tenant: "acme"}
	r := chain.Next(head, Draft{Tenant: "acme", Body: []byte("{}")}, begin)
	w.rows, w.heads = []Row{r}, []Head{head.Advance(&r)}
	report, err := Verify(t.Context(), w, nil, sealing.key)
	if err != nil || len(report.Problems) != 1 || report.Problems[0].What != "no row is sealed with a key" {
		t.Errorf("%+v, %v", report, err)
	}
	if report, err = Verify(t.Context(), w, nil); err != nil || report.State != Unanchored {
		t.Errorf("without a key: %+v, %v", report, err)
	}
}

// Without an anchor nothing shows that the end is there, so the log is not called in order.
func TestVerifyWithoutAnchors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*written)
		want   State
	}{
		"anchored":   {func(*written) {}, Intact},
		"no anchors": {func(w *written) { w.anchors = nil }, Unanchored},
		"a cut end and a moved head, without anchors": {func(w *written) {
			w.anchors = nil
			w.heads[0] = w.heads[0].Advance(&w.rows[3])
			w.rows = slices.Delete(w.rows, 4, 6)
		}, Unanchored},
		"an edit, without anchors": {func(w *written) {
			w.anchors = nil
			w.rows[0].Body = nil
		}, Tampered},
		"an empty log": {func(w *written) { *w = written{} }, Unanchored},
	} {
		w := writtenLog()
		c.change(w)
		must.Be(t, must.Get(Verify(t.Context(), w, w.anchors, sealing.key))(t).State, c.want, "%s: the state", name)
	}
}

// A purge while the log is read makes it be read again.
func TestVerifyDuringAPurge(t *testing.T) {
	w := writtenLog()
	w.purge(2, sealing)
	w.record()
	purged := slices.Clone(w.heads)
	before := slices.Clone(purged)
	before[0].Purged = Checkpoint{}
	w.heads, w.later = before, purged
	moved := &movedOnce{w}
	report, err := Verify(t.Context(), moved, nil, sealing.key)
	if err != nil || len(report.Problems) > 0 || w.reads != 4 {
		t.Errorf("%+v, %v, after %d reads of the heads", report, err, w.reads)
	}
}

// movedOnce has old heads for the first read only.
type movedOnce struct{ *written }

func (m *movedOnce) AuditHeads(ctx context.Context) ([]Head, error) {
	heads, err := m.written.AuditHeads(ctx)
	m.heads = m.later
	return heads, err
}
