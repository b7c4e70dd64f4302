package a2a

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// States of a task.
const (
	stateWorking   = "TASK_STATE_WORKING"
	stateCompleted = "TASK_STATE_COMPLETED"
	stateFailed    = "TASK_STATE_FAILED"
	stateCanceled  = "TASK_STATE_CANCELED"
	stateInput     = "TASK_STATE_INPUT_REQUIRED"
)

// paragraph is between the parts of a message.
const paragraph = "\n\n"

type task struct {
	ID        string      `json:"id"`
	ContextID string      `json:"contextId"`
	Status    status      `json:"status"`
	Artifacts []*artifact `json:"artifacts,omitempty"`

	waits  []agui.Interrupt
	last   string           // the id of its newest run
	all    *agui.Transcript // of that run
	before int              // number of artifacts of earlier runs
}

type status struct {
	State   string   `json:"state"`
	Message *message `json:"message,omitempty"`
	// when the task got there, as the store has it; streams leave it out
	Timestamp string `json:"timestamp,omitempty"`
}

// What a task that was cancelled says.
const (
	cancelled = "The task was cancelled."
	passedBy  = "The conversation went on without an answer."
)

type message struct {
	ID        string `json:"messageId"`
	ContextID string `json:"contextId"`
	TaskID    string `json:"taskId"`
	Role      string `json:"role"`
	Parts     []part `json:"parts"`
}

// artifact is a text of the agent, or a payload. Its id is that of the message.
type artifact struct {
	ID    string `json:"artifactId"`
	Name  string `json:"name,omitempty"` // of a payload: its type
	Parts []part `json:"parts"`

	grown *strings.Builder // the text, if it has grown
}

type part struct {
	Text      string          `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	MediaType string          `json:"mediaType"`
}

// update is what a stream tells: one of these.
type update struct {
	Task     *task           `json:"task,omitempty"`
	Status   *statusUpdate   `json:"statusUpdate,omitempty"`
	Artifact *artifactUpdate `json:"artifactUpdate,omitempty"`
}

type statusUpdate struct {
	TaskID    string `json:"taskId"`
	ContextID string `json:"contextId"`
	Status    status `json:"status"`
}

type artifactUpdate struct {
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId"`
	Artifact  artifact `json:"artifact"`
	Append    bool     `json:"append,omitempty"`
	LastChunk bool     `json:"lastChunk,omitempty"`
}

func newTask(id, contextID string) *task {
	t := &task{ID: id, ContextID: contextID, last: id}
	t.goOn()
	return t
}

// goOn is called before the events of another run.
func (t *task) goOn() {
	t.Status, t.waits, t.all, t.before = status{State: stateWorking}, nil, agui.NewTranscript(nil), len(t.Artifacts)
}

// rewind takes back what the newest run has said, to read it again.
func (t *task) rewind() {
	t.Artifacts = t.Artifacts[:t.before]
	t.goOn()
}

// load reads one of the caller's tasks, including what its newest run has emitted so far.
func load(x *server.Exchange, id string) (*task, error) {
	threadID, err := x.ThreadOf(id)
	if err != nil {
		return nil, err
	}
	rows, err := x.Store().Runs(x.Context(), x.Owner, threadID)
	if err != nil {
		return nil, err
	}
	return loadFrom(x, rows, threadID, id)
}

// source is where runs are read from: a request, or a Notifier.
type source interface {
	Follow(runID, after string) (*run.Reader, error)
	Wait(from *run.Reader, each func(id string, event []byte)) error
}

// loadFrom is load, given the runs of the task's thread.
func loadFrom(x source, rows []store.Run, threadID, id string) (*task, error) {
	t := newTask(id, threadID)
	for _, row := range rows {
		if of, _ := run.SplitID(row.ID); of != id && row.ID != id {
			continue
		}
		t.goOn()
		t.last = row.ID
		if err := t.read(x, row); err != nil {
			return nil, err
		}
		switch {
		case row.Status != store.RunLive:
			t.stamp(row.EndedAt)
		case t.Status.State == stateWorking: // if not, it has just ended
			t.stamp(row.CreatedAt)
		}
	}
	t.pass(rows)
	return t, nil
}

// pass ends a waiting task if a later run has continued the thread past it.
func (t *task) pass(rows []store.Run) {
	if t.Status.State != stateInput {
		return
	}
	at := t.Status.Timestamp
	for _, row := range rows {
		if row.ParentRunID != t.last {
			continue
		}
		t.waits = nil
		t.end(stateCanceled, passedBy)
		t.stamp(row.CreatedAt)
		t.Status.Timestamp = max(t.Status.Timestamp, at) // texts of one length
		return
	}
}

// stamp says when the task got into its state.
func (t *task) stamp(at time.Time) {
	t.Status.Timestamp = at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// read applies what a run has said so far.
func (t *task) read(x source, row store.Run) error {
	reader, err := x.Follow(row.ID, fromBeginning(row.ID))
	if err != nil {
		return err
	}
	if row.Status != store.RunLive {
		return x.Wait(reader, func(_ string, data []byte) { t.apply(data, nil) })
	}
	defer reader.Close()
	for {
		frames, done := reader.Next()
		for _, data := range run.Frames(frames) {
			t.apply(data, nil)
		}
		if done || len(frames) == 0 {
			return nil
		}
	}
}

// fromBeginning is the id before a run's first event. It selects the run with exactly this id, not
// the newest that continues under it.
func fromBeginning(runID string) string { return runID + ":1.0" }

// translate returns the translation of a run's events into a stream of updates. It begins with the
// task as it was before the run, and says everything since.
func (r *request) translate(t *task) server.Translate {
	var out []byte
	tell := func(u update) {
		out = append(out, "data: "...)
		out = append(append(out, jsonOf(response{JSONRPC: "2.0", ID: r.ID, Result: u})...), "\n\n"...)
	}
	began := false
	return func(_ string, data []byte) []byte {
		out = nil
		if !began {
			began = true
			tell(update{Task: t})
		}
		t.apply(data, tell)
		return out
	}
}

// apply applies an event, and tells what it changes. tell may be nil.
func (t *task) apply(data []byte, tell func(update)) {
	e, err := agui.UnmarshalEvent(data)
	if err != nil {
		return // written by this server: cannot fail
	}
	_ = t.all.Apply(e) // the writer has folded it too: cannot fail
	if tell == nil {
		tell = func(update) {}
	}
	before := t.Status.State
	switch e := e.(type) {
	case *agui.TextMessageContent:
		t.add(e.MessageID, e.Delta, tell)
	case *agui.ActivitySnapshot:
		t.show(e.MessageID, tell)
	case *agui.ActivityDelta:
		t.show(e.MessageID, tell)
	case *agui.MessagesSnapshot:
		t.recall(tell)
	case *agui.RunFinished:
		t.finish(e.Outcome)
	case *agui.RunError:
		t.end(stateFailed, e.Message)
	}
	if t.Status.State != before {
		tell(update{Status: &statusUpdate{t.ID, t.ContextID, t.Status}})
	}
}

// add appends to a text.
func (t *task) add(id, delta string, tell func(update)) {
	if delta == "" {
		return
	}
	piece := artifact{ID: id, Parts: []part{{Text: delta, MediaType: textType}}}
	a := t.artifact(id)
	if a == nil {
		t.put(piece, tell)
		return
	}
	a.grow(delta)
	tell(update{Artifact: &artifactUpdate{TaskID: t.ID, ContextID: t.ContextID, Artifact: piece, Append: true}})
}

// grow appends to a text. There are tens of thousands of pieces in a long one.
func (a *artifact) grow(delta string) {
	if a.grown == nil {
		a.grown = new(strings.Builder)
		a.grown.WriteString(a.Parts[0].Text)
	}
	a.grown.WriteString(delta)
	a.Parts[0].Text = a.grown.String()
}

// show takes a payload once it is whole.
func (t *task) show(id string, tell func(update)) {
	for _, m := range t.all.Messages() {
		if m.ID != id || m.Role != agui.RoleActivity || strings.HasPrefix(m.ActivityType, agui.ReservedPrefix) {
			continue
		}
		if said, _ := agui.ReadMetadata(m.Metadata); said.Status != agui.StatusFailed && !said.Streaming {
			t.put(artifact{ID: id, Name: m.ActivityType, Parts: []part{{Data: m.Activity, MediaType: jsonType}}}, tell)
		}
	}
}

// recall takes the last answer of a snapshot, which is what is left of an old run.
func (t *task) recall(tell func(update)) {
	messages := t.all.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == agui.RoleUser {
			messages = messages[i+1:]
			break
		}
	}
	for _, m := range messages {
		if text := m.Content.Text(); m.Role == agui.RoleAssistant && text != "" {
			t.put(artifact{ID: m.ID, Parts: []part{{Text: text, MediaType: textType}}}, tell)
		}
		t.show(m.ID, tell)
	}
}

func (t *task) artifact(id string) *artifact {
	for _, a := range t.Artifacts {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// put adds an artifact, or replaces the one with the same id.
func (t *task) put(a artifact, tell func(update)) {
	// copied: later pieces are appended to the task's artifact, not to the one in the update
	own := artifact{ID: a.ID, Name: a.Name, Parts: append([]part(nil), a.Parts...)}
	if old := t.artifact(a.ID); old != nil {
		*old = own
	} else {
		t.Artifacts = append(t.Artifacts, &own)
	}
	tell(update{Artifact: &artifactUpdate{TaskID: t.ID, ContextID: t.ContextID, Artifact: a, LastChunk: a.Name != ""}})
}

// finish is the end of a run without an error.
func (t *task) finish(o *agui.Outcome) {
	switch {
	case o == nil:
		t.end(stateCompleted, "")
	case o.Type == agui.OutcomeCancelled:
		t.end(stateCanceled, cancelled)
	case len(o.Interrupts) > 0:
		t.ask(o.Interrupts)
	case len(o.PendingToolCallIDs) > 0: // begun by a front end with tools of its own
		t.end(stateInput, "The task waits for a tool of the page.")
	default:
		t.end(stateCompleted, "")
	}
}

func (t *task) end(state, text string) {
	t.Status = status{State: state}
	if text != "" {
		t.Status.Message = t.message(part{Text: text, MediaType: textType})
	}
}

func (t *task) message(parts ...part) *message {
	return &message{"status-" + t.last, t.ContextID, t.ID, "ROLE_AGENT", parts}
}

// wait is what a task waits for, as data: an approval or a question.
type wait struct {
	InterruptID string          `json:"interruptId"`
	Reason      string          `json:"reason"`
	Message     string          `json:"message,omitempty"`
	Tool        string          `json:"tool,omitempty"`
	Effect      string          `json:"effect,omitempty"`
	Summary     string          `json:"summary,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Schema      json.RawMessage `json:"responseSchema,omitempty"`
	ExpiresAt   string          `json:"expiresAt,omitempty"`
}

// ask says what the task waits for: in words, and as data to answer.
func (t *task) ask(list []agui.Interrupt) {
	t.waits = list
	var parts []part
	for _, i := range list {
		m, _ := agui.ReadMetadata(i.Metadata)
		parts = append(parts, part{Text: cmp.Or(i.Message, "An answer is needed to go on."), MediaType: textType})
		parts = append(parts, part{Data: jsonOf(wait{i.ID, i.Reason, i.Message, m.Tool, m.Effect, m.Summary, m.Args, i.ResponseSchema, i.ExpiresAt}), MediaType: jsonType})
	}
	t.Status = status{State: stateInput, Message: t.message(parts...)}
}

func jsonOf(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // made of JSON and strings: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
