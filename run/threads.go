package run

import (
	"context"
	"errors"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// The errors of what is exported here are those of StoreError.

// Threads lists or searches an owner's threads: see store.Threads.
func (s *stored) Threads(ctx context.Context, o Owner, q ThreadQuery) (ThreadPage, error) {
	page, err := s.db.Threads(ctx, o, q)
	return page, StoreError("list threads", err)
}

// Thread returns a thread, deleted ones included.
func (s *stored) Thread(ctx context.Context, o Owner, id string) (Thread, error) {
	t, err := s.db.Thread(ctx, o, id)
	return t, StoreError("read a thread", err)
}

// UpdateThread renames, archives, pins, deletes or restores a thread, or switches its branch.
// refusal.Conflict means that the thread cannot end with the run that the change names.
func (s *stored) UpdateThread(ctx context.Context, o Owner, id string, change ThreadChange) (Thread, error) {
	t, err := s.db.UpdateThread(ctx, o, id, change)
	if errors.Is(err, store.ErrConflict) {
		return t, &refusal.Error{
			Code: refusal.Conflict, Field: "head",
			Message: "head: must be a run of this thread that has ended, while no run of it is live",
		}
	}
	return t, StoreError("change a thread", err)
}

// Messages returns a page of the shown branch of a thread: the messages before a sequence number,
// or the newest if that is 0.
func (s *stored) Messages(
	ctx context.Context, o Owner, threadID string, before int64, limit int,
) (MessagePage, error) {
	page, err := s.db.Messages(ctx, o, threadID, before, limit)
	return page, StoreError("read the messages of a thread", err)
}

// PastRun is a run of a thread in the list of its branches. The ParentRunID of one that begins a
// branch before every other run is "".
type PastRun struct {
	Row
	Current bool // on the shown branch
	Spent   usage.Spending
}

// Branches returns a thread's runs in the order they began, and the last one of the shown branch.
// Runs with the same parent are siblings.
func (s *stored) Branches(ctx context.Context, o Owner, threadID string) (all []PastRun, head string, err error) {
	t, err := s.Thread(ctx, o, threadID)
	if err != nil {
		return nil, "", err
	}
	rows, err := s.RunsOf(ctx, o, threadID)
	if err != nil {
		return nil, "", err
	}
	current := pathTo(rows, t.Head)
	for _, row := range rows {
		if row.ParentRunID == store.RootRun {
			row.ParentRunID = ""
		}
		all = append(all, PastRun{row, current[row.ID], s.spentOn(row)})
	}
	return all, t.Head, nil
}

// pathTo returns the runs on the path to a run, itself included.
func pathTo(rows []Row, to string) map[string]bool {
	parents := make(map[string]string, len(rows))
	for i := range rows {
		parents[rows[i].ID] = rows[i].ParentRunID
	}
	path := make(map[string]bool)
	for id := to; id != "" && !path[id]; id = parents[id] {
		path[id] = true
	}
	return path
}

// SpentOn sums what the runs of a thread used and cost; those of a deleted thread are not counted.
func (s *stored) SpentOn(ctx context.Context, o Owner, threadID string) (usage.Spending, error) {
	rows, err := s.RunsOf(ctx, o, threadID)
	if err != nil && refusal.CodeOf(err) != refusal.NotFound {
		return usage.Spending{}, err
	}
	return s.spentOn(rows...), nil
}

// spentOn sums what runs used and cost. If a run's row cannot be read, that run is left out and
// there is no cost.
func (s *stored) spentOn(rows ...Row) (sum usage.Spending) {
	whole := true
	for _, row := range rows {
		spent, err := Spent(row)
		if err != nil {
			s.log.Error("a sum of spending is incomplete", "run", row.ID, "error", err)
			whole = false
			continue
		}
		sum.Add(spent)
	}
	if !whole {
		sum.Cost = nil
	}
	return sum
}

// StoredRun returns a run as it is stored.
func (s *stored) StoredRun(ctx context.Context, o Owner, id string) (Row, error) {
	row, err := s.db.Run(ctx, o, id)
	return row, StoreError("read a run", err)
}

// RunsOf returns the runs of a thread in the order they began.
func (s *stored) RunsOf(ctx context.Context, o Owner, threadID string) ([]Row, error) {
	rows, err := s.db.Runs(ctx, o, threadID)
	return rows, StoreError("list the runs of a thread", err)
}

// RecentRuns returns the runs that have changed last: see store.Runs.
func (s *stored) RecentRuns(ctx context.Context, o Owner, q RowQuery) ([]Summary, error) {
	runs, err := s.db.RecentRuns(ctx, o, q)
	return runs, StoreError("list the newest runs", err)
}
