package openai

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

// Protocol is the drop-in.
type Protocol struct{}

// Routes is part of server.Protocol.
func (Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "GET /v1/models", Handle: getModels},
		{Pattern: "GET /v1/models/{model}", Handle: getModel},
		{Pattern: "POST /v1/chat/completions", Starts: true, Handle: postCompletions},
		{Pattern: "POST /v1/responses", Starts: true, Handle: postResponses},
	}
}

// apiError is the body of an error.
type apiError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

// Error is part of server.Protocol.
func (Protocol) Error(e *server.Error) any { return errorOf(e) }

func errorOf(e *server.Error) apiError {
	var out apiError
	out.Error.Message, out.Error.Type, out.Error.Code = e.Message, typeOf(e.Status), &e.Code
	if field, ok := e.Details["field"].(string); ok && field != "" {
		out.Error.Param = &field
	}
	return out
}

func typeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// bad returns the error for a parameter.
func bad(param, reason string) error { return server.BadField(param, reason) }

// unsupported returns the error for a parameter, or a value, that Pageside cannot honour.
func unsupported(param string) error {
	return &server.Error{Status: http.StatusBadRequest, Code: "unsupported_parameter", Message: "Unsupported parameter or value: " +
		param + " is not supported by this server",
		Details: map[string]any{"field": param}}
}

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // model
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func modelOf(agent string) model { return model{agent, "model", 0, "pageside"} }

func getModels(x *server.Exchange) error {
	out := struct {
		Object string  `json:"object"` // list
		Data   []model `json:"data"`
	}{"list", []model{}}
	for _, id := range x.Agents() {
		out.Data = append(out.Data, modelOf(id))
	}
	x.JSON(out)
	return nil
}

func getModel(x *server.Exchange) error {
	id := x.Request.PathValue("model")
	if err := allow(x, id, new(agui.RunAgentInput)); err != nil {
		return err
	}
	x.JSON(modelOf(id))
	return nil
}

// allow refuses a model that does not exist, or that the caller may not ask.
func allow(x *server.Exchange, id string, in *agui.RunAgentInput) error {
	err := x.Permit(id, in)
	if refusal.CodeOf(err) == refusal.UnknownAgent {
		return &server.Error{
			Status: http.StatusNotFound, Code: "model_not_found",
			Message: "The model `" + id + "` does not exist or you do not have access to it.",
			Details: map[string]any{"field": "model"},
		}
	}
	return err
}

// answer is the result of a run, as far as these protocols can express it.
type answer struct {
	text    strings.Builder
	steps   server.Steps
	all     agui.Transcript
	begun   bool              // there was an event
	calls   []agui.ToolCall   // that the client is to run
	finish  string            // stop, tool_calls, length or content_filter; "" before the end
	usage   []agui.TokenUsage // of all model calls
	failure *server.Error
	sources map[int]agui.CitableSource // what its results rest on, by number
	promise promise
}

// event takes an event and returns the text that it adds.
func (a *answer) event(e agui.Event) (delta string) {
	a.begun = true
	_ = a.all.Apply(e) // the writer has folded it too: cannot fail
	switch e := e.(type) {
	case *agui.TextMessageContent:
		delta = a.take(e)
	case *agui.ActivitySnapshot:
		a.cite(e)
	case *agui.RunFinished:
		a.usage = append(a.usage, e.Usage...)
		if a.failure = server.FailureOf(e, "which this API cannot ask"); a.failure == nil {
			a.end(e.Outcome)
			delta = a.settle()
		}
	case *agui.RunError:
		a.usage, a.failure = append(a.usage, e.Usage...), server.FailureOf(e, "")
	}
	return delta
}

// take adds a text and returns what of it is sent. Of an answer that has a form, its last message
// counts, and it is sent at the end.
func (a *answer) take(e *agui.TextMessageContent) (delta string) {
	if a.promise.form == nil {
		delta = a.steps.Delta(e)
		a.text.WriteString(delta)
		return delta
	}
	if a.steps.Begins(e) {
		a.text.Reset()
	}
	a.text.WriteString(e.Delta)
	return ""
}

// end decides how the answer has ended.
func (a *answer) end(o *agui.Outcome) {
	if o == nil {
		o = &agui.Outcome{}
	}
	a.finish = "stop"
	for _, m := range a.all.Messages() {
		for _, c := range m.ToolCalls {
			if slices.Contains(o.PendingToolCallIDs, c.ID) {
				a.calls, a.finish = append(a.calls, c), "tool_calls"
			}
		}
		if said, _ := agui.ReadMetadata(m.Metadata); said.Status == agui.StatusCut {
			a.finish = cmp.Or(map[string]string{"length": "length", "filter": "content_filter"}[said.Reason], "stop")
		}
	}
}

func (a *answer) over() bool { return a.finish != "" || a.failure != nil }
