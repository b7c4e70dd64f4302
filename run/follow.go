package run

import (
	"context"
	"errors"

	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// FollowRequest asks to follow an existing run or thread.
type FollowRequest struct {
	Owner store.Owner
	// for Follow; if several runs share this id, the newest, or the one that After belongs to
	RunID    string
	ThreadID string // for FollowThread
	// the id of the last event the client has, as in Last-Event-ID; "" means the beginning
	After  string
	Legacy bool // for a 0.x client
	Stay   bool // for FollowThread: after the live run, wait for later ones
	// how many of the newest messages snapshots show, in whole turns; 0 means all
	Window int
}

// Follow returns a reader of a live or ended run, starting after the event After. It reads exactly
// what the run's event log holds. If the log has been purged, it reads a snapshot instead:
// RUN_STARTED, MESSAGES_SNAPSHOT and the run's end. If After is not an event of the run, it reads a
// snapshot of what came before the run, then the whole run.
//
// Errors are *refusal.Error: refusal.NotFound if the owner has no such run, refusal.Invalid with
// the field Last-Event-ID if After is not an event id of this run.
func (m *Manager) Follow(ctx context.Context, req FollowRequest) (*Reader, error) {
	after, err := eventIDOf(req.After)
	if err != nil {
		return nil, err
	}
	id, err := m.followed(ctx, req, after)
	if err != nil {
		return nil, err
	}
	c, err := m.cursor(ctx, req.Owner, id, after.Seq)
	if err != nil {
		return nil, err
	}
	reader := newReader(ctx, m, req.Legacy, req.Window)
	if err := reader.resume(c, after); err != nil {
		reader.Close()
		return nil, err
	}
	return reader, nil
}

// eventIDOf reads a Last-Event-ID.
func eventIDOf(s string) (eventlog.ID, error) {
	id, err := eventlog.ParseID(s)
	if err != nil {
		return id, refusal.Field("Last-Event-ID", "%v", err)
	}
	return id, nil
}

// followed returns the id of the run to follow.
func (m *Manager) followed(ctx context.Context, req FollowRequest, after eventlog.ID) (string, error) {
	switch {
	case req.After == "":
		r := m.cache.newest(req.Owner, req.RunID)
		if r != nil && (r.pinned != r.ID || !r.isOver()) {
			return r.ID, nil
		}
		return m.newest(ctx, req.Owner, req.RunID)
	case after.Run == req.RunID, pinned(after.Run) == req.RunID:
		return after.Run, nil
	}
	return "", refusal.Field("Last-Event-ID", "the event id is one of another run")
}

// cursor returns a cursor for a run in memory or in the store.
func (m *Manager) cursor(ctx context.Context, o store.Owner, runID string, after int64) (*cursor, error) {
	if r := m.cache.get(o, runID); r != nil {
		if err := r.wait(ctx); err == nil {
			return r.cursor(after), nil
		} else if ctx.Err() != nil {
			return nil, err
		}
	}
	row, err := m.cfg.Store.Run(ctx, o, runID)
	if err != nil {
		return nil, noneOr(noRun(runID), "the run could not be looked up", err)
	}
	return m.pastCursor(o, row, after), nil
}

// resume starts reading a run after an event, or from its beginning if it has no such event.
func (r *Reader) resume(c *cursor, after eventlog.ID) error {
	known, err := c.has(r.ctx, after)
	if err != nil {
		return unavailable("the run's events could not be read", err)
	}
	switch {
	case known:
	case c.run == nil && c.row.Status != store.RunLive:
		return r.precede(r.m.endSnapshot(r.ctx, c.owner, c.row))
	case c.run != nil && c.run.hasBegun():
		if err := r.precede(c.run.beforeSnapshot(r.ctx)); err != nil {
			return err
		}
		fallthrough
	default:
		c.at = eventlog.Position{}
	}
	r.open(c)
	return nil
}

// precede puts a snapshot before what comes next.
func (r *Reader) precede(s snapshot, err error) error {
	if err == nil {
		s.window = r.window
		r.ready, err = s.piece()
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// FollowThread returns a reader of a thread as one valid stream of runs. It begins with a snapshot
// of the thread under a new run id; its RUN_FINISHED says what the thread waits for. A live run
// follows from its beginning. With Stay, later runs follow too, each after a snapshot of what it
// continues, until ctx ends or the manager drains.
//
// If After is an event of a run of the thread, the stream begins with the rest of that run, then
// goes on as above with what came later. Any other event id is ignored. A client may also return
// with the ids of a snapshot: it gets the right stream.
//
// Errors are *refusal.Error: refusal.NotFound if the owner has no such thread, refusal.Invalid with
// the field Last-Event-ID if After is malformed.
func (m *Manager) FollowThread(ctx context.Context, req FollowRequest) (*Reader, error) {
	after, err := eventIDOf(req.After)
	if err != nil {
		return nil, err
	}
	thread, err := m.thread(ctx, req.Owner, req.ThreadID)
	if err != nil {
		return nil, err
	}
	reader := newReader(ctx, m, req.Legacy, req.Window)
	reader.thread = &threadReader{key: threadKey{req.Owner, req.ThreadID}, stay: req.Stay}
	reader.thread.seen = m.followers.enter(reader.thread.key, reader.wake)
	if err := reader.rest(thread, after); err != nil {
		reader.Close()
		return nil, err
	}
	return reader, nil
}

// rest begins with the rest of the run that the event belongs to, if it is a run of the thread.
func (r *Reader) rest(thread store.Thread, after eventlog.ID) error {
	if after.Run == "" {
		return nil
	}
	t := r.thread
	c, err := r.m.cursor(r.ctx, t.key.owner, after.Run, after.Seq)
	if e, ok := errors.AsType[*refusal.Error](err); ok && e.Code == refusal.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if threadID := c.threadID(); threadID != thread.ID || c.run != nil && !c.run.hasBegun() {
		return nil
	}
	if c.run != nil {
		t.seen, t.shown = c.run.serial, true
	} else {
		t.shown = thread.Head == c.row.ID
	}
	return r.resume(c, after)
}

func (c *cursor) threadID() string {
	if c.run != nil {
		return c.run.ThreadID
	}
	return c.row.ThreadID
}

// threadReader decides what comes next in a thread's stream.
type threadReader struct {
	key   threadKey
	stay  bool
	seen  int64 // serial of the newest run read
	shown bool  // the initial state of the thread was sent
}

// advance moves on to the next run that has begun or, if there is none, to the state of the thread.
// It returns false if there is nothing, for now or forever.
func (t *threadReader) advance(r *Reader) bool {
	run, missed := r.m.followers.after(t.key, t.seen)
	if missed > t.seen && run == nil {
		t.seen, t.shown = missed, false
	}
	var err error
	switch {
	case run != nil:
		t.seen, t.shown = run.serial, true
		if err = r.precede(run.beforeSnapshot(r.ctx)); err == nil {
			r.open(run.cursor(0))
		}
	case !t.shown:
		t.shown = true
		err = r.precede(r.m.headSnapshot(r.ctx, t.key.owner, t.key.id))
	case t.stay && !r.m.Draining():
		return false
	default:
		r.done = true
		return false
	}
	if err != nil {
		r.fail(err)
		return false
	}
	return true
}
