package a2a

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// Protocol is the drop-in. Requests that the server refuses (credentials, limits, a shutdown) get
// the usual HTTP errors. Errors of a method are JSON-RPC errors with status 200.
type Protocol struct {
	server.StandardError
	// Push sends push notifications; nil refuses them.
	Push *Notifier
	// Person means that its clients pass on only what a person has typed. Otherwise what they say
	// is another model's, and taints.
	Person bool
	// PublicURL is where clients reach the server, such as https://assistant.example.com. Without
	// it cards name the host that a request was sent to, which is whatever its sender says.
	PublicURL string
}

// Routes is part of server.DropIn.
func (p Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "GET " + cardPath, Public: true, Handle: p.getCard},
		{Pattern: "GET " + prefix + "{agent}" + cardPath, Handle: p.getAgentCard},
		{Pattern: "POST " + prefix + "{agent}", Starts: true, Relays: !p.Person, Handle: p.post},
	}
}

const (
	prefix   = "/v1/a2a/"
	cardPath = "/.well-known/agent-card.json"
	version  = "1.0"
	maxID    = 256 // bytes of a request's id
)

// request is a request of JSON-RPC 2.0.
type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// response is the answer to a request, or one event of its stream.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// Codes of errors, of JSON-RPC and of A2A.
const (
	codeParse         = -32700
	codeRequest       = -32600
	codeMethod        = -32601
	codeParams        = -32602
	codeNoTask        = -32001
	codeNotCancelable = -32002
	codeNoPush        = -32003
	codeUnsupported   = -32004
	codeContentType   = -32005
	codeNoCard        = -32007
	codeVersion       = -32009
)

// reasons are the codes in words, for the details of errors.
var reasons = map[int]string{
	codeParse: "PARSE_ERROR", codeRequest: "INVALID_REQUEST", codeMethod: "METHOD_NOT_FOUND", codeParams: "INVALID_PARAMS", codeNoTask: "TASK_NOT_FOUND",
	codeNotCancelable: "TASK_NOT_CANCELABLE", codeNoPush: "PUSH_NOTIFICATION_NOT_SUPPORTED", codeUnsupported: "UNSUPPORTED_OPERATION",
	codeContentType: "CONTENT_TYPE_NOT_SUPPORTED", codeNoCard: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", codeVersion: "VERSION_NOT_SUPPORTED",
}

// rpcError is an error of JSON-RPC.
type rpcError struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    []errorInfo `json:"data,omitempty"`
}

// errorInfo is a google.rpc.ErrorInfo.
type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

func fault(code int, message string) *rpcError {
	return &rpcError{code, message, []errorInfo{{Type: "type.googleapis.com/google.rpc.ErrorInfo", Reason: reasons[code], Domain: "a2a-protocol.org"}}}
}

// invalid returns the error for a field of the params; "" means all of them.
func invalid(field, reason string) *rpcError {
	if field == "" {
		return fault(codeParams, "params: "+reason)
	}
	e := fault(codeParams, field+": "+reason)
	e.Data[0].Metadata = map[string]string{"field": field}
	return e
}

// post answers one request of JSON-RPC.
func (p Protocol) post(x *server.Exchange) error {
	body, err := x.Body()
	if err != nil {
		return err
	}
	var req request
	if err = req.parse(body); err == nil {
		err = req.serve(x, p)
	}
	if err == nil {
		return nil
	}
	told := faultOf(err)
	if told == nil {
		return err
	}
	x.JSON(response{JSONRPC: "2.0", ID: req.ID, Error: told})
	return nil
}

// parse reads a request. Its ID is valid also after an error: null if it is unknown.
func (r *request) parse(body []byte) error {
	if err := strict.Decode(body, r); err != nil {
		r.ID = nil
		if json.Valid(body) {
			return fault(codeRequest, err.Error())
		}
		return fault(codeParse, err.Error())
	}
	switch {
	case len(r.ID) > maxID: // each event of a stream repeats it
		r.ID = nil
		return fault(codeRequest, fmt.Sprintf("id: must not be longer than %d bytes", maxID))
	case len(r.ID) == 0:
		return fault(codeRequest, "id: must not be missing: notifications are not part of A2A")
	case r.ID[0] != '"' && r.ID[0] != '-' && (r.ID[0] < '0' || r.ID[0] > '9'):
		r.ID = nil
		return fault(codeRequest, "id: must be a string or a number")
	case r.JSONRPC != "2.0":
		return fault(codeRequest, "jsonrpc: must be 2.0")
	}
	return nil
}

// methods are the methods of A2A 1.0 that do not depend on the configuration.
var methods = map[string]func(*request, *server.Exchange) error{
	"GetTask":              (*request).getTask,
	"CancelTask":           (*request).cancelTask,
	"SubscribeToTask":      (*request).subscribe,
	"ListTasks":            (*request).listTasks,
	"GetExtendedAgentCard": unsupported(codeNoCard, "there is no extended agent card"),
}

// pushMethods are those about push notifications.
var pushMethods = map[string]func(*Notifier, *request, *server.Exchange) error{
	"CreateTaskPushNotificationConfig": (*Notifier).create,
	"GetTaskPushNotificationConfig":    (*Notifier).get,
	"ListTaskPushNotificationConfigs":  (*Notifier).list,
	"DeleteTaskPushNotificationConfig": (*Notifier).remove,
}

// method returns what serves a method, or nil.
func (p Protocol) method(name string) func(*request, *server.Exchange) error {
	push := pushMethods[name]
	switch {
	case name == "SendMessage" || name == "SendStreamingMessage":
		return func(r *request, x *server.Exchange) error { return r.send(x, name == "SendStreamingMessage", p.Push) }
	case push == nil:
		return methods[name]
	case p.Push == nil:
		return unsupported(codeNoPush, noPush)
	}
	return func(r *request, x *server.Exchange) error { return push(p.Push, r, x) }
}

const noPush = "push notifications are not supported: subscribe to the task"

func unsupported(code int, message string) func(*request, *server.Exchange) error {
	return func(*request, *server.Exchange) error { return fault(code, message) }
}

// serve calls the method.
func (r *request) serve(x *server.Exchange, p Protocol) error {
	// A client without the header speaks 0.3, whose methods have other names.
	spoken := x.Request.Header.Get("A2A-Version")
	if spoken == "" {
		spoken = x.Request.URL.Query().Get("A2A-Version")
	}
	if spoken != version && !strings.HasPrefix(spoken, version+".") {
		return fault(codeVersion, "A2A-Version: must be "+version)
	}
	method := p.method(r.Method)
	if method == nil {
		return fault(codeMethod, "method: there is no such method in A2A "+version)
	}
	// Check this before looking up tasks: a caller that may not ask the agent must learn nothing.
	if err := permit(x); err != nil {
		return err
	}
	return method(r, x)
}

// decode reads the params.
func (r *request) decode(into any) error {
	if len(r.Params) == 0 {
		return invalid("", "must not be missing")
	}
	if e, ok := errors.AsType[*strict.Error](strict.Decode(r.Params, into)); ok {
		return invalid(e.Field, e.Reason)
	}
	return nil
}

// respond answers the request.
func (r *request) respond(x *server.Exchange, result any) {
	x.JSON(response{JSONRPC: "2.0", ID: r.ID, Result: result})
}

// faultOf returns the JSON-RPC form of an error, or nil if it is to be sent as an HTTP error.
func faultOf(err error) *rpcError {
	if e, ok := errors.AsType[*rpcError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*agui.FieldError](err); ok {
		return invalid(fieldOf(e.Path), e.Error())
	}
	if e, ok := errors.AsType[*run.Error](err); ok {
		switch e.Code {
		case run.CodeNotFound:
			return noTask()
		case run.CodeInvalid:
			return invalid(fieldOf(e.Field), e.Message)
		case run.CodeThreadBusy, run.CodeRunConflict, run.CodeCancelled:
			return fault(codeUnsupported, e.Message)
		}
	}
	if e, ok := errors.AsType[*server.Error](err); ok && e.Status == http.StatusBadRequest {
		field, _ := e.Details["field"].(string)
		return invalid(fieldOf(field), e.Message)
	}
	if errors.Is(err, store.ErrNotFound) {
		return noTask()
	}
	return nil
}

func noTask() *rpcError { return fault(codeNoTask, "there is no such task") }

// fieldOf returns the client's name of a field of a run's input.
func fieldOf(field string) string {
	for _, name := range [][2]string{{"messages[0].content", "message.parts"}, {"messages[0]", "message"}, {"threadId", "message.contextId"}, {"runId", "message.taskId"}, {"resume", "message.parts"}} {
		if strings.HasPrefix(field, name[0]) {
			return name[1]
		}
	}
	return field
}
