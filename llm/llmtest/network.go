package llmtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Transport answers requests without a network. It is an http.RoundTripper, and implements the AWS
// SDK's equivalent.
type Transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f Transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Do implements aws.HTTPClient.
func (f Transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

// Respond returns a transport that always answers with this response.
func Respond(status int, header http.Header, body io.Reader) Transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
	}
}

// Headers of an event stream and of a JSON document.
var (
	EventStream = http.Header{"Content-Type": {"text/event-stream"}}
	JSONBody    = http.Header{"Content-Type": {"application/json"}}
)

// RespondWith returns a client that always gets this response.
func RespondWith(status int, header http.Header, body io.Reader) *http.Client {
	return &http.Client{Transport: Respond(status, header, body)}
}

// Streaming returns a client that always gets an event stream with this body.
func Streaming(body io.Reader) *http.Client { return RespondWith(http.StatusOK, EventStream, body) }

// Recorder returns a transport that appends the bodies of requests to sent and answers with
// respond.
func Recorder(sent *[]string, respond func(body string) (status int, answer string)) *http.Client {
	return &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		// what Ollama is asked besides
		if path := r.URL.Path; path == "/api/ps" || path == "/api/show" {
			return Respond(http.StatusNotFound, JSONBody, strings.NewReader("{}"))(r)
		}
		*sent = append(*sent, string(raw))
		status, answer := respond(string(raw))
		return Respond(status, EventStream, strings.NewReader(answer))(r)
	})}
}

// SSE writes each document as a frame's data.
func SSE(docs ...string) string {
	return "data: " + strings.Join(docs, "\n\ndata: ") + "\n\n"
}

// CutReader returns N bytes per read.
type CutReader struct {
	Data []byte
	N    int
	End  error // at the end; nil is io.EOF
}

func (r *CutReader) Read(p []byte) (int, error) {
	if len(r.Data) == 0 {
		if r.End != nil {
			return 0, r.End
		}
		return 0, io.EOF
	}
	n := copy(p, r.Data[:min(r.N, len(r.Data))])
	r.Data = r.Data[n:]
	return n, nil
}

// Reads returns a reader that returns one of its texts per read.
func Reads(texts ...string) io.Reader { return &readList{texts} }

type readList struct{ left []string }

func (r *readList) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.left[0])
	if r.left[0] = r.left[0][n:]; r.left[0] == "" {
		r.left = r.left[1:]
	}
	return n, nil
}

// Endless returns a reader that repeats a text forever.
func Endless(text string) io.Reader { return &endless{text: text} }

type endless struct {
	text string
	off  int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.text[e.off:])
		n += c
		e.off = (e.off + c) % len(e.text)
	}
	return n, nil
}

// Numbered returns a reader of endless events: format with an increasing number.
func Numbered(format string) io.Reader { return &numbered{format: format} }

type numbered struct {
	format string
	n      int
	left   string
}

func (r *numbered) Read(p []byte) (int, error) {
	if r.left == "" {
		r.left = SSE(fmt.Sprintf(r.format, r.n))
		r.n++
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// bounded returns at most n bytes per read, as a network does.
type bounded struct {
	io.Reader
	n int
}

func (r *bounded) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.n)]) }

// counter counts the bytes read through it, and checks the heap once per megabyte.
type counter struct {
	r    io.Reader
	n    int
	peak uint64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if (c.n+n)>>20 > c.n>>20 {
		c.peak = max(c.peak, heap())
	}
	c.n += n
	return n, err
}

// heap returns the bytes in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// PipeNet is an in-memory network, so that net/http can run under a fake clock.
type PipeNet struct {
	Dials atomic.Int64
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// Serve serves handler on an in-memory network until the end of the test, and returns a client for
// it. Any address leads there.
func Serve(t *testing.T, handler http.HandlerFunc) (*PipeNet, *http.Client) {
	p := &PipeNet{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: handler}
	over := make(chan struct{})
	go func() { _ = server.Serve(p); close(over) }()
	client := &http.Transport{DialContext: p.dial}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
		<-over
	})
	return p, &http.Client{Transport: client}
}

func (p *PipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.Dials.Add(1)
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Accept implements net.Listener.
func (p *PipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *PipeNet) Close() error { p.once.Do(func() { close(p.done) }); return nil }

// Addr implements net.Listener.
func (p *PipeNet) Addr() net.Addr { return &net.TCPAddr{} }

// Stall returns a handler that writes texts at intervals, then does nothing until the client has
// gone.
func Stall(headers bool, every time.Duration, texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if headers {
			w.(http.Flusher).Flush()
		}
		for _, text := range texts {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(every):
			case <-r.Context().Done():
				return
			}
		}
		<-r.Context().Done()
	}
}

// flushing returns a server that flushes a body every n bytes.
func flushing(body string, n int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for rest := body; rest != ""; {
			piece := rest[:min(n, len(rest))]
			rest = rest[len(piece):]
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}))
}
