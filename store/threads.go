package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pageside/pageside/agui"
)

// Thread is one conversation.
type Thread struct {
	ID       string
	Title    string
	Agent    string // the agent of the run that made it
	Archived bool
	Pinned   bool // the owner wants it at the top of the list: see ThreadQuery.PinnedFirst
	// the run at the end of the branch that is shown and continued; "" before the first run has
	// begun
	Head      string
	CreatedAt time.Time
	UpdatedAt time.Time // when a message of it was last stored; never moves back
	DeletedAt time.Time // zero unless it was deleted; Purge removes it for good later
}

// ThreadChange is what UpdateThread changes: the fields that are not nil.
type ThreadChange struct {
	Title    *string
	Archived *bool
	Pinned   *bool
	Deleted  *bool // true deletes the thread, false restores it
	// a run of the thread that has ended: the branch that leads to it becomes the one that is shown
	Head *string
}

// Apply returns the changed thread. Deleting a deleted thread keeps its DeletedAt.
func (c ThreadChange) Apply(t Thread, now time.Time) Thread {
	if c.Title != nil {
		t.Title = *c.Title
	}
	if c.Archived != nil {
		t.Archived = *c.Archived
	}
	if c.Pinned != nil {
		t.Pinned = *c.Pinned
	}
	if c.Head != nil {
		t.Head = *c.Head
	}
	switch {
	case c.Deleted == nil:
	case !*c.Deleted:
		t.DeletedAt = time.Time{}
	case t.DeletedAt.IsZero():
		t.DeletedAt = now
	}
	return t
}

// ThreadQuery selects threads.
type ThreadQuery struct {
	// Text is words that the title or a message of the thread, on any branch, must all contain; the
	// last one may be the beginning of a word. "" selects all. Case and accents do not count. The
	// search covers what users and assistants said and what payloads show, but no tool results and
	// no reasoning.
	Text     string
	Archived bool // archived threads instead of the others
	Deleted  bool // deleted threads, archived or not, instead of the others
	// PinnedFirst lists pinned threads before the others, newest first in both parts. Without it
	// pins do not count.
	PinnedFirst bool
	Cursor      string
	Limit       int
}

// FoundThread is a thread with the passage that the query's text was found in.
type FoundThread struct {
	Thread
	// plain text of a message, at most 160 characters; "" if only the title matched or the query
	// has no text
	Snippet string
}

// StoredMessage is a message with its position in its thread.
type StoredMessage struct {
	Seq       int64 // grows along the thread, with gaps; the first is at least 1
	RunID     string
	CreatedAt time.Time
	Message   agui.Message
	Feedback  *Feedback // nil if there is none
}

// Feedback is what a user thinks of a message.
type Feedback struct {
	MessageID string
	Rating    int    // -1, 0 or 1
	Reason    string // of a rating of -1, in one word; "" is none
	Comment   string
	At        time.Time
}

// Threads keeps threads, reads their messages, and keeps what users share of them. Messages are
// written with the runs they belong to: see Runs. A share goes with its thread, and that of a
// deleted thread cannot be opened.
type Threads interface {
	// Thread returns one thread, deleted ones included, or ErrNotFound.
	Thread(ctx context.Context, o Owner, id string) (Thread, error)

	// Threads lists the owner's threads that the query selects by UpdatedAt, newest first, from
	// after the cursor ("": from the top). A cursor stays valid whatever is written in the
	// meantime: no thread is listed twice, and none that stays as it is is missed. A thread that
	// gets a message moves to the top and shows up in the next listing; with PinnedFirst, so does
	// one that is pinned, and one that is unpinned may be listed again in its new place. A
	// malformed cursor is ErrBadCursor.
	//
	// A search, with Text, may miss what a burst of writes has just stored: a later one finds it.
	Threads(ctx context.Context, o Owner, q ThreadQuery) (Page[FoundThread], error)

	// UpdateThread changes a thread, deleted ones included, and returns it as it then is, or
	// ErrNotFound. Moving Head is ErrConflict if it is not a run of the thread or a run of the
	// thread is live. UpdatedAt stays as it is.
	UpdateThread(ctx context.Context, o Owner, threadID string, change ThreadChange) (Thread, error)

	// Transcript returns the messages of the branch that ends with the run at ("": the head;
	// RootRun: no messages), in order, or ErrNotFound.
	Transcript(ctx context.Context, o Owner, threadID, at string) ([]agui.Message, error)

	// Messages returns one page of the branch that is shown: the messages before the one with the
	// given Seq (0: the last ones), oldest first, or ErrNotFound. Next is the Seq to pass for the
	// page before it, in decimal.
	Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (Page[StoredMessage], error)

	// MessageRun returns the run that brought or made a message, on any branch, or ErrNotFound.
	MessageRun(ctx context.Context, o Owner, threadID, messageID string) (Run, error)

	// HasMessages returns which of the ids are messages of the thread, on any branch, or
	// ErrNotFound.
	HasMessages(ctx context.Context, o Owner, threadID string, ids []string) (map[string]bool, error)

	// SetMessageMetadata replaces the metadata of a message, whether its run is live or not, or
	// returns ErrNotFound. UpdatedAt stays as it is. change is given the message as it is; it runs
	// inside the transaction, perhaps more than once.
	SetMessageMetadata(ctx context.Context, o Owner, threadID, messageID string, change func(agui.Message) (json.RawMessage, error)) error

	// SetFeedback keeps what the user thinks of a message. A rating of 0 without a comment removes
	// it. A reason of another rating than -1 is ErrInvalid. An unknown message is ErrNotFound.
	SetFeedback(ctx context.Context, o Owner, threadID string, f Feedback) error

	// Purge removes the threads that were deleted before the given time, with everything that
	// belongs to them, unless one of their runs is live. It returns those it has removed, in no
	// particular order, also with an error.
	Purge(ctx context.Context, before time.Time) ([]ThreadKey, error)

	// PutShare stores a share of a thread, and removes the thread's expired ones. It returns
	// ErrNotFound for an unknown thread, ErrConflict for an id or a hash that is taken, and
	// ErrTooMany if the thread has MaxShares. A zero CreatedAt means now.
	PutShare(ctx context.Context, o Owner, s Share) error

	// Shares returns those of a thread that have not expired, by CreatedAt and ID, without their
	// messages and hashes, or ErrNotFound.
	Shares(ctx context.Context, o Owner, threadID string) ([]Share, error)

	// DeleteShare deletes one that has not expired, or returns ErrNotFound.
	DeleteShare(ctx context.Context, o Owner, threadID, id string) error

	// OpenShare returns the share with a hash, whoever of the tenant owns it, or ErrNotFound if it
	// has expired, its thread is deleted, or there is none.
	OpenShare(ctx context.Context, tenant, tokenHash string) (OwnedShare, error)

	// PurgeShares removes the shares of all owners that expired before the given time, and returns
	// how many.
	PurgeShares(ctx context.Context, before time.Time) (int, error)
}

// ThreadKey names a thread.
type ThreadKey struct {
	Owner Owner
	ID    string
}
