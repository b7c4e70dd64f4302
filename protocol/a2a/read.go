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
	jsonv2 "github.com/go-json-experiment/json"
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
	"SendMessage":                      empty[a2a.SendMessageRequest],
	"SendStreamingMessage":             empty[a2a.SendMessageRequest],
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
	if e, ok := errors.AsType[*agui.FieldError](strict.Decode(r.Params, params, reading)); ok {
		return invalid(e.Path, e.Reason)
	}
	switch params := params.(type) {
	case *a2a.GetTaskRequest:
		return checkHistory("", params.HistoryLength)
	case *listParams:
		return params.check()
	case *a2a.SendMessageRequest:
		// the library never sees it: what it reads has lost digits of numbers, and every null
		h.sent, r.Params = params, nothing
		return h.checkSent()
	}
	return nil
}

// reading replaces methods of the library's types that take what they do not know.
var reading = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
	jsonv2.UnmarshalFromFunc(readParts), jsonv2.UnmarshalFromFunc(readPart),
	jsonv2.UnmarshalFromFunc(readWord[a2a.MessageRole]), jsonv2.UnmarshalFromFunc(readWord[a2a.TaskState]),
))

func readParts(dec *jsontext.Decoder, into *a2a.ContentParts) error {
	var parts []a2a.Part
	err := jsonv2.UnmarshalDecode(dec, &parts)
	for i := range parts {
		*into = append(*into, &parts[i])
	}
	return err
}

// readPart reads one part. The Value of its Data is a jsontext.Value.
func readPart(dec *jsontext.Decoder, into *a2a.Part) error {
	var p struct {
		Text      *a2a.Text      `json:"text"`
		Data      jsontext.Value `json:"data"`
		Raw       *string        `json:"raw"`
		URL       *a2a.URL       `json:"url"`
		Metadata  map[string]any `json:"metadata"`
		Filename  string         `json:"filename"`
		MediaType string         `json:"mediaType"`
	}
	if err := jsonv2.UnmarshalDecode(dec, &p); err != nil {
		return err
	}
	var has []a2a.PartContent
	if p.Text != nil {
		has = append(has, *p.Text)
	}
	if len(p.Data) > 0 {
		has = append(has, a2a.Data{Value: p.Data})
	}
	if p.Raw != nil {
		has = append(has, a2a.Raw(*p.Raw)) // nobody reads it
	}
	if p.URL != nil {
		has = append(has, *p.URL)
	}
	if len(has) != 1 {
		return &agui.FieldError{Reason: "must have one of text and data"}
	}
	into.Content = has[0]
	return nil
}

func readWord[T ~string](dec *jsontext.Decoder, into *T) error {
	var word string
	err := jsonv2.UnmarshalDecode(dec, &word)
	*into = T(word)
	return err
}

// checkSent refuses messages that nothing here reads.
func (h *handler) checkSent() error {
	m := h.sent.Message
	if m == nil {
		return invalid("message", "must not be missing")
	}
	if err := h.checkConfig(); err != nil {
		return err
	}
	switch {
	case m.ID == "":
		return invalid("message.messageId", "must not be empty")
	case m.Role != a2a.MessageRoleUser:
		return invalid("message.role", "must be ROLE_USER")
	case len(m.Parts) == 0:
		return invalid("message.parts", "must not be empty")
	}
	for i, p := range m.Parts {
		switch p.Content.(type) {
		case a2a.Raw, a2a.URL:
			reason := fmt.Sprintf("message.parts[%d]: files are not supported: send text or data", i)
			return a2a.NewError(a2a.ErrUnsupportedContentType, reason)
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

func (h *handler) checkConfig() error {
	c := h.sent.Config
	if c == nil {
		h.sent.Config = new(a2a.SendMessageConfig)
		return nil
	}
	if !accepts(c.AcceptedOutputModes) {
		return a2a.NewError(a2a.ErrUnsupportedContentType, "configuration.acceptedOutputModes: answers are "+textType)
	}
	if err := checkHistory("configuration.", c.HistoryLength); err != nil || c.PushConfig == nil {
		return err
	}
	const at = "configuration.taskPushNotificationConfig"
	switch {
	case h.push == nil:
		return a2a.NewError(a2a.ErrPushNotificationNotSupported, at+": "+noPush)
	case c.PushConfig.TaskID != "":
		return invalid(at+".taskId", "must be empty: it is that of the message's task")
	}
	return h.push.check(c.PushConfig, at+".")
}

func checkHistory(at string, length *int) error {
	if length != nil && *length < 0 {
		return invalid(at+"historyLength", "must not be negative")
	}
	return nil
}
