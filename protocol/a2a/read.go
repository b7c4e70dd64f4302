package a2a

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/strict"
)

// request is a request of JSON-RPC 2.0.
type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

const (
	maxID  = 256     // bytes of a request's id
	maxInt = 1 << 53 // from here on numbers lose digits in the library
)

var nothing, nobody = json.RawMessage("{}"), json.RawMessage("null")

// read reads a request as strictly as the rest of the server reads JSON: the library, which reads
// it again, takes what it does not know. The request's ID can be answered also after an error.
func (h *handler) read(body []byte) (r request, err error) {
	if err = r.parse(body); err != nil {
		return r, err
	}
	// A client without the header speaks 0.3, whose methods have other names.
	header, query := h.x.Request.Header, h.x.Request.URL.Query()
	spoken := cmp.Or(header.Get(a2a.SvcParamVersion), query.Get(a2a.SvcParamVersion))
	if spoken != version && !strings.HasPrefix(spoken, version+".") {
		return r, a2a.NewError(a2a.ErrVersionNotSupported, "A2A-Version: must be "+version)
	}
	// Check this before looking up tasks: a caller that may not ask the agent must learn nothing.
	if err = permit(h.x); err != nil {
		return r, err
	}
	return r, h.readParams(&r)
}

const version = string(a2a.Version)

// parse reads all but the params.
func (r *request) parse(body []byte) error {
	if err := strict.Decode(body, r); err != nil {
		r.ID = nobody
		if json.Valid(body) {
			return a2a.NewError(a2a.ErrInvalidRequest, err.Error())
		}
		return a2a.NewError(a2a.ErrParseError, err.Error())
	}
	if reason := checkID(r.ID); reason != "" {
		r.ID = nobody
		return a2a.NewError(a2a.ErrInvalidRequest, "id: "+reason)
	}
	if r.JSONRPC != "2.0" {
		return a2a.NewError(a2a.ErrInvalidRequest, "jsonrpc: must be 2.0")
	}
	return nil
}

// checkID returns what is wrong with the id of a request.
func checkID(id json.RawMessage) string {
	switch {
	case len(id) > maxID: // each event of a stream repeats it
		return fmt.Sprintf("must not be longer than %d bytes", maxID)
	case len(id) == 0:
		return "must not be missing: notifications are not part of A2A"
	case id[0] == '"':
		return ""
	case id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return "must be a string or a number"
	}
	if n, err := strconv.ParseFloat(string(id), 64); err != nil || n <= -maxInt || n >= maxInt {
		return "must be a string, or a number below 2^53"
	}
	return ""
}

// refused returns the request that has handler.find answer with handler.bad, in a stream if a
// stream was asked for.
func (r request) refused() request {
	method := "GetTask"
	if r.Method == "SendStreamingMessage" || r.Method == "SubscribeToTask" {
		method = "SubscribeToTask"
	}
	return request{"2.0", r.ID, method, nothing}
}

// paramsOf has the params of each method, to be read into.
var paramsOf = map[string]func() any{
	"SendMessage":                      empty[sent],
	"SendStreamingMessage":             empty[sent],
	"GetTask":                          empty[a2a.GetTaskRequest],
	"ListTasks":                        empty[listParams],
	"CancelTask":                       empty[a2a.CancelTaskRequest],
	"SubscribeToTask":                  empty[a2a.SubscribeToTaskRequest],
	"GetExtendedAgentCard":             empty[a2a.GetExtendedAgentCardRequest],
	"CreateTaskPushNotificationConfig": empty[a2a.PushConfig],
	"GetTaskPushNotificationConfig":    empty[a2a.GetTaskPushConfigRequest],
	"ListTaskPushNotificationConfigs":  empty[a2a.ListTaskPushConfigRequest],
	"DeleteTaskPushNotificationConfig": empty[a2a.DeleteTaskPushConfigRequest],
}

func empty[T any]() any { return new(T) }

// readParams reads the params of a method, and refuses what nothing reads. Those of unknown methods
// are the library's to refuse.
func (h *handler) readParams(r *request) error {
	optional := r.Method == "ListTasks" || r.Method == "GetExtendedAgentCard"
	make := paramsOf[r.Method]
	switch {
	case make == nil:
		return nil
	case len(r.Params) == 0 && !optional:
		return invalid("", "must not be missing")
	case len(r.Params) == 0:
		r.Params = nothing
	}
	params := make()
	if e, ok := errors.AsType[*agui.FieldError](strict.Decode(r.Params, params)); ok {
		return invalid(e.Path, e.Reason)
	}
	switch params := params.(type) {
	case *a2a.GetTaskRequest:
		return checkHistory("", params.HistoryLength)
	case *listParams:
		return params.check()
	case *sent:
		h.sent, r.Params = params, nothing // the library never sees it
		return params.check(h.push)
	}
	return nil
}

// sent is what SendMessage and SendStreamingMessage are asked for. The library's own type loses
// digits of numbers, and every null.
type sent struct {
	Tenant   string                `json:"tenant"`
	Message  *message              `json:"message"`
	Config   a2a.SendMessageConfig `json:"configuration"`
	Metadata map[string]any        `json:"metadata"`
}

type message struct {
	ID             string         `json:"messageId"`
	ContextID      string         `json:"contextId"`
	TaskID         string         `json:"taskId"`
	Role           string         `json:"role"`
	Parts          []part         `json:"parts"`
	Metadata       map[string]any `json:"metadata"`
	Extensions     []string       `json:"extensions"`
	ReferenceTasks []string       `json:"referenceTaskIds"`
}

// part has one of Text, Data, Raw and URL.
type part struct {
	Text      *string        `json:"text"`
	Data      jsontext.Value `json:"data"` // nil if there is none; null is data
	Raw       *string        `json:"raw"`
	URL       *string        `json:"url"`
	Metadata  map[string]any `json:"metadata"`
	Filename  string         `json:"filename"`
	MediaType string         `json:"mediaType"`
}

// contents counts what a part has.
func (p *part) contents() (n int) {
	for _, has := range [...]bool{p.Text != nil, p.Data != nil, p.Raw != nil, p.URL != nil} {
		if has {
			n++
		}
	}
	return n
}

// check refuses messages that nothing here reads.
func (s *sent) check(push *Notifier) error {
	m := s.Message
	if m == nil {
		return invalid("message", "must not be missing")
	}
	if err := s.checkConfig(push); err != nil {
		return err
	}
	switch {
	case m.ID == "":
		return invalid("message.messageId", "must not be empty")
	case m.Role != a2a.MessageRoleUser.String():
		return invalid("message.role", "must be ROLE_USER")
	case len(m.Parts) == 0:
		return invalid("message.parts", "must not be empty")
	}
	for i, p := range m.Parts {
		at := fmt.Sprintf("message.parts[%d]", i)
		switch {
		case p.contents() != 1:
			return invalid(at, "must have one of text and data")
		case p.Raw != nil || p.URL != nil:
			return a2a.NewError(a2a.ErrUnsupportedContentType, at+": files are not supported: send text or data")
		}
	}
	return nil
}

// accepts reports whether a client takes what answers are.
func accepts(modes []string) bool {
	return len(modes) == 0 || slices.ContainsFunc(modes, func(mode string) bool {
		return mode == textType || mode == "text/*" || mode == "*/*" || mode == "text"
	})
}

func (s *sent) checkConfig(push *Notifier) error {
	c := &s.Config
	if !accepts(c.AcceptedOutputModes) {
		return a2a.NewError(a2a.ErrUnsupportedContentType, "configuration.acceptedOutputModes: answers are "+textType)
	}
	if err := checkHistory("configuration.", c.HistoryLength); err != nil || c.PushConfig == nil {
		return err
	}
	const at = "configuration.taskPushNotificationConfig"
	switch {
	case push == nil:
		return a2a.NewError(a2a.ErrPushNotificationNotSupported, at+": "+noPush)
	case c.PushConfig.TaskID != "":
		return invalid(at+".taskId", "must be empty: it is that of the message's task")
	}
	return push.check(c.PushConfig, at+".")
}

func checkHistory(at string, length *int) error {
	if length != nil && *length < 0 {
		return invalid(at+"historyLength", "must not be negative")
	}
	return nil
}
