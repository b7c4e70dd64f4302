package a2atool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
)

const (
	versionHeader = "A2a-Version" // in canonical form
	version       = "1.0"
	maxEvent      = 4 << 20 // bytes of one event
)

// Codes of errors, of JSON-RPC and of A2A. The first two mean that a method is not there.
const (
	codeNoMethod      = -32601
	codeUnsupported   = -32004
	codeNotCancelable = -32002
)

// rpcError is an error that the agent answered with.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// statusError is an answer without JSON-RPC.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d %s", e.status, http.StatusText(e.status))
}

var (
	errStalled   = errors.New("waited too long for the agent")
	errProtocol  = errors.New("the answer is not one of A2A 1.0")
	errRedirects = errors.New("the agent redirects, which is not followed")
)

// request calls a method, and calls each with every result: one, or those of a stream. each returns
// false to read no more. It returns an error if there was no result.
func (a *agent) request(ctx context.Context, method string, params any, each func(json.RawMessage) bool) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encode the request %s: %w", method, err)
	}
	w, stop := newWatch(ctx, a.Silence)
	defer stop()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, a.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the request %s: %w", method, err)
	}
	for name, value := range a.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "pageside")
	req.Header.Set(versionHeader, version)
	resp, err := a.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		err = a.read(resp, w, each)
	}
	if err != nil && w.expired.Load() && ctx.Err() == nil {
		return errStalled
	}
	return err
}

// read reads the answer to a request.
func (a *agent) read(resp *http.Response, w *watch, each func(json.RawMessage) bool) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	src := &watched{w, resp.Body}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return errRedirects
	case media == "text/event-stream" && resp.StatusCode == http.StatusOK:
		return a.readStream(sse.NewReader(src, maxEvent), each)
	}
	raw, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	result, err := a.result(raw)
	if errors.Is(err, errProtocol) && resp.StatusCode != http.StatusOK {
		return &statusError{resp.StatusCode}
	}
	if err == nil {
		each(result)
	}
	return err
}

// readStream reads results until each has enough. A stream that ends before is an error.
func (a *agent) readStream(frames *sse.Reader, each func(json.RawMessage) bool) error {
	for {
		frame, err := frames.Next()
		if err != nil {
			return err
		}
		result, err := a.result(frame.Data)
		if err != nil {
			return err
		}
		if !each(result) {
			return nil
		}
	}
}

// result reads one response of JSON-RPC.
func (a *agent) result(raw []byte) (json.RawMessage, error) {
	raw = []byte(a.secrets.Replace(string(raw)))
	var r struct {
		Result json.RawMessage `json:"result"`
		Error  *rpcError       `json:"error"`
	}
	if !jsonx.Valid(raw) || json.Unmarshal(raw, &r) != nil {
		return nil, errProtocol
	}
	switch {
	case r.Error != nil:
		return nil, r.Error
	case len(r.Result) == 0:
		return nil, errProtocol
	}
	return r.Result, nil
}

// watch ends a request that says nothing for too long.
type watch struct {
	ctx     context.Context
	limit   time.Duration
	timer   *time.Timer
	expired atomic.Bool
}

func newWatch(ctx context.Context, limit time.Duration) (w *watch, stop func()) {
	own, cancel := context.WithCancelCause(ctx)
	w = &watch{ctx: own, limit: limit}
	w.timer = time.AfterFunc(limit, func() {
		w.expired.Store(true)
		cancel(errStalled)
	})
	return w, func() { w.timer.Stop(); cancel(nil) }
}

// watched is a body whose lines keep its watch from expiring. Half a line does not: a line that
// drips in is silence.
type watched struct {
	*watch
	src io.Reader
}

func (r *watched) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if bytes.ContainsAny(p[:n], "\r\n") {
		r.timer.Reset(r.limit)
	}
	return n, err
}
