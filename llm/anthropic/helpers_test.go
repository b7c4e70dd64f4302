package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
)

// answer is a stream folded.
type answer struct {
	text, reasoning string
	opaque          map[int]string
	calls           []call
	finish          llm.Finish
	usage           llm.Usage
	parts           []llm.Part
	err             *llm.Error
}

type call struct {
	id, name, args string
	index          int
	ended          bool
}

// ask makes one call and folds what comes, checking the rules every stream must keep.
func ask(t testing.TB, ctx context.Context, m llm.Model, req *llm.Request) (a answer) {
	t.Helper()
	a.opaque = map[int]string{}
	for part, err := range m.Stream(ctx, req) {
		if a.err != nil || a.finish != "" {
			t.Fatalf("something follows the end: %+v, %v", part, err)
		}
		if err != nil {
			e, ok := err.(*llm.Error)
			if !ok {
				t.Fatalf("error of type %T: %v", err, err)
			}
			a.err = e
			continue
		}
		a.take(t, part)
	}
	if a.err == nil && a.finish == "" {
		t.Fatal("the stream ended with neither a finish nor an error")
	}
	return a
}

func (a *answer) take(t testing.TB, part llm.Part) {
	t.Helper()
	if part.Kind == llm.Pause && (len(a.parts) == 0 || a.parts[len(a.parts)-1].Kind == llm.Pause) {
		t.Fatal("a Pause with nothing before it")
	}
	a.parts = append(a.parts, part)
	switch part.Kind {
	case llm.TextDelta:
		a.text += part.Delta
	case llm.ReasoningDelta:
		a.reasoning += part.Delta
	case llm.Opaque:
		a.opaque[part.Index] += part.Opaque
	case llm.ToolStart:
		if part.ID == "" || part.Name == "" {
			t.Fatalf("a call without id or name: %+v", part)
		}
		a.calls = append(a.calls, call{id: part.ID, name: part.Name, index: part.Index})
	case llm.ToolArgs:
		c := a.call(t, part)
		c.args += part.Delta
	case llm.ToolEnd:
		a.call(t, part).ended = true
	case llm.UsagePart:
		a.usage = *part.Usage
	case llm.FinishPart:
		a.finish = part.Finish
	}
}

func (a *answer) call(t testing.TB, part llm.Part) *call {
	t.Helper()
	for i := range a.calls {
		if a.calls[i].index == part.Index {
			if a.calls[i].ended {
				t.Fatalf("%+v after the end of its call", part)
			}
			return &a.calls[i]
		}
	}
	t.Fatalf("%+v belongs to no call", part)
	return nil
}

func (a *answer) kind() llm.ErrorKind {
	if a.err == nil {
		return ""
	}
	return a.err.Kind
}

var hello = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "hello"}}}}}

// transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond returns a client whose every answer is a 200 event stream with this body.
func respond(body io.Reader) *http.Client {
	return respondWith(http.StatusOK, http.Header{"Content-Type": {"text/event-stream"}}, body)
}

func respondWith(status int, header http.Header, body io.Reader) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
	})}
}

func model(client *http.Client) *anthropic.Model {
	return anthropic.New(anthropic.Config{Model: "claude-sonnet-4-6", APIKey: "sk-ant-secret-0123456789", HTTPClient: client})
}

// sse writes each line as a frame's data.
func sse(lines ...string) string {
	return "data: " + strings.Join(lines, "\n\ndata: ") + "\n\n"
}

// Events as the API writes them.
const (
	started = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}`
	stopped = `{"type":"message_stop"}`
	ping    = `{"type":"ping"}`
)

func start(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{%s}}`, index, block)
}

func delta(index int, fields string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{%s}}`, index, fields)
}

func stop(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func finish(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":9}}`
}

const textStart = `"type":"text","text":""`

func textDelta(text string) string {
	return `"type":"text_delta","text":` + string(jsonx.AppendString(nil, text))
}

func toolStart(id, name string) string {
	return `"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}`
}

func argsDelta(json string) string {
	return `"type":"input_json_delta","partial_json":` + string(jsonx.AppendString(nil, json))
}

// play feeds a body to the adapter in one piece.
func play(t testing.TB, body string) answer {
	t.Helper()
	return ask(t, t.Context(), model(respond(strings.NewReader(body))), hello)
}

// cutReader gives n bytes a read.
type cutReader struct {
	data []byte
	n    int
	end  error // at the end; nil is io.EOF
}

func (r *cutReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		if r.end != nil {
			return 0, r.end
		}
		return 0, io.EOF
	}
	n := copy(p, r.data[:min(r.n, len(r.data))])
	r.data = r.data[n:]
	return n, nil
}

// pipeNet is a network in memory, so that net/http can run under a fake clock.
type pipeNet struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
	dials atomic.Int64
}

func newPipeNet() *pipeNet { return &pipeNet{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipeNet) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.dials.Add(1)
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

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeNet) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipeNet) Addr() net.Addr { return &net.TCPAddr{} }

// inMemory serves handler over a network in memory and returns a model that talks to it.
func inMemory(t *testing.T, handler http.HandlerFunc) *anthropic.Model {
	return served(t, newPipeNet(), handler)
}

// served is inMemory over a network of the test's.
func served(t *testing.T, network *pipeNet, handler http.HandlerFunc) *anthropic.Model {
	server := &http.Server{Handler: handler}
	over := make(chan struct{})
	go func() { _ = server.Serve(network); close(over) }()
	client := &http.Transport{DialContext: network.Dial}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
		<-over
	})
	return anthropic.New(anthropic.Config{Model: "claude-sonnet-4-6", BaseURL: "http://model", HTTPClient: &http.Client{Transport: client}})
}

// count makes a token count.
func count(p *int64) int64 {
	if p == nil {
		return -1
	}
	return *p
}
