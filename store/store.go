package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pageside/pageside/agui"
)

// Errors a Store returns, to be tested with errors.Is.
var (
	ErrNotFound = errors.New("not found") // no such row, or it belongs to somebody else: callers cannot tell which
	ErrConflict = errors.New("conflict")  // the id is taken
	ErrFull     = errors.New("store is full")
)

// Owner is whose data is meant. Every method takes one; there is no unscoped read.
type Owner struct{ Tenant, Subject string }

// Thread is one conversation.
type Thread struct {
	ID        string
	Title     string
	Agent     string
	Archived  bool
	CreatedAt time.Time
	UpdatedAt time.Time // the last message
}

// RunStatus is where a run stands.
type RunStatus string

// The statuses. Only Live runs change.
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
	Pending      []string // toolCallIds that wait for the client
	Error        string   // the code of RUN_ERROR
	Usage        json.RawMessage
	CreatedAt    time.Time
	EndedAt      time.Time // zero while live
}

// StoredMessage is a message with its position in its thread.
type StoredMessage struct {
	Seq       int64 // grows along the thread
	RunID     string
	CreatedAt time.Time
	Message   agui.Message
}

// Page is one page of a list. Next is the cursor of the next page, empty at the end.
type Page[T any] struct {
	Items []T
	Next  string
}

// Store keeps threads, messages and runs. Implementations are safe for concurrent use, and what a method returned nil for is durable.
type Store interface {
	// BeginRun stores a new live run with the messages it brought, in one transaction: it makes the thread where it does not exist
	// (ErrNotFound where it is somebody else's) and fails with ErrConflict where run.ID exists. A message whose id the thread already has is left as it is.
	BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error
	// SaveMessages stores messages of a live run: new ids are appended in the order given, known ids are replaced in place.
	SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error
	// EndRun stores the run's last messages as SaveMessages does, and its status, pending calls, error and usage, in one transaction.
	EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error
	// Run returns one run.
	Run(ctx context.Context, o Owner, id string) (Run, error)
	// LiveRuns returns the runs of every owner that are marked live: after a restart, those the last process left behind.
	LiveRuns(ctx context.Context) ([]OwnedRun, error)

	// Thread returns one thread.
	Thread(ctx context.Context, o Owner, id string) (Thread, error)
	// Threads lists the owner's threads, newest first.
	Threads(ctx context.Context, o Owner, cursor string, limit int) (Page[Thread], error)
	// SetTitle names a thread.
	SetTitle(ctx context.Context, o Owner, threadID, title string) error
	// LastRun returns the thread's newest run, or ErrNotFound.
	LastRun(ctx context.Context, o Owner, threadID string) (Run, error)
	// Transcript returns all messages of a thread in order.
	Transcript(ctx context.Context, o Owner, threadID string) ([]agui.Message, error)
	// Messages returns the page of messages that ends before the message position before (0: at the end), oldest first.
	Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (Page[StoredMessage], error)

	// Ping reports whether the store can be written.
	Ping(ctx context.Context) error
	Close() error
}

// OwnedRun is a run with its owner.
type OwnedRun struct {
	Owner Owner
	Run   Run
}
