package run

import (
	"context"
	"log/slog"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// stored reads and changes what the store has: an owner's threads and runs (threads.go), settings
// and the audit log (settings.go).
type stored struct {
	db  store.Store
	log *slog.Logger
}

// thread returns a thread that is not deleted. Errors are *Error.
func (s *stored) thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	thread, err := s.db.Thread(ctx, o, id)
	if err == nil && !thread.DeletedAt.IsZero() {
		err = store.ErrNotFound
	}
	return thread, noneOr(noThread(id), "the thread could not be looked up", err)
}

// headOf returns the shown branch of a thread and the run at its end.
func (s *stored) headOf(
	ctx context.Context, o store.Owner, threadID string,
) (row store.Run, messages []agui.Message, err error) {
	if row, err = s.db.LastRun(ctx, o, threadID); err != nil {
		return row, nil, err
	}
	messages, err = s.db.Transcript(ctx, o, threadID, row.ID)
	return row, messages, err
}

// lastRun returns the last run of a branch, or the zero value if it has none.
func (s *stored) lastRun(ctx context.Context, o store.Owner, runID string) (store.Run, error) {
	if runID == "" || runID == store.RootRun {
		return store.Run{}, nil
	}
	row, err := s.db.Run(ctx, o, runID)
	if err != nil {
		return store.Run{}, unavailable("the thread's last run could not be read", err)
	}
	return row, nil
}

// leadsTo reports whether run from is on the path to run to.
func (s *stored) leadsTo(ctx context.Context, o store.Owner, threadID, from, to string) (bool, error) {
	rows, err := s.db.Runs(ctx, o, threadID)
	if err != nil {
		return false, unavailable("the thread's runs could not be read", err)
	}
	return pathTo(rows, to)[from], nil
}
