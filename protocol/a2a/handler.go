package a2a

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// handler answers one request. It is an a2asrv.RequestHandler.
type handler struct {
	x    *server.Exchange
	push *Notifier // may be nil
	sent *sent     // of SendMessage and SendStreamingMessage, as read has read it
	bad  error     // why read has refused the request
	out  answer
}

// fail returns an error for the library to tell. One that is not the protocol's becomes an HTTP
// error, unless a stream has begun.
func (h *handler) fail(err error) error {
	told := protocolError(err)
	if told == nil {
		h.out.refused, told = err, err
	}
	return told
}

// told returns what a method has found, for the library.
func told[T any](h *handler, found *T, err error) (*T, error) {
	if err != nil {
		return nil, h.fail(err)
	}
	return found, nil
}

// GetTask is part of a2asrv.RequestHandler.
func (h *handler) GetTask(_ context.Context, p *a2a.GetTaskRequest) (*a2a.Task, error) {
	t, err := h.find(p.ID)
	return told(h, &t.Task, err)
}

// CancelTask is part of a2asrv.RequestHandler: it waits for the task's end.
func (h *handler) CancelTask(_ context.Context, p *a2a.CancelTaskRequest) (*a2a.Task, error) {
	t, err := h.find(p.ID)
	switch {
	case err != nil:
	case t.Status.State == a2a.TaskStateWorking:
		err = t.stop(h.x)
	case t.Status.State == a2a.TaskStateInputRequired:
		t, err = t.withdraw(h.x)
	default:
		err = a2a.NewError(a2a.ErrTaskNotCancelable, "the task has ended: "+t.Status.State.String())
	}
	return told(h, &t.Task, err)
}

// SendMessage is part of a2asrv.RequestHandler: it waits for the task's end, unless the client does
// not.
func (h *handler) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	t, reader, err := h.begin()
	switch {
	case err != nil:
	case h.sent.Config.ReturnImmediately:
		reader.Close()
	default:
		err = h.x.Wait(reader, func(e agui.Event) { t.apply(e, nil) })
	}
	if err != nil {
		return nil, h.fail(err)
	}
	return &t.Task, nil
}

// SendStreamingMessage is part of a2asrv.RequestHandler.
func (h *handler) SendStreamingMessage(context.Context, *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return h.stream(h.begin)
}

// SubscribeToTask is part of a2asrv.RequestHandler: it streams a task that has not ended, from its
// beginning.
func (h *handler) SubscribeToTask(_ context.Context, p *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return h.stream(func() (*task, *run.Reader, error) {
		t, err := h.find(p.ID)
		if err == nil && t.ended() {
			err = a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended: "+t.Status.State.String())
		}
		if err != nil {
			return nil, nil, err
		}
		reader, err := t.again(h.x)
		return t, reader, err
	})
}

// GetExtendedAgentCard is part of a2asrv.RequestHandler.
func (h *handler) GetExtendedAgentCard(context.Context, *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return nil, a2a.NewError(a2a.ErrExtendedCardNotConfigured, "there is no extended agent card")
}

// stream returns the events of a task, whose run open begins to read. They begin with the task as
// it was before the run, and say everything since. The library reads them in a goroutine of its
// own. What ends them early (the client leaves, the server shuts down) needs no words: the run
// continues, and the client may subscribe again.
func (h *handler) stream(open func() (*task, *run.Reader, error)) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		_ = h.x.Use(func() error { // fails if the request is over
			t, reader, err := open()
			if err != nil {
				yield(nil, h.fail(err))
				return nil
			}
			more := yield(&t.Task, nil)
			return h.x.Wait(reader, func(e agui.Event) {
				t.apply(e, func(e a2a.Event) { more = more && yield(e, nil) })
			})
		})
	}
}

// find reads one of the caller's tasks. It is never nil.
func (h *handler) find(id a2a.TaskID) (*task, error) {
	switch {
	case h.bad != nil:
		return new(task), h.bad
	case id == "":
		return new(task), invalid("id", "must not be empty")
	}
	t, err := load(h.x, string(id))
	if err != nil {
		return new(task), err
	}
	return t, nil
}

// begin starts the run that a message asks for. It returns the message's task as it is before, and
// what reads the run.
func (h *handler) begin() (*task, *run.Reader, error) {
	t, in, err := h.runOf(h.sent.Message)
	if err != nil {
		return nil, nil, err
	}
	started, err := h.x.Start(h.x.Request.PathValue("agent"), in)
	if err != nil {
		return nil, nil, err
	}
	t.goOn()
	if c := h.sent.Config.PushConfig; c != nil {
		if _, err := h.push.keep(h.x, t, *c); err != nil {
			return nil, nil, err
		}
	}
	return t, started.Read(false), nil
}

// runOf returns the task that a message belongs to, and the run that it asks for.
func (h *handler) runOf(m *message) (*task, *agui.RunAgentInput, error) {
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion}
	if m.TaskID == "" {
		in.RunID, in.ThreadID = "task-"+rand.Text(), cmp.Or(m.ContextID, "ctx-"+rand.Text())
		if strings.TrimSpace(m.text()) == "" {
			return nil, nil, invalid("message.parts", "must not be empty")
		}
		in.Messages = asked(m)
		return newTask(in.RunID, in.ThreadID), in, nil
	}
	t, err := load(h.x, m.TaskID)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case m.ContextID != "" && m.ContextID != t.ContextID:
		return nil, nil, invalid("message.contextId", "is not that of the task")
	case t.Status.State != a2a.TaskStateInputRequired || len(t.waits) == 0:
		return nil, nil, a2a.NewError(a2a.ErrUnsupportedOperation,
			"message.taskId: the task waits for nothing; send the message with its contextId alone")
	}
	in.RunID, in.ThreadID = string(t.ID), t.ContextID
	return t, in, answerTo(t.waits, m, in)
}

// text returns the parts as the model reads them: data as JSON.
func (m *message) text() string {
	var texts []string
	for _, p := range m.Parts {
		if p.Text != nil {
			texts = append(texts, *p.Text)
			continue
		}
		data := p.Data.Clone()
		_ = data.Compact() // decoded before: cannot fail
		texts = append(texts, string(data))
	}
	return strings.Join(texts, server.Paragraph)
}

// asked returns a message as one of a run's. Its id is ours: a client's could be that of an earlier
// message.
func asked(m *message) []agui.Message {
	return []agui.Message{{ID: "u-" + rand.Text(), Role: agui.RoleUser, Content: agui.TextContent(m.text())}}
}

// answerTo translates the answer to what a task waits for: data with the interrupt's id, or a text
// if there is only one question. Any other text is a new message and answers nothing.
func answerTo(waits []agui.Interrupt, m *message, in *agui.RunAgentInput) error {
	if slices.ContainsFunc(m.Parts, func(p part) bool { return p.Data != nil }) {
		return answerAll(waits, m, in)
	}
	if text := m.text(); len(waits) == 1 && waits[0].AnswerForm().TakesText(text) {
		payload, _ := json.Marshal(map[string]string{"answer": text}) // strings: cannot fail
		in.Resume = []agui.ResumeEntry{{InterruptID: waits[0].ID, Status: agui.ResumeResolved, Payload: payload}}
		return nil
	}
	in.Resume, in.Messages = agui.Cancelled(waits), asked(m)
	return nil
}

// answerAll reads the parts as answers, one each.
func answerAll(waits []agui.Interrupt, m *message, in *agui.RunAgentInput) error {
	for i, p := range m.Parts {
		at := fmt.Sprintf("message.parts[%d]", i)
		if p.Data == nil {
			return invalid(at, "must be data, as the others are: texts do not say what they answer")
		}
		var a struct {
			InterruptID string          `json:"interruptId"`
			Status      string          `json:"status"`
			Payload     json.RawMessage `json:"payload"`
		}
		if err := strict.Decode(p.Data, &a); err != nil {
			return invalid(at+".data", err.Error())
		}
		a.Status = cmp.Or(a.Status, agui.ResumeResolved)
		switch {
		case !slices.ContainsFunc(waits, func(w agui.Interrupt) bool { return w.ID == a.InterruptID }):
			return invalid(at+".data.interruptId", "must be that of something the task waits for")
		case a.Status != agui.ResumeResolved && a.Status != agui.ResumeCancelled:
			return invalid(at+".data.status", "must be resolved or cancelled")
		}
		entry := agui.ResumeEntry{InterruptID: a.InterruptID, Status: a.Status, Payload: a.Payload}
		in.Resume = append(in.Resume, entry)
	}
	return nil
}

// again reads the newest run of a task from its beginning.
func (t *task) again(x *server.Exchange) (*run.Reader, error) {
	t.rewind()
	return x.Follow(fromBeginning(t.last))
}

// stop cancels the task's live run and reads it to its end.
func (t *task) stop(x *server.Exchange) error {
	if err := x.Cancel(t.last); err != nil {
		return err
	}
	reader, err := t.again(x)
	if err != nil {
		return err
	}
	return x.Wait(reader, func(e agui.Event) { t.apply(e, nil) })
}

// withdraw ends what the task waits for without an answer and returns the resulting task, which may
// have been answered in the meantime. Withdrawing a page's call takes a run with a new id, since
// only answers may reuse a run's id.
func (t *task) withdraw(x *server.Exchange) (*task, error) {
	in := &agui.RunAgentInput{
		ProtocolVersion: agui.ProtocolVersion, RunID: "cancel-" + rand.Text(), ThreadID: t.ContextID,
		ForwardedProps: json.RawMessage(`{"pageside":{"withdraw":true}}`),
	}
	if in.Resume = agui.Cancelled(t.waits); len(in.Resume) > 0 {
		in.RunID = string(t.ID)
	}
	started, err := x.Start(t.agent, in)
	if err != nil {
		return t, err
	}
	if err := x.Wait(started.Read(false), func(agui.Event) {}); err != nil {
		return t, err
	}
	now, err := load(x, string(t.ID))
	if err != nil {
		return t, err
	}
	if now.Status.State != a2a.TaskStateCanceled {
		return t, a2a.NewError(a2a.ErrTaskNotCancelable, "the task was answered meanwhile: "+now.Status.State.String())
	}
	return now, nil
}
