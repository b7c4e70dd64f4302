package a2atool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/upstream"
)

const (
	versionHeader = "A2a-Version" // in canonical form
	maxEvent      = 4 << 20       // bytes of one event
	eventStream   = "text/event-stream"
)

// statusError is an answer without JSON-RPC.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d %s", e.status, http.StatusText(e.status))
}

var (
	errBroke     = errors.New("the answer broke off")
	errProtocol  = errors.New("the answer is not one of A2A 1.0")
	errRedirects = errors.New("the agent redirects, which is not followed")
)

// wire is between the library and the agent. It keeps the rules of egress, the bounds and the
// secrets, and shows the library answers in the one form that it reads without losing anything.
type wire struct {
	*agent
	guarded http.RoundTripper
}

// RoundTrip is part of http.RoundTripper.
func (w wire) RoundTrip(req *http.Request) (*http.Response, error) {
	streams := req.Header.Get("Accept") == eventStream
	watch, ctx, stop := upstream.NewWatch(req.Context(), w.Silence)
	req = req.Clone(ctx)
	for name, value := range w.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "pageside")
	watch.Begin()
	resp, err := w.guarded.RoundTrip(req)
	watch.End()
	if err == nil {
		body := &answer{wire: w, watch: watch, stop: stop, from: resp.Body}
		if err = body.open(resp, streams); err == nil {
			resp.StatusCode, resp.Body, resp.ContentLength = http.StatusOK, body, -1
			return resp, nil
		}
		resp.Body.Close()
	}
	if watch.Stalled() {
		err = upstream.ErrStalled
	}
	stop()
	return nil, err
}

// answer is the body of an answer as the library reads it.
type answer struct {
	wire
	watch *upstream.Watch
	stop  func()
	from  io.ReadCloser

	frames *sse.Reader // of a stream
	unread []byte
}

// open looks at an answer, and reads it if it is not a stream.
func (a *answer) open(resp *http.Response, streams bool) error {
	src := a.watch.Reader(resp.Body)
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return errRedirects
	case streams && media == eventStream && resp.StatusCode == http.StatusOK:
		a.frames = sse.NewReader(src, maxEvent)
		return nil
	}
	raw, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	if a.unread, err = a.letIn(raw); err != nil && resp.StatusCode != http.StatusOK {
		return &statusError{resp.StatusCode}
	}
	if streams { // it does not stream after all, or refuses to
		a.unread = sse.AppendFrame(nil, "", a.unread)
	}
	return err
}

// Read is part of io.Reader.
func (a *answer) Read(p []byte) (int, error) {
	for len(a.unread) == 0 {
		if a.frames == nil {
			return 0, io.EOF
		}
		frame, err := a.frames.Next()
		switch {
		case err == io.EOF:
			return 0, err
		case a.watch.Stalled():
			return 0, upstream.ErrStalled
		case err != nil:
			return 0, fmt.Errorf("%w: %w", errBroke, err)
		}
		doc, err := a.letIn(frame.Data)
		if err != nil {
			return 0, err
		}
		a.unread = sse.AppendFrame(nil, "", doc)
	}
	n := copy(p, a.unread)
	a.unread = a.unread[n:]
	return n, nil
}

// Close is part of io.Closer.
func (a *answer) Close() error {
	a.stop()
	_ = a.from.Close() // nothing of it matters any more
	return nil
}

// letIn returns a response of JSON-RPC, without secrets, as the library may read it. That is laxer
// than we are, and stricter with what it has no use for: ids and the details of errors.
func (a *answer) letIn(raw []byte) ([]byte, error) {
	raw = []byte(a.secrets.Replace(string(raw)))
	var r struct {
		Result json.RawMessage `json:"result,omitempty"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error,omitempty"`
	}
	if !jsonx.Valid(raw) || json.Unmarshal(raw, &r) != nil || r.Error == nil && len(r.Result) == 0 {
		return nil, errProtocol
	}
	if r.Error == nil {
		var err error
		if r.Result, err = withDataAsText(r.Result); err != nil {
			return nil, err
		}
	}
	doc, err := json.Marshal(r)
	if err != nil {
		return nil, errProtocol
	}
	return doc, nil
}

// withDataAsText returns a result where the data of each part is a string with its JSON: the
// library would change the digits of numbers and the order of fields. A list with a hole, which the
// library takes, is refused.
func withDataAsText(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for dec.PeekKind() != 0 {
		token, err := dec.ReadToken()
		inside, _ := dec.StackIndex(dec.StackDepth())
		if err != nil || token.Kind() == 'n' && inside == '[' {
			return nil, errProtocol
		}
		isData := token.Kind() == '"' && token.String() == "data" && isPart(dec.StackPointer())
		if err := enc.WriteToken(token); err != nil {
			return nil, errProtocol
		}
		if !isData {
			continue
		}
		data, err := dec.ReadValue()
		if err != nil || enc.WriteToken(jsontext.String(string(data))) != nil {
			return nil, errProtocol
		}
	}
	return out.Bytes(), nil
}

// isPart reports whether a member belongs to a part, such as /task/artifacts/0/parts/1/data.
func isPart(at jsontext.Pointer) bool {
	return strings.HasSuffix(string(at.Parent().Parent()), "/parts") && at.LastToken() == "data"
}
