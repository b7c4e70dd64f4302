package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// maxTakeovers is how often a run is taken over. One that crashes every process must come to an
// end.
const maxTakeovers = 3

// recover takes over the runs that an earlier process left live. If taking over a run fails, say
// because the store is full, it is retried later: other threads need not wait.
func (m *Manager) recover(ctx context.Context) error {
	left, err := m.cfg.Store.LiveRuns(ctx)
	if err != nil {
		return fmt.Errorf("find the runs of an earlier process: %w", err)
	}
	threads := make(map[threadKey][]store.OwnedRun)
	for _, l := range left {
		key := threadKey{l.Owner, l.Run.ThreadID}
		threads[key] = append(threads[key], l)
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, takeoversAtOnce)
	for _, runs := range threads {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			for _, l := range runs {
				leftRun{m, l}.takeOverOrLater(ctx)
			}
		})
	}
	all.Wait()
	return nil
}

// takeoversAtOnce is how many runs are taken over concurrently: their writes share commits.
const takeoversAtOnce = 32

// leftRun is a run that an earlier process left live.
type leftRun struct {
	m *Manager
	store.OwnedRun
}

func (l leftRun) takeOverOrLater(ctx context.Context) {
	err := l.takeOver(ctx)
	if err == nil {
		return
	}
	l.m.log.Error("a run of an earlier process could not be taken over; trying again", "run", l.Run.ID,
		"thread", l.Run.ThreadID, "error", err)
	r := l.m.newRun(l.Owner, l.Run.ID, l.Run.ThreadID, l.Run.Fingerprint)
	r.cancel(nil)
	l.m.unsaved.later(r, func(ctx context.Context) error { return l.takeOver(ctx) })
}

// takeOver makes a run this process's own, and continues it in the background or ends it.
func (l leftRun) takeOver(ctx context.Context) (err error) {
	defer guard.Error(&err)
	epoch, err := l.m.cfg.Store.TakeOver(ctx, l.Owner, l.Run.ID)
	if isFenced(err) {
		return nil // it has ended
	}
	if err != nil {
		return err
	}
	x, err := l.reconstruct(ctx, epoch)
	if errors.Is(err, errDamaged) {
		l.m.log.Error("the log of a run of an earlier process cannot be read; the run ends without it",
			"run", l.Run.ID, "error", err)
		return l.endUnread(ctx, epoch)
	}
	if err != nil {
		return err
	}
	why := x.resumable(ctx, l.Run)
	x.adopt()
	if why != nil {
		l.m.log.Warn("a run of an earlier process was ended", "run", l.Run.ID, "thread", l.Run.ThreadID, "why", why)
		x.begin(func() { x.interrupt(causeOf(why)) })
		return nil
	}
	l.m.log.Info("a run of an earlier process resumed", "run", l.Run.ID, "thread", l.Run.ThreadID, "epoch", epoch)
	x.begin(x.execute)
	return nil
}

// reconstruct rebuilds the run from the store as it was when its process ended.
func (l leftRun) reconstruct(ctx context.Context, epoch int) (*execution, error) {
	r := l.m.newRun(l.Owner, l.Run.ID, l.Run.ThreadID, l.Run.Fingerprint)
	past, err := l.replay(ctx)
	if err != nil {
		return nil, err
	}
	used, err := l.usedBefore(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := l.m.cfg.Store.Transcript(ctx, l.Owner, l.Run.ThreadID, l.Run.ID)
	if err != nil {
		return nil, err
	}
	r.parent = l.Run.ParentRunID
	before, err := l.m.cfg.Store.Transcript(ctx, l.Owner, l.Run.ThreadID, r.parent)
	if err != nil {
		return nil, err
	}
	// The run's own messages are folded again from its events, behind those of its parents.
	earlier := history.IDs(before)
	base := slices.DeleteFunc(stored, func(msg agui.Message) bool { return past.made[msg.ID] && !earlier[msg.ID] })
	r.brings = history.IDs(history.Without(base, before))
	transcript := agui.NewTranscript(base)
	transcript.SetState(l.Run.StartState)
	for _, e := range past.events {
		if err := transcript.Apply(e); err != nil {
			l.m.log.Warn("an event does not fit the transcript", "run", r.ID, "error", err)
		}
	}
	r.log = eventlog.New(l.m.cfg.Ring, past.last)
	x := &execution{candidate: candidate{m: l.m, run: r}, row: l.Run, tainted: l.Run.Tainted, state: l.Run.StartState}
	x.resumed = past.last > 0
	x.w = newWriter(r, epoch, past.last, transcript, past.verifier)
	r.w = x.w
	x.noteContinued(before, past.reopened(before))
	x.w.spent.before = used
	return x, x.resumeCalls(ctx, past)
}

// usedBefore returns what the steps before the crash used. The row of LiveRuns was read while its
// process could still write.
func (l leftRun) usedBefore(ctx context.Context) (usage.Spending, error) {
	row, err := l.m.cfg.Store.Run(ctx, l.Owner, l.Run.ID)
	if err != nil {
		return usage.Spending{}, err
	}
	used, err := Spent(row)
	if err != nil { // no reason to lose the answer
		l.m.log.Error("what a run of an earlier process used is not known", "run", row.ID, "error", err)
	}
	return used, nil
}

// resumeCalls determines how far the run's calls got.
func (x *execution) resumeCalls(ctx context.Context, past *replayed) error {
	r := x.run
	messages := x.w.messages()
	open := history.OpenCalls(messages)
	journaled, err := r.journalCalls(ctx)
	if err != nil {
		return err
	}
	x.calls = make(map[string]journal.ToolCall)
	for id, c := range journaled {
		if slices.Contains(open, id) { // the others have their results
			x.calls[id] = c
		}
	}
	last, err := x.m.lastRun(ctx, r.owner, r.parent)
	if err != nil {
		return err
	}
	asked, err := interruptsOf(last)
	if err != nil {
		return err
	}
	x.interrupts = slices.DeleteFunc(history.Open(asked, messages), func(i calls.Interrupt) bool {
		_, begun := x.calls[i.ToolCallID]
		return begun
	})
	whole := len(past.verifier.Close()) == 0 // nothing was open
	x.waiting = waitsForClient(open, past, x)
	x.merged.Answer = !(whole && history.Answered(messages, past.made))
	return nil
}

// waitsForClient returns the calls of earlier runs that still wait for the client.
func waitsForClient(open []string, past *replayed, x *execution) []string {
	return slices.DeleteFunc(open, func(id string) bool {
		_, begun := x.calls[id]
		asked := slices.ContainsFunc(x.interrupts, func(i calls.Interrupt) bool { return i.ToolCallID == id })
		return begun || asked || past.called[id]
	})
}

// resumable completes what the agent needs to continue. It returns an error if the run cannot.
func (x *execution) resumable(ctx context.Context, row store.Run) error {
	if row.Epoch > maxTakeovers {
		return fmt.Errorf("it was taken over %d times before", row.Epoch-1)
	}
	if x.answers = x.m.served(row.Agent); x.answers == nil {
		return fmt.Errorf("there is no agent %q any more", row.Agent)
	}
	x.agent = x.answers.desk
	if row.Input == nil {
		return errors.New("what it was asked is not kept")
	}
	kept, in, err := readKept(row.Input)
	switch {
	case err != nil:
		return fmt.Errorf("what it was asked cannot be read: %w", err)
	case kept.Act:
		return errCalled
	case x.answers.own:
		return fmt.Errorf("only the agent %q knows how far it got", row.Agent)
	}
	x.run.principal, x.run.words, x.run.timestamps = kept.Principal, kept.Words, kept.Timestamps
	c, err := check(ctx, x.answers, x.run, in, 0)
	if err != nil {
		return err
	}
	x.Request = c.Request
	answer := x.merged.Answer
	x.merged = history.Resumed(in, x.interrupts)
	x.merged.Answer = answer
	if !x.Place.Withdraw && len(x.waiting) > 0 && len(x.merged.Resume) == 0 && len(x.calls) == 0 {
		x.merged.Answer = false // it had nothing to answer yet
	}
	return nil
}

// adopt registers the run as the live one of its thread.
func (x *execution) adopt() {
	x.m.admission.Adopt(x.run.owner)
	x.m.cache.add(x.run)
	x.m.queue.join(x.run, 0) // a line without a limit
	close(x.run.decided)
}

// interrupt ends a run that does not continue, because of cause. nil is a normal end.
func (x *execution) interrupt(cause error) {
	if x.Input == nil {
		x.Input = &agui.RunAgentInput{}
	}
	ctx := x.run.ctx
	err := x.open()
	if err == nil {
		x.known = knownResults(x)
		err = cause
	}
	x.finish(ctx, agent.Outcome{}, err)
}

// knownResults returns the results that the journal has.
func knownResults(x *execution) map[string]agui.ToolCallResult {
	known := make(map[string]agui.ToolCallResult, len(x.calls))
	for id, c := range x.calls {
		switch {
		case c.State == journal.Finished:
			known[id] = agui.ToolCallResult{
				MessageID: newID("msg"), ToolCallID: id, Content: agui.TextContent(c.Result),
				Role: agui.RoleTool,
			}
		case c.State == journal.Started && c.Effect != string(tool.Read) && c.Effect != string(tool.Idempotent):
			known[id] = history.ErrorResult(newID("msg"), id, "unknown_outcome",
				"the server stopped while "+c.Tool+" was running: whether it took effect is not known")
		}
	}
	return known
}

// errDamaged means that this package cannot have written a run's event log.
var errDamaged = errors.New("the event log is damaged")

// endUnread ends a run whose log cannot be read, keeping the messages that are in the thread.
func (l leftRun) endUnread(ctx context.Context, epoch int) error {
	stored, err := l.m.cfg.Store.Transcript(ctx, l.Owner, l.Run.ThreadID, l.Run.ID)
	if err != nil {
		return err
	}
	results, messages := history.Close(history.OpenCalls(stored), "interrupted",
		"the server stopped before this call had a result: whether it took effect is not known", newID)
	r := &Run{
		ID: l.Run.ID, ThreadID: l.Run.ThreadID,
		principal: auth.Principal{Tenant: l.Owner.Tenant, Subject: l.Owner.Subject},
	}
	names := toolNames(stored)
	for _, a := range results {
		l.m.record(ctx, r.result(a.ToolCallID, names[a.ToolCallID], a.Content.Text()))
	}
	row := l.Run
	row.Status, row.Error, row.Epoch, row.Input, row.LastSeq = store.RunFailed, "interrupted", epoch, nil, 0
	return l.m.cfg.Store.EndRun(ctx, l.Owner, row, messages, store.Batch{})
}

// replayed is what a run's event log contains.
type replayed struct {
	events   []agui.Event
	verifier *agui.Verifier
	last     int64           // number of the last event
	made     map[string]bool // ids of the run's messages
	called   map[string]bool // ids of the run's tool calls
}

// replay reads a run's event log.
func (l leftRun) replay(ctx context.Context) (*replayed, error) {
	past := &replayed{verifier: agui.NewVerifier(), made: map[string]bool{}, called: map[string]bool{}}
	for b, err := range l.m.cfg.Store.Events(ctx, l.Owner, l.Run.ID, 0) {
		if errors.Is(err, store.ErrGone) {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err != nil {
			return nil, err
		}
		if b.First != past.last+1 {
			return nil, fmt.Errorf("%w: it has a gap between %d and %d", errDamaged, past.last, b.First)
		}
		past.last = b.First + int64(b.Count) - 1
		for id, data := range eventlog.Frames(b.Frames) {
			e, err := agui.UnmarshalEvent(data)
			if err != nil {
				return nil, fmt.Errorf("%w: event %s: %w", errDamaged, id, err)
			}
			if err := past.verifier.Check(e); err != nil {
				return nil, fmt.Errorf("%w: event %s: %w", errDamaged, id, err)
			}
			past.note(e)
		}
	}
	return past, nil
}

// note records one event.
func (p *replayed) note(e agui.Event) {
	p.events = append(p.events, e)
	switch e := e.(type) {
	case *agui.TextMessageStart:
		p.made[e.MessageID] = true
	case *agui.ReasoningMessageStart:
		p.made[e.MessageID] = true
	case *agui.ActivitySnapshot:
		p.made[e.MessageID] = true
	case *agui.ToolCallResult:
		p.made[e.MessageID] = true
	case *agui.ToolCallStart:
		p.called[e.ToolCallID] = true
		p.made[cmp.Or(e.ParentMessageID, e.ToolCallID)] = true
	}
}
