package server

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

// Threads are the caller's threads and their runs, as stored.
type Threads struct{ x *Exchange }

// Threads returns the caller's threads.
func (x *Exchange) Threads() Threads { return Threads{x} }

func (t Threads) runs() *run.Manager { return t.x.s.cfg.Runs }

// List returns a page of the threads: see run.Manager.Threads.
func (t Threads) List(q run.ThreadQuery) (run.ThreadPage, error) {
	return t.runs().Threads(t.x.Context(), t.x.Owner, q)
}

// maxPages is how many pages of other threads are looked at for one page of those that are wanted.
const maxPages = 10

// Wanted returns up to q.Limit threads that a protocol can show, and the cursor of the next page,
// "" at the end. There may be fewer, or none, although there is a next page.
func (t Threads) Wanted(q run.ThreadQuery, is func(run.Thread) bool) (list []run.Thread, next string, err error) {
	most := q.Limit
	for range maxPages {
		q.Limit = most - len(list)
		page, err := t.List(q)
		if err != nil {
			return nil, "", fmt.Errorf("list threads: %w", err)
		}
		for _, found := range page.Items {
			if is(found.Thread) {
				list = append(list, found.Thread)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" || len(list) == most {
			break
		}
	}
	return list, q.Cursor, nil
}

// Get returns a thread. One that was deleted is not found.
func (t Threads) Get(id string) (run.Thread, error) {
	found, err := t.runs().Thread(t.x.Context(), t.x.Owner, id)
	if err == nil && !found.DeletedAt.IsZero() {
		err = refusal.None("there is no such thread")
	}
	return found, err
}

// Of returns the id of a run's thread, unless that was deleted.
func (t Threads) Of(runID string) (string, error) {
	reader, err := t.runs().Follow(t.x.Context(), run.FollowRequest{Owner: t.x.Owner, RunID: runID})
	if err != nil {
		return "", err
	}
	defer reader.Close()
	found, err := t.Get(reader.ThreadID())
	return found.ID, err
}

// Messages returns a window of a thread: see run.Manager.History.
func (t Threads) Messages(id, before string, limit int) ([]agui.Message, string, error) {
	return t.runs().History(t.x.Context(), t.x.Owner, id, before, limit)
}

// Stored returns a page of a thread: see run.Manager.Messages.
func (t Threads) Stored(id string, before int64, limit int) (run.MessagePage, error) {
	return t.runs().Messages(t.x.Context(), t.x.Owner, id, before, limit)
}

// Runs returns the runs of a thread in the order they began.
func (t Threads) Runs(id string) ([]run.Row, error) {
	return t.runs().RunsOf(t.x.Context(), t.x.Owner, id)
}

// Recent returns the runs that have changed last: see run.Manager.RecentRuns.
func (t Threads) Recent(q run.RowQuery) ([]run.Summary, error) {
	return t.runs().RecentRuns(t.x.Context(), t.x.Owner, q)
}

// Update changes a thread, also when the client has left.
func (t Threads) Update(id string, change run.ThreadChange) (run.Thread, error) {
	return t.runs().UpdateThread(context.WithoutCancel(t.x.Context()), t.x.Owner, id, change)
}

// Delete deletes a thread, until it is restored or purged, also when the client has left.
func (t Threads) Delete(id string) error {
	c := t.x.c
	c.r = c.r.WithContext(context.WithoutCancel(c.r.Context()))
	return t.x.s.deleteOwn(c, id)
}
