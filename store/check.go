package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
)

// MaxID is how long an id, a tenant or a subject may be, in bytes. Four of them must fit an index entry of every database.
const MaxID = 512

// Body is a message ready to be written: its id, and its JSON on one line, as agui.AppendStoredMessage writes it.
type Body struct {
	ID   string
	JSON string
}

// Bodies returns the messages ready to be written, and all of them as lines of one text, or ErrInvalid. What it accepts
// reads back with agui.ReadStoredMessage.
// Like the other functions of this file it is for implementations of Store: it does what all of them must do alike.
func Bodies(messages []agui.Message) (bodies []Body, lines string, err error) {
	bodies = make([]Body, len(messages))
	var all strings.Builder // one for all: a history may be long
	all.Grow(sizeOf(messages))
	sizes := make([]int, len(messages))
	var room []byte
	for i := range messages {
		if room, err = appendBody(room[:0], &messages[i]); err != nil {
			return nil, "", fmt.Errorf("messages[%d]: %w", i, err)
		}
		all.Write(room)
		all.WriteByte('\n')
		sizes[i] = len(room)
	}
	lines = all.String()
	start := 0
	for i, size := range sizes {
		bodies[i] = Body{messages[i].ID, lines[start : start+size]}
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

// sizeOf guesses how long the messages are as JSON.
func sizeOf(messages []agui.Message) int {
	n := 0
	for i := range messages {
		n += 129 + len(messages[i].ID) + len(messages[i].Content.Raw()) + len(messages[i].Activity) + len(messages[i].Metadata)
	}
	return n
}

// Check returns ErrInvalid where no data can belong to o.
func (o Owner) Check() error {
	if o.Tenant != "" {
		if err := checkID("tenant", o.Tenant); err != nil {
			return err
		}
	}
	return checkID("subject", o.Subject)
}

// NewRun returns the run that BeginRun stores when it is given run: a live one that began now unless it says when.
func NewRun(run Run, now time.Time) (Run, error) {
	if err := checkRun(run); err != nil {
		return Run{}, err
	}
	if err := checkID("thread id", run.ThreadID); err != nil {
		return Run{}, err
	}
	return Run{
		ID: run.ID, ThreadID: run.ThreadID, Agent: run.Agent, ParentRunID: run.ParentRunID, Fingerprint: run.Fingerprint,
		Status: RunLive, CreatedAt: orNow(run.CreatedAt, now), ThreadTitle: run.ThreadTitle,
	}, nil
}

// EndedRun returns what EndRun stores when it is given run: only the fields that EndRun takes are set.
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
		ID: run.ID, ThreadID: run.ThreadID, Status: run.Status, Error: run.Error,
		Usage: append(json.RawMessage(nil), run.Usage...), EndedAt: orNow(run.EndedAt, now),
	}
	if len(run.Pending) > 0 {
		ended.Pending = append([]string(nil), run.Pending...)
	}
	return ended, nil
}

func checkRun(run Run) error {
	if err := checkID("run id", run.ID); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{
		{"agent", run.Agent}, {"parent run id", run.ParentRunID}, {"fingerprint", run.Fingerprint}, {"error", run.Error}, {"thread title", run.ThreadTitle},
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
	if run.Usage != nil && !json.Valid(run.Usage) {
		return fmt.Errorf("run usage: %w: is not JSON", ErrInvalid)
	}
	return CheckText("run usage", string(run.Usage))
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

// CheckText returns ErrInvalid, naming the field, where text is not UTF-8 or holds NUL.
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
