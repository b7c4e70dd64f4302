package store

import "context"

// Store stores threads, messages and runs. It is the sum of smaller interfaces: ask for the one you
// need. Its implementations also store the audit log: see audit.Store.
//
// Implementations are safe for concurrent use. A write is all or nothing. Once it has returned nil,
// it is as durable as the medium allows, and visible to every read that begins afterwards. A write
// that returns its context's error has not happened. Once the store has begun a write, it waits for
// the outcome even if the context ends.
//
// Messages are returned as given, their opaque JSON byte for byte. The store keeps no reference to
// its arguments. Results belong to the caller, but for what the messages of Transcript refer to:
// others may have it too, and nobody may change it. Times are UTC with millisecond precision; only
// the order of Threads depends on the clock.
//
// An owner needs a subject. An id must not be empty or longer than MaxID bytes, text must be UTF-8
// without NUL, and a message must be readable by agui.UnmarshalMessage: no message can make its
// thread unreadable. Anything else is ErrInvalid in a write and ErrNotFound in a read.
type Store interface {
	Threads
	Runs
	Settings
	Usage

	// Holdings counts what Forget would delete.
	Holdings(ctx context.Context, o Owner) (Holdings, error)

	// Forget deletes everything of an owner for good, deleted threads and live runs included, and
	// removes the owner's name from the instructions it has written, which are the tenant's. What
	// still writes to a live run gets ErrNotFound. After an error part of it may be gone: Forget
	// can be called again.
	Forget(ctx context.Context, o Owner) error

	// Ping reports whether the store can be written, by writing.
	Ping(ctx context.Context) error

	// Close finishes the waiting writes, including batches of events, and releases all resources.
	// Other methods then return ErrClosed; a second Close does nothing.
	Close() error
}

// Owner identifies the owner of data. Every method takes one, except those that are about all
// owners by intent: LiveRuns, OpenWebhooks, OpenShare, PurgeEvents, Purge, PurgeShares, Ping and
// Close.
//
// Clients choose ids, so ids are scoped to their owner: two owners may use the same thread, run or
// message id without conflict. A thread or run of another owner does not exist.
type Owner struct{ Tenant, Subject string }

// Holdings counts what the store holds of one owner, deleted threads included.
type Holdings struct {
	Threads    int `json:"threads"`
	Runs       int `json:"runs"`
	ToolCalls  int `json:"toolCalls"`
	Allowances int `json:"allowances"`
	Feedback   int `json:"feedback"`
	Other      int `json:"other"` // rows of other tables, such as usage
}

// Page is one page of a list. Next is the cursor of the next page, empty at the end.
type Page[T any] struct {
	Items []T
	Next  string
}

// Sizes of a page: a limit of zero or less means DefaultLimit, one above MaxLimit means MaxLimit.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)
