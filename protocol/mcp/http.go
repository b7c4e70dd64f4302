package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// Protocol is the drop-in.
type Protocol struct {
	server.StandardError
	Version string // of Pageside, for clients
	// Person means that its clients pass on only what a person has typed. Otherwise their questions
	// are another model's, and taint.
	Person bool
}

const path = "/mcp"

// Unused sessions end. If a principal has too many, the oldest ends first.
const (
	sessionTimeout = 12 * time.Hour
	maxSessions    = 32
)

// Routes is part of server.Protocol. The sessions belong to them.
func (p Protocol) Routes() []server.Route {
	owned := &sessions{byOwner: map[run.Owner][]*sdk.ServerSession{}}
	s := newServer(p.Version, &offering{enter: enterHTTP})
	s.AddReceivingMiddleware(owned.keep)
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionTimeout,
		// server.guard and server.readBody see to these
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	})
	known := auth.RequireBearerToken(identify, nil)(h)
	handle := func(x *server.Exchange) error { return serve(x, known) }
	var routes []server.Route
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		routes = append(routes, server.Route{Pattern: method + " " + path, Relays: !p.Person, Handle: handle})
	}
	return routes
}

// serve answers a request with the library's handler. The caller has been authenticated: the
// library is told who it is, not with which credentials.
func serve(x *server.Exchange, h http.Handler) error {
	r := x.Request.Clone(context.WithValue(x.Context(), exchangeKey{}, x))
	r.Header.Del("Cookie")
	r.Header.Set("Authorization", "Bearer known")
	if r.Method == http.MethodPost {
		body, err := x.Body()
		if err != nil {
			return err
		}
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) { // each request counts
			return server.BadField("", "must be one message: batches are not taken")
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return x.Serve(h, r)
}

// identify tells the library who the caller is: a session is its principal's alone.
func identify(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	x := ctx.Value(exchangeKey{}).(*server.Exchange) // serve sets it
	return &auth.TokenInfo{
		UserID: x.Owner.Key(), Expiration: time.Now().Add(time.Minute), Extra: map[string]any{exchangeName: x},
	}, nil
}

type exchangeKey struct{}

const exchangeName = "pageside"

// enterHTTP lets messages in with the request that has brought them.
func enterHTTP(_ context.Context, extra *sdk.RequestExtra, do func(*server.Exchange) error) error {
	x := extra.TokenInfo.Extra[exchangeName].(*server.Exchange) // identify sets it
	return x.Use(func() error { return do(x) })
}

// sessions limits the sessions of each principal.
type sessions struct {
	mu      sync.Mutex
	byOwner map[run.Owner][]*sdk.ServerSession // oldest first
}

// keep keeps the sessions that are being opened.
func (s *sessions) keep(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if ss, ok := req.GetSession().(*sdk.ServerSession); ok && method == "initialize" {
			x := req.GetExtra().TokenInfo.Extra[exchangeName].(*server.Exchange)
			s.add(x.Owner, ss)
		}
		return next(ctx, method, req)
	}
}

func (s *sessions) add(o run.Owner, ss *sdk.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.byOwner[o], ss) {
		return
	}
	s.byOwner[o] = append(s.byOwner[o], ss)
	if all := s.byOwner[o]; len(all) > maxSessions {
		// Close waits for calls. Stop counting the session, or the next one would close it again.
		go all[0].Close()
		s.byOwner[o] = slices.Clone(all[1:])
	}
	go func() {
		_ = ss.Wait() // however it ended
		s.remove(o, ss)
	}()
}

func (s *sessions) remove(o run.Owner, ss *sdk.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byOwner[o] = slices.DeleteFunc(s.byOwner[o], func(other *sdk.ServerSession) bool { return other == ss })
	if len(s.byOwner[o]) == 0 {
		delete(s.byOwner, o)
	}
}
