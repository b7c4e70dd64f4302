package a2atool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/tool"
)

// The codes of errors that only these tools have.
const (
	CodeUnreachable  = "unreachable"   // the agent could not be reached
	CodeNotAllowed   = "not_allowed"   // the egress policy forbids the address
	CodeBadResponse  = "bad_response"  // the answer is not one of A2A 1.0
	CodeStalled      = "stalled"       // the agent said nothing for too long
	CodeLost         = "lost"          // the connection broke, and the task is not found again
	CodeAuthRequired = "auth_required" // the agent wants credentials that it does not have
	CodeRefused      = "refused"       // the agent answered with an error
)

// Looks at a task whose stream has ended: growing pauses, and how often it may fail in a row.
const (
	firstPoll   = time.Second
	maxPoll     = 15 * time.Second
	maxFailures = 3
	goodbye     = 5 * time.Second // for cancelling a task
	cancelAgain = 3
	cancelPause = 250 * time.Millisecond
)

// memo is kept with a question: the task that its answer continues.
type memo struct {
	Task    a2a.TaskID `json:"task"`
	Context string     `json:"context"`
	Asked   int        `json:"asked"` // questions so far
}

// spoken is the version of the protocol that requests name.
var spoken = a2aclient.ServiceParams{a2a.SvcParamVersion: {string(a2a.Version)}}

// call is the tool's handler.
func (a *agent) call(ctx context.Context, call *tool.Call) (tool.Result, error) {
	message, before, err := messageOf(call)
	if err != nil {
		return tool.Result{}, err
	}
	t := &task{Task: a2a.Task{ID: before.Task, ContextID: before.Context}}
	err = a.follow(ctx, call, message, t)
	if ctx.Err() != nil {
		a.cancel(ctx, call, t)
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{}, a.explain(ctx, call, err)
	}
	if t.Status.State == a2a.TaskStateAuthRequired { // nobody will give it any
		a.cancel(ctx, call, t)
	}
	return a.settle(t, before)
}

// messageOf returns the message that begins a task, or continues one.
func messageOf(call *tool.Call) (m *a2a.Message, before memo, err error) {
	var args struct {
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, before, fmt.Errorf("read the arguments: %w", err)
	}
	// The key is the same if the call runs again: an agent knows by the id that it has the message.
	m = a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(args.Message))
	m.ID = cmp.Or(call.Key, call.ID)
	if len(args.Data) > 0 {
		m.Parts = append(m.Parts, a2a.NewDataPart(args.Data))
	}
	if call.Reply != nil {
		if err := json.Unmarshal(call.Reply.Memo, &before); err != nil {
			return nil, before, fmt.Errorf("read which task the answer is for: %w", err)
		}
		m.ID = fmt.Sprintf("%s-%d", m.ID, before.Asked)
		m.TaskID, m.ContextID = before.Task, before.Context
		m.Parts = a2a.ContentParts{a2a.NewTextPart(call.Reply.Text)}
	}
	return m, before, nil
}

// follow sends a message and follows the task until nothing more comes by itself.
func (a *agent) follow(ctx context.Context, call *tool.Call, m *a2a.Message, t *task) error {
	modes := []string{"text/plain", "application/json"}
	req := &a2a.SendMessageRequest{Message: m, Config: &a2a.SendMessageConfig{AcceptedOutputModes: modes}}
	err := a.take(call, t, a.remote.SendStreamingMessage(ctx, spoken, req))
	if errors.Is(err, a2a.ErrMethodNotFound) || errors.Is(err, a2a.ErrUnsupportedOperation) {
		// it does not stream
		err = a.take(call, t, func(yield func(a2a.Event, error) bool) {
			yield(a.remote.SendMessage(ctx, spoken, req))
		})
	}
	switch {
	case t.over():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case t.Status.State == "": // it never began, as far as we know
		return cmp.Or(err, errBroke)
	}
	return a.lookAgain(ctx, call, t, err)
}

// take applies events to a task, until nothing more comes by itself.
func (a *agent) take(call *tool.Call, t *task, events iter.Seq2[a2a.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return errorOf(err)
		}
		if !t.apply(e) {
			return errProtocol
		}
		a.report(call, t)
		// The stream after an answer may begin with the task as it was when it asked.
		before := call.Reply != nil && t.snapshot && t.Status.State == a2a.TaskStateInputRequired
		if t.over() && !before {
			return nil
		}
	}
	return nil
}

// errorOf returns an error of the library. What is neither the agent's, nor the network's, nor ours
// is its opinion of an answer.
func errorOf(err error) error {
	_, said := errors.AsType[*a2a.Error](err)
	_, sent := errors.AsType[*url.Error](err)
	if said || sent || errors.Is(err, errBroke) || errors.Is(err, upstream.ErrStalled) {
		return err
	}
	return fmt.Errorf("%w: %w", errProtocol, err)
}

// lookAgain asks for a task whose stream has ended before the task has.
func (a *agent) lookAgain(ctx context.Context, call *tool.Call, t *task, broke error) error {
	if errors.Is(broke, upstream.ErrStalled) || isTooLarge(broke) {
		return broke
	}
	failures := 0
	for pause := a.poll; !t.over(); pause = min(2*pause, maxPoll) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		now, err := a.remote.GetTask(ctx, spoken, &a2a.GetTaskRequest{ID: t.ID})
		if err == nil && now.ID != t.ID {
			err = errProtocol
		}
		if err == nil {
			t.Task, failures = *now, 0
			a.report(call, t)
		} else if failures++; failures >= maxFailures || errors.Is(err, upstream.ErrStalled) {
			return fmt.Errorf("%w: %w", errLost, errorOf(err))
		}
	}
	return nil
}

var errLost = errors.New("the task was lost")

// report tells the user how far a task is.
func (a *agent) report(call *tool.Call, t *task) {
	text := t.said()
	if n := len(t.Artifacts); text == "" && n > 0 {
		text = textOf(t.Artifacts[n-1].Parts)
	}
	if text = brief(text); text != "" || t.Status.State != "" {
		call.Progress(a.Name, cmp.Or(text, "The agent is working"), -1)
	}
}

// settle returns the result of a task that has ended or waits.
func (a *agent) settle(t *task, before memo) (tool.Result, error) {
	said := brief(t.said())
	switch {
	case t.answer != nil || t.Status.State == a2a.TaskStateCompleted:
		return tool.Result{Text: cmp.Or(t.text(), "The agent has finished, and says nothing.")}, nil
	case t.Status.State == a2a.TaskStateInputRequired:
		kept, _ := json.Marshal(memo{t.ID, t.ContextID, before.Asked + 1}) // strings: cannot fail
		text := fmt.Sprintf("The agent %s asks: %s", a.Name, cmp.Or(said, "(it does not say what)"))
		return tool.Result{Ask: &tool.Question{Text: text, Memo: kept}}, nil
	case t.Status.State == a2a.TaskStateAuthRequired:
		e := a.failure(CodeAuthRequired, "wants credentials that it does not have%s", after(said))
		e.Hint = "Tell the user. An operator can give it credentials in the configuration."
		return tool.Result{}, e
	}
	return tool.Result{}, a.failure(tool.CodeFailed, "%s%s", verbs[t.Status.State], after(said))
}

var verbs = map[a2a.TaskState]string{
	a2a.TaskStateFailed:   "failed",
	a2a.TaskStateCanceled: "cancelled the task",
	a2a.TaskStateRejected: "refused the task",
}

// failure returns an error that says what the agent did.
func (a *agent) failure(code, format string, args ...any) *tool.Error {
	return &tool.Error{Code: code, Message: "the agent " + a.Name + " " + fmt.Sprintf(format, args...)}
}

func after(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}

// cancel cancels the task of a call that has ended before it, best effort.
func (a *agent) cancel(ctx context.Context, call *tool.Call, t *task) {
	if t.ID == "" || t.ended() {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer end()
	_, err := a.remote.CancelTask(ctx, spoken, &a2a.CancelTaskRequest{ID: t.ID})
	for again := 0; again < cancelAgain && t.waits() && notYet(err); again++ {
		select {
		case <-time.After(cancelPause):
		case <-ctx.Done():
		}
		_, err = a.remote.CancelTask(ctx, spoken, &a2a.CancelTaskRequest{ID: t.ID})
	}
	if err != nil {
		a.warn(ctx, call, "the task of an agent elsewhere could not be cancelled", err)
	}
}

// notYet reports whether an agent may take a cancellation a moment later: the library's server
// refuses it, or fails, until it has settled that the task waits.
func notYet(err error) bool {
	return errors.Is(err, a2a.ErrTaskNotCancelable) || errors.Is(err, a2a.ErrInternalError)
}

// withdraw cancels the task of a call whose question gets no answer.
func (a *agent) withdraw(ctx context.Context, call *tool.Call) {
	var asked memo
	if err := json.Unmarshal(call.Reply.Memo, &asked); err != nil {
		a.warn(ctx, call, "the task that waits for an answer is not known", err)
		return
	}
	t := &task{Task: a2a.Task{ID: asked.Task, Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired}}}
	a.cancel(ctx, call, t)
}

func (a *agent) warn(ctx context.Context, call *tool.Call, what string, err error) {
	call.Logger().WarnContext(ctx, what, "tool", a.Name, "error", a.secrets.Replace(err.Error()))
}

// explain returns what a model may know about a failure. The log has the rest.
func (a *agent) explain(ctx context.Context, call *tool.Call, err error) error {
	if said, ok := errors.AsType[*a2a.Error](err); ok && !errors.Is(err, errLost) {
		return a.failure(CodeRefused, "refused the message%s", after(brief(said.Message)))
	}
	a.warn(ctx, call, "an agent elsewhere could not be asked", err)
	e := a.failureOf(err)
	e.Hint = cmp.Or(e.Hint, a.doubt())
	return e
}

func (a *agent) failureOf(err error) *tool.Error {
	status, _ := errors.AsType[*statusError](err)
	_, forbidden := errors.AsType[*egress.Error](err)
	switch {
	case errors.Is(err, errLost):
		return a.failure(CodeLost, "broke off while it was working")
	case status != nil:
		return a.failureAt(status.status)
	case forbidden:
		e := a.failure(CodeNotAllowed, "has an address that the server's configuration does not allow to reach")
		e.Hint = "Go on without it."
		return e
	case errors.Is(err, upstream.ErrStalled):
		return a.failure(CodeStalled, "said nothing for %s", a.Silence)
	case isTooLarge(err):
		return a.failure(tool.CodeTooLarge, "said more than can be read")
	case errors.Is(err, errProtocol), errors.Is(err, errRedirects):
		return a.failure(CodeBadResponse, "answered with something that is not A2A 1.0")
	}
	return a.failure(CodeUnreachable, "could not be reached, or broke off")
}

func (a *agent) failureAt(status int) *tool.Error {
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		return a.failure(fmt.Sprintf("http_%d", status), "answered %d %s", status, http.StatusText(status))
	}
	e := a.failure(CodeAuthRequired, "did not accept the server's credentials (%d)", status)
	e.Hint = "Tell the user. An operator can give it other credentials in the configuration."
	return e
}

func isTooLarge(err error) bool {
	return errors.Is(err, egress.ErrTooLarge) || errors.Is(err, sse.ErrTooLong)
}

// doubt says what a model should do after a failure in the middle of a call.
func (a *agent) doubt() string {
	if a.Effect == tool.Read || a.Effect == tool.Idempotent {
		return "Go on without it, or try again later."
	}
	return "Whether it had an effect is not known: find out before you try again."
}
