package mcptool

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// session is one connection to a server, from the handshake until either side goes.
type session struct {
	link   *link
	client *mcp.ClientSession
	wire   wire

	ctx    context.Context // until it ended; its cause is why
	cancel context.CancelCauseFunc

	tokens atomic.Int64
	calls  sync.Map // *tool.Call by the token of its progress

	changed atomic.Int64  // how often the server said that its tools changed
	wake    chan struct{} // has a token while somebody should look at that
	listing sync.Mutex    // one listing at a time; guards the following
	checked int64         // the value of changed that the last listing was made for
	listed  time.Time     // when that was
}

// wire is what carries a session: a process, or HTTP requests.
type wire interface {
	mcp.Transport
	// fail ends it at once.
	fail()
	// shutdown ends what is left of it once the session is over, politely first.
	shutdown(session *mcp.ClientSession)
	// last returns what it has to say about its end.
	last() string
}

// implementation is how this client introduces itself.
var implementation = &mcp.Implementation{Name: "pageside", Version: "1"}

// dial makes a session: it starts or reaches the server, shakes hands, and lists its tools. If that
// fails, everything is undone.
func (l *link) dial(ctx context.Context) (*session, error) {
	s := &session{link: l, wake: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancelCause(l.ctx)
	var err error
	if s.wire, err = l.newWire(s); err != nil {
		s.cancel(err)
		return nil, err
	}
	stop := context.AfterFunc(ctx, s.wire.fail) // nothing in a handshake may outlast it
	err = s.shakeHands(ctx)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		err = s.withLast(err)
		s.cancel(err)
		s.wire.fail()
		s.wire.shutdown(s.client)
		return nil, err
	}
	l.wg.Go(s.watch)
	l.wg.Go(s.recheck)
	return s, nil
}

// shakeHands begins the session and lists the tools.
func (s *session) shakeHands(ctx context.Context) (err error) {
	defer guard.Error(&err)
	if s.client, err = s.newClient().Connect(ctx, s.wire, nil); err != nil {
		return err
	}
	return s.list(ctx)
}

func (l *link) newWire(s *session) (wire, error) {
	if l.server.URL != "" {
		return newHTTPWire(l, s), nil
	}
	return startProcess(l.server, l.log, s.toolsChanged)
}

func (s *session) newClient() *mcp.Client {
	c := mcp.NewClient(implementation, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), // it logs what servers send
		// no roots, no sampling, no questions to the user
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { s.toolsChanged() },
		ProgressNotificationHandler: s.progressed,
	})
	c.AddSendingMiddleware(s.boundDiscovery)
	return c
}

// boundDiscovery bounds the request that tells which protocol the server speaks. Whatever its error
// is, the SDK goes on with the older handshake.
func (s *session) boundDiscovery(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "server/discover" {
			bound, cancel := context.WithTimeout(ctx, s.link.server.discoverTimeout())
			defer cancel()
			ctx = bound
		}
		return next(ctx, method, req)
	}
}

// watch waits for the end of the session and cleans up behind it.
func (s *session) watch() {
	defer guard.Log(s.link.log, "the session with an MCP server could not be ended")
	s.cancel(s.ends())
	s.link.lost(s)
	s.wire.shutdown(s.client)
}

// ends returns why the session ended, once it has. A panic there ends it as well: the next call
// gets a new one.
func (s *session) ends() (err error) {
	defer guard.Error(&err)
	if err = s.client.Wait(); err == nil {
		err = errClosed
	}
	return err
}

// withLast adds what the wire has to say to why a session ended.
func (s *session) withLast(err error) error {
	if last := s.wire.last(); last != "" {
		return fmt.Errorf("%w (%s)", err, last)
	}
	return err
}

// close ends the session. watch does the rest, and the link waits for it.
func (s *session) close() {
	s.cancel(errClosed)
	s.wire.shutdown(s.client)
}

// toolsChanged notes that the server's tools may have changed. It never blocks: it runs where
// messages are read.
func (s *session) toolsChanged() {
	s.changed.Add(1)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// recheckPause is the shortest time between two listings while nobody calls a tool.
const recheckPause = time.Second

// recheck lists the tools when they have changed, so that the log shows a change before anybody
// calls.
func (s *session) recheck() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		}
		if err := s.current(s.ctx); err != nil && s.ctx.Err() == nil {
			s.link.log.Warn("the changed tools of an MCP server could not be listed",
				"error", s.link.server.scrub(err.Error()))
		}
		if sleep(s.ctx, recheckPause) != nil {
			return
		}
	}
}

// listingAge is how old a listing may be: not every server reports changes. A variable for tests.
var listingAge = time.Minute

// current makes sure that the tools were listed since the server last reported a change, and at
// least within the last minute.
func (s *session) current(ctx context.Context) (err error) {
	defer guard.Error(&err)
	need := s.changed.Load()
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.checked >= need && time.Since(s.listed) < listingAge {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.link.server.answerTimeout())
	defer cancel()
	return s.list(ctx)
}

// list lists the tools. Requires s.listing, once others know the session.
func (s *session) list(ctx context.Context) error {
	at := s.changed.Load()
	seen, err := list(ctx, s.client)
	if err != nil {
		return err
	}
	s.checked, s.listed = at, time.Now()
	return s.link.learn(seen)
}

// follow passes on the server's progress reports for a call until done is called.
func (s *session) follow(call *tool.Call) (token string, done func()) {
	token = strconv.FormatInt(s.tokens.Add(1), 10)
	s.calls.Store(token, call)
	return token, func() { s.calls.Delete(token) }
}

// maxProgress bounds a message about progress.
const maxProgress = 300

func (s *session) progressed(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string) // a server may write anything
	known, ok := s.calls.Load(token)
	if !ok {
		return
	}
	fraction := -1.0
	if req.Params.Total > 0 {
		fraction = min(max(req.Params.Progress/req.Params.Total, 0), 1)
	}
	said := visible.Brief(s.link.server.scrub(req.Params.Message), maxProgress)
	known.(*tool.Call).Progress(s.link.server.Name, said, fraction)
}
