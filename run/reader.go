package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

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

	ready  piece         // to be sent before what cur has
	cur    *cursor       // the run being read; nil between runs
	thread *threadReader // decides what comes next; nil for a reader of one run
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

// Next returns the frames that are ready, or none; done means that no more will come. The caller
// must not change the frames. Next may read from the store. If a stream ends without a terminal
// event, it continues elsewhere or later: the client should return with the last id it has seen.
func (r *Reader) Next() (frames []byte, done bool) { return next(r, (*Reader).shown) }

// Events is Next for those who translate: it returns the events of the frames.
func (r *Reader) Events() (events []Event, done bool) { return next(r, (*Reader).events) }

// next returns what is ready, as the caller wants it.
func next[T any](r *Reader, as func(*Reader, piece) ([]T, error)) (out []T, done bool) {
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
func tryNext[T any](r *Reader, as func(*Reader, piece) ([]T, error)) (out []T, more bool, err error) {
	defer guard.Error(&err)
	p, more, err := r.step()
	if err == nil && len(p.frames) > 0 {
		out, err = as(r, p)
	}
	return out, more, err
}

// piece is a part of a stream.
type piece struct {
	frames []byte
	all    []Event // the same, if they are known: of a snapshot
	// if the frames are of the log: their cursor, and the number of the event before them
	live *cursor
	seq  int64
}

// isLogged reports whether the frames are of the log in memory.
func (p *piece) isLogged() bool {
	return p.live != nil && p.live.run != nil && p.live.at.block > 0
}

// step reads on. more is false if there is nothing to do until Wake is signalled, or ever.
func (r *Reader) step() (p piece, more bool, err error) {
	switch {
	case r.done:
		return p, false, nil
	case len(r.ready.frames) > 0:
		p, r.ready = r.ready, piece{}
		return p, true, nil
	case r.cur == nil:
		return p, r.advance(), nil
	}
	seq := r.cur.at.seq
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
	return piece{frames: frames, live: r.cur, seq: seq}, len(frames) > 0, nil
}

// instead returns a snapshot for a run whose events have been purged.
func (r *Reader) instead() (p piece, more bool, err error) {
	s, err := r.cur.gone(r.ctx)
	if err == nil {
		s.window = r.window
		p, err = s.piece()
	}
	if err != nil {
		return piece{}, false, err
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
		c.run.log.watch(r.wake)
		c.run.countReaders(+1)
	}
}

// leave stops reading a run.
func (r *Reader) leave() {
	if r.cur != nil && r.cur.run != nil {
		r.cur.run.log.unwatch(r.wake)
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
	at    position
}

// cursor returns a cursor after the given event number.
func (r *Run) cursor(after int64) *cursor {
	if r.past != nil {
		return r.m.pastCursor(r.owner, *r.past, after)
	}
	return &cursor{m: r.m, owner: r.owner, run: r, at: position{seq: after}}
}

func (m *Manager) pastCursor(o store.Owner, row store.Run, after int64) *cursor {
	return &cursor{m: m, owner: o, row: row, at: position{seq: after}}
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
		frames, next, held, done := c.run.log.after(c.at)
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
		return nil, true, fmt.Errorf("the store has no events of run %s after %d", c.run.ID, c.at.seq)
	case c.row.Status == store.RunLive: // not executed by this process
		return nil, true, nil
	}
	return nil, false, store.ErrGone
}

// atEnd reports whether the store has nothing more.
func (c *cursor) atEnd() bool {
	return c.run == nil && c.row.Status != store.RunLive && c.row.LastSeq > 0 && c.at.seq >= c.row.LastSeq
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
	for b, err := range c.m.cfg.Store.Events(ctx, c.owner, c.id(), c.at.seq) {
		switch {
		case err != nil:
			return nil, err
		case b.First > c.at.seq+1:
			return nil, fmt.Errorf("the event log of run %s has a gap between %d and %d", c.id(), c.at.seq, b.First)
		}
		chunk = append(chunk, skipFrames(b.Frames, c.at.seq+1-b.First)...)
		c.at = position{seq: b.First + int64(b.Count) - 1}
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
func (c *cursor) has(ctx context.Context, p eventID) (bool, error) {
	switch {
	case p.seq == 0:
		return true, nil
	case c.run == nil && c.row.Status != store.RunLive && p.seq >= c.row.LastSeq:
		return p.seq == c.row.LastSeq && p.epoch == c.row.Epoch, nil
	}
	at := cursor{m: c.m, owner: c.owner, run: c.run, row: c.row, at: position{seq: p.seq - 1}}
	frames, _, err := at.next(ctx)
	// a client that read it from the store may be ahead of what is published here
	if c.run != nil && err == nil && len(frames) == 0 {
		frames, err = at.stored(ctx)
	}
	if errors.Is(err, store.ErrGone) {
		return true, nil // unknown, and it makes no difference
	}
	if err != nil || len(frames) == 0 {
		return false, err
	}
	frame, _ := nextFrame(frames)
	return frameID(frame) == p.String(), nil
}
