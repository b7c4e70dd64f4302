package a2atool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/sse"
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
	Task    string `json:"task"`
	Context string `json:"context"`
	Asked   int    `json:"asked"` // questions so far
}

// call is the tool's handler.
func (a *agent) call(ctx context.Context, call *tool.Call) (tool.Result, error) {
	params, before, err := sendParams(call)
	if err != nil {
		return tool.Result{}, err
	}
	t := &task{ID: before.Task, ContextID: before.Context}
	err = a.follow(ctx, call, params, t)
	if ctx.Err() != nil {
		a.cancel(ctx, call, t)
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{}, a.explain(ctx, call, err)
	}
	if t.Status.State == stateAuth { // nobody will give it any
		a.cancel(ctx, call, t)
	}
	return a.settle(t, before)
}

type object = map[string]any

// sendParams returns the params of the request that begins a task, or continues one.
func sendParams(call *tool.Call) (params object, before memo, err error) {
	var args struct {
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, before, fmt.Errorf("read the arguments: %w", err)
	}
	// The key is the same if the call runs again: an agent knows by the id that it has the message.
	m := object{"messageId": cmp.Or(call.Key, call.ID), "role": "ROLE_USER"}
	parts := []object{{"text": args.Message}}
	if len(args.Data) > 0 {
		parts = append(parts, object{"data": args.Data})
	}
	if call.Reply != nil {
		if err := json.Unmarshal(call.Reply.Memo, &before); err != nil {
			return nil, before, fmt.Errorf("read which task the answer is for: %w", err)
		}
		m["messageId"] = fmt.Sprintf("%s-%d", m["messageId"], before.Asked)
		m["taskId"], m["contextId"] = before.Task, before.Context
		parts = []object{{"text": call.Reply.Text}}
	}
	m["parts"] = parts
	return object{"message": m, "configuration": object{"acceptedOutputModes": []string{"text/plain", "application/json"}}}, before, nil
}

// follow sends a message and follows the task until nothing more comes by itself.
func (a *agent) follow(ctx context.Context, call *tool.Call, params object, t *task) error {
	readable := true
	take := func(raw json.RawMessage) bool {
		if readable = t.apply(raw); readable {
			a.report(call, t)
		}
		// The stream after an answer may begin with the task as it was when it asked.
		before := call.Reply != nil && t.snapshot && t.Status.State == stateInput
		return readable && (before || !t.over())
	}
	err := a.request(ctx, "SendStreamingMessage", params, take)
	if said, ok := errors.AsType[*rpcError](err); ok && (said.Code == codeNoMethod || said.Code == codeUnsupported) {
		err = a.request(ctx, "SendMessage", params, take) // it does not stream
	}
	switch {
	case !readable:
		return errProtocol
	case t.over():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case t.Status.State == "": // it never began, as far as we know
		return cmp.Or(err, errProtocol)
	}
	return a.lookAgain(ctx, call, t, err)
}

// lookAgain asks for a task whose stream has ended before the task has.
func (a *agent) lookAgain(ctx context.Context, call *tool.Call, t *task, broke error) error {
	if errors.Is(broke, errStalled) || errors.Is(broke, egress.ErrTooLarge) || errors.Is(broke, sse.ErrTooLong) {
		return broke
	}
	failures := 0
	for pause := a.poll; !t.over(); pause = min(2*pause, maxPoll) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		readable := true
		err := a.request(ctx, "GetTask", object{"id": t.ID}, func(raw json.RawMessage) bool {
			now := task{}
			if readable = json.Unmarshal(raw, &now) == nil && now.ID == t.ID; readable {
				*t = now
				a.report(call, t)
			}
			return false
		})
		if err == nil && !readable {
			err = errProtocol
		}
		if err == nil {
			failures = 0
		} else if failures++; failures >= maxFailures || errors.Is(err, errStalled) {
			return fmt.Errorf("%w: %w", errLost, err)
		}
	}
	return nil
}

var errLost = errors.New("the task was lost")

// report tells the user how far a task is.
func (a *agent) report(call *tool.Call, t *task) {
	text := t.Status.Message.text()
	if n := len(t.Artifacts); text == "" && n > 0 {
		text = textOf(t.Artifacts[n-1].Parts)
	}
	if text = brief(text); text != "" || t.Status.State != "" {
		call.Progress(a.Name, cmp.Or(text, "The agent is working"), -1)
	}
}

// settle returns the result of a task that has ended or waits.
func (a *agent) settle(t *task, before memo) (tool.Result, error) {
	said := brief(t.Status.Message.text())
	switch {
	case t.answer != nil || t.Status.State == stateCompleted:
		return tool.Result{Text: cmp.Or(t.text(), "The agent has finished, and says nothing.")}, nil
	case t.Status.State == stateInput:
		kept, _ := json.Marshal(memo{t.ID, t.ContextID, before.Asked + 1}) // strings: cannot fail
		return tool.Result{Ask: &tool.Question{Text: fmt.Sprintf("The agent %s asks: %s", a.Name, cmp.Or(said, "(it does not say what)")), Memo: kept}}, nil
	case t.Status.State == stateAuth:
		return tool.Result{}, &tool.Error{Code: CodeAuthRequired, Message: fmt.Sprintf("the agent %s wants credentials that it does not have%s", a.Name, after(said)),
			Hint: "Tell the user. An operator can give it credentials in the configuration."}
	}
	verb := map[string]string{stateFailed: "failed", stateCanceled: "cancelled the task", stateRejected: "refused the task"}[t.Status.State]
	return tool.Result{}, &tool.Error{Code: tool.CodeFailed, Message: fmt.Sprintf("the agent %s %s%s", a.Name, verb, after(said))}
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
	err := a.tryToCancel(ctx, t)
	for range cancelAgain {
		if said, ok := errors.AsType[*rpcError](err); !ok || said.Code != codeNotCancelable || !t.waits() {
			break
		}
		// a2a-go's server says so until it has settled that the task waits
		select {
		case <-time.After(cancelPause):
		case <-ctx.Done():
		}
		err = a.tryToCancel(ctx, t)
	}
	if err != nil {
		call.Logger().WarnContext(ctx, "the task of an agent elsewhere could not be cancelled", "tool", a.Name, "error", a.secrets.Replace(err.Error()))
	}
}

func (a *agent) tryToCancel(ctx context.Context, t *task) error {
	return a.request(ctx, "CancelTask", object{"id": t.ID}, func(json.RawMessage) bool { return false })
}

// withdraw cancels the task of a call whose question gets no answer.
func (a *agent) withdraw(ctx context.Context, call *tool.Call) {
	var asked memo
	if err := json.Unmarshal(call.Reply.Memo, &asked); err != nil {
		call.Logger().WarnContext(ctx, "the task that waits for an answer is not known", "tool", a.Name, "error", err)
		return
	}
	a.cancel(ctx, call, &task{ID: asked.Task, Status: status{State: stateInput}})
}

// explain returns what a model may know about a failure. The log has the rest.
func (a *agent) explain(ctx context.Context, call *tool.Call, err error) error {
	if said, ok := errors.AsType[*rpcError](err); ok && !errors.Is(err, errLost) {
		return &tool.Error{Code: CodeRefused, Message: fmt.Sprintf("the agent %s refused the message%s", a.Name, after(brief(said.Message)))}
	}
	call.Logger().WarnContext(ctx, "an agent elsewhere could not be asked", "tool", a.Name, "error", a.secrets.Replace(err.Error()))
	status, _ := errors.AsType[*statusError](err)
	_, forbidden := errors.AsType[*egress.Error](err)
	e := &tool.Error{Message: "the agent " + a.Name + " ", Hint: a.doubt()}
	switch {
	case errors.Is(err, errLost):
		e.Code, e.Message = CodeLost, e.Message+"broke off while it was working"
	case status != nil && (status.status == http.StatusUnauthorized || status.status == http.StatusForbidden):
		e.Code, e.Hint = CodeAuthRequired, "Tell the user. An operator can give it other credentials in the configuration."
		e.Message += fmt.Sprintf("did not accept the server's credentials (%d)", status.status)
	case status != nil:
		e.Code, e.Message = fmt.Sprintf("http_%d", status.status), e.Message+fmt.Sprintf("answered %d %s", status.status, http.StatusText(status.status))
	case forbidden:
		e.Code, e.Message, e.Hint = CodeNotAllowed, e.Message+"has an address that the server's configuration does not allow to reach", "Go on without it."
	case errors.Is(err, errStalled):
		e.Code, e.Message = CodeStalled, e.Message+fmt.Sprintf("said nothing for %s", a.Silence)
	case errors.Is(err, egress.ErrTooLarge), errors.Is(err, sse.ErrTooLong):
		e.Code, e.Message = tool.CodeTooLarge, e.Message+"said more than can be read"
	case errors.Is(err, errProtocol), errors.Is(err, errRedirects):
		e.Code, e.Message = CodeBadResponse, e.Message+"answered with something that is not A2A 1.0"
	default:
		e.Code, e.Message = CodeUnreachable, e.Message+"could not be reached, or broke off"
	}
	return e
}

// doubt says what a model should do after a failure in the middle of a call.
func (a *agent) doubt() string {
	if a.Effect == tool.Read || a.Effect == tool.Idempotent {
		return "Go on without it, or try again later."
	}
	return "Whether it had an effect is not known: find out before you try again."
}
