package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
)

// Owner is whose data is meant. Every method takes one; there is no unscoped read, except LiveRuns.
//
// Ids are chosen by clients, so every id lives inside its owner: two owners may use the same
// thread, run or message id and never meet. A thread or run of another owner is therefore simply
// one that does not exist.
type Owner struct{ Tenant, Subject string }

// Thread is one conversation.
type Thread struct {
	ID       string
	Title    string
	Agent    string // the agent of the run that made it
	Archived bool
	// the run at the end of the branch that is shown and gone on from; "" before the first run has
	// begun
	Head      string
	CreatedAt time.Time
	UpdatedAt time.Time // when a message of it was last stored; never moves back
	DeletedAt time.Time // zero unless it was deleted; Purge removes it later for good
}

// ThreadChange is what UpdateThread changes: the fields that are not nil.
type ThreadChange struct {
	Title    *string
	Archived *bool
	Deleted  *bool // true deletes, false takes that back
	// a run of the thread that has ended: the branch that leads to it becomes the one that is shown
	Head *string
}

// ThreadQuery selects threads.
type ThreadQuery struct {
	// Text is words that the title or a message of the thread, on whichever branch, must all
	// contain, the last one as a beginning; "" selects all. Case and accents do not count. What
	// users and assistants said and what cards show is searched, no tool results and no reasoning.
	Text     string
	Archived bool // those that are archived, instead of those that are not
	Deleted  bool // those that are deleted, archived or not, instead of those that are not
	Cursor   string
	Limit    int
}

// FoundThread is a thread with what the query's text was found in.
type FoundThread struct {
	Thread
	// of a message, plain text, at most 160 characters; "" where the title alone matched or nothing
	// was asked for
	Snippet string
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
	// ParentRunID is the run this one goes on from, or RootRun where it goes on from none. For
	// BeginRun "" means the thread's head, and RootRun begins a branch before every other run.
	ParentRunID string
	Fingerprint string // of the request's body: the same run id with another body is a conflict
	Status      RunStatus
	Pending     []string        // toolCallIds that wait for the client; nil where there are none
	Error       string          // the code of RUN_ERROR
	Usage       json.RawMessage // JSON, kept byte for byte; nil where unknown
	// JSON, kept byte for byte: what the run ended waiting for; nil where it does not
	Interrupts json.RawMessage
	// JSON, kept byte for byte: what the run was asked beside its messages, to take it up again;
	// nil once ended
	Input   json.RawMessage
	Epoch   int   // how many writers the run has had; the first is 1
	LastSeq int64 // the number of its last event, once ended
	// Tainted: the branch that ends with the run has read what somebody else than the user and the
	// operator may have written. A run that goes on from a tainted one is tainted, and no run ever
	// ceases to be.
	Tainted   bool
	CreatedAt time.Time
	EndedAt   time.Time // zero while live

	// for Runs: the first user message the run brought; nil where it brought none
	FirstUser *UserMessage

	// for BeginRun: names the thread where this run makes it. Not kept with the run
	ThreadTitle string
}

// RootRun is the ParentRunID of a run that begins a branch before every other run of its thread.
const RootRun = "-"

// UserMessage tells runs apart in a list of branches.
type UserMessage struct {
	ID      string
	Preview string // the first 120 characters of its text
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

// Feedback is what a user thinks of a message.
type Feedback struct {
	MessageID string
	Rating    int // -1, 0 or 1
	Comment   string
	At        time.Time
}

// Allowance is a standing approval: on its thread, calls of a tool with exactly these arguments run
// without asking until it expires.
type Allowance struct {
	ID, ThreadID string
	// the run in which it was given: it holds on the branches that this run is on
	RunID      string
	Agent      string
	Tool       string
	Definition string          // a hash of the tool's definition
	Args       json.RawMessage // JSON, kept byte for byte
	ArgsHash   string
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Instructions are stored for a scope, such as stream:42. They belong to the tenant.
type Instructions struct {
	Kind, ID  string
	Text      string
	UpdatedAt time.Time
	UpdatedBy string // the subject
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
	Feedback  *Feedback // nil where there is none
}

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

// Store keeps threads, messages and runs.
//
// Implementations are safe for concurrent use. A write is all or nothing. Once it has returned nil
// it is durable, as far as the medium is, and every read that begins afterwards sees it. A write
// that returns the error of its context has not happened; once the store has begun to carry a write
// out it waits for the outcome, whatever becomes of the context.
//
// Messages come back as they were given, their opaque JSON byte for byte. The store keeps no
// reference to what it is given, and what it returns belongs to the caller. Times have millisecond
// precision and are UTC; order never depends on the clock except in Threads.
//
// Owners need a subject. Ids must not be empty nor longer than MaxID bytes, every text must be
// UTF-8 without NUL, and a message must be one that agui.UnmarshalMessage reads back, so that no
// message can make its thread unreadable. Anything else is ErrInvalid from a write and ErrNotFound
// from a read.
type Store interface {
	// BeginRun stores a new live run with the messages it brought, in one transaction. It makes the
	// thread where the owner has none with this id, and fails with ErrConflict where the owner has
	// a run with this id, on whichever thread. New messages are appended in the order given; one
	// whose id the thread already has is left as it is.
	//
	// The run goes on from ParentRunID, which must be a run of the thread that has ended, RootRun
	// or "" (the head, live or not), else it fails with ErrConflict; it becomes the thread's head.
	// A deleted thread is one the owner does not have: its id fails with ErrConflict. What else is
	// asked about it or its runs is ErrNotFound, except Thread and UpdateThread; a run that is live
	// on it can be written until it ends.
	//
	// Of run it takes ID, ThreadID, Agent, ParentRunID, Fingerprint, Input, Tainted, CreatedAt
	// (zero: now) and ThreadTitle. Epoch becomes 1, and Tainted true where the run it goes on from
	// is.
	BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error

	// SaveMessages stores messages of a live run: new ids are appended in the order given, known
	// ids are replaced in place, where they keep their position, run and time. An id given twice
	// counts as known the second time. It fails with ErrNotFound where the thread has no such run,
	// and with ErrConflict where the run has ended.
	SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error

	// EndRun stores the run's last messages as SaveMessages does, and its end, in one transaction.
	// A run ends once: a second EndRun fails with ErrConflict and changes nothing.
	//
	// Of run it takes ID, ThreadID (may be empty, else must be the run's thread), Status (any but
	// live), Pending, Interrupts, Error, Usage, LastSeq (0: the last event in the log), Epoch and
	// EndedAt (zero: now). last holds the events that are not appended yet, the terminal one at its
	// end; it may be empty. Where Epoch is not zero and not the run's current one, it fails with
	// ErrFenced and changes nothing.
	EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message, last Batch) error

	// AppendEvents appends a batch to a live run's event log. It returns at once; done is called
	// once when the batch is durable or has failed, from a goroutine of the store: it must not
	// block and not call the store. The calls of one run come one at a time or in order, and their
	// dones are called in that order. A batch of an epoch that is not the run's current one fails
	// with ErrFenced, one of an unknown run with ErrNotFound, and one of a run that has ended with
	// ErrConflict. A write of the run that was called later returns after the dones of the batches
	// before it. Frames may be used again only after done.
	AppendEvents(o Owner, b Batch, done func(error))

	// TakeOver makes the next epoch of a live run, so that an earlier writer can append nothing any
	// more, and returns it. An unknown run is ErrNotFound, one that has ended ErrConflict.
	TakeOver(ctx context.Context, o Owner, runID string) (epoch int, err error)

	// TaintRun marks a live run as tainted, for good. One that is stays so. An unknown run is
	// ErrNotFound, one that has ended ErrConflict.
	TaintRun(ctx context.Context, o Owner, runID string) error

	// Events yields what the event log holds of a run after the event with the given number, in
	// order; the first batch may begin before it. It yields ErrGone where events after that number
	// were purged, and ErrNotFound where there is no such run. A live run's log grows while it is
	// read: what is committed when the end is reached is yielded.
	Events(ctx context.Context, o Owner, runID string, after int64) iter.Seq2[Batch, error]

	// PurgeEvents forgets the events of runs that ended before the time, and Purge the threads that
	// were deleted before it, with everything that hangs on them, unless a run of theirs is live.
	// Both return how many runs or threads that was.
	PurgeEvents(ctx context.Context, before time.Time) (int, error)
	Purge(ctx context.Context, before time.Time) (int, error)

	// PlanCalls, StartCall and FinishCall keep the journal of a live run's tool calls; an unknown
	// run or call is ErrNotFound, a run that has ended ErrConflict. With wait false they return at
	// once and an error is only logged by the store; whatever is written later by the same
	// goroutine is then durable after it. Of calls PlanCalls takes ID, Tool, Effect, Args and
	// CreatedAt (zero: now); a call that the run's journal has stays as it is. A call that has
	// finished is ErrConflict for StartCall and FinishCall, one that has started may start again.
	// Of call FinishCall takes ID, Result, Payload, IsError and EndedAt (zero: now).
	PlanCalls(ctx context.Context, o Owner, runID string, calls []journal.ToolCall, wait bool) error
	StartCall(ctx context.Context, o Owner, runID, callID string, wait bool) error
	FinishCall(ctx context.Context, o Owner, runID string, call journal.ToolCall, wait bool) error
	// ToolCalls returns the journal of a run in the order planned.
	ToolCalls(ctx context.Context, o Owner, runID string) ([]journal.ToolCall, error)
	// ToolCall returns the entry of that call id on the thread that was planned last, or
	// ErrNotFound.
	ToolCall(ctx context.Context, o Owner, threadID, callID string) (journal.ToolCall, error)

	// Run returns one run, or ErrNotFound.
	Run(ctx context.Context, o Owner, id string) (Run, error)

	// LiveRuns returns the runs of every owner that are marked live, oldest first: after a restart,
	// those the last process left behind.
	LiveRuns(ctx context.Context) ([]OwnedRun, error)

	// Runs returns all runs of a thread in the order they began, with FirstUser set, or
	// ErrNotFound.
	Runs(ctx context.Context, o Owner, threadID string) ([]Run, error)

	// Thread returns one thread, deleted ones too, or ErrNotFound.
	Thread(ctx context.Context, o Owner, id string) (Thread, error)

	// Threads lists the owner's threads that the query selects by UpdatedAt, newest first, from
	// after the cursor ("": from the top). A cursor stays good whatever is written meanwhile: no
	// thread is listed twice, and none that stays as it is is missed. One that gets a message moves
	// to the top and shows up with the next listing. A cursor that is none fails with ErrBadCursor.
	Threads(ctx context.Context, o Owner, q ThreadQuery) (Page[FoundThread], error)

	// UpdateThread changes a thread, a deleted one too, and returns it as it is then, or fails with
	// ErrNotFound. A change of Head fails with ErrConflict where it is not a run of the thread or a
	// run of the thread is live. It does not count as a change of the conversation.
	UpdateThread(ctx context.Context, o Owner, threadID string, change ThreadChange) (Thread, error)

	// LastRun returns the thread's head, or ErrNotFound.
	LastRun(ctx context.Context, o Owner, threadID string) (Run, error)

	// Transcript returns the messages of the branch that ends with the run at ("": the head;
	// RootRun: no message), in order, or ErrNotFound.
	Transcript(ctx context.Context, o Owner, threadID, at string) ([]agui.Message, error)

	// MessageRun returns the run that brought or made a message, on whichever branch, or
	// ErrNotFound.
	MessageRun(ctx context.Context, o Owner, threadID, messageID string) (Run, error)

	// SetFeedback keeps what the user thinks of a message; a rating of 0 with no comment takes it
	// back. An unknown message is ErrNotFound.
	SetFeedback(ctx context.Context, o Owner, threadID string, f Feedback) error

	// SetMessageMetadata replaces the metadata of a message, whether its run is live or not, or
	// fails with ErrNotFound. It does not count as a change of the conversation. change is given
	// the message as it is and runs inside the transaction, perhaps more than once.
	SetMessageMetadata(ctx context.Context, o Owner, threadID, messageID string, change func(agui.Message) (json.RawMessage, error)) error

	// GiveAllowance stores an allowance that was given in a live run. An unknown run is
	// ErrNotFound; one that has ended, or an id the thread has already, ErrConflict. Those of the
	// thread that have expired are forgotten. It takes every field but ThreadID, which is the
	// run's; CreatedAt zero means now, and ExpiresAt must not be zero.
	GiveAllowance(ctx context.Context, o Owner, a Allowance) error
	// Allowances returns those of a thread that have not expired, by CreatedAt and ID, or
	// ErrNotFound.
	Allowances(ctx context.Context, o Owner, threadID string) ([]Allowance, error)
	// FindAllowances returns those of them that have the agent, tool, definition and hash of like,
	// without their arguments.
	FindAllowances(ctx context.Context, o Owner, threadID string, like Allowance) ([]Allowance, error)
	// RevokeAllowance forgets an allowance, or fails with ErrNotFound.
	RevokeAllowance(ctx context.Context, o Owner, threadID, id string) error

	// PutInstructions stores the instructions of a scope for the owner's tenant; an empty text
	// deletes them. Instructions returns those of one scope, or ErrNotFound.
	PutInstructions(ctx context.Context, o Owner, in Instructions) error
	Instructions(ctx context.Context, o Owner, kind, id string) (Instructions, error)

	// Messages returns, of the branch that is shown, the page of messages that ends before the
	// message with the given Seq (0: at the end), oldest first, or ErrNotFound. Next is the Seq to
	// pass for the page before it, in decimal.
	Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (Page[StoredMessage], error)

	// Ping reports whether the store can be written, by writing.
	Ping(ctx context.Context) error

	// Close carries out the writes that wait, the batches of events among them, and releases
	// everything. Other methods return ErrClosed from then on; a second Close does nothing.
	Close() error
}
