package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// task is a task as the library writes it, and what of its runs is needed to go on reading them.
type task struct {
	a2a.Task
	waits  []agui.Interrupt
	agent  string          // of its newest run
	last   string          // the id of its newest run
	all    agui.Transcript // of that run
	before int             // number of artifacts of earlier runs
	grown  map[a2a.ArtifactID]*strings.Builder
}

// What a task that was cancelled says.
const (
	cancelled = "The task was cancelled."
	passedBy  = "The conversation went on without an answer."
)

func newTask(id, contextID string) *task {
	t := &task{last: id, grown: map[a2a.ArtifactID]*strings.Builder{}}
	t.ID, t.ContextID = a2a.TaskID(id), contextID
	t.goOn()
	return t
}

// goOn is called before the events of another run.
func (t *task) goOn() {
	t.Status = a2a.TaskStatus{State: a2a.TaskStateWorking}
	t.waits, t.all, t.before = nil, agui.Transcript{}, len(t.Artifacts)
}

// rewind takes back what the newest run has said, to read it again.
func (t *task) rewind() {
	t.Artifacts = t.Artifacts[:t.before]
	t.goOn()
}

// load reads one of the caller's tasks, including what its newest run has emitted so far.
func load(x *server.Exchange, id string) (*task, error) {
	threadID, err := x.Threads().Of(id)
	if err != nil {
		return nil, err
	}
	rows, err := x.Threads().Runs(threadID)
	if err != nil {
		return nil, err
	}
	return loadFrom(x.Context(), x.Follow, rows, threadID, id)
}

// follow returns a reader of a run: Exchange.Follow, or the Notifier's.
type follow func(run.FollowRequest) (*run.Reader, error)

// loadFrom is load, given the runs of the task's thread.
func loadFrom(ctx context.Context, open follow, rows []run.Row, threadID, id string) (*task, error) {
	t := newTask(id, threadID)
	for _, row := range rows {
		if of, _ := run.SplitID(row.ID); of != id && row.ID != id {
			continue
		}
		t.goOn()
		t.last, t.agent = row.ID, row.Agent
		if err := t.read(ctx, open, row); err != nil {
			return nil, err
		}
		switch {
		case row.Status != run.StatusLive:
			t.stamp(row.EndedAt)
		case t.Status.State == a2a.TaskStateWorking: // if not, it has just ended
			t.stamp(row.CreatedAt)
		}
	}
	t.pass(rows)
	return t, nil
}

// pass ends a waiting task if a later run has continued the thread past it.
func (t *task) pass(rows []run.Row) {
	if t.Status.State != a2a.TaskStateInputRequired {
		return
	}
	asked := *t.Status.Timestamp
	for _, row := range rows {
		if row.ParentRunID != t.last {
			continue
		}
		t.waits = nil
		t.end(a2a.TaskStateCanceled, passedBy)
		if t.stamp(row.CreatedAt); t.Status.Timestamp.Before(asked) {
			t.stamp(asked)
		}
		return
	}
}

// stamp says when the task got into its state.
func (t *task) stamp(at time.Time) {
	at = at.UTC().Truncate(time.Millisecond)
	t.Status.Timestamp = &at
}

// read applies what a run has said: all of it, or so far if it is live.
func (t *task) read(ctx context.Context, open follow, row run.Row) error {
	reader, err := open(fromBeginning(row.ID))
	if err != nil {
		return err
	}
	defer reader.Close()
	each := func(e agui.Event) { t.apply(e, nil) }
	if row.Status == run.StatusLive && !reader.Ready(each) {
		return nil
	}
	return reader.Rest(ctx, each)
}

// fromBeginning asks for what follows the id before a run's first event. It selects the run with
// exactly this id, not the newest that continues under it.
func fromBeginning(runID string) run.FollowRequest {
	return run.FollowRequest{RunID: runID, After: runID + ":1.0"}
}

// apply applies an event, and tells what it changes. tell may be nil.
func (t *task) apply(e agui.Event, tell func(a2a.Event)) {
	_ = t.all.Apply(e) // the writer has folded it too: cannot fail
	if tell == nil {
		tell = func(a2a.Event) {}
	}
	before := t.Status.State
	switch e := e.(type) {
	case *agui.TextMessageContent:
		t.add(a2a.ArtifactID(e.MessageID), e.Delta, tell)
	case *agui.ActivitySnapshot:
		t.show(e.MessageID, tell)
	case *agui.ActivityDelta:
		t.show(e.MessageID, tell)
	case *agui.MessagesSnapshot:
		t.recall(tell)
	case *agui.RunFinished:
		t.finish(e.Outcome)
	case *agui.RunError:
		t.end(a2a.TaskStateFailed, e.Message)
	}
	if t.Status.State != before {
		tell(&a2a.TaskStatusUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status})
	}
}

// add appends to a text. There are tens of thousands of pieces in a long one.
func (t *task) add(id a2a.ArtifactID, delta string, tell func(a2a.Event)) {
	if delta == "" {
		return
	}
	piece := &a2a.Artifact{ID: id, Parts: a2a.ContentParts{textPart(delta)}}
	a := t.artifact(id)
	if a == nil {
		t.put(piece, tell)
		return
	}
	grown := t.grown[id]
	if grown == nil {
		grown = new(strings.Builder)
		grown.WriteString(a.Parts[0].Text())
		t.grown[id] = grown
	}
	grown.WriteString(delta)
	a.Parts[0].Content = a2a.Text(grown.String())
	tell(&a2a.TaskArtifactUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Artifact: piece, Append: true})
}

func textPart(text string) *a2a.Part { return &a2a.Part{Content: a2a.Text(text), MediaType: textType} }

func dataPart(data json.RawMessage) *a2a.Part {
	return &a2a.Part{Content: a2a.Data{Value: data}, MediaType: jsonType}
}

// show takes a payload once it is whole.
func (t *task) show(id string, tell func(a2a.Event)) {
	if m, _ := t.all.Message(id); m.IsPayload() {
		parts := a2a.ContentParts{dataPart(m.Activity)}
		t.put(&a2a.Artifact{ID: a2a.ArtifactID(id), Name: m.ActivityType, Parts: parts}, tell)
	}
}

// recall takes the last answer of a snapshot, which is what is left of an old run.
func (t *task) recall(tell func(a2a.Event)) {
	for _, m := range agui.LastAnswer(t.all.Messages()) {
		if text := m.Content.Text(); m.Role == agui.RoleAssistant && text != "" {
			t.put(&a2a.Artifact{ID: a2a.ArtifactID(m.ID), Parts: a2a.ContentParts{textPart(text)}}, tell)
		}
		t.show(m.ID, tell)
	}
}

func (t *task) artifact(id a2a.ArtifactID) *a2a.Artifact {
	for _, a := range t.Artifacts {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// put adds an artifact, or replaces the one with the same id.
func (t *task) put(a *a2a.Artifact, tell func(a2a.Event)) {
	// copied: later pieces are appended to the task's artifact, not to the one in the update
	part := *a.Parts[0]
	own := &a2a.Artifact{ID: a.ID, Name: a.Name, Parts: a2a.ContentParts{&part}}
	delete(t.grown, a.ID)
	if old := t.artifact(a.ID); old != nil {
		*old = *own
	} else {
		t.Artifacts = append(t.Artifacts, own)
	}
	tell(&a2a.TaskArtifactUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Artifact: a, LastChunk: a.Name != ""})
}

// finish is the end of a run without an error.
func (t *task) finish(o *agui.Outcome) {
	switch {
	case o == nil:
		t.end(a2a.TaskStateCompleted, "")
	case o.Type == agui.OutcomeCancelled:
		t.end(a2a.TaskStateCanceled, cancelled)
	case len(o.Interrupts) > 0:
		t.ask(o.Interrupts)
	case len(o.PendingToolCallIDs) > 0: // begun by a front end with tools of its own
		t.end(a2a.TaskStateInputRequired, "The task waits for a tool of the page.")
	default:
		t.end(a2a.TaskStateCompleted, "")
	}
}

func (t *task) end(state a2a.TaskState, text string) {
	t.Status = a2a.TaskStatus{State: state}
	if text != "" {
		t.Status.Message = t.message(textPart(text))
	}
}

func (t *task) ended() bool { return t.Status.State.Terminal() }

func (t *task) message(parts ...*a2a.Part) *a2a.Message {
	m := a2a.NewMessageForTask(a2a.MessageRoleAgent, t, parts...)
	m.ID = "status-" + t.last
	return m
}

// wait is what a task waits for, as data: an approval or a question.
type wait struct {
	InterruptID string          `json:"interruptId"`
	Reason      string          `json:"reason"`
	Message     string          `json:"message,omitzero"`
	Tool        string          `json:"tool,omitzero"`
	Effect      string          `json:"effect,omitzero"`
	Summary     string          `json:"summary,omitzero"`
	Input       json.RawMessage `json:"input,omitzero"`
	Schema      json.RawMessage `json:"responseSchema,omitzero"`
	ExpiresAt   string          `json:"expiresAt,omitzero"`
}

// ask says what the task waits for: in words, and as data to answer.
func (t *task) ask(list []agui.Interrupt) {
	t.waits = list
	var parts []*a2a.Part
	for _, i := range list {
		m, _ := agui.ReadMetadata(i.Metadata)
		w := wait{i.ID, i.Reason, i.Message, m.Tool, m.Effect, m.Summary, m.Args, i.ResponseSchema, i.ExpiresAt}
		parts = append(parts, textPart(cmp.Or(i.Message, "An answer is needed to go on.")), dataPart(jsonx.Marshal(w)))
	}
	t.Status = a2a.TaskStatus{State: a2a.TaskStateInputRequired, Message: t.message(parts...)}
}
