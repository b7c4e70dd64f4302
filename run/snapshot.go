package run

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// snapshot is a thread as a few events: RUN_STARTED, MESSAGES_SNAPSHOT, STATE_SNAPSHOT if the
// thread has a state, and a terminal event that says what the thread waits for.
type snapshot struct {
	threadID, runID string
	// of the frames: a client that returns with one of them must get the right stream. id returns
	// that of a frame before the last, by its number from 1
	id       func(n int) eventlog.ID
	end      eventlog.ID // of the last frame
	messages []agui.Message
	state    json.RawMessage // nil if there is none
	outcome  *agui.Outcome   // of RUN_FINISHED; nil means success
	failure  *agui.RunError  // instead of RUN_FINISHED
	// how the last run ended, if it failed and nothing waits
	last *agui.LastRun
	// how many of the newest messages it shows, in whole turns; 0 means all
	window int
}

// piece encodes the snapshot. It bypasses the writer because a snapshot lists calls of earlier runs
// as pending.
func (s snapshot) piece() (p eventlog.Piece, err error) {
	events := s.events()
	for i, e := range events {
		id := s.end
		if i < len(events)-1 {
			id = s.id(i + 1)
		}
		if p.Frames, err = eventlog.AppendFrame(p.Frames, eventlog.Prefix(id.Run, id.Epoch), id.Seq, e); err != nil {
			return eventlog.Piece{}, err
		}
		p.All = append(p.All, Event{ID: id.String(), Event: e})
	}
	return p, nil
}

// events returns what the snapshot says.
func (s snapshot) events() []agui.Event {
	// the last run's end goes into RUN_FINISHED: loading the thread succeeded
	metadata := agui.RunMark{LastRun: s.last}
	var terminal agui.Event = &agui.RunFinished{
		Base: agui.Base{Metadata: metadata.JSON()}, ThreadID: s.threadID, RunID: s.runID, Outcome: s.outcome,
	}
	if s.failure != nil {
		terminal = s.failure
	}
	messages, before := history.Window(history.Visible(s.messages), s.window, s.outcome)
	left := agui.RunMark{Before: before}
	events := []agui.Event{
		&agui.RunStarted{ThreadID: s.threadID, RunID: s.runID, ProtocolVersion: agui.ProtocolVersion},
		&agui.MessagesSnapshot{Base: agui.Base{Metadata: left.JSON()}, Messages: messages},
	}
	if s.state != nil {
		events = append(events, &agui.StateSnapshot{Snapshot: s.state})
	}
	return append(events, terminal)
}

// count returns the number of frames.
func (s snapshot) count() int {
	if s.state != nil {
		return 4
	}
	return 3
}

// madeUp returns a unique epoch for generated frames: the same run may be shown again when the
// thread has changed.
func madeUp() int {
	const beyond = 1 << 30 // no run has had that many writers
	return beyond + rand.IntN(beyond)
}

// show answers a request that only asks for the thread. It stores nothing.
func (r *Run) show(ctx context.Context) error {
	s := snapshot{threadID: r.ThreadID, runID: r.pinned, window: r.window}
	epoch := madeUp()
	// numbered like a run's events: a client that loses the stream gets the rest of it
	s.id = func(n int) eventlog.ID { return eventlog.ID{Run: r.ID, Epoch: epoch, Seq: int64(n)} }
	row, messages, err := r.m.headOf(ctx, r.owner, r.ThreadID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return unreadable(err)
	}
	s.messages, s.state = messages, row.State
	s.end = s.id(s.count())
	if err == nil && row.Status != store.RunLive {
		if err := s.restsAt(row); err != nil {
			return err
		}
		r.m.sawEnd(r.owner, row.ID)
	}
	p, err := s.piece()
	if err != nil {
		return err
	}
	r.log.Publish(p.Frames, len(p.All), true)
	return nil
}

// endSnapshot returns the snapshot for a run whose events have been purged: the thread at the run's
// end, and how the run ended.
func (s *stored) endSnapshot(ctx context.Context, o store.Owner, row store.Run) (snapshot, error) {
	messages, err := s.db.Transcript(ctx, o, row.ThreadID, row.ID)
	if err != nil {
		return snapshot{}, err
	}
	shown := snapshot{
		threadID: row.ThreadID, runID: pinned(row.ID), messages: messages, state: row.State,
		end: eventlog.ID{Run: row.ID, Epoch: row.Epoch, Seq: row.LastSeq},
	}
	// All but the last do not count as read: they lead to the snapshot again.
	shown.id = func(int) eventlog.ID { return eventlog.ID{Run: row.ID, Epoch: madeUp(), Seq: 0} }
	switch row.Status {
	case store.RunFailed:
		shown.failure = &agui.RunError{Message: "the run failed earlier: " + row.Error, Code: row.Error}
	case store.RunCancelled:
		shown.outcome = &agui.Outcome{Type: agui.OutcomeCancelled}
	default:
		return shown, shown.restsAt(row)
	}
	return shown, nil
}

// beforeSnapshot returns the snapshot shown before a run in a thread's stream: what the run
// continues and what it brought. The id of its last frame is the one before the run's first event.
func (r *Run) beforeSnapshot(ctx context.Context) (snapshot, error) {
	messages, err := r.m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, r.parent)
	if err != nil {
		return snapshot{}, err
	}
	with, err := r.m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, r.ID)
	if err != nil {
		return snapshot{}, err
	}
	messages = r.asBefore(messages)
	for i := range with {
		if r.brings[with[i].ID] {
			messages = append(messages, with[i])
		}
	}
	row, err := r.m.cfg.Store.Run(ctx, r.owner, r.ID)
	if err != nil {
		return snapshot{}, err
	}
	return preceding(r.ThreadID, messages, row.StartState, eventlog.ID{Run: r.ID, Epoch: r.w.epoch, Seq: 0}), nil
}

// headSnapshot returns the snapshot of a thread without a live run. Its last frame has the id of
// the last event of the thread's last run.
func (m *Manager) headSnapshot(ctx context.Context, o store.Owner, threadID string) (snapshot, error) {
	row, messages, err := m.headOf(ctx, o, threadID)
	if err != nil {
		return snapshot{}, err
	}
	m.sawEnd(o, row.ID)
	s := preceding(threadID, messages, row.State, eventlog.ID{Run: row.ID, Epoch: row.Epoch, Seq: row.LastSeq})
	return s, s.restsAt(row)
}

// restsAt sets what the thread waits for after its last run. If nothing waits and the run failed,
// it sets how the run ended: there may be no message that shows it.
func (s *snapshot) restsAt(last store.Run) error {
	asked, err := interruptsOf(last)
	if err != nil {
		return err
	}
	s.outcome = history.Outcome(s.messages, history.Open(asked, s.messages))
	if s.outcome == nil && (last.Status == store.RunFailed || last.Status == store.RunCancelled) {
		s.last = &agui.LastRun{Status: string(last.Status), Code: last.Error}
	}
	return nil
}

// preceding returns a snapshot under a new run id, which leads to a snapshot again.
func preceding(threadID string, messages []agui.Message, state json.RawMessage, end eventlog.ID) snapshot {
	s := snapshot{threadID: threadID, runID: newID("snapshot"), messages: messages, state: state, end: end}
	s.id = func(n int) eventlog.ID { return eventlog.ID{Run: s.runID, Epoch: 1, Seq: int64(n)} }
	return s
}
