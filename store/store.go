package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pageside/pageside/agui"
)

// Owner is whose data is meant. Every method takes one; there is no unscoped read, except LiveRuns.
//
// Ids are chosen by clients, so every id lives inside its owner: two owners may use the same thread, run or message id and
// never meet. A thread or run of another owner is therefore simply one that does not exist.
type Owner struct{ Tenant, Subject string }

// Thread is one conversation.
type Thread struct {
	ID        string
	Title     string
	Agent     string // the agent of the run that made it
	Archived  bool
	CreatedAt time.Time
	UpdatedAt time.Time // when a message of it was last stored; never moves back
}

// RunStatus is where a run stands.
type RunStatus string

// The statuses. Only live runs change.
const (
	RunLive      RunStatus = "live"
	RunFinished  RunStatus = "finished"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled"
)

// Run is one run of a thread.
type Run struct {
	ID, ThreadID string
	Agent        string
	ParentRunID  string
	Fingerprint  string // of the request's body: the same run id with another body is a conflict
	Status       RunStatus
	Pending      []string        // toolCallIds that wait for the client; nil where there are none
	Error        string          // the code of RUN_ERROR
	Usage        json.RawMessage // JSON, kept byte for byte; nil where unknown
	CreatedAt    time.Time
	EndedAt      time.Time // zero while live

	ThreadTitle string // for BeginRun: names the thread where this run makes it. Not kept with the run
}

// OwnedRun is a run with its owner.
type OwnedRun struct {
	Owner Owner
	Run   Run
}

// StoredMessage is a message with its position in its thread.
type StoredMessage struct {
	Seq       int64 // grows along the thread, with gaps; the first is at least 1
	RunID     string
	CreatedAt time.Time
	Message   agui.Message
}

// Page is one page of a list. Next is the cursor of the next page, empty at the end.
type Page[T any] struct {
	Items []T
	Next  string
}

// The sizes of a page: a limit of zero or less means DefaultLimit, one above MaxLimit means MaxLimit.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Store keeps threads, messages and runs.
//
// Implementations are safe for concurrent use. A write is all or nothing. Once it has returned nil it is durable, as far
// as the medium is, and every read that begins afterwards sees it. A write that returns the error of its context has not
// happened; once the store has begun to carry a write out it waits for the outcome, whatever becomes of the context.
//
// Messages come back as they were given, their opaque JSON byte for byte. The store keeps no reference to what it is given,
// and what it returns belongs to the caller. Times have millisecond precision and are UTC; order never depends on the clock
// except in Threads.
//
// Owners need a subject. Ids must not be empty nor longer than MaxID bytes, every text must be UTF-8 without NUL, and a
// message must be one that agui.UnmarshalMessage reads back, so that no message can make its thread unreadable. Anything
// else is ErrInvalid from a write and ErrNotFound from a read.
type Store interface {
	// BeginRun stores a new live run with the messages it brought, in one transaction. It makes the thread where the owner
	// has none with this id, and fails with ErrConflict where the owner has a run with this id, on whichever thread.
	// New messages are appended in the order given; one whose id the thread already has is left as it is.
	//
	// Of run it takes ID, ThreadID, Agent, ParentRunID, Fingerprint, CreatedAt (zero: now) and ThreadTitle.
	BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error

	// SaveMessages stores messages of a live run: new ids are appended in the order given, known ids are replaced in place,
	// where they keep their position, run and time. An id given twice counts as known the second time.
	// It fails with ErrNotFound where the thread has no such run, and with ErrConflict where the run has ended.
	SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error

	// EndRun stores the run's last messages as SaveMessages does, and its end, in one transaction. A run ends once:
	// a second EndRun fails with ErrConflict and changes nothing.
	//
	// Of run it takes ID, ThreadID (may be empty, else must be the run's thread), Status (any but live), Pending, Error,
	// Usage and EndedAt (zero: now).
	EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error

	// Run returns one run, or ErrNotFound.
	Run(ctx context.Context, o Owner, id string) (Run, error)

	// LiveRuns returns the runs of every owner that are marked live, oldest first: after a restart, those the last process
	// left behind.
	LiveRuns(ctx context.Context) ([]OwnedRun, error)

	// Thread returns one thread, or ErrNotFound.
	Thread(ctx context.Context, o Owner, id string) (Thread, error)

	// Threads lists the owner's threads by UpdatedAt, newest first, from after the cursor ("": from the top). A cursor stays
	// good whatever is written meanwhile: no thread is listed twice, and none that stays as it is is missed. One that gets a
	// message moves to the top and shows up with the next listing. A cursor that is none fails with ErrBadCursor.
	Threads(ctx context.Context, o Owner, cursor string, limit int) (Page[Thread], error)

	// SetTitle names a thread, or fails with ErrNotFound. It does not count as a change of the conversation.
	SetTitle(ctx context.Context, o Owner, threadID, title string) error

	// LastRun returns the run of the thread that was begun last, or ErrNotFound.
	LastRun(ctx context.Context, o Owner, threadID string) (Run, error)

	// Transcript returns all messages of a thread in order, or ErrNotFound.
	Transcript(ctx context.Context, o Owner, threadID string) ([]agui.Message, error)

	// Messages returns the page of messages that ends before the message with the given Seq (0: at the end), oldest first,
	// or ErrNotFound. Next is the Seq to pass for the page before it, in decimal.
	Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (Page[StoredMessage], error)

	// Ping reports whether the store can be written, by writing.
	Ping(ctx context.Context) error

	// Close waits for the writes that have begun and releases everything. Other methods return ErrClosed from then on;
	// a second Close does nothing.
	Close() error
}
