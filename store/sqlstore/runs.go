package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
)

// BeginRun implements store.Store.
func (s *runStore) BeginRun(
	ctx context.Context, o store.Owner, run store.Run, messages []agui.Message, first store.Batch,
) error {
	const doing = "begin run"
	now := s.now()
	bodies, lines, err := store.Bodies(messages)
	id := run.ID
	if err == nil {
		run, err = newRun(run, now)
	}
	if err = cmp.Or(o.Check(), err, store.CheckFirst(first)); err != nil {
		return explain(doing, id, err)
	}
	batch := messageBatch{owner: o, threadID: run.ThreadID, runID: run.ID, now: now.UnixMilli(), bodies: bodies}
	if len(bodies) >= s.longHistory {
		batch.history = lines
	}
	size := len(lines) + len(run.Input) + len(run.State) + len(first.Frames)
	return s.write(ctx, doing, id, size, func(t *txn) error {
		p, err := batch.open(t, run, first)
		if err != nil {
			return err
		}
		return batch.add(t, p)
	})
}

// newRun is store.NewRun without copying an input that is plainly valid: it is some 20 KB, and not
// kept after the run is stored.
func newRun(run store.Run, now time.Time) (store.Run, error) {
	input := run.Input
	if !jsonx.Valid(input) {
		return store.NewRun(run, now)
	}
	run.Input = nil
	run, err := store.NewRun(run, now)
	run.Input = input
	return run, err
}

// seqs returns how many seqs of the thread a run takes with its messages. Its own comes first.
func (b *messageBatch) seqs() int { return 1 + len(b.bodies) }

// open stores the run, with its first events, on its thread and returns the seqs reserved for the
// messages.
func (b *messageBatch) open(t *txn, run store.Run, first store.Batch) (p reserved, err error) {
	branches, isNew, err := b.parent(t, &run)
	if err != nil {
		return p, err
	}
	history := 0
	if b.history != "" {
		history = len(b.bodies) // if the thread is new
	}
	err = t.conn.row(upsertThread, []any{b.owner.Tenant, b.owner.Subject, run.ThreadID, run.Agent, b.seqs(), b.now, run.ThreadTitle, history,
		run.ID, branches}, &p.last, &p.history, &p.number)
	if err != nil {
		return p, err
	}
	if isNew && run.ThreadTitle != "" {
		if err := t.reindex(p.number, titleSeq); err != nil {
			return p, err
		}
	}
	return p, b.insertRun(t, run, first, p)
}

// insertRun stores the run and its first events. It assumes that the first user message in the
// batch is new; add corrects that.
func (b *messageBatch) insertRun(t *txn, run store.Run, first store.Batch, p reserved) error {
	log, row, err := t.newRunLog(run.ThreadID, run.Epoch)
	if err != nil {
		return err
	}
	if b.first = store.FirstUser(b.bodies); b.first == nil {
		b.first = &store.UserMessage{}
	}
	err = t.change(store.ErrConflict, insertRun,
		b.owner.Tenant, b.owner.Subject, run.ID, run.ThreadID, p.last-int64(b.seqs())+1,
		run.Agent, run.ParentRunID, run.Fingerprint, run.CreatedAt.UnixMilli(),
		jsonColumn(run.Input), b.first.ID, b.first.Preview, log.number, row, run.Tainted)
	if err == nil && run.State != nil {
		err = b.beginState(t, run)
	}
	if err == nil {
		t.remember(runKey{b.owner, run.ID}, log)
		t.begin(log, first)
	}
	return err
}

// beginState stores the state that a new run begins with. If its parent ended with it, both have
// the same version.
func (b *messageBatch) beginState(t *txn, run store.Run) error {
	seq, err := storeState(t, b.owner, run.ThreadID, run.ParentRunID, run.State)
	if err == nil {
		_, err = t.exec(setStartState, b.owner.Tenant, b.owner.Subject, run.ID, seq)
	}
	return err
}

// storeState returns the seq of a state. It reuses the seq of the run like if that has the same
// state, and stores a new row otherwise.
func storeState(t *txn, o store.Owner, threadID, like string, state json.RawMessage) (seq int64, err error) {
	var body string
	err = t.conn.row(selectState, []any{o.Tenant, o.Subject, like}, &seq, &body)
	if err == nil && body == string(state) {
		return seq, nil
	}
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		err = t.conn.row(insertState, []any{o.Tenant, o.Subject, threadID, string(state)}, &seq)
	}
	return seq, err
}

// parent sets the run's parent and reports whether that is not the thread's head.
func (b *messageBatch) parent(t *txn, run *store.Run) (branches, isNew bool, err error) {
	var head string
	var deleted bool
	var number int64
	err = t.conn.row(selectHead, []any{b.owner.Tenant, b.owner.Subject, run.ThreadID}, &head, &number, &deleted)
	isNew = errors.Is(err, sql.ErrNoRows)
	switch given := run.ParentRunID; {
	case err != nil && !isNew:
		return false, false, err
	case deleted:
		return false, false, store.ErrConflict
	case given == "" || given == store.RootRun:
		run.ParentRunID = store.RootRun
		if given == "" && head != "" {
			run.ParentRunID = head
		}
	default:
		if err := endedRun(t, b.owner, run.ThreadID, given); err != nil {
			return false, false, err
		}
	}
	return !isNew && run.ParentRunID != head, isNew, nil
}

// endedRun returns store.ErrConflict unless the thread has this run and it has ended.
func endedRun(t *txn, o store.Owner, threadID, runID string) error {
	var thread, status string
	err := t.conn.row(selectRunState, []any{o.Tenant, o.Subject, runID}, &thread, &status)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (thread != threadID || store.RunStatus(status) == store.RunLive) {
		err = store.ErrConflict
	}
	return err
}

// SaveMessages implements store.Store.
func (s *runStore) SaveMessages(
	ctx context.Context, o store.Owner, threadID, runID string, messages []agui.Message,
) error {
	const doing = "save messages of run"
	bodies, lines, err := store.Bodies(messages)
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, runID, err)
	}
	batch := messageBatch{owner: o, threadID: threadID, runID: runID, now: s.now().UnixMilli(), bodies: bodies}
	return s.write(ctx, doing, runID, len(lines), func(t *txn) error {
		if len(bodies) > 0 {
			return batch.save(t)
		}
		_, err := liveRun(t, o, threadID, runID)
		return err
	})
}

// EndRun implements store.Store.
func (s *runStore) EndRun(
	ctx context.Context, o store.Owner, run store.Run, messages []agui.Message, last store.Batch,
) error {
	const doing = "end run"
	now := s.now()
	bodies, lines, err := store.Bodies(messages)
	end, endErr := store.EndedRun(run, now)
	if err = cmp.Or(o.Check(), endErr, err, store.CheckLast(last)); err != nil {
		return explain(doing, run.ID, err)
	}
	e := ending{
		owner: o, end: end, last: last,
		messages: messageBatch{owner: o, runID: end.ID, now: now.UnixMilli(), bodies: bodies},
	}
	if e.pending, err = pendingColumn(end.Pending); err != nil {
		return explain(doing, run.ID, err)
	}
	return s.write(ctx, doing, run.ID, len(lines)+len(last.Frames)+len(end.State), e.write)
}

// ending is the end of a run.
type ending struct {
	owner    store.Owner
	end      store.Run
	pending  sql.NullString
	last     store.Batch
	messages messageBatch
}

func (e *ending) write(t *txn) error {
	key := runKey{e.owner, e.end.ID}
	threadID, err := e.end.ThreadID, error(nil)
	if threadID == "" {
		if threadID, err = threadOf(t, e.owner, e.end.ID); err != nil {
			return err
		}
	}
	log, err := t.writable(key, cmp.Or(e.end.Epoch, anyEpoch))
	if err != nil {
		return err
	}
	lastSeq := log.last
	if e.last.Count > 0 {
		if err := e.last.Follows(log.last); err != nil {
			return err
		}
		lastSeq = e.last.Last()
	}
	row, _, err := t.logEnd()
	if err != nil {
		return err
	}
	n, err := t.exec(endRun, e.owner.Tenant, e.owner.Subject, e.end.ID, threadID, string(e.end.Status), e.pending, e.end.Error,
		jsonColumn(e.end.Usage), e.end.EndedAt.UnixMilli(), jsonColumn(e.end.Interrupts),
		cmp.Or(e.end.LastSeq, lastSeq), row)
	if err != nil {
		return err
	}
	if n == 0 {
		return notLive(t, e.owner, threadID, e.end.ID)
	}
	e.messages.threadID = threadID
	if err := e.messages.put(t); err != nil {
		return err
	}
	if err := e.writeState(t); err != nil {
		return err
	}
	if e.last.Count > 0 {
		e.last.RunID, e.last.Epoch = e.end.ID, log.epoch
		t.out.add(log.number, &e.last)
	}
	t.remember(key, nil)
	return nil
}

// writeState stores the state that the run ends with, if it is not the one that it began with.
func (e *ending) writeState(t *txn) error {
	if e.end.State == nil {
		return nil
	}
	seq, err := storeState(t, e.owner, e.messages.threadID, e.end.ID, e.end.State)
	if err == nil {
		_, err = t.exec(setState, e.owner.Tenant, e.owner.Subject, e.end.ID, seq)
	}
	return err
}

// TakeOver implements store.Store.
func (s *runStore) TakeOver(ctx context.Context, o store.Owner, runID string) (epoch int, err error) {
	if err := o.Check(); err != nil {
		return 0, explain("take over run", runID, err)
	}
	err = s.write(ctx, "take over run", runID, 0, func(t *txn) error {
		key := runKey{o, runID}
		log, err := t.writable(key, anyEpoch)
		if err != nil {
			return err
		}
		if err := t.conn.row(nextEpoch, []any{o.Tenant, o.Subject, runID}, &epoch); err != nil {
			return err
		}
		t.remember(key, &runLog{thread: log.thread, number: log.number, epoch: epoch, last: log.last})
		return nil
	})
	if err != nil {
		return 0, err
	}
	return epoch, nil
}

// TaintRun implements store.Store.
func (s *runStore) TaintRun(ctx context.Context, o store.Owner, runID string) error {
	const doing = "taint run"
	if err := o.Check(); err != nil {
		return explain(doing, runID, err)
	}
	return s.write(ctx, doing, runID, 0, func(t *txn) error {
		n, err := t.exec(taintRun, o.Tenant, o.Subject, runID)
		if err == nil && n == 0 {
			err = notLive(t, o, "", runID)
		}
		return err
	})
}

// notLive returns why a write found no live run with this id on the thread.
func notLive(t *txn, o store.Owner, threadID, runID string) error {
	_, err := liveRun(t, o, threadID, runID)
	if err == nil {
		// a statement with a stricter condition than liveRun
		err = fmt.Errorf("run %q is live and could not be changed", runID)
	}
	return err
}

// liveRun returns the thread of a live run. If threadID is not empty, it must be that thread.
func liveRun(t *txn, o store.Owner, threadID, runID string) (string, error) {
	if r := t.live[runKey{o, runID}]; r != nil && (threadID == "" || threadID == r.thread) {
		return r.thread, nil
	}
	thread, status, err := stateOf(t, o, runID)
	switch {
	case err != nil:
		return "", err
	case threadID != "" && threadID != thread:
		return "", store.ErrNotFound
	case status != store.RunLive:
		return "", store.ErrConflict
	}
	return thread, nil
}

func threadOf(t *txn, o store.Owner, runID string) (string, error) {
	thread, _, err := stateOf(t, o, runID)
	return thread, err
}

func stateOf(t *txn, o store.Owner, runID string) (thread string, status store.RunStatus, err error) {
	var text string
	err = t.conn.row(selectRunState, []any{o.Tenant, o.Subject, runID}, &thread, &text)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return thread, store.RunStatus(text), err
}

// Run implements store.Store.
func (s *runStore) Run(ctx context.Context, o store.Owner, id string) (store.Run, error) {
	run, err := s.oneRun(ctx, selectRun, o, id)
	return run, explain("run", id, err)
}

// LastRun implements store.Store.
func (s *runStore) LastRun(ctx context.Context, o store.Owner, threadID string) (store.Run, error) {
	run, err := s.oneRun(ctx, selectLastRun, o, threadID)
	return run, explain("last run of thread", threadID, err)
}

func (s *runStore) oneRun(ctx context.Context, query string, o store.Owner, id string) (run store.Run, err error) {
	err = s.reading.some(ctx, query, []any{o.Tenant, o.Subject, id}, func(r row) error {
		return scanWhole(r, &run)
	})
	return run, err
}

// Runs implements store.Store.
func (s *runStore) Runs(ctx context.Context, o store.Owner, threadID string) ([]store.Run, error) {
	var runs []store.Run
	err := s.reading.each(ctx, selectRuns, []any{o.Tenant, o.Subject, threadID}, func(r row) error {
		var run store.Run
		var first store.UserMessage
		err := scanRun(r, &run, &first.ID, &first.Preview)
		if first.ID != "" {
			run.FirstUser = &first
		}
		runs = append(runs, run)
		return err
	})
	if err == nil && len(runs) == 0 { // every thread has a run
		err = store.ErrNotFound
	}
	return runs, explain("runs of thread", threadID, err)
}

// RecentRuns implements store.Store.
func (s *runStore) RecentRuns(ctx context.Context, o store.Owner, q store.RunQuery) (found []store.RunSummary, err error) {
	agent := sql.NullString{String: q.Agent, Valid: q.Agent != ""}
	query, args := selectRecentRuns, []any{o.Tenant, o.Subject, agent, q.Since.UnixMilli(), q.Limit}
	if q.ThreadID != "" {
		query, args = selectRecentRunsOf, append(args, q.ThreadID)
	}
	err = s.reading.each(ctx, query, args, func(r row) error {
		var run store.RunSummary
		var status string
		var changed int64
		err := r.Scan(&run.ID, &run.ThreadID, &status, &run.Waits, &run.Passed, &changed)
		run.Status, run.ChangedAt = store.RunStatus(status), store.FromMillis(changed)
		found = append(found, run)
		return err
	})
	return found, explain("recent runs of", o.Subject, err)
}

// LiveRuns implements store.Store.
func (s *runStore) LiveRuns(ctx context.Context) ([]store.OwnedRun, error) {
	var live []store.OwnedRun
	err := s.reading.each(ctx, selectLiveRuns, nil, func(r row) error {
		var l store.OwnedRun
		err := scanWhole(r, &l.Run, &l.Owner.Tenant, &l.Owner.Subject)
		live = append(live, l)
		return err
	})
	return live, explain("live runs", "", err)
}

// scanRun reads runColumns, then more columns.
func scanRun(r row, run *store.Run, more ...any) error {
	var pending, usage, interrupts, input sql.NullString
	var status string
	var created int64
	var ended sql.NullInt64
	err := r.Scan(append([]any{&run.ID, &run.ThreadID, &run.Agent, &run.ParentRunID, &run.Fingerprint, &status,
		&pending, &run.Error, &usage, &interrupts, &input, &run.Epoch, &run.LastSeq, &run.Tainted, &created,
		&ended}, more...)...)
	if err != nil {
		return err
	}
	run.Status, run.CreatedAt = store.RunStatus(status), store.FromMillis(created)
	if ended.Valid {
		run.EndedAt = store.FromMillis(ended.Int64)
	}
	run.Usage, run.Interrupts, run.Input = rawJSON(usage), rawJSON(interrupts), rawJSON(input)
	if pending.Valid {
		if err := json.Unmarshal([]byte(pending.String), &run.Pending); err != nil {
			return fmt.Errorf("column pending: %w", err)
		}
	}
	return nil
}

// scanWhole is scanRun for rows with stateColumns.
func scanWhole(r row, run *store.Run, more ...any) error {
	var start, state sql.NullString
	err := scanRun(r, run, append([]any{&start, &state}, more...)...)
	run.StartState, run.State = rawJSON(start), rawJSON(state)
	return err
}

func pendingColumn(ids []string) (sql.NullString, error) {
	if len(ids) == 0 {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(ids)
	return sql.NullString{String: string(text), Valid: true}, err
}

// jsonColumn returns the stored form of JSON that may be missing.
func jsonColumn(value json.RawMessage) sql.NullString {
	return sql.NullString{String: string(value), Valid: value != nil}
}

// rawJSON is the inverse of jsonColumn.
func rawJSON(column sql.NullString) json.RawMessage {
	if !column.Valid {
		return nil
	}
	return json.RawMessage(column.String)
}
