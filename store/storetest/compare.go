package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// Compare runs random operations on a store and on store.Memory, and fails where they differ. Open is called for every
// sequence of operations; its stores must take the time from now. The clock runs forwards, stands still and runs backwards.
func Compare(t *testing.T, open func(t *rapid.T, now func() time.Time) store.Store) {
	rapid.Check(t, func(t *rapid.T) {
		c := &comparison{ctx: context.Background(), time: time.UnixMilli(1_700_000_000_000)}
		now := func() time.Time { return c.time }
		c.real, c.model = open(t, now), &store.Memory{Now: now}
		defer c.real.Close()
		t.Repeat(map[string]func(*rapid.T){
			"look":         c.look,
			"clock":        c.tick,
			"BeginRun":     c.beginRun,
			"SaveMessages": c.saveMessages,
			"EndRun":       c.endRun,
			"UpdateThread": c.setTitle,
			"Messages":     c.messages,
			"Threads":      c.threads,
		})
		for _, o := range []store.Owner{ada, bob, other} {
			c.check(t, o)
		}
	})
}

type comparison struct {
	ctx         context.Context
	time        time.Time
	real, model store.Store
}

var (
	genOwner   = rapid.SampledFrom([]store.Owner{ada, bob, other})
	genThread  = rapid.SampledFrom([]string{"t1", "t2", "t3", "T1", "t1 "})
	genRun     = rapid.SampledFrom([]string{"r1", "r2", "r3", "r4", "r5", "r6"})
	genID      = rapid.OneOf(rapid.SampledFrom([]string{"m1", "m2", "m3", "m4", "m5", "M1"}), rapid.StringMatching(`[a-z]{3}`))
	genStatus  = rapid.SampledFrom([]store.RunStatus{store.RunFinished, store.RunFailed, store.RunCancelled, store.RunLive, ""})
	genMessage = rapid.Custom(func(t *rapid.T) agui.Message { return user(genID.Draw(t, "id"), rapid.String().Draw(t, "text")) })
	genBatch   = rapid.SliceOfN(genMessage, 0, 6)
)

func (c *comparison) tick(t *rapid.T) {
	c.time = c.time.Add(time.Duration(rapid.IntRange(-3, 10).Draw(t, "ms")) * time.Millisecond)
}

func (c *comparison) beginRun(t *rapid.T) {
	o, r, batch := genOwner.Draw(t, "owner"), run(genRun.Draw(t, "run"), genThread.Draw(t, "thread")), genBatch.Draw(t, "messages")
	r.ThreadTitle = rapid.SampledFrom([]string{"", "title"}).Draw(t, "title")
	c.both(t, "BeginRun", func(s store.Store) (any, error) { return nil, s.BeginRun(c.ctx, o, r, batch) })
}

func (c *comparison) saveMessages(t *rapid.T) {
	o, r, batch := genOwner.Draw(t, "owner"), c.someRun(t), genBatch.Draw(t, "messages")
	c.both(t, "SaveMessages", func(s store.Store) (any, error) { return nil, s.SaveMessages(c.ctx, o, r.ThreadID, r.ID, batch) })
}

func (c *comparison) endRun(t *rapid.T) {
	o, batch := genOwner.Draw(t, "owner"), genBatch.Draw(t, "messages")
	r := store.Run{ID: genRun.Draw(t, "run"), Status: genStatus.Draw(t, "status"), Pending: rapid.SliceOfN(genID, 0, 2).Draw(t, "pending")}
	c.both(t, "EndRun", func(s store.Store) (any, error) { return nil, s.EndRun(c.ctx, o, r, batch, store.Batch{}) })
}

func (c *comparison) setTitle(t *rapid.T) {
	o, id, title := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread"), rapid.String().Draw(t, "title")
	c.both(t, "UpdateThread", func(s store.Store) (any, error) { return nil, setTitle(s, c.ctx, o, id, title) })
}

func (c *comparison) messages(t *rapid.T) {
	o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
	before, limit := rapid.Int64Range(-1, 40).Draw(t, "before"), rapid.IntRange(-1, 5).Draw(t, "limit")
	c.both(t, "Messages", func(s store.Store) (any, error) { return pageOf(s.Messages(c.ctx, o, id, before, limit)) })
}

func (c *comparison) threads(t *rapid.T) {
	o, limit := genOwner.Draw(t, "owner"), rapid.IntRange(-1, 3).Draw(t, "limit")
	at := c.time.Add(time.Duration(rapid.IntRange(-20, 5).Draw(t, "ms")) * time.Millisecond)
	cursor := rapid.SampledFrom([]string{"", "x", store.ThreadPosition{UpdatedAt: at, ID: genThread.Draw(t, "id")}.Cursor()}).Draw(t, "cursor")
	c.both(t, "Threads", func(s store.Store) (any, error) {
		return s.Threads(c.ctx, o, store.ThreadQuery{Cursor: cursor, Limit: limit})
	})
}

// someRun returns a run of the right thread where there is one, so that most writes succeed.
func (c *comparison) someRun(t *rapid.T) store.Run {
	live, err := c.model.LiveRuns(c.ctx)
	if err != nil || len(live) == 0 || rapid.IntRange(0, 3).Draw(t, "any") == 0 {
		return run(genRun.Draw(t, "run"), genThread.Draw(t, "thread"))
	}
	return live[rapid.IntRange(0, len(live)-1).Draw(t, "live")].Run
}

func (c *comparison) look(t *rapid.T) { c.check(t, genOwner.Draw(t, "owner")) }

// check compares all that an owner can read.
func (c *comparison) check(t *rapid.T, o store.Owner) {
	c.both(t, "LiveRuns", func(s store.Store) (any, error) { return s.LiveRuns(c.ctx) })
	c.both(t, "Run", func(s store.Store) (any, error) { return s.Run(c.ctx, o, "r1") })
	c.both(t, "list", func(s store.Store) (any, error) { return allThreads(c.ctx, s, o, "", 2) })
	for _, id := range []string{"t1", "t2", "T1"} {
		c.both(t, "Thread", func(s store.Store) (any, error) { return s.Thread(c.ctx, o, id) })
		c.both(t, "LastRun", func(s store.Store) (any, error) { return s.LastRun(c.ctx, o, id) })
		c.both(t, "Transcript", func(s store.Store) (any, error) {
			messages, err := s.Transcript(c.ctx, o, id, "")
			return brief(messages), err
		})
	}
}

// both calls do on the store and the model and fails where their answers differ.
func (c *comparison) both(t *rapid.T, what string, do func(store.Store) (any, error)) {
	t.Helper()
	got, gotErr := do(c.real)
	want, wantErr := do(c.model)
	if kindOf(gotErr) != kindOf(wantErr) {
		t.Fatalf("%s: error is %v, want %v", what, gotErr, wantErr)
	}
	if gotErr == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

// kindOf returns which of the package's errors err is.
func kindOf(err error) error {
	kinds := []error{store.ErrNotFound, store.ErrConflict, store.ErrInvalid, store.ErrBadCursor, nil}
	i := slices.IndexFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	if i < 0 {
		return err
	}
	return kinds[i]
}

// pageOf returns what two stores must agree on, in a form that reads well where they do not.
func pageOf(page store.Page[store.StoredMessage], err error) ([]string, error) {
	out := []string{"next " + page.Next}
	for _, m := range page.Items {
		out = append(out, fmt.Sprint(m.Seq, m.RunID, m.CreatedAt, m.Message.ID, m.Message.Content.Text()))
	}
	return out, err
}
