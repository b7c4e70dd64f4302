package mcptool

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// streamRetries is how often a stream that was cut may be resumed without anything new on it.
	// Whether the server is still there is found out by dialling, not by this number.
	streamRetries = 100
	goodbye       = 2 * time.Second // for telling a server that the session is over
)

// httpWire carries a session over streamable HTTP.
type httpWire struct {
	url     string
	headers map[string]string
	session *session
	base    *http.Client
	most    int64

	life context.Context // of its requests
	end  context.CancelFunc

	mu   sync.Mutex
	conn mcp.Connection // as the library made it: closing it frees whoever waits on it
}

func newHTTPWire(l *link, s *session) *httpWire {
	w := &httpWire{
		url: l.server.URL, headers: l.server.Headers, session: s, base: l.guard.Client(),
		most: l.server.MaxBytes,
	}
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Connect implements mcp.Transport. It keeps the connection that it returns.
func (w *httpWire) Connect(ctx context.Context) (mcp.Connection, error) {
	t := &mcp.StreamableClientTransport{
		Endpoint: w.url, MaxRetries: streamRetries, MaxEventSize: int(w.most),
		HTTPClient: &http.Client{Transport: w, CheckRedirect: w.base.CheckRedirect},
	}
	conn, err := t.Connect(ctx)
	w.mu.Lock()
	w.conn = conn
	w.mu.Unlock()
	return conn, err
}

// RoundTrip implements http.RoundTripper. It adds the configured headers, and ends every request
// when the wire ends. The guard below it checks every address.
func (w *httpWire) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.life, cancel)
	req = req.Clone(ctx)
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	report := deliver(req)
	resp, err := w.base.Transport.RoundTrip(req)
	report(resp, err)
	if err != nil {
		stop()
		cancel()
		w.notice(req, err)
		return nil, err
	}
	resp.Body = &body{resp.Body, func() { stop(); cancel() }}
	return resp, nil
}

// notice ends the session when the server is gone: a stream broke and cannot be resumed because
// nobody listens. The library alone would retry for a long time while calls wait.
func (w *httpWire) notice(req *http.Request, err error) {
	if isDial(err) && req.Method == http.MethodGet && w.life.Err() == nil {
		w.session.cancel(errors.New("the server is gone"))
		go w.fail() // not here: closing waits for the one who asks
	}
}

type body struct {
	io.ReadCloser
	done func()
}

func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}

func (w *httpWire) fail() {
	w.end()
	w.mu.Lock()
	conn := w.conn
	w.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
}

// shutdown lets the session say goodbye, and ends its requests.
func (w *httpWire) shutdown(session *mcp.ClientSession) {
	if session != nil {
		timer := time.AfterFunc(goodbye, w.fail)
		_ = session.Close()
		timer.Stop()
	}
	w.fail()
}

func (w *httpWire) last() string { return "" }

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// delivery says what became of the request that carries a call. It travels in the call's context:
// the library returns the same error for all calls of a broken session, whether they never left or
// were being worked on.
type delivery struct{ state atomic.Int32 }

// The states of a delivery. Only the first request of a call carries it; later ones cancel the call
// or resume its stream.
const (
	notTried int32 = iota
	tried
	refused
)

type deliveryKey struct{}

func withDelivery(ctx context.Context) (context.Context, *delivery) {
	d := &delivery{}
	return context.WithValue(ctx, deliveryKey{}, d), d
}

// refused reports whether the call certainly was not executed: nobody listened, or the server did
// not know the session (404, as the protocol has it).
func (d *delivery) refused() bool { return d.state.Load() == refused }

// deliver notes that a request is made, and returns a function that notes its outcome.
func deliver(req *http.Request) func(*http.Response, error) {
	d, _ := req.Context().Value(deliveryKey{}).(*delivery)
	if d == nil || req.Method != http.MethodPost || !d.state.CompareAndSwap(notTried, tried) {
		return func(*http.Response, error) {}
	}
	return func(resp *http.Response, err error) {
		forgotten := err == nil && resp.StatusCode == http.StatusNotFound && req.Header.Get("Mcp-Session-Id") != ""
		if forgotten || isDial(err) {
			d.state.Store(refused)
		}
	}
}
