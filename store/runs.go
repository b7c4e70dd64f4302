package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
)

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
	// ParentRunID is the run this one continues, or RootRun if it continues none. For BeginRun ""
	// means the thread's head, and RootRun begins a branch before every other run.
	ParentRunID string
	Fingerprint string // of the request's body: the same run id with another body is a conflict
	Status      RunStatus
	Pending     []string        // toolCallIds that wait for the client; nil if there are none
	Error       string          // the code of RUN_ERROR
	Usage       json.RawMessage // JSON, kept byte for byte; nil if unknown
	// JSON, kept byte for byte: the interrupts that the run ended with; nil if there are none
	Interrupts json.RawMessage
	// JSON, kept byte for byte: what the run was asked besides its messages, needed to resume it;
	// nil once ended
	Input   json.RawMessage
	Epoch   int   // how many writers the run has had; the first is 1
	LastSeq int64 // the number of its last event, once ended
	// Tainted: the branch that ends with the run has read what somebody other than the user and the
	// operator may have written. A run that continues a tainted one is tainted, and no run ever
	// stops being tainted.
	Tainted   bool
	CreatedAt time.Time
	EndedAt   time.Time // zero while live

	// set by Runs only: the first user message that the run brought; nil if it brought none
	FirstUser *UserMessage

	// taken by BeginRun only: the title of the thread, if this run makes it. Not kept with the run
	ThreadTitle string
}

// RootRun is the ParentRunID of a run that begins a branch before every other run of its thread.
const RootRun = "-"

// UserMessage tells runs apart in a list of branches.
type UserMessage struct {
	ID      string
	Preview string // the first 120 characters of its text
}

// OwnedRun is a run with its owner.
type OwnedRun struct {
	Owner Owner
	Run   Run
}

// Runs keeps runs with the messages they bring and make.
type Runs interface {
	// BeginRun stores a new live run with the messages it brought, in one transaction. It makes the
	// thread if the owner has none with this id, and returns ErrConflict if the owner has a run
	// with this id on any thread. New messages are appended in the order given; a message whose id
	// the thread already has stays as it is.
	//
	// The run continues ParentRunID: a run of the thread that has ended, RootRun, or "" (the head,
	// live or not); anything else is ErrConflict. The new run becomes the thread's head.
	//
	// A deleted thread does not exist for its owner, except that its id is taken: beginning a run
	// on it is ErrConflict. Everything else about it or its runs is ErrNotFound, apart from Thread
	// and UpdateThread; a run that is live on it can still be written until it ends.
	//
	// Of run it takes ID, ThreadID, Agent, ParentRunID, Fingerprint, Input, Tainted, CreatedAt
	// (zero: now) and ThreadTitle. Epoch becomes 1, and Tainted is true if the run it continues is
	// tainted.
	BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error

	// SaveMessages stores messages of a live run: new ids are appended in the order given, known
	// ids are replaced in place and keep their position, run and time. An id given twice counts as
	// known the second time. It returns ErrNotFound if the thread has no such run, and ErrConflict
	// if the run has ended.
	SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error

	// EndRun stores the run's last messages as SaveMessages does, and its end, in one transaction.
	// A run ends once: a second EndRun is ErrConflict and changes nothing.
	//
	// Of run it takes ID, ThreadID (if not empty, it must be the run's thread), Status (any but
	// live), Pending, Interrupts, Error, Usage, LastSeq (0: the last event in the log), Epoch and
	// EndedAt (zero: now). last holds the events that have not been appended yet, the terminal one
	// at its end; it may be empty. If Epoch is neither zero nor the run's current one, EndRun
	// returns ErrFenced and changes nothing.
	EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message, last Batch) error

	// TakeOver begins the next epoch of a live run, so that an earlier writer can append nothing
	// any more, and returns it. An unknown run is ErrNotFound, one that has ended ErrConflict.
	TakeOver(ctx context.Context, o Owner, runID string) (epoch int, err error)

	// TaintRun marks a live run as tainted, for good. An unknown run is ErrNotFound, one that has
	// ended ErrConflict.
	TaintRun(ctx context.Context, o Owner, runID string) error

	// Run returns one run, or ErrNotFound.
	Run(ctx context.Context, o Owner, id string) (Run, error)

	// Runs returns all runs of a thread in the order they began, with FirstUser set, or
	// ErrNotFound.
	Runs(ctx context.Context, o Owner, threadID string) ([]Run, error)

	// LastRun returns the thread's head, or ErrNotFound.
	LastRun(ctx context.Context, o Owner, threadID string) (Run, error)

	// LiveRuns returns the live runs of all owners, oldest first. After a restart they are those
	// that the last process left behind.
	LiveRuns(ctx context.Context) ([]OwnedRun, error)
}

// Batch is a piece of a run's event stream as it goes over the wire. The events of a run are
// numbered from 1 without gaps: a batch that does not begin with the event after the last one in
// the log is ErrInvalid.
type Batch struct {
	RunID  string
	Epoch  int
	First  int64 // the number of its first event
	Count  int
	Frames []byte // opaque to the store
}

// EventLog keeps the event streams of runs.
type EventLog interface {
	// AppendEvents appends a batch to a live run's event log. It returns at once. done is called
	// once, when the batch is durable or has failed, from a goroutine of the store: it must not
	// block and must not call the store. The calls for one run come one at a time or in order, and
	// their dones are called in that order. A batch whose epoch is not the run's current one fails
	// with ErrFenced, one of an unknown run with ErrNotFound, and one of a run that has ended with
	// ErrConflict. A later write of the run returns after the dones of the batches before it.
	// Frames may be reused only after done.
	AppendEvents(o Owner, b Batch, done func(error))

	// Events yields what the event log holds of a run after the event with the given number, in
	// order; the first batch may begin before it. It yields ErrGone if events after that number
	// were purged, and ErrNotFound if there is no such run. A live run's log grows while it is
	// read: whatever is committed when the end is reached is yielded too.
	Events(ctx context.Context, o Owner, runID string, after int64) iter.Seq2[Batch, error]

	// PurgeEvents removes the events of runs that ended before the given time, and returns how many
	// runs that was.
	PurgeEvents(ctx context.Context, before time.Time) (int, error)
}

// Journal keeps what became of the tool calls of live runs. In its writes an unknown run or call is
// ErrNotFound, and a run that has ended is ErrConflict.
//
// With wait false a write returns at once, and the store only logs its error; whatever the same
// goroutine writes later is durable after it.
type Journal interface {
	// PlanCalls adds calls. It takes their ID, Tool, Effect, Args and CreatedAt (zero: now). A call
	// that the run's journal already has stays as it is.
	PlanCalls(ctx context.Context, o Owner, runID string, calls []journal.ToolCall, wait bool) error

	// StartCall marks a call as started; it may start again. One that has finished is ErrConflict.
	StartCall(ctx context.Context, o Owner, runID, callID string, wait bool) error

	// FinishCall stores a call's result. Of call it takes ID, Result, Payload, IsError and EndedAt
	// (zero: now). One that has finished is ErrConflict.
	FinishCall(ctx context.Context, o Owner, runID string, call journal.ToolCall, wait bool) error

	// ToolCalls returns the journal of a run in the order planned.
	ToolCalls(ctx context.Context, o Owner, runID string) ([]journal.ToolCall, error)

	// ToolCall returns the entry of a call id on the thread, the one planned last, or ErrNotFound.
	ToolCall(ctx context.Context, o Owner, threadID, callID string) (journal.ToolCall, error)
}
