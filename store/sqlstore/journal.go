package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// PlanCalls implements store.Store.
func (s *runStore) PlanCalls(ctx context.Context, o store.Owner, runID string, calls []journal.ToolCall, wait bool) error {
	planned, err := store.NewCalls(runID, calls, s.now())
	size := 0
	for _, c := range planned {
		size += len(c.Args) + len(c.Origin)
	}
	return s.journal(ctx, "plan calls of run", o, runID, err, size, wait, func(t *txn, thread string) error {
		for _, c := range planned {
			_, err := t.exec(insertCall, o.Tenant, o.Subject, thread, runID, c.ID, c.Tool, c.Effect, jsonColumn(c.Args), c.CreatedAt.UnixMilli(),
				c.Definition, c.AllowedBy, jsonColumn(c.Origin))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// StartCall implements store.Store.
func (s *runStore) StartCall(ctx context.Context, o store.Owner, runID, callID string, wait bool) error {
	return s.journal(ctx, "start a call of run", o, runID, nil, 0, wait, func(t *txn, thread string) error {
		n, err := t.exec(startCall, o.Tenant, o.Subject, thread, runID, callID)
		return callWritten(t, o, thread, runID, callID, n, err)
	})
}

// FinishCall implements store.Store.
func (s *runStore) FinishCall(ctx context.Context, o store.Owner, runID string, call journal.ToolCall, wait bool) error {
	end, err := store.FinishedCall(call, s.now())
	return s.journal(ctx, "finish a call of run", o, runID, err, len(end.Result)+len(end.Payload)+
		len(end.Sources), wait, func(t *txn, thread string) error {
		n, err := t.exec(finishCall, o.Tenant, o.Subject, thread, runID, end.ID, []byte(end.Result), jsonColumn(end.Payload), end.IsError, end.EndedAt.UnixMilli(),
			jsonColumn(end.Sources))
		return callWritten(t, o, thread, runID, end.ID, n, err)
	})
}

// callWritten returns why a write changed no call.
func callWritten(t *txn, o store.Owner, thread, runID, callID string, n int64, err error) error {
	if err != nil || n > 0 {
		return err
	}
	var state string
	err = t.conn.row(selectCallState, []any{o.Tenant, o.Subject, thread, runID, callID}, &state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.ErrNotFound
	case err != nil:
		return err
	}
	return store.ErrConflict
}

// journal changes the journal of a live run. invalid is an error in the change itself, if any.
func (s *runStore) journal(
	ctx context.Context, doing string, o store.Owner, runID string, invalid error, size int, wait bool,
	do func(*txn, string) error,
) error {
	if err := cmp.Or(o.Check(), invalid); err != nil {
		return explain(doing, runID, err)
	}
	write := func(t *txn) error {
		thread, err := liveRun(t, o, "", runID)
		if err != nil {
			return err
		}
		return do(t, thread)
	}
	if wait {
		return s.write(ctx, doing, runID, size, write)
	}
	// Nobody waits for it, and whoever stops waiting for the run must not undo it.
	s.writing.send(context.WithoutCancel(ctx), size, write, func(err error) {
		if err != nil {
			s.log.Error("the journal could not be written", "runId", runID, "error", explain(doing, runID, err))
		}
	})
	return nil
}

// ToolCalls implements store.Store.
func (s *runStore) ToolCalls(ctx context.Context, o store.Owner, runID string) ([]journal.ToolCall, error) {
	var calls []journal.ToolCall
	err := s.reading.each(ctx, selectCalls, []any{o.Tenant, o.Subject, runID}, func(r row) error {
		c, err := scanCall(r)
		calls = append(calls, c)
		return err
	})
	if err == nil && len(calls) == 0 {
		_, err = s.oneRun(ctx, selectRun, o, runID) // does the run exist?
	}
	return calls, explain("tool calls of run", runID, err)
}

// ToolCall implements store.Store.
func (s *runStore) ToolCall(
	ctx context.Context, o store.Owner, threadID, callID string,
) (call journal.ToolCall, err error) {
	args := []any{o.Tenant, o.Subject, threadID, callID}
	err = s.reading.some(ctx, selectCall, args, func(r row) error {
		call, err = scanCall(r)
		return err
	})
	return call, explain("tool call", callID, err)
}

func scanCall(r row) (c journal.ToolCall, err error) {
	var args, payload, origin, sources sql.NullString
	var result []byte
	var state string
	var created int64
	var ended sql.NullInt64
	err = r.Scan(&c.ID, &c.RunID, &c.Tool, &c.Effect, &args, &state, &result, &payload, &c.IsError, &created,
		&ended, &c.Definition, &c.AllowedBy, &origin, &sources)
	c.Args, c.Payload, c.State, c.Result = rawJSON(args), rawJSON(payload), journal.State(state), string(result)
	c.Origin, c.Sources, c.CreatedAt = rawJSON(origin), rawJSON(sources), store.FromMillis(created)
	if ended.Valid {
		c.EndedAt = store.FromMillis(ended.Int64)
	}
	return c, err
}
