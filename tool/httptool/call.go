package httptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/tool"
)

// The codes of errors that only these tools have; an answer of 404 has the code http_404.
const (
	CodeUnreachable = "unreachable"  // the endpoint could not be reached, or broke off
	CodeNotAllowed  = "not_allowed"  // the egress policy forbids the address
	CodeBadResponse = "bad_response" // the answer is not what the configuration says
	// a template cannot make a request from these arguments: the configuration is wrong
	CodeMisconfig = "misconfigured"
)

// call is the tool's handler.
func (e *endpoint) call(ctx context.Context, call *tool.Call) (tool.Result, error) {
	req, args, err := e.request(ctx, call)
	if err != nil {
		return tool.Result{}, e.templateError(ctx, call, err)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return tool.Result{}, e.networkError(ctx, call, err)
	}
	defer resp.Body.Close()
	body, err := e.readBody(resp, call)
	if err != nil {
		return tool.Result{}, e.networkError(ctx, call, err)
	}
	a := &answer{status: resp.StatusCode, media: mediaOf(resp), body: []byte(body), args: args, log: call.Logger()}
	if a.status >= http.StatusBadRequest {
		return tool.Result{}, refusal(a, e.secrets.Replace(resp.Header.Get("Retry-After")))
	}
	r, err := e.read(ctx, a)
	if err == nil && e.State != nil {
		r.Text += e.changeState(ctx, a, call)
	}
	return r, err
}

func (e *endpoint) request(ctx context.Context, call *tool.Call) (*http.Request, map[string]any, error) {
	raw := call.Args
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	decoded, err := decode(raw)
	if err != nil {
		return nil, nil, badArgs(err.Error())
	}
	given, _ := decoded.(map[string]any) // as tool.ParseArgs has checked
	args := e.arguments(given)
	data := e.data(args, call)
	u, err := e.renderURL(data)
	if err != nil {
		return nil, nil, err
	}
	body, err := e.renderBody(data, raw)
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, e.Method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, nil, misuse("no request can be made of it")
	}
	e.setHeaders(req, call)
	if err := e.setCaller(req, body, data, call); err != nil {
		return nil, nil, err
	}
	return req, args, nil
}

func (e *endpoint) setHeaders(req *http.Request, call *tool.Call) {
	req.Header.Set("User-Agent", "pageside")
	req.Header.Set("Accept", "application/json, application/x-ndjson;q=0.9, text/*;q=0.9, */*;q=0.1")
	if e.kind != noBody {
		req.Header.Set("Content-Type", e.ContentType)
	}
	if e.Effect != tool.Read && call.Key != "" {
		req.Header.Set("Idempotency-Key", call.Key)
	}
	for name, value := range e.Headers {
		req.Header.Set(name, value)
	}
}

func (e *endpoint) templateError(ctx context.Context, call *tool.Call, err error) error {
	known, ok := errors.AsType[*tool.Error](err)
	switch {
	case ok && known.Code == tool.CodeInvalidArgs:
		return &tool.Error{
			Code: known.Code, Message: "the arguments do not work: " + known.Message, Retryable: true,
			Hint: "Correct the arguments and call it again.",
		}
	case ok && known.Code == tool.CodeUnavailable:
		return &tool.Error{
			Code: known.Code, Message: "the tool cannot be used here: " + known.Message, Hint: "Go on without it.",
		}
	}
	call.Logger().ErrorContext(ctx, "an HTTP tool's template does not work", "tool", e.Name, "error", err)
	return &tool.Error{
		Code:    CodeMisconfig,
		Message: "the tool is not configured well: " + err.Error(),
		Hint:    "Go on without it.",
	}
}

// networkError returns what a model may know about a failure: nothing about the network that this
// server is in. The log has the rest.
func (e *endpoint) networkError(ctx context.Context, call *tool.Call, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	call.Logger().WarnContext(ctx, "an HTTP tool's request failed", "tool", e.Name,
		"error", e.secrets.Replace(err.Error()))
	if _, ok := errors.AsType[*egress.Error](err); ok {
		return &tool.Error{
			Code:    CodeNotAllowed,
			Message: "the server's configuration does not allow to reach this address",
			Hint:    "Go on without it.",
		}
	}
	if errors.Is(err, egress.ErrTooLarge) {
		return &tool.Error{Code: tool.CodeTooLarge, Message: "the answer is too large to be read", Retryable: true,
			Hint: "Ask for less: fewer rows, fewer fields, a narrower range."}
	}
	lost := &tool.Error{Code: CodeUnreachable, Message: "the endpoint gave no answer to the request"}
	return lost.InDoubt(e.Effect)
}

// maxRefusal bounds what an endpoint may say to the model about a failure.
const maxRefusal = 2 << 10

// refusal returns an answer of status 400 or above as the model gets it.
func refusal(a *answer, retryAfter string) error {
	message := fmt.Sprintf("the endpoint answered %d %s", a.status, http.StatusText(a.status))
	if said := a.brief(maxRefusal); said != "" {
		message += ": " + said
	}
	e := &tool.Error{Code: fmt.Sprintf("http_%d", a.status), Message: message}
	switch a.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		e.Retryable, e.Hint = true, "Correct the arguments and call it again."
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Retryable = true
		if retryAfter != "" && len(retryAfter) < 40 {
			e.Hint = "It asks to wait: Retry-After " + retryAfter + "."
		}
	}
	return e
}
