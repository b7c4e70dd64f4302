package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
)

// MaxID is the maximum length of an id, tenant or subject in bytes. Four of them must fit an index
// entry of any database.
const MaxID = 512

// Body is a message ready to be stored: its id, and its JSON on one line as written by
// agui.AppendStoredMessage.
type Body struct {
	ID      string
	JSON    string
	HasText bool // a search may find it
}

// Bodies returns the messages ready to be stored, and all of them as lines of one text, or
// ErrInvalid. agui.ReadStoredMessage reads them back. Like the other functions of this file it is
// for implementations of Store, which must all do this alike.
func Bodies(messages []agui.Message) (bodies []Body, lines string, err error) {
	bodies = make([]Body, len(messages))
	var all strings.Builder // one for all: a history may be long
	all.Grow(sizeOf(messages))
	sizes := make([]int, len(messages))
	var buf []byte // reused for each message
	for i := range messages {
		if buf, err = appendBody(buf[:0], &messages[i]); err != nil {
			return nil, "", fmt.Errorf("messages[%d]: %w", i, err)
		}
		all.Write(buf)
		all.WriteByte('\n')
		sizes[i] = len(buf)
	}
	lines = all.String()
	start := 0
	for i, size := range sizes {
		bodies[i] = Body{messages[i].ID, lines[start : start+size], hasSearchText(&messages[i])}
		start += size + 1
	}
	return bodies, lines, nil
}

func appendBody(dst []byte, m *agui.Message) ([]byte, error) {
	if err := checkID("message id", m.ID); err != nil {
		return nil, err
	}
	out, err := agui.AppendStoredMessage(dst, m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return out, nil
}

// sizeOf estimates the length of the messages as JSON.
func sizeOf(messages []agui.Message) int {
	n := 0
	for i := range messages {
		n += 129 + len(messages[i].ID) + len(messages[i].Content.Raw()) + len(messages[i].Activity) +
			len(messages[i].Metadata)
	}
	return n
}

// Key returns a string that is unique to the owner.
func (o Owner) Key() string { return fmt.Sprintf("%d:%s%s", len(o.Tenant), o.Tenant, o.Subject) }

// Check returns ErrInvalid if o cannot own data.
func (o Owner) Check() error {
	if o.Tenant != "" {
		if err := checkID("tenant", o.Tenant); err != nil {
			return err
		}
	}
	return checkID("subject", o.Subject)
}

// NewRun returns the run that BeginRun stores for run: live, and created now unless CreatedAt is
// set. ParentRunID is returned as given.
func NewRun(run Run, now time.Time) (Run, error) {
	if err := checkRun(run); err != nil {
		return Run{}, err
	}
	if run.ID == RootRun {
		return Run{}, fmt.Errorf("run id: %w: %q stands for the beginning of every thread", ErrInvalid, RootRun)
	}
	if err := checkID("thread id", run.ThreadID); err != nil {
		return Run{}, err
	}
	return Run{
		ID: run.ID, ThreadID: run.ThreadID, Agent: run.Agent, ParentRunID: run.ParentRunID,
		Fingerprint: run.Fingerprint,
		Status:      RunLive, Input: bytes.Clone(run.Input), Epoch: 1, Tainted: run.Tainted,
		CreatedAt:  orNow(run.CreatedAt, now),
		StartState: bytes.Clone(run.State), State: bytes.Clone(run.State), ThreadTitle: run.ThreadTitle,
	}, nil
}

// EndedRun returns what EndRun stores for run, with only the fields that EndRun takes.
func EndedRun(run Run, now time.Time) (Run, error) {
	if err := checkRun(run); err != nil {
		return Run{}, err
	}
	switch run.Status {
	case RunFinished, RunFailed, RunCancelled:
	default:
		return Run{}, fmt.Errorf("run status %q: %w: a run ends finished, failed or cancelled", run.Status, ErrInvalid)
	}
	ended := Run{
		ID: run.ID, ThreadID: run.ThreadID, Status: run.Status, Error: run.Error, LastSeq: run.LastSeq,
		Epoch: run.Epoch,
		Usage: bytes.Clone(run.Usage), Interrupts: bytes.Clone(run.Interrupts), State: bytes.Clone(run.State),
		EndedAt: orNow(run.EndedAt, now),
	}
	if len(run.Pending) > 0 {
		ended.Pending = slices.Clone(run.Pending)
	}
	return ended, nil
}

func checkRun(run Run) error {
	if err := checkID("run id", run.ID); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{
		{"agent", run.Agent}, {"parent run id", run.ParentRunID}, {"fingerprint", run.Fingerprint},
		{"error", run.Error}, {"thread title", run.ThreadTitle},
	} {
		if err := CheckText("run "+f.name, f.text); err != nil {
			return err
		}
	}
	for i, id := range run.Pending {
		if err := CheckText(fmt.Sprintf("run pending[%d]", i), id); err != nil {
			return err
		}
	}
	if run.LastSeq < 0 {
		return fmt.Errorf("run last seq: %w: is negative", ErrInvalid)
	}
	return cmp.Or(checkJSON("run usage", run.Usage), checkJSON("run interrupts",
		run.Interrupts), checkJSON("run input", run.Input),
		checkJSON("run state", run.State))
}

// checkJSON returns ErrInvalid unless value is nil or JSON that every store can store.
func checkJSON(field string, value json.RawMessage) error {
	if value == nil {
		return nil
	}
	if !json.Valid(value) {
		return fmt.Errorf("%s: %w: is not JSON", field, ErrInvalid)
	}
	return CheckText(field, string(value))
}

// CheckBatch returns ErrInvalid if b is not a piece of a run's event stream.
func CheckBatch(b Batch) error {
	switch {
	case b.First < 1:
		return fmt.Errorf("events: %w: the first has the number %d", ErrInvalid, b.First)
	case b.Count < 1:
		return fmt.Errorf("events: %w: the batch says that it holds %d", ErrInvalid, b.Count)
	case len(b.Frames) == 0:
		return fmt.Errorf("events: %w: the batch has no frames", ErrInvalid)
	}
	return checkJSON("events usage", b.Usage)
}

// CheckFirst is CheckBatch for the first batch of a run, which may be empty.
func CheckFirst(b Batch) error {
	if b.isEmpty() {
		return nil
	}
	return cmp.Or(CheckBatch(b), b.Follows(0))
}

// CheckLast is CheckBatch for the last batch of a run, which may be empty.
func CheckLast(b Batch) error {
	if b.isEmpty() {
		return nil
	}
	return CheckBatch(b)
}

func (b Batch) isEmpty() bool { return b.Count == 0 && len(b.Frames) == 0 }

// Follows returns ErrInvalid unless the batch begins with event last+1.
func (b Batch) Follows(last int64) error {
	if b.First != last+1 {
		return fmt.Errorf("events: %w: the batch begins with event %d, but the log ends with event %d",
			ErrInvalid, b.First, last)
	}
	return nil
}

// Last returns the number of the batch's last event.
func (b Batch) Last() int64 { return b.First + int64(b.Count) - 1 }

// NewCalls returns the entries that PlanCalls stores for calls.
func NewCalls(runID string, calls []journal.ToolCall, now time.Time) ([]journal.ToolCall, error) {
	planned := make([]journal.ToolCall, len(calls))
	for i, c := range calls {
		if err := checkCall(c); err != nil {
			return nil, fmt.Errorf("calls[%d]: %w", i, err)
		}
		planned[i] = journal.ToolCall{
			ID: c.ID, RunID: runID, Tool: c.Tool, Effect: c.Effect, Args: bytes.Clone(c.Args),
			State: journal.Planned, CreatedAt: orNow(c.CreatedAt, now), Definition: c.Definition,
			AllowedBy: c.AllowedBy, Origin: bytes.Clone(c.Origin),
		}
	}
	return planned, nil
}

// FinishedCall returns what FinishCall stores for call, with only the fields that it takes.
func FinishedCall(call journal.ToolCall, now time.Time) (journal.ToolCall, error) {
	if err := checkCall(call); err != nil {
		return journal.ToolCall{}, err
	}
	return journal.ToolCall{
		ID: call.ID, State: journal.Finished, Result: call.Result, Payload: bytes.Clone(call.Payload),
		Sources: bytes.Clone(call.Sources), IsError: call.IsError,
		EndedAt: orNow(call.EndedAt, now),
	}, nil
}

func checkCall(c journal.ToolCall) error {
	if err := checkID("tool call id", c.ID); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{"tool", c.Tool}, {"effect", c.Effect}, {"args", string(c.Args)}, {"payload", string(c.Payload)},
		{"definition", c.Definition}, {"allowed by", c.AllowedBy}, {"origin", string(c.Origin)},
		{"sources", string(c.Sources)}} {
		if err := CheckText("tool call "+f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// CheckChange returns ErrInvalid if the change cannot be stored.
func CheckChange(c ThreadChange) error {
	if c.Title != nil {
		if err := CheckText("title", *c.Title); err != nil {
			return err
		}
	}
	if c.Head != nil {
		return CheckText("head", *c.Head)
	}
	return nil
}

// NewFeedback returns the feedback to store for f, or nil if f removes it.
func NewFeedback(f Feedback, now time.Time) (*Feedback, error) {
	if f.Rating < -1 || f.Rating > 1 {
		return nil, fmt.Errorf("rating %d: %w: must be -1, 0 or 1", f.Rating, ErrInvalid)
	}
	if f.Reason != "" && f.Rating != -1 {
		return nil, fmt.Errorf("reason %q: %w: only a rating of -1 has one", f.Reason, ErrInvalid)
	}
	if err := cmp.Or(CheckText("reason", f.Reason), CheckText("comment", f.Comment)); err != nil {
		return nil, err
	}
	if f.Rating == 0 && f.Comment == "" {
		return nil, nil
	}
	f.At = orNow(f.At, now)
	return &f, nil
}

// NewAllowance returns the allowance to store for a.
func NewAllowance(a Allowance, now time.Time) (Allowance, error) {
	if err := cmp.Or(checkID("allowance id", a.ID), checkJSON("allowance args", a.Args)); err != nil {
		return Allowance{}, err
	}
	for _, f := range []struct{ name, text string }{
		{"agent", a.Agent}, {"tool", a.Tool}, {"definition", a.Definition}, {"args hash", a.ArgsHash},
	} {
		if err := CheckText("allowance "+f.name, f.text); err != nil {
			return Allowance{}, err
		}
	}
	if a.ExpiresAt.IsZero() {
		return Allowance{}, fmt.Errorf("allowance expiry: %w: there is none", ErrInvalid)
	}
	for i, name := range a.OpenArgs {
		if err := CheckText(fmt.Sprintf("allowance open[%d]", i), name); err != nil {
			return Allowance{}, err
		}
	}
	a.Args, a.CreatedAt, a.ExpiresAt = bytes.Clone(a.Args), orNow(a.CreatedAt, now), FromMillis(a.ExpiresAt.UnixMilli())
	a.OpenArgs = append([]string(nil), a.OpenArgs...)
	return a, nil
}

// SortAllowances sorts allowances in the order a store returns them.
func SortAllowances(all []Allowance) {
	slices.SortFunc(all, func(a, b Allowance) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// CheckInstructions returns ErrInvalid if in cannot be stored.
func CheckInstructions(in Instructions) error {
	return cmp.Or(checkID("scope kind", in.Kind), checkID("scope id", in.ID), CheckText("instructions", in.Text))
}

// WithMetadata returns a message ready to be stored, with its metadata replaced by change.
func WithMetadata(m agui.Message, change func(agui.Message) (json.RawMessage, error)) (Body, error) {
	metadata, err := change(m)
	if err != nil {
		return Body{}, err
	}
	if m.Metadata = metadata; len(metadata) == 0 {
		m.Metadata = nil
	}
	bodies, _, err := Bodies([]agui.Message{m})
	if err != nil {
		return Body{}, err
	}
	return bodies[0], nil
}

func checkID(field, id string) error {
	if id == "" {
		return fmt.Errorf("%s: %w: is empty", field, ErrInvalid)
	}
	if len(id) > MaxID {
		return fmt.Errorf("%s: %w: is longer than %d bytes", field, ErrInvalid, MaxID)
	}
	return CheckText(field, id)
}

// CheckText returns ErrInvalid, naming the field, if text is not UTF-8 or holds NUL.
func CheckText(field, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s: %w: is not UTF-8", field, ErrInvalid)
	}
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%s: %w: holds NUL", field, ErrInvalid)
	}
	return nil
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		t = now
	}
	return FromMillis(t.UnixMilli())
}

// FromMillis returns a time as stores return it: UTC, in whole milliseconds since the Unix epoch.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
