package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// stored reads and changes what the store has: an owner's threads and runs (threads.go), settings
// and the audit log (settings.go).
type stored struct {
	db  store.Store
	log *slog.Logger
}

// thread returns a thread that is not deleted. Errors are *refusal.Error.
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

// History returns a window of a thread's messages, oldest first: those before the message with the
// id before, on its branch, or the newest of the shown branch if before is "". There are at least
// limit of them, if the thread has that many, and they begin with a turn. next is what to pass as
// before for the ones that precede them, "" if there are none.
//
// Errors are *refusal.Error: refusal.NotFound if the owner has no such thread or the thread no such
// message.
func (s *stored) History(
	ctx context.Context, o store.Owner, threadID, before string, limit int,
) (window []agui.Message, next string, err error) {
	if _, err := s.thread(ctx, o, threadID); err != nil {
		return nil, "", err
	}
	messages, end, err := s.messagesUpTo(ctx, o, threadID, before)
	if err != nil {
		return nil, "", err
	}
	window, next = history.Window(messages[:end], limit, nil)
	return window, next, nil
}

// messagesUpTo returns what clients see of the branch with a message, and the message's index. The
// shown branch comes first: it has results that came later.
func (s *stored) messagesUpTo(
	ctx context.Context, o store.Owner, threadID, before string,
) ([]agui.Message, int, error) {
	for at := ""; ; {
		stored, err := s.db.Transcript(ctx, o, threadID, at)
		if err != nil {
			return nil, 0, unreadable(err)
		}
		messages := history.Visible(stored)
		if before == "" {
			return messages, len(messages), nil
		}
		if i := slices.IndexFunc(messages, func(m agui.Message) bool { return m.ID == before }); i >= 0 {
			return messages, i, nil
		}
		row, err := s.db.MessageRun(ctx, o, threadID, before)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, 0, unreadable(err)
		}
		if err != nil || at != "" { // unknown, or a note
			return nil, 0, &refusal.Error{
				Code: refusal.NotFound, Field: "before",
				Message: fmt.Sprintf("the thread has no message %q", before),
			}
		}
		at = row.ID
	}
}
