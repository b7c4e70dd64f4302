package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
)

// Event is one event of a stream. All readers share it: it must not be changed.
type Event = eventlog.Event

// Reader reads the stream of one run, or of a thread, from any position. Not safe for concurrent
// use.
type Reader struct {
	m      *Manager
	ctx    context.Context
	stop   context.CancelFunc
	legacy bool
	binary bool // see Binary
	window int  // of snapshots: see snapshot
	wake   chan struct{}

	ready  eventlog.Piece // to be sent before what cur has
	cur    *cursor        // the run being read; nil between runs
	thread *threadReader  // decides what comes next; nil for a reader of one run
	done   bool
	err    error
}

// Read returns a reader of the run's stream from its beginning, during the run and after it. legacy
// selects the stream for 0.x clients. Close it when done.
func (r *Run) Read(legacy bool) *Reader {
	reader := newReader(context.Background(), r.m, legacy, r.window)
	reader.open(r.cursor(0))
	return reader
}

func newReader(ctx context.Context, m *Manager, legacy bool, window int) *Reader {
	r := &Reader{m: m, legacy: legacy, window: window, wake: make(chan struct{}, 1)}
	r.ctx, r.stop = context.WithCancel(ctx)
	return r
}

// Binary makes the reader return AG-UI's binary framing: see agui.AppendProto. Call it before Next.
// alone means that the client takes nothing else. It reports false, and changes nothing, for a 0.x
// client that takes Server-Sent Events as well: they have all events, of which its decoder knows
// little more than half (see agui.DowngradeProto).
func (r *Reader) Binary(alone bool) bool {
	r.binary = alone || !r.legacy
	return r.binary
}

// MediaType is that of what Next returns: text/event-stream, or agui.ProtoMediaType.
func (r *Reader) MediaType() string {
	if r.binary {
		return agui.ProtoMediaType
	}
	return "text/event-stream"
}

// Next returns the frames that are ready, or none; done means that no more will come. The caller
// must not change the frames. Next may read from the store. If a stream ends without a terminal
// event, it continues elsewhere or later: the client should return with the last id it has seen.
func (r *Reader) Next() (frames []byte, done bool) {
	return next(r, func(p eventlog.Piece) ([]byte, error) { return p.Shown(r.binary, r.legacy) })
}

// Events is Next for those who translate: it returns the events of the frames.
func (r *Reader) Events() (events []Event, done bool) {
	return next(r, func(p eventlog.Piece) ([]Event, error) { return p.Events(r.legacy) })
}

// Ready hands over all events that are ready. done means that no more will come.
func (r *Reader) Ready(each func(agui.Event)) (done bool) {
	for {
		events, done := r.Events()
		for _, e := range events {
			each(e.Event)
		}
		if done || len(events) == 0 {
			return done
		}
	}
}

// Rest hands over all events until the stream ends, and waits for those to come as long as ctx
// lasts. It returns Err, or why ctx has ended.
func (r *Reader) Rest(ctx context.Context, each func(agui.Event)) error {
	for !r.Ready(each) {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.err
}

// next returns what is ready, as the caller wants it.
func next[T any](r *Reader, as func(eventlog.Piece) ([]T, error)) (out []T, done bool) {
	for {
		out, more, err := tryNext(r, as)
		if err != nil {
			r.fail(err)
			return nil, true
		}
		if len(out) > 0 || !more {
			return out, r.done
		}
	}
}

// tryNext is one step, protected against a store that panics.
func tryNext[T any](r *Reader, as func(eventlog.Piece) ([]T, error)) (out []T, more bool, err error) {
	defer guard.Error(&err)
	p, more, err := r.step()
	if err == nil && len(p.Frames) > 0 {
		out, err = as(p)
	}
	return out, more, err
}

// step reads on. more is false if there is nothing to do until Wake is signalled, or ever.
func (r *Reader) step() (p eventlog.Piece, more bool, err error) {
	switch {
	case r.done:
		return p, false, nil
	case len(r.ready.Frames) > 0:
		p, r.ready = r.ready, eventlog.Piece{}
		return p, true, nil
	case r.cur == nil:
		return p, r.advance(), nil
	}
	before := r.cur.at.Seq
	frames, done, err := r.cur.next(r.ctx)
	switch {
	case errors.Is(err, store.ErrGone):
		return r.instead()
	case err != nil:
		return p, false, err
	case done:
		if r.cur.run != nil { // the caller has sent everything before
			r.cur.run.seen.Store(true)
		}
		r.leave()
		return p, true, nil
	}
	return eventlog.Piece{Frames: frames, Log: r.cur.log(), Before: before, After: r.cur.at}, len(frames) > 0, nil
}

// instead returns a snapshot for a run whose events have been purged.
func (r *Reader) instead() (p eventlog.Piece, more bool, err error) {
	s, err := r.cur.gone(r.ctx)
	if err == nil {
		s.window = r.window
		p, err = s.piece()
	}
	if err != nil {
		return eventlog.Piece{}, false, err
	}
	r.leave()
	return p, true, nil
}

// advance moves on to what comes next. It returns false if there is nothing, for now or forever.
func (r *Reader) advance() bool {
	if r.thread == nil {
		r.done = true
		return false
	}
	return r.thread.advance(r)
}

// fail ends the stream without a terminal event.
func (r *Reader) fail(err error) {
	if r.ctx.Err() == nil {
		r.err = err
		r.m.log.Error("a stream broke off", "run", r.cur.id(), "error", err)
	}
	r.done = true
}

// ThreadID returns the thread of the run that is being read; "" between runs.
func (r *Reader) ThreadID() string {
	if r.cur == nil {
		return ""
	}
	return r.cur.threadID()
}

// Err returns why a stream was cut short, or nil if it was not or the reader's context ended.
func (r *Reader) Err() error { return r.err }

// Wake is signalled when Next may have more.
func (r *Reader) Wake() <-chan struct{} { return r.wake }

// Close frees the reader.
func (r *Reader) Close() {
	r.leave()
	if r.thread != nil {
		r.m.followers.leave(r.thread.key, r.wake)
		r.m.supersedeUnreadLater(r.thread.key)
	}
	r.done = true
	r.stop()
}

// open starts reading a run.
func (r *Reader) open(c *cursor) {
	r.cur = c
	if c.run != nil {
		c.run.log.Watch(r.wake)
		c.run.countReaders(+1)
	}
}

// leave stops reading a run.
func (r *Reader) leave() {
	if r.cur != nil && r.cur.run != nil {
		r.cur.run.log.Unwatch(r.wake)
		r.cur.run.countReaders(-1)
	}
	r.cur = nil
}

// cursor reads one run: from memory if possible, else from the store.
type cursor struct {
	m     *Manager
	owner store.Owner
	run   *Run      // nil if the run is only in the store
	row   store.Run // set if run is nil
	at    eventlog.Position
}

// cursor returns a cursor after the given event number.
func (r *Run) cursor(after int64) *cursor {
	if r.past != nil {
		return r.m.pastCursor(r.owner, *r.past, after)
	}
	return &cursor{m: r.m, owner: r.owner, run: r, at: eventlog.Position{Seq: after}}
}

func (m *Manager) pastCursor(o store.Owner, row store.Run, after int64) *cursor {
	return &cursor{m: m, owner: o, row: row, at: eventlog.Position{Seq: after}}
}

// log returns the part of the run's stream that is in memory, or nil.
func (c *cursor) log() *eventlog.Log {
	if c.run == nil {
		return nil
	}
	return c.run.log
}

func (c *cursor) id() string {
	switch {
	case c == nil:
		return ""
	case c.run != nil:
		return c.run.ID
	}
	return c.row.ID
}

// next returns the next frames; done means that the run has no more. It returns store.ErrGone if
// they have been purged.
func (c *cursor) next(ctx context.Context) (frames []byte, done bool, err error) {
	if c.run != nil {
		frames, next, held, done := c.run.log.After(c.at)
		if held {
			c.at = next
			return frames, done, nil
		}
	}
	if c.atEnd() {
		return nil, true, nil
	}
	if frames, err = c.stored(ctx); err != nil || len(frames) > 0 {
		return frames, false, err
	}
	switch {
	case c.run != nil:
		return nil, true, fmt.Errorf("the store has no events of run %s after %d", c.run.ID, c.at.Seq)
	case c.row.Status == store.RunLive: // not executed by this process
		return nil, true, nil
	}
	return nil, false, store.ErrGone
}

// atEnd reports whether the store has nothing more.
func (c *cursor) atEnd() bool {
	return c.run == nil && c.row.Status != store.RunLive && c.row.LastSeq > 0 && c.at.Seq >= c.row.LastSeq
}

// chunkSize is about how much a reader reads from the store at a time.
const chunkSize = 256 << 10

// stored reads the next frames from the store. The number of concurrent reads is limited: readers
// of a live run must not wait for many that are catching up.
func (c *cursor) stored(ctx context.Context) ([]byte, error) {
	select {
	case c.m.replays <- struct{}{}:
		defer func() { <-c.m.replays }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var chunk []byte
	for b, err := range c.m.cfg.Store.Events(ctx, c.owner, c.id(), c.at.Seq) {
		switch {
		case err != nil:
			return nil, err
		case b.First > c.at.Seq+1:
			return nil, fmt.Errorf("the event log of run %s has a gap between %d and %d", c.id(), c.at.Seq, b.First)
		}
		chunk = append(chunk, eventlog.Skip(b.Frames, c.at.Seq+1-b.First)...)
		c.at = eventlog.Position{Seq: b.First + int64(b.Count) - 1}
		if len(chunk) >= chunkSize {
			break
		}
	}
	return chunk, nil
}

// gone returns the snapshot to show if the run's events have been purged.
func (c *cursor) gone(ctx context.Context) (snapshot, error) {
	row := c.row
	if c.run != nil {
		var err error
		if row, err = c.m.cfg.Store.Run(ctx, c.owner, c.run.ID); err != nil {
			return snapshot{}, err
		}
	}
	return c.m.endSnapshot(ctx, c.owner, row)
}

// has reports whether the run has an event with this id, or begins there.
func (c *cursor) has(ctx context.Context, p eventlog.ID) (bool, error) {
	switch {
	case p.Seq == 0:
		return true, nil
	case c.run == nil && c.row.Status != store.RunLive && p.Seq >= c.row.LastSeq:
		return p.Seq == c.row.LastSeq && p.Epoch == c.row.Epoch, nil
	}
	at := cursor{m: c.m, owner: c.owner, run: c.run, row: c.row, at: eventlog.Position{Seq: p.Seq - 1}}
	frames, _, err := at.next(ctx)
	// a client that read it from the store may be ahead of what is published here
	if c.run != nil && err == nil && len(frames) == 0 {
		frames, err = at.stored(ctx)
	}
	if errors.Is(err, store.ErrGone) {
		return true, nil // unknown, and it makes no difference
	}
	if err != nil {
		return false, err
	}
	for id := range eventlog.Frames(frames) {
		return id == p.String(), nil
	}
	return false, nil
}
