package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	_ "github.com/pageside/pageside/test/chance"
)

// Compare runs random operations on a store and on a model of one, and fails if they differ. It
// calls open for every sequence of operations; the store must take the time from now. That clock
// runs forwards, stands still and runs backwards.
func Compare(t *testing.T, open func(t *rapid.T, now func() time.Time) store.Store) {
	rapid.Check(t, func(t *rapid.T) {
		c := &comparison{ctx: context.Background()}
		c.millis.Store(1_700_000_000_000)
		now := c.now
		c.real, c.model = open(t, now), newModel(now)
		defer c.real.Close()
		t.Repeat(map[string]func(*rapid.T){
			"look":               c.look,
			"clock":              c.tick,
			"BeginRun":           c.beginRun,
			"SaveMessages":       c.saveMessages,
			"EndRun":             c.endRun,
			"AppendEvents":       c.appendEvents,
			"AppendEvents2":      c.appendEvents,
			"TakeOver":           c.takeOver,
			"TaintRun":           c.taintRun,
			"PurgeEvents":        c.purgeEvents,
			"Purge":              c.purge,
			"PlanCalls":          c.planCalls,
			"StartCall":          c.startCall,
			"FinishCall":         c.finishCall,
			"UpdateThread":       c.updateThread,
			"SetFeedback":        c.setFeedback,
			"SetMessageMetadata": c.setMetadata,
			"Instructions":       c.instructions,
			"Forget":             c.forget,
			"Messages":           c.messages,
			"Threads":            c.threads,
		})
		for _, o := range []store.Owner{ada, bob, other} {
			c.check(t, o)
		}
	})
}

type comparison struct {
	ctx         context.Context
	millis      atomic.Int64 // the time; a store may ask for it in the background
	real, model store.Store
}

var (
	genOwner   = rapid.SampledFrom([]store.Owner{ada, bob, other})
	genThread  = rapid.SampledFrom([]string{"t1", "t2", "t3", "T1", "t1 "})
	genRun     = rapid.SampledFrom([]string{"r1", "r2", "r3", "r4", "r5", "r6"})
	genID      = rapid.OneOf(rapid.SampledFrom([]string{"m1", "m2", "m3", "m4", "m5", "M1"}), rapid.StringMatching(`[a-z]{3}`))
	genStatus  = rapid.SampledFrom([]store.RunStatus{store.RunFinished, store.RunFailed, store.RunCancelled, store.RunLive, ""})
	genWords   = rapid.SliceOfN(rapid.SampledFrom([]string{"apple", "App", "pear", "Äpfel", "apfel", "数据", "p", "-", "\""}), 0, 4)
	genText    = rapid.OneOf(rapid.String(), rapid.Map(genWords, func(words []string) string { return strings.Join(words, " ") }))
	genMessage = rapid.Custom(func(t *rapid.T) agui.Message { return user(genID.Draw(t, "id"), genText.Draw(t, "text")) })
	genBatch   = rapid.SliceOfN(genMessage, 0, 6)
)

func (c *comparison) tick(t *rapid.T) {
	c.millis.Add(int64(rapid.IntRange(-3, 10).Draw(t, "ms")))
}

func (c *comparison) now() time.Time { return time.UnixMilli(c.millis.Load()) }

var genState = rapid.SampledFrom([]json.RawMessage{nil, []byte(`{"a":1}`), []byte(`{ "a": 2.0 }`), []byte(`null`)})

func (c *comparison) beginRun(t *rapid.T) {
	o, r, batch := genOwner.Draw(t, "owner"), run(genRun.Draw(t, "run"), genThread.Draw(t, "thread")), genBatch.Draw(t, "messages")
	r.ThreadTitle = rapid.SampledFrom([]string{"", "apple title"}).Draw(t, "title")
	r.ParentRunID = rapid.SampledFrom([]string{"", "", "", store.RootRun, "r1", "r2", "r3"}).Draw(t, "parent")
	r.Tainted = rapid.IntRange(0, 4).Draw(t, "tainted") == 0
	r.Input = rapid.SampledFrom([]json.RawMessage{nil, []byte(`{"a":1}`)}).Draw(t, "input")
	r.State = genState.Draw(t, "state")
	c.both(t, "BeginRun", func(s store.Store) (any, error) { return nil, s.BeginRun(c.ctx, o, r, batch) })
}

func (c *comparison) saveMessages(t *rapid.T) {
	o, r, batch := genOwner.Draw(t, "owner"), c.someRun(t), genBatch.Draw(t, "messages")
	c.both(t, "SaveMessages", func(s store.Store) (any, error) { return nil, s.SaveMessages(c.ctx, o, r.ThreadID, r.ID, batch) })
}

func (c *comparison) endRun(t *rapid.T) {
	some := c.someRun(t)
	o, batch := c.ownerOf(t, some), genBatch.Draw(t, "messages")
	r := store.Run{ID: some.ID, Status: genStatus.Draw(t, "status"), Pending: rapid.SliceOfN(genID, 0, 2).Draw(t, "pending"), Epoch: rapid.IntRange(0, 2).Draw(t, "epoch")}
	r.State = genState.Draw(t, "state")
	last := store.Batch{}
	if rapid.Bool().Draw(t, "last") {
		last = c.nextBatch(t, o, r.ID)
	}
	c.both(t, "EndRun", func(s store.Store) (any, error) { return nil, s.EndRun(c.ctx, o, r, batch, last) })
}

func (c *comparison) appendEvents(t *rapid.T) {
	some := c.someRun(t)
	o := c.ownerOf(t, some)
	b := c.nextBatch(t, o, some.ID)
	c.both(t, "AppendEvents", func(s store.Store) (any, error) { return nil, appended(s, o, b) })
}

// nextBatch returns a batch that mostly follows what the log of the run holds.
func (c *comparison) nextBatch(t *rapid.T, o store.Owner, runID string) store.Batch {
	last, epoch := int64(0), 1
	for b := range c.model.Events(c.ctx, o, runID, 0) {
		last = max(last, b.Last())
	}
	if r, err := c.model.Run(c.ctx, o, runID); err == nil {
		epoch = r.Epoch
	}
	slip := rapid.SampledFrom([]int64{0, 0, 0, 0, 1, -1}).Draw(t, "slip")
	return events(runID, epoch+int(rapid.SampledFrom([]int{0, 0, 0, -1}).Draw(t, "epoch slip")), last+1+slip, rapid.SliceOfN(genID, 0, 3).Draw(t, "events")...)
}

func (c *comparison) takeOver(t *rapid.T) {
	some := c.someRun(t)
	o := c.ownerOf(t, some)
	c.both(t, "TakeOver", func(s store.Store) (any, error) { return second(s.TakeOver(c.ctx, o, some.ID)) })
}

func (c *comparison) taintRun(t *rapid.T) {
	some := c.someRun(t)
	o := c.ownerOf(t, some)
	c.both(t, "TaintRun", func(s store.Store) (any, error) { return nil, s.TaintRun(c.ctx, o, some.ID) })
}

func second[T any](v T, err error) (any, error) { return v, err }

// about returns a time near now.
func (c *comparison) about(t *rapid.T) time.Time {
	return c.now().Add(time.Duration(rapid.IntRange(-30, 5).Draw(t, "before")) * time.Millisecond)
}

func (c *comparison) purgeEvents(t *rapid.T) {
	before := c.about(t)
	c.both(t, "PurgeEvents", func(s store.Store) (any, error) { return second(s.PurgeEvents(c.ctx, before)) })
}

func (c *comparison) purge(t *rapid.T) {
	before := c.about(t)
	c.both(t, "Purge", func(s store.Store) (any, error) {
		purged, err := s.Purge(c.ctx, before)
		slices.SortFunc(purged, func(a, b store.ThreadKey) int {
			return cmp.Or(strings.Compare(a.Owner.Key(), b.Owner.Key()), strings.Compare(a.ID, b.ID))
		})
		return fmt.Sprint(purged), err
	})
}

var genCall = rapid.Custom(func(t *rapid.T) journal.ToolCall {
	return journal.ToolCall{
		ID: rapid.SampledFrom([]string{"c1", "c2", "c3"}).Draw(t, "call"), Tool: "f", Effect: "read",
		Args: rapid.SampledFrom([]json.RawMessage{nil, []byte(`{}`)}).Draw(t, "args"), Result: rapid.String().Draw(t, "result"), IsError: rapid.Bool().Draw(t, "error"),
	}
})

func (c *comparison) planCalls(t *rapid.T) {
	some, calls := c.someRun(t), rapid.SliceOfN(genCall, 0, 3).Draw(t, "calls")
	o := c.ownerOf(t, some)
	c.both(t, "PlanCalls", func(s store.Store) (any, error) { return nil, s.PlanCalls(c.ctx, o, some.ID, calls, true) })
}

func (c *comparison) startCall(t *rapid.T) {
	some, call := c.someRun(t), genCall.Draw(t, "call")
	o := c.ownerOf(t, some)
	c.both(t, "StartCall", func(s store.Store) (any, error) { return nil, s.StartCall(c.ctx, o, some.ID, call.ID, true) })
}

func (c *comparison) finishCall(t *rapid.T) {
	some, call := c.someRun(t), genCall.Draw(t, "call")
	o := c.ownerOf(t, some)
	c.both(t, "FinishCall", func(s store.Store) (any, error) { return nil, s.FinishCall(c.ctx, o, some.ID, call, true) })
}

func (c *comparison) updateThread(t *rapid.T) {
	o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
	change := store.ThreadChange{
		Title: maybe(t, "title", genText), Archived: maybe(t, "archived", rapid.Bool()), Pinned: maybe(t, "pinned", rapid.Bool()), Deleted: maybe(t, "deleted", rapid.Bool()), Head: maybe(t, "head", genRun),
	}
	c.both(t, "UpdateThread", func(s store.Store) (any, error) { return second(s.UpdateThread(c.ctx, o, id, change)) })
}

// maybe draws a value half of the time, else nil.
func maybe[T any](t *rapid.T, label string, gen *rapid.Generator[T]) *T {
	if !rapid.Bool().Draw(t, label+" set") {
		return nil
	}
	v := gen.Draw(t, label)
	return &v
}

func (c *comparison) setFeedback(t *rapid.T) {
	o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
	f := store.Feedback{MessageID: genID.Draw(t, "message"), Rating: rapid.IntRange(-2, 1).Draw(t, "rating"), Reason: rapid.SampledFrom([]string{"", "incorrect"}).Draw(t, "reason"), Comment: rapid.String().Draw(t, "comment")}
	c.both(t, "SetFeedback", func(s store.Store) (any, error) { return nil, s.SetFeedback(c.ctx, o, id, f) })
}

func (c *comparison) setMetadata(t *rapid.T) {
	o, id, message := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread"), genID.Draw(t, "message")
	metadata := rapid.SampledFrom([]json.RawMessage{nil, []byte(`{"a":1}`), []byte(`[`)}).Draw(t, "metadata")
	change := func(agui.Message) (json.RawMessage, error) { return metadata, nil }
	c.both(t, "SetMessageMetadata", func(s store.Store) (any, error) { return nil, s.SetMessageMetadata(c.ctx, o, id, message, change) })
}

func (c *comparison) forget(t *rapid.T) {
	if o := genOwner.Draw(t, "owner"); rapid.IntRange(0, 3).Draw(t, "really") == 0 {
		c.both(t, "Forget", func(s store.Store) (any, error) { return nil, s.Forget(c.ctx, o) })
	}
	c.both(t, "Holdings", func(s store.Store) (any, error) {
		h, err := s.Holdings(c.ctx, ada)
		h.Other = 0 // rows that have expired go at any time
		return h, err
	})
}

func (c *comparison) instructions(t *rapid.T) {
	o := genOwner.Draw(t, "owner")
	in := store.Instructions{Kind: "stream", ID: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "scope"), Text: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text")}
	c.both(t, "PutInstructions", func(s store.Store) (any, error) { return nil, s.PutInstructions(c.ctx, o, in) })
	c.both(t, "Instructions", func(s store.Store) (any, error) { return second(s.Instructions(c.ctx, ada, in.Kind, in.ID)) })
}

func (c *comparison) messages(t *rapid.T) {
	o, id := genOwner.Draw(t, "owner"), genThread.Draw(t, "thread")
	before, limit := rapid.Int64Range(-1, 40).Draw(t, "before"), rapid.IntRange(-1, 5).Draw(t, "limit")
	c.both(t, "Messages", func(s store.Store) (any, error) { return pageOf(s.Messages(c.ctx, o, id, before, limit)) })
}

func (c *comparison) threads(t *rapid.T) {
	o, limit := genOwner.Draw(t, "owner"), rapid.IntRange(-1, 3).Draw(t, "limit")
	at := c.now().Add(time.Duration(rapid.IntRange(-20, 5).Draw(t, "ms")) * time.Millisecond)
	cursor := rapid.SampledFrom([]string{"", "x", store.ThreadPosition{Pinned: rapid.Bool().Draw(t, "from a pinned one"), UpdatedAt: at, ID: genThread.Draw(t, "id")}.Cursor()}).Draw(t, "cursor")
	q := store.ThreadQuery{Cursor: cursor, Limit: limit, Archived: rapid.Bool().Draw(t, "archived"), Deleted: rapid.IntRange(0, 4).Draw(t, "deleted") == 0,
		PinnedFirst: rapid.Bool().Draw(t, "pinned first")}
	if rapid.Bool().Draw(t, "search") {
		q.Text = genText.Draw(t, "text")
	}
	c.both(t, "Threads", func(s store.Store) (any, error) { return second(s.Threads(c.ctx, o, q)) })
}

// ownerOf returns an owner who has a live run with that id, or any owner.
func (c *comparison) ownerOf(t *rapid.T, r store.Run) store.Owner {
	live, _ := c.model.LiveRuns(c.ctx)
	for _, l := range live {
		if l.Run.ID == r.ID && l.Run.ThreadID == r.ThreadID {
			return l.Owner
		}
	}
	return genOwner.Draw(t, "owner")
}

// someRun returns a run of the right thread if there is one, so that most writes succeed.
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
	c.both(t, "LiveRuns", func(s store.Store) (any, error) { return second(s.LiveRuns(c.ctx)) })
	for _, q := range []store.RunQuery{{Limit: 99}, {Limit: 2, Since: c.now().Add(-10 * time.Millisecond)}, {ThreadID: "t1", Limit: 99}, {Agent: "other", Limit: 99}} {
		c.both(t, "RecentRuns", func(s store.Store) (any, error) { return second(s.RecentRuns(c.ctx, o, q)) })
	}
	c.both(t, "list", func(s store.Store) (any, error) { return second(allThreads(c.ctx, s, o, "", 2)) })
	for _, id := range []string{"r1", "r2", "r3"} {
		c.both(t, "Run", func(s store.Store) (any, error) { return second(s.Run(c.ctx, o, id)) })
		c.both(t, "ToolCalls", func(s store.Store) (any, error) { return second(s.ToolCalls(c.ctx, o, id)) })
		for _, after := range []int64{0, 2} {
			c.both(t, "Events", func(s store.Store) (any, error) { return second(logOf(c.ctx, s, o, id, after)) })
		}
	}
	for _, id := range []string{"t1", "t2", "T1"} {
		c.both(t, "Thread", func(s store.Store) (any, error) { return second(s.Thread(c.ctx, o, id)) })
		c.both(t, "LastRun", func(s store.Store) (any, error) { return second(s.LastRun(c.ctx, o, id)) })
		c.both(t, "Runs", func(s store.Store) (any, error) { return second(s.Runs(c.ctx, o, id)) })
		c.both(t, "ToolCall", func(s store.Store) (any, error) { return second(s.ToolCall(c.ctx, o, id, "c1")) })
		c.both(t, "MessageRun", func(s store.Store) (any, error) { return second(s.MessageRun(c.ctx, o, id, "m1")) })
		c.both(t, "HasMessages", func(s store.Store) (any, error) {
			return second(s.HasMessages(c.ctx, o, id, []string{"m1", "m2", "m3", "h0", "h1", "none"}))
		})
		c.both(t, "page", func(s store.Store) (any, error) { return pageOf(s.Messages(c.ctx, o, id, 0, 0)) })
		for _, at := range []string{"", store.RootRun, "r1", "r2"} {
			c.both(t, "Transcript at "+at, func(s store.Store) (any, error) {
				messages, err := s.Transcript(c.ctx, o, id, at)
				return brief(messages), err
			})
		}
	}
}

// both calls do on the store and the model and fails if their answers differ.
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

// kindOf returns which of package store's errors err is.
func kindOf(err error) error {
	kinds := []error{store.ErrNotFound, store.ErrConflict, store.ErrInvalid, store.ErrBadCursor, store.ErrFenced, store.ErrGone, nil}
	i := slices.IndexFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	if i < 0 {
		return err
	}
	return kinds[i]
}

// pageOf returns what two stores must agree on, in a form that reads well if they do not.
func pageOf(page store.Page[store.StoredMessage], err error) ([]string, error) {
	out := []string{"next " + page.Next}
	for _, m := range page.Items {
		out = append(out, fmt.Sprint(m.Seq, m.RunID, m.CreatedAt, m.Message.ID, m.Message.Content.Text(), string(m.Message.Metadata), m.Feedback))
	}
	return out, err
}
