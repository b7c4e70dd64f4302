package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// BeginRun implements store.Store.
func (s *Store) BeginRun(ctx context.Context, o store.Owner, run store.Run, messages []agui.Message) error {
	const doing = "begin run"
	now := s.now()
	bodies, lines, err := store.Bodies(messages)
	id := run.ID
	if err == nil {
		run, err = store.NewRun(run, now)
	}
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, id, err)
	}
	batch := messageBatch{owner: o, threadID: run.ThreadID, runID: run.ID, now: now.UnixMilli(), bodies: bodies}
	if len(bodies) >= s.longHistory {
		batch.history = lines
	}
	return s.write(ctx, doing, id, func(t *txn) error {
		p, err := batch.open(t, run)
		if err != nil {
			return err
		}
		return batch.add(t, p)
	})
}

// places is how many places of the thread a run takes with the messages it brings. Its own comes first.
func (b *messageBatch) places() int { return 1 + len(b.bodies) }

// open stores the run on its thread, and returns the place of the messages.
func (b *messageBatch) open(t *txn, run store.Run) (p place, err error) {
	history := 0
	if b.history != "" {
		history = len(b.bodies) // where the thread is new
	}
	err = t.row(upsertThread, []any{b.owner.Tenant, b.owner.Subject, run.ThreadID, run.Agent, b.places(), b.now, run.ThreadTitle, history}, &p.last, &p.history)
	if err != nil {
		return p, err
	}
	n, err := t.exec(insertRun, b.owner.Tenant, b.owner.Subject, run.ID, run.ThreadID, p.last-int64(b.places())+1,
		run.Agent, run.ParentRunID, run.Fingerprint, run.CreatedAt.UnixMilli())
	if err == nil && n == 0 {
		err = store.ErrConflict
	}
	return p, err
}

// SaveMessages implements store.Store.
func (s *Store) SaveMessages(ctx context.Context, o store.Owner, threadID, runID string, messages []agui.Message) error {
	const doing = "save messages of run"
	bodies, _, err := store.Bodies(messages)
	if err = cmp.Or(o.Check(), err); err != nil {
		return explain(doing, runID, err)
	}
	batch := messageBatch{owner: o, threadID: threadID, runID: runID, now: s.now().UnixMilli(), bodies: bodies}
	return s.write(ctx, doing, runID, func(t *txn) error {
		if len(bodies) > 0 {
			return batch.save(t)
		}
		_, err := liveRun(t, o, threadID, runID)
		return err
	})
}

// EndRun implements store.Store.
func (s *Store) EndRun(ctx context.Context, o store.Owner, run store.Run, messages []agui.Message) error {
	const doing = "end run"
	now := s.now()
	bodies, _, err := store.Bodies(messages)
	end, endErr := store.EndedRun(run, now)
	if err = cmp.Or(o.Check(), endErr, err); err != nil {
		return explain(doing, run.ID, err)
	}
	pending, err := pendingColumn(end.Pending)
	if err != nil {
		return explain(doing, run.ID, err)
	}
	usage := sql.NullString{String: string(end.Usage), Valid: end.Usage != nil}
	return s.write(ctx, doing, run.ID, func(t *txn) error {
		threadID, err := end.ThreadID, error(nil)
		if threadID == "" {
			if threadID, err = liveRun(t, o, "", end.ID); err != nil {
				return err
			}
		}
		n, err := t.exec(endRun, o.Tenant, o.Subject, end.ID, threadID,
			string(end.Status), pending, end.Error, usage, end.EndedAt.UnixMilli())
		if err != nil {
			return err
		}
		if n == 0 {
			return notLive(t, o, threadID, end.ID)
		}
		batch := messageBatch{owner: o, threadID: threadID, runID: end.ID, now: now.UnixMilli(), bodies: bodies}
		return batch.put(t)
	})
}

// notLive says why a write found no live run of that thread.
func notLive(t *txn, o store.Owner, threadID, runID string) error {
	_, err := liveRun(t, o, threadID, runID)
	if err == nil {
		err = fmt.Errorf("run %q is live and could not be changed", runID) // a statement that finds less than liveRun
	}
	return err
}

// liveRun returns the thread of a run that must be live, and on threadID where that is not empty.
func liveRun(t *txn, o store.Owner, threadID, runID string) (string, error) {
	var thread, status string
	err := t.row(selectRunState, []any{o.Tenant, o.Subject, runID}, &thread, &status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", store.ErrNotFound
	case err != nil:
		return "", err
	case threadID != "" && threadID != thread:
		return "", store.ErrNotFound
	case store.RunStatus(status) != store.RunLive:
		return "", store.ErrConflict
	}
	return thread, nil
}

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, o store.Owner, id string) (store.Run, error) {
	run, err := s.oneRun(ctx, selectRun, o, id)
	return run, explain("run", id, err)
}

// LastRun implements store.Store.
func (s *Store) LastRun(ctx context.Context, o store.Owner, threadID string) (store.Run, error) {
	run, err := s.oneRun(ctx, selectLastRun, o, threadID)
	return run, explain("last run of thread", threadID, err)
}

func (s *Store) oneRun(ctx context.Context, query string, o store.Owner, id string) (run store.Run, err error) {
	found := false
	err = s.reading.each(ctx, query, []any{o.Tenant, o.Subject, id}, func(r row) error {
		found = true
		return scanRun(r, &run)
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return run, err
}

// LiveRuns implements store.Store.
func (s *Store) LiveRuns(ctx context.Context) ([]store.OwnedRun, error) {
	var live []store.OwnedRun
	err := s.reading.each(ctx, selectLiveRuns, nil, func(r row) error {
		var l store.OwnedRun
		err := scanRun(r, &l.Run, &l.Owner.Tenant, &l.Owner.Subject)
		live = append(live, l)
		return err
	})
	return live, explain("live runs", "", err)
}

// scanRun reads the columns that first takes and then runColumns.
func scanRun(r row, run *store.Run, first ...any) error {
	var pending, usage sql.NullString
	var status string
	var created int64
	var ended sql.NullInt64
	err := r.Scan(append(first, &run.ID, &run.ThreadID, &run.Agent, &run.ParentRunID, &run.Fingerprint, &status,
		&pending, &run.Error, &usage, &created, &ended)...)
	if err != nil {
		return err
	}
	run.Status, run.CreatedAt = store.RunStatus(status), store.FromMillis(created)
	if ended.Valid {
		run.EndedAt = store.FromMillis(ended.Int64)
	}
	if usage.Valid {
		run.Usage = json.RawMessage(usage.String)
	}
	if pending.Valid {
		if err := json.Unmarshal([]byte(pending.String), &run.Pending); err != nil {
			return fmt.Errorf("column pending: %w", err)
		}
	}
	return nil
}

func pendingColumn(ids []string) (sql.NullString, error) {
	if len(ids) == 0 {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(ids)
	return sql.NullString{String: string(text), Valid: true}, err
}
