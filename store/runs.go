package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
)

// RunStatus is the status of a run.
type RunStatus string

// Statuses. Only live runs change.
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
	// ParentRunID is the run this one continues, or RootRun if none. In BeginRun, "" means the
	// thread's head, and RootRun begins a branch before every other run.
	ParentRunID string
	Fingerprint string // of the request's body: the same run id with another body is a conflict
	Status      RunStatus
	Pending     []string        // toolCallIds that wait for the client; nil if none
	Error       string          // the code of RUN_ERROR
	Usage       json.RawMessage // JSON, kept byte for byte; nil if unknown. See Batch.Usage
	// JSON, kept byte for byte: the interrupts that the run ended with; nil if none
	Interrupts json.RawMessage
	// JSON, kept byte for byte: the run's input without its messages, needed to resume it; nil
	// after its end
	Input json.RawMessage
	// JSON, kept byte for byte: the state that the page and the agent share, as it was when the run
	// began and as it is since its end; nil if there is none. Runs does not set them
	StartState, State json.RawMessage

	Epoch   int   // number of writers so far; the first is 1
	LastSeq int64 // number of its last event; set at its end
	// Tainted means that the branch ending with the run has read text that somebody other than the
	// user and the operator may have written. A run that continues a tainted one is tainted, and
	// taint is never cleared.
	Tainted   bool
	CreatedAt time.Time
	EndedAt   time.Time // zero while live

	// set by Runs only: the first user message that the run brought, or nil
	FirstUser *UserMessage

	// used by BeginRun only: the title of a new thread. Not stored with the run
	ThreadTitle string
}

// RootRun is the ParentRunID of a run that begins a branch before every other run of its thread.
const RootRun = "-"

// RunQuery selects runs of an owner.
type RunQuery struct {
	Agent    string    // "" means any
	ThreadID string    // "" means any
	Since    time.Time // only runs that have changed then or later
	Limit    int       // at most as many; must be positive
}

// RunSummary is what RecentRuns returns of a run.
type RunSummary struct {
	ID, ThreadID string
	Status       RunStatus
	Waits        bool // it finished with interrupts or pending calls
	Passed       bool // it waited until another run went on from it
	// when it began, ended or was passed, whichever happened last
	ChangedAt time.Time
}

// UserMessage identifies a run in a list of branches.
type UserMessage struct {
	ID      string
	Preview string // the first 120 characters of its text
}

// OwnedRun is a run with its owner.
type OwnedRun struct {
	Owner Owner
	Run   Run
}

// Runs stores runs with their messages, the event logs and journals of runs, and whom to tell of
// them.
//
// The journal records what became of the tool calls of live runs. Its writes return ErrNotFound for
// an unknown run or call, and ErrConflict for an ended run. With wait false a write neither blocks
// nor ends with its context, and the store only logs its error; anything the same goroutine writes
// later is durable after it.
//
// A webhook goes with its thread; those of a deleted thread do not exist.
type Runs interface {
	// BeginRun stores a new live run with the messages it brings, in one transaction. It creates
	// the thread if the owner has none with this id, and returns ErrConflict if the owner has a run
	// with this id on any thread. New messages are appended in the order given; a message whose id
	// the thread already has is left unchanged.
	//
	// The run continues ParentRunID: a run of the thread that has ended, RootRun, or "" (the head,
	// live or not); anything else is ErrConflict. The new run becomes the thread's head.
	//
	// To its owner, a deleted thread does not exist, except that its id is taken: BeginRun on it
	// returns ErrConflict. Every other method about it or its runs returns ErrNotFound, except
	// Thread and UpdateThread; a live run on it can still be written until it ends.
	//
	// BeginRun uses the fields ID, ThreadID, Agent, ParentRunID, Fingerprint, Input, State,
	// Tainted, CreatedAt (zero: now) and ThreadTitle of run. Epoch becomes 1, StartState becomes
	// State, and Tainted is true if the parent is tainted.
	//
	// The run's first events may be stored with it: of first, Count and Frames are used, and First
	// must be 1. An empty batch is none.
	BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message, first Batch) error

	// SaveMessages stores messages of a live run: new ids are appended in the order given, known
	// ids are replaced in place and keep their position, run and time. An id given twice counts as
	// known the second time. It returns ErrNotFound if the thread has no such run, and ErrConflict
	// if the run has ended.
	SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error

	// EndRun stores the run's last messages as SaveMessages does, and its end, in one transaction.
	// A run ends once: a second EndRun returns ErrConflict and changes nothing.
	//
	// It uses the fields ID, ThreadID (if not empty, it must be the run's thread), Status (any but
	// live), Pending, Interrupts, Error, Usage, State (nil: StartState), LastSeq (0: the last event
	// in the log), Epoch and EndedAt (zero: now) of run. last holds the events not yet appended,
	// the terminal one last; it may be empty. If Epoch is neither zero nor the run's current one,
	// EndRun returns ErrFenced and changes nothing.
	EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message, last Batch) error

	// TakeOver begins the next epoch of a live run and returns it: an earlier writer can append
	// nothing more. It returns ErrNotFound for an unknown run and ErrConflict for an ended one.
	TakeOver(ctx context.Context, o Owner, runID string) (epoch int, err error)

	// TaintRun marks a live run as tainted, for good. It returns ErrNotFound for an unknown run and
	// ErrConflict for an ended one.
	TaintRun(ctx context.Context, o Owner, runID string) error

	// Run returns one run, or ErrNotFound.
	Run(ctx context.Context, o Owner, id string) (Run, error)

	// Runs returns all runs of a thread in the order they began, with FirstUser set, or
	// ErrNotFound.
	Runs(ctx context.Context, o Owner, threadID string) ([]Run, error)

	// RecentRuns returns the runs that have changed last, on any thread that is not deleted: by
	// ChangedAt and then ID, both descending.
	RecentRuns(ctx context.Context, o Owner, q RunQuery) ([]RunSummary, error)

	// LastRun returns the thread's head, or ErrNotFound.
	LastRun(ctx context.Context, o Owner, threadID string) (Run, error)

	// LiveRuns returns the live runs of all owners, oldest first. After a restart these are the
	// runs of the last process.
	LiveRuns(ctx context.Context) ([]OwnedRun, error)

	// AppendEvents appends a batch to a live run's event log. It does not block. done is called
	// once, when the batch is durable or has failed, from a goroutine of the store: it must not
	// block or call the store. Calls for one run must be ordered, and their dones are called in
	// that order. It fails with ErrFenced if the batch's epoch is not the run's current one,
	// ErrNotFound for an unknown run, and ErrConflict for an ended one. A later write of the run
	// returns after the dones of earlier batches. Frames may only be reused after done.
	AppendEvents(o Owner, b Batch, done func(error))

	// Events yields the run's events after the given number, in order; the first batch may begin
	// before it. It yields ErrGone if events after that number were purged, and ErrNotFound if
	// there is no such run. A live run's log grows while it is read: events committed before the
	// end is reached are yielded too.
	Events(ctx context.Context, o Owner, runID string, after int64) iter.Seq2[Batch, error]

	// PurgeEvents removes the events of runs that ended before the given time, and returns the
	// number of these runs.
	PurgeEvents(ctx context.Context, before time.Time) (int, error)

	// PlanCalls adds calls. It uses their ID, Tool, Effect, Args and CreatedAt (zero: now). A call
	// already in the run's journal is left unchanged.
	PlanCalls(ctx context.Context, o Owner, runID string, calls []journal.ToolCall, wait bool) error

	// StartCall marks a call as started; it may start again. A finished call is ErrConflict.
	StartCall(ctx context.Context, o Owner, runID, callID string, wait bool) error

	// FinishCall stores a call's result. It uses the fields ID, Result, Payload, Sources, IsError
	// and EndedAt (zero: now). A finished call is ErrConflict.
	FinishCall(ctx context.Context, o Owner, runID string, call journal.ToolCall, wait bool) error

	// ToolCalls returns the journal of a run in the order planned.
	ToolCalls(ctx context.Context, o Owner, runID string) ([]journal.ToolCall, error)

	// ToolCall returns the newest entry with a call id on the thread, or ErrNotFound.
	ToolCall(ctx context.Context, o Owner, threadID, callID string) (journal.ToolCall, error)

	// PutWebhook stores a webhook of a run, or replaces the run's with that id. ThreadID is the
	// run's, whatever it says; a zero CreatedAt means now. It returns ErrNotFound if there is no
	// such run.
	PutWebhook(ctx context.Context, o Owner, w Webhook) error

	// Webhooks returns those of a run, the oldest first.
	Webhooks(ctx context.Context, o Owner, runID string) ([]Webhook, error)

	// TellWebhook stores what was told, or returns ErrNotFound.
	TellWebhook(ctx context.Context, o Owner, runID, id, told string, done bool) error

	// DeleteWebhook deletes one, or returns ErrNotFound.
	DeleteWebhook(ctx context.Context, o Owner, runID, id string) error

	// OpenWebhooks returns those of all owners that are not done.
	OpenWebhooks(ctx context.Context) ([]OwnedWebhook, error)
}

// Batch is a piece of a run's event stream in wire form. The events of a run are numbered from 1
// without gaps: a batch that does not begin with the event after the last one in the log is
// ErrInvalid.
type Batch struct {
	RunID  string
	Epoch  int
	First  int64 // number of its first event
	Count  int
	Frames []byte // opaque to the store
	// JSON, kept byte for byte: what the run has used so far, stored as its Usage together with the
	// events. nil leaves it as it is. Only AppendEvents uses it: the last batch comes with the run
	Usage json.RawMessage
}
