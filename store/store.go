package store

import "context"

// Store keeps threads, messages and runs. It is the sum of five smaller interfaces: ask for the one
// you need.
//
// Implementations are safe for concurrent use. A write is all or nothing. Once it has returned nil,
// it is as durable as the medium allows, and every read that begins afterwards sees it. A write
// that returns the error of its context has not happened. Once the store has begun to carry a write
// out, it waits for the outcome even if the context ends.
//
// Messages come back as they were given, their opaque JSON byte for byte. The store keeps no
// reference to what it is given, and what it returns belongs to the caller. Times are UTC with
// millisecond precision; only the order of Threads depends on the clock.
//
// An owner needs a subject. An id must not be empty or longer than MaxID bytes, text must be UTF-8
// without NUL, and a message must be one that agui.UnmarshalMessage reads back, so that no message
// can make its thread unreadable. Anything else is ErrInvalid in a write and ErrNotFound in a read.
type Store interface {
	Runs
	EventLog
	Journal
	Threads
	Settings

	// Ping reports whether the store can be written, by writing.
	Ping(ctx context.Context) error

	// Close carries out the writes that are still waiting, batches of events included, and releases
	// everything. Other methods return ErrClosed from then on; a second Close does nothing.
	Close() error
}

// Owner says whose data is meant. Every method takes one, except those that are about all owners by
// intent: LiveRuns, PurgeEvents, Purge, Ping and Close.
//
// Clients choose ids, so every id lives inside its owner: two owners may use the same thread, run
// or message id and never meet. A thread or run of another owner simply does not exist.
type Owner struct{ Tenant, Subject string }

// Page is one page of a list. Next is the cursor of the next page, empty at the end.
type Page[T any] struct {
	Items []T
	Next  string
}

// The sizes of a page: a limit of zero or less means DefaultLimit, one above MaxLimit means
// MaxLimit.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)
