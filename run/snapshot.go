package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// snapshot is a thread as three events: RUN_STARTED, MESSAGES_SNAPSHOT and a terminal event that
// says what the thread waits for.
type snapshot struct {
	threadID, runID string
	// of the frames: a client that comes back with one of them must get the right stream
	ids      [3]eventID
	messages []agui.Message
	outcome  *agui.Outcome  // of RUN_FINISHED; nil is success
	failure  *agui.RunError // instead of RUN_FINISHED
	// how the thread's last run ended, if it did not end well and nothing waits
	last *agui.LastRun
}

// frames encodes the snapshot. It bypasses the writer: a snapshot names calls of earlier runs as
// pending.
func (s snapshot) frames() ([]byte, error) {
	// how the last run ended goes with a RUN_FINISHED: the loading itself went well
	metadata := agui.Metadata{LastRun: s.last}
	var terminal agui.Event = &agui.RunFinished{Base: agui.Base{Metadata: metadata.JSON()}, ThreadID: s.threadID, RunID: s.runID, Outcome: s.outcome}
	if s.failure != nil {
		terminal = s.failure
	}
	var out []byte
	var err error
	for i, e := range []agui.Event{
		&agui.RunStarted{ThreadID: s.threadID, RunID: s.runID, ProtocolVersion: agui.ProtocolVersion},
		&agui.MessagesSnapshot{Messages: visibleMessages(s.messages)},
		terminal,
	} {
		if out, err = appendFrame(out, framePrefix(s.ids[i].runID, s.ids[i].epoch), s.ids[i].seq, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// madeUp returns an epoch for frames that are made anew whenever they are asked for. It is unlike
// any other, because the same run may be shown again when the thread holds something else.
func madeUp() int {
	const beyond = 1 << 30 // no run has had so many writers
	return beyond + rand.IntN(beyond)
}

// waitsFor returns the outcome of a snapshot: what the thread waits for.
func waitsFor(messages []agui.Message, interrupts []agent.Interrupt) *agui.Outcome {
	open := openCalls(messages)
	var asked []agui.Interrupt
	for i := range interrupts {
		if open.has(interrupts[i].ToolCallID) {
			asked = append(asked, interrupts[i].AGUI())
		}
	}
	if len(asked) > 0 {
		return &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: asked}
	}
	if pending := open.ids(); len(pending) > 0 {
		return &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: pending}
	}
	return nil
}

// show answers a request that only wants to see the thread. Nothing of it is stored.
func (m *Manager) show(ctx context.Context, r *Run) error {
	s := snapshot{threadID: r.ThreadID, runID: r.pinned}
	epoch := madeUp()
	// numbered like a run's events: a client that loses the stream gets the rest of it
	for i := range s.ids {
		s.ids[i] = eventID{r.ID, epoch, int64(i + 1)}
	}
	row, messages, err := m.headOf(ctx, r.owner, r.ThreadID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return unavailable("the thread could not be read", err)
	}
	s.messages = messages
	if err == nil && row.Status != store.RunLive {
		if err := s.restsAt(row); err != nil {
			return err
		}
	}
	frames, err := s.frames()
	if err != nil {
		return err
	}
	r.log.publish(frames, len(s.ids), true)
	return nil
}

// headOf returns the branch of a thread that is shown and the run at its end.
func (m *Manager) headOf(ctx context.Context, o store.Owner, threadID string) (row store.Run, messages []agui.Message, err error) {
	if row, err = m.cfg.Store.LastRun(ctx, o, threadID); err != nil {
		return row, nil, err
	}
	messages, err = m.cfg.Store.Transcript(ctx, o, threadID, row.ID)
	return row, messages, err
}

// endSnapshot returns the snapshot that stands for a run whose events are not kept any more: the
// thread as it was at the run's end, and how the run ended.
func (m *Manager) endSnapshot(ctx context.Context, o store.Owner, row store.Run) (snapshot, error) {
	messages, err := m.cfg.Store.Transcript(ctx, o, row.ThreadID, row.ID)
	if err != nil {
		return snapshot{}, err
	}
	s := snapshot{threadID: row.ThreadID, runID: pinned(row.ID), messages: messages}
	// The first two do not count as read: they lead to the snapshot again.
	s.ids = [3]eventID{{row.ID, madeUp(), 0}, {row.ID, madeUp(), 0}, {row.ID, row.Epoch, row.LastSeq}}
	switch row.Status {
	case store.RunFailed:
		s.failure = &agui.RunError{Message: "the run failed earlier: " + row.Error, Code: row.Error}
	case store.RunCancelled:
		s.outcome = &agui.Outcome{Type: agui.OutcomeCancelled}
	default:
		return s, s.restsAt(row)
	}
	return s, nil
}

// beforeSnapshot returns the snapshot that a thread's stream shows in front of a run: what the run
// continues, and what it brought. The id of its last frame is the one before the run's first event.
func (m *Manager) beforeSnapshot(ctx context.Context, r *Run) (snapshot, error) {
	messages, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, r.parent)
	if err != nil {
		return snapshot{}, err
	}
	with, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, r.ID)
	if err != nil {
		return snapshot{}, err
	}
	for i := range with {
		if r.brings[with[i].ID] {
			messages = append(messages, with[i])
		}
	}
	return m.preceding(r.ThreadID, messages, eventID{r.ID, r.w.epoch, 0}), nil
}

// headSnapshot returns the snapshot of a thread without a live run. The id of its last frame is
// that of the last event of the thread's last run.
func (m *Manager) headSnapshot(ctx context.Context, o store.Owner, threadID string) (snapshot, error) {
	row, messages, err := m.headOf(ctx, o, threadID)
	if err != nil {
		return snapshot{}, err
	}
	s := m.preceding(threadID, messages, eventID{row.ID, row.Epoch, row.LastSeq})
	return s, s.restsAt(row)
}

// restsAt sets what the thread waits for after its last run. If that is nothing and the run did not
// end well, it sets how it ended: there may be no message that tells.
func (s *snapshot) restsAt(last store.Run) error {
	interrupts, err := interruptsOf(last, openCalls(s.messages))
	if err != nil {
		return err
	}
	s.outcome = waitsFor(s.messages, interrupts)
	if s.outcome == nil && (last.Status == store.RunFailed || last.Status == store.RunCancelled) {
		s.last = &agui.LastRun{Status: string(last.Status), Code: last.Error}
	}
	return nil
}

// preceding returns a snapshot under a run id of its own, which leads to a snapshot again.
func (m *Manager) preceding(threadID string, messages []agui.Message, end eventID) snapshot {
	s := snapshot{threadID: threadID, runID: newID("snapshot"), messages: messages}
	s.ids = [3]eventID{{s.runID, 1, 1}, {s.runID, 1, 2}, end}
	return s
}

// visibleMessages returns what clients see of a thread: the messages without notes, each result
// behind the call it answers. In the store a result may stand later, because a call that a person
// approved runs after what the user said besides is stored. A client that read the events has put
// the result behind its call too.
func visibleMessages(messages []agui.Message) []agui.Message {
	out := make([]agui.Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.IsNote():
		case m.Role == agui.RoleTool:
			out = slices.Insert(out, resultIndex(out, m.ToolCallID), m)
		default:
			out = append(out, m)
		}
	}
	return out
}

// resultIndex returns where the result of a call belongs: behind the newest message that makes the
// call and the results that are already there.
func resultIndex(messages []agui.Message, callID string) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(messages[i].ToolCalls, func(c agui.ToolCall) bool { return c.ID == callID }) {
			continue
		}
		for i++; i < len(messages) && messages[i].Role == agui.RoleTool; i++ {
		}
		return i
	}
	return len(messages)
}
