package a2a

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/log"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
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

// Routes is part of server.Protocol.
func (p Protocol) Routes() []server.Route {
	return []server.Route{
		{Pattern: "GET " + cardPath, Public: true, Handle: p.getCard},
		{Pattern: "GET " + prefix + "{agent}" + cardPath, Handle: p.getAgentCard},
		{Pattern: "POST " + prefix + "{agent}", Starts: true, Relays: !p.Person, Handle: p.post},
	}
}

const (
	prefix   = "/v1/a2a/"
	cardPath = a2asrv.WellKnownAgentCardPath
)

// post has the library answer one request of JSON-RPC, with what handler returns.
func (p Protocol) post(x *server.Exchange) error {
	body, err := x.Body()
	if err != nil {
		return err
	}
	h := &handler{x: x, push: p.Push, out: answer{header: http.Header{}}}
	req, err := h.read(body)
	if err != nil {
		if h.bad = protocolError(err); h.bad == nil {
			return err
		}
		req = req.refused()
	}
	doc, _ := json.Marshal(req) // strings and valid JSON: cannot fail
	// that a client has left is not worth a line
	quiet := log.AttachLogger(x.Context(), slog.New(slog.DiscardHandler))
	r := x.Request.WithContext(quiet)
	r.Body = io.NopCloser(bytes.NewReader(doc))
	err = x.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.Request = r // it ends with the credentials, too
		h.out.to = w
		a2asrv.NewJSONRPCHandler(h).ServeHTTP(&h.out, r)
		h.out.send()
	}), r)
	return errors.Join(err, h.out.refused)
}

// answer is what the library writes to. It passes each event on in one write, and nothing at all of
// a request that the server refuses.
type answer struct {
	to      http.ResponseWriter
	header  http.Header
	unsent  bytes.Buffer
	refused error // to be sent as an HTTP error instead
	void    bool  // the result is empty: the library leaves it out, JSON-RPC must not
}

// Header is part of http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader is part of http.ResponseWriter. The library's answers have no status but 200.
func (a *answer) WriteHeader(int) {}

// Write is part of http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.unsent.Write(p) }

// Flush is part of http.Flusher: an event of a stream is whole.
func (a *answer) Flush() {
	if a.send() {
		_ = http.NewResponseController(a.to).Flush()
	}
}

// send writes what is unsent. If the client has gone, the request's context ends.
func (a *answer) send() bool {
	if a.refused != nil || a.unsent.Len() == 0 {
		return false
	}
	if a.void {
		a.unsent.Truncate(bytes.LastIndexByte(a.unsent.Bytes(), '}'))
		a.unsent.WriteString(`,"result":{}}`)
	}
	a.to.Header().Set("Content-Type", a.header.Get("Content-Type"))
	a.to.Header().Set("Cache-Control", "no-store, no-transform")
	_, _ = a.to.Write(a.unsent.Bytes())
	a.unsent.Reset()
	return true
}

// invalid returns the error for a field of the params; "" means all of them.
func invalid(field, reason string) error {
	if field == "" {
		return a2a.NewError(a2a.ErrInvalidParams, "params: "+reason)
	}
	told := a2a.NewError(a2a.ErrInvalidParams, field+": "+reason)
	return told.WithErrorInfoMeta(map[string]string{"field": field})
}

// protocolError returns the protocol's form of an error, or nil if it is to be sent as an HTTP
// error.
func protocolError(err error) error {
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return e
	}
	switch e := server.AsError(err); {
	case e.Code == string(refusal.NotFound):
		return a2a.NewError(a2a.ErrTaskNotFound, "there is no such task")
	case e.Status == http.StatusBadRequest, e.Code == string(refusal.Invalid):
		field, _ := e.Details["field"].(string)
		return invalid(fieldOf(field), e.Message)
	case e.Status == http.StatusConflict:
		return a2a.NewError(a2a.ErrUnsupportedOperation, e.Message)
	}
	return nil
}

// fields are the client's names of the fields of a run's input.
var fields = [][2]string{
	{"messages[0].content", "message.parts"}, {"messages[0]", "message"}, {"threadId", "message.contextId"},
	{"runId", "message.taskId"}, {"resume", "message.parts"},
}

func fieldOf(field string) string {
	i := slices.IndexFunc(fields, func(f [2]string) bool { return strings.HasPrefix(field, f[0]) })
	if i < 0 {
		return field
	}
	return fields[i][1]
}
