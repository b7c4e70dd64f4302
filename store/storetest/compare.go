package storetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// Compare runs random operations on a store and on a model of one, and fails if they differ. It
// calls open for every sequence of operations; the store must take the time from now. That clock
// runs forwards, stands still and runs backwards.
func Compare(t *testing.T, open func(t *rapid.T, now func() time.Time) store.Store) {
	setSteps(t, 200)
	rapid.Check(t, func(t *rapid.T) {
		c := &comparison{}
		c.millis.Store(1_700_000_000_000)
		c.real, c.model = open(t, c.now), &model{clock: c.now}
		defer c.real.Close()
		actions := map[string]func(*rapid.T){
			"look":  func(t *rapid.T) { c.check(t, genOwner.Draw(t, "owner")) },
			"clock": func(t *rapid.T) { c.millis.Add(int64(rapid.IntRange(-3, 10).Draw(t, "ms"))) },
		}
		for name, draw := range c.operations() {
			actions[name] = func(t *rapid.T) { c.both(t, name, draw(t)) }
		}
		t.Repeat(actions)
		for _, o := range []store.Owner{ada, bob, other} {
			c.check(t, o)
		}
	})
}

// setSteps sets how long sequences of operations are: only where much has happened does a little
// more show. Of short tests rapid makes half as many steps.
func setSteps(t *testing.T, n int) {
	t.Helper()
	steps := flag.Lookup("rapid.steps")
	before := steps.Value.String()
	must.Do(t, steps.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() { _ = steps.Value.Set(before) })
}

type comparison struct {
	millis atomic.Int64 // the time; a store may ask for it in the background
	real   store.Store
	model  *model
}

func (c *comparison) now() time.Time { return time.UnixMilli(c.millis.Load()) }

// operation calls a store and returns what must be the same for all stores.
type operation func(s store.Store) (any, error)

// write is an operation that returns nothing.
func write(do func(s store.Store) error) operation {
	return func(s store.Store) (any, error) { return nil, do(s) }
}

var (
	genOwner  = rapid.SampledFrom([]store.Owner{ada, ada, ada, bob, other})
	genThread = rapid.SampledFrom([]string{"t1", "t1", "t1", "t2", "t3", "T1", "t1 "})
	genRun    = rapid.SampledFrom([]string{"r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"})
	genKnown  = rapid.SampledFrom([]string{"m1", "m2", "m3", "m4", "m5", "M1"})
	genID     = rapid.OneOf(genKnown, rapid.StringMatching(`[a-z]{3}`))
	genWord   = rapid.SampledFrom([]string{"apple", "App", "pear", "Äpfel", "apfel", "数据", "p", "-", "\""})
	genWords  = rapid.Map(rapid.SliceOfN(genWord, 0, 4), func(w []string) string { return strings.Join(w, " ") })
	genText   = rapid.OneOf(rapid.String(), genWords)
	genBatch  = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) agui.Message {
		if rapid.IntRange(0, 99).Draw(t, "id") == 50 {
			return user("", "which nothing can be stored with")
		}
		return user(genID.Draw(t, "id"), genText.Draw(t, "text"))
	}), 0, 6)
	genJSON = rapid.SampledFrom([]json.RawMessage{nil, []byte(`{"a":1}`), []byte(`{ "a": 2.0 }`), []byte(`null`)})
)

// pick draws one of the values.
func pick[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

// maybe draws a value half of the time, else nil.
func maybe[T any](t *rapid.T, label string, gen *rapid.Generator[T]) *T {
	if !rapid.Bool().Draw(t, label+" set") {
		return nil
	}
	return new(gen.Draw(t, label))
}

// operations returns what may be done, each with its arguments still to be drawn.
func (c *comparison) operations() map[string]func(t *rapid.T) operation {
	return map[string]func(t *rapid.T) operation{
		"BeginRun":      c.beginRun,
		"BeginRun2":     c.beginRun,
		"BeginRun3":     c.beginRun,
		"EndRun":        c.endRun,
		"EndRun2":       c.endRun,
		"AppendEvents":  c.appendEvents,
		"AppendEvents2": c.appendEvents, // what has a number is drawn more often
		"UpdateThread":  c.updateThread,
		"Threads":       c.threads,
		"SaveMessages": func(t *rapid.T) operation {
			o, r := c.someRun(t)
			batch := genBatch.Draw(t, "messages")
			return write(func(s store.Store) error { return s.SaveMessages(ctx, o, r.ThreadID, r.ID, batch) })
		},
		"TakeOver": func(t *rapid.T) operation {
			o, r := c.someRun(t)
			return func(s store.Store) (any, error) { return s.TakeOver(ctx, o, r.ID) }
		},
		"TaintRun": func(t *rapid.T) operation {
			o, r := c.someRun(t)
			return write(func(s store.Store) error { return s.TaintRun(ctx, o, r.ID) })
		},
		"PurgeEvents": func(t *rapid.T) operation {
			before := c.about(t)
			return func(s store.Store) (any, error) { return s.PurgeEvents(ctx, before) }
		},
		"Purge": func(t *rapid.T) operation {
			before := c.about(t)
			return func(s store.Store) (any, error) {
				purged, err := s.Purge(ctx, before)
				slices.SortFunc(purged, func(a, b store.ThreadKey) int {
					return cmp.Or(strings.Compare(a.Owner.Key(), b.Owner.Key()), strings.Compare(a.ID, b.ID))
				})
				return fmt.Sprint(purged), err
			}
		},
		"Forget": func(t *rapid.T) operation {
			o := genOwner.Draw(t, "owner")
			if rapid.IntRange(0, 3).Draw(t, "really") > 0 { // seldom: much is to happen before
				return write(func(store.Store) error { return nil })
			}
			return write(func(s store.Store) error { return s.Forget(ctx, o) })
		},
		"Messages": func(t *rapid.T) operation {
			o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
			before, limit := rapid.Int64Range(-1, 40).Draw(t, "before"), rapid.IntRange(-1, 5).Draw(t, "limit")
			return func(s store.Store) (any, error) { return pageOf(s.Messages(ctx, o, id, before, limit)) }
		},
	}
}

func (c *comparison) beginRun(t *rapid.T) operation {
	o, batch := genOwner.Draw(t, "owner"), genBatch.Draw(t, "messages")
	id := genThread.Draw(t, "thread")
	parents := []string{"", "", "", store.RootRun, "r1"}
	if known := c.model.thread(o, id); known != nil {
		for _, r := range known.runs {
			parents = append(parents, r.ID)
		}
	}
	r := runFrom(pick(t, "parent", parents...), genRun.Draw(t, "run"), id)
	r.ThreadTitle, r.Agent = pick(t, "title", "", "apple title"), pick(t, "agent", "default", "default", "other")
	r.Tainted = rapid.IntRange(0, 4).Draw(t, "tainted") == 0
	r.Input, r.State = genJSON.Draw(t, "input"), genJSON.Draw(t, "state")
	first := noEvents
	if rapid.Bool().Draw(t, "with events") {
		first = c.nextBatch(t, o, r.ID)
	}
	return write(func(s store.Store) error { return s.BeginRun(ctx, o, r, batch, first) })
}

func (c *comparison) endRun(t *rapid.T) operation {
	o, r := c.someRun(t)
	batch := genBatch.Draw(t, "messages")
	end := store.Run{
		ID: r.ID, Status: pick(t, "status", store.RunFinished, store.RunFailed, store.RunCancelled, store.RunLive, ""),
		Pending: rapid.SliceOfN(genID, 0, 2).Draw(t, "pending"), Epoch: rapid.IntRange(0, 2).Draw(t, "epoch"),
		State: genJSON.Draw(t, "state"), Interrupts: genJSON.Draw(t, "interrupts"), Usage: genJSON.Draw(t, "usage"),
	}
	last := noEvents
	switch pick(t, "with", "nothing", "events", "events", "a thread") {
	case "events":
		last = c.nextBatch(t, o, r.ID)
	case "a thread": // which of several things that are wrong is told is open
		end.ThreadID, end.Epoch = pick(t, "thread", r.ThreadID, "t4"), 0
	}
	return write(func(s store.Store) error { return s.EndRun(ctx, o, end, batch, last) })
}

func (c *comparison) appendEvents(t *rapid.T) operation {
	o, r := c.someRun(t)
	b := c.nextBatch(t, o, r.ID)
	return write(func(s store.Store) error { return appended(s, o, b) })
}

// nextBatch returns a batch that mostly follows what the log of the run holds.
func (c *comparison) nextBatch(t *rapid.T, o store.Owner, runID string) store.Batch {
	last, epoch := int64(0), 1
	for b := range c.model.Events(ctx, o, runID, 0) {
		last = max(last, b.Last())
	}
	if r, err := c.model.Run(ctx, o, runID); err == nil {
		epoch = r.Epoch
	}
	first := last + 1 + pick(t, "slip", int64(0), 0, 0, 0, 1, -1)
	epoch += pick(t, "epoch slip", 0, 0, 0, -1)
	b := events(runID, epoch, first, rapid.SliceOfN(genID, 0, 3).Draw(t, "events")...)
	b.Usage = genJSON.Draw(t, "used")
	return b
}

func (c *comparison) updateThread(t *rapid.T) operation {
	o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
	change := store.ThreadChange{
		Title: maybe(t, "title", genText), Archived: maybe(t, "archived", rapid.Bool()),
		Pinned: maybe(t, "pinned", rapid.Bool()), Deleted: maybe(t, "deleted", rapid.Bool()),
		Head: maybe(t, "head", genRun),
	}
	return func(s store.Store) (any, error) { return s.UpdateThread(ctx, o, id, change) }
}

func (c *comparison) threads(t *rapid.T) operation {
	o := genOwner.Draw(t, "owner")
	at := store.ThreadPosition{Pinned: rapid.Bool().Draw(t, "from a pinned one"), UpdatedAt: c.about(t)}
	at.ID = genThread.Draw(t, "id")
	q := store.ThreadQuery{
		Cursor: pick(t, "cursor", "", "x", at.Cursor()), Limit: rapid.IntRange(-1, 3).Draw(t, "limit"),
		Archived: rapid.Bool().Draw(t, "archived"), Deleted: rapid.IntRange(0, 4).Draw(t, "deleted") == 0,
		PinnedFirst: rapid.Bool().Draw(t, "pinned first"),
	}
	if rapid.Bool().Draw(t, "search") {
		q.Text = genText.Draw(t, "text")
	}
	return func(s store.Store) (any, error) { return s.Threads(ctx, o, q) }
}

// about returns a time near now.
func (c *comparison) about(t *rapid.T) time.Time {
	return c.now().Add(time.Duration(rapid.IntRange(-30, 5).Draw(t, "before")) * time.Millisecond)
}

// someRun returns a run with its owner: mostly a live one, so that most writes succeed, or any.
func (c *comparison) someRun(t *rapid.T) (store.Owner, store.Run) {
	live := must.Get(c.model.LiveRuns(ctx))(t)
	if len(live) == 0 || rapid.IntRange(0, 3).Draw(t, "any") == 0 {
		return genOwner.Draw(t, "owner"), run(genRun.Draw(t, "run"), genThread.Draw(t, "thread"))
	}
	l := pick(t, "live", live...)
	return l.Owner, l.Run
}

// check compares all that an owner can read.
func (c *comparison) check(t *rapid.T, o store.Owner) {
	t.Helper()
	got, want := c.view(c.real, o), c.view(c.model, o)
	for what := range want {
		agree(t, what, got[what], want[what])
	}
}

// agree ends the test where the store and the model differ.
func agree(t *rapid.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

// view returns all that an owner can read, by what was asked.
func (c *comparison) view(s store.Store, o store.Owner) map[string]any {
	view := map[string]any{}
	see := func(what ...any) func(any, error) {
		return func(got any, err error) { view[fmt.Sprint(what...)] = outcome(got, err) }
	}
	see("LiveRuns")(s.LiveRuns(ctx))
	lately := c.now().Add(-10 * time.Millisecond)
	for i, q := range []store.RunQuery{{}, {Since: lately}, {ThreadID: "t1"}, {Agent: "other"}} {
		q.Limit = []int{99, 2}[i%2]
		see("RecentRuns ", i)(s.RecentRuns(ctx, o, q))
	}
	for i, q := range []store.ThreadQuery{{}, {PinnedFirst: true}, {Archived: true}, {Deleted: true}} {
		q.Limit = i%2 + 1
		see("Threads ", i)(allThreads(s, o, q))
	}
	for _, id := range []string{"r1", "r2", "r3", "r4", "none"} {
		see("Run ", id)(s.Run(ctx, o, id))
		see("Events ", id)(logOf(s, o, id, 0))
		see("Events after 2 of ", id)(logOf(s, o, id, 2))
	}
	for _, id := range []string{"t1", "t2", "T1"} {
		see("Thread ", id)(s.Thread(ctx, o, id))
		see("LastRun ", id)(s.LastRun(ctx, o, id))
		see("Runs ", id)(s.Runs(ctx, o, id))
		for _, message := range []string{"m1", "m2", "none"} {
			see("MessageRun ", id, message)(s.MessageRun(ctx, o, id, message))
		}
		see("HasMessages ", id)(s.HasMessages(ctx, o, id, []string{"m1", "m2", "m3", "h0", "h1", "none"}))
		see("Messages ", id)(pageOf(s.Messages(ctx, o, id, 0, 0)))
		for _, at := range []string{"", store.RootRun, "r1", "r2", "r3"} {
			see("Transcript ", id, at)(transcript(s, o, id, at))
		}
	}
	return view
}

// both carries out an operation on the store and the model, and fails if their answers differ.
func (c *comparison) both(t *rapid.T, what string, do operation) {
	t.Helper()
	agree(t, what, outcome(do(c.real)), outcome(do(c.model)))
}

// outcome is what a call returns, or which of package store's errors.
func outcome(got any, err error) any {
	if err == nil {
		return got
	}
	for _, kind := range []error{
		store.ErrNotFound, store.ErrConflict, store.ErrInvalid, store.ErrBadCursor, store.ErrFenced, store.ErrGone,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return err
}

// pageOf returns what two stores must agree on, in a form that reads well if they do not.
func pageOf(page store.Page[store.StoredMessage], err error) ([]string, error) {
	lines := []string{"next " + page.Next}
	for _, m := range page.Items {
		lines = append(lines, fmt.Sprint(m.Seq, m.RunID, m.CreatedAt, m.Message.ID, m.Message.Content.Text()))
	}
	return lines, err
}
