package server

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/suggest"
)

// Config configures a server. Runs and Protocols are required.
type Config struct {
	Runs   *run.Manager
	Web    fs.FS                   // the pages at /; may be nil
	Mount  map[string]http.Handler // more routes with the same checks: pattern → handler
	Logger *slog.Logger            // default slog.Default()

	// AccessLog gets one line for each request once it is answered, at level Info (Debug for
	// /healthz and /readyz). If nil, requests are not logged.
	AccessLog *slog.Logger

	// PagePolicy is the Content-Security-Policy of the pages in Web. Default: their own files, and
	// nothing inline. Pages of your own may need more.
	PagePolicy string

	// Protocols are how clients ask for runs and read them, each with routes of its own: AG-UI is
	// protocol/agui. At least one.
	Protocols []Protocol

	// Suggester answers POST /v1/suggestions. If nil, the answer is the page's own suggestions.
	Suggester *suggest.Suggester

	// Origins are other origins whose pages may use the API: exact scheme, host and port. Pages of
	// any other origin cannot write, and browsers do not show them answers.
	Origins []string

	// Inspector records runs for the page at /inspector. If nil, that page shows only the audit
	// log, and without Audit there is no such page.
	Inspector *inspect.Recorder

	// Authenticate returns the caller. Its error is logged, and must not hold credentials. Open
	// streams are authenticated again every 15 seconds, so it should be quick. If nil, everybody is
	// the principal "local", and only requests to a loopback host that no proxy has forwarded are
	// served.
	Authenticate func(*http.Request) (auth.Principal, error)

	// LocalProxy serves requests forwarded by a proxy even without Authenticate. It is for
	// development: everybody the proxy lets through shares one user.
	LocalProxy bool

	// NoSharing keeps users from sharing threads and from reading earlier shares. It is implied
	// without Authenticate, when there is nobody to share with.
	NoSharing bool

	// Authorizer decides what callers may do: actions, instructions, sharing, inspector,
	// definitions, resolve, audit and subjects. If nil, everything is allowed without Authenticate,
	// and policy.Default decides with it (policy.Everything allows all of it). Agents have their
	// own, which decides about tools; nil means the same there.
	Authorizer policy.Authorizer

	// Limits bound what one caller may do. If nil, only what its runs hold is limited (run.Limits).
	Limits *Limits

	// Audit records what callers do besides runs, refused credentials and who reaches a limit; may
	// be nil. With one, GET /v1/audit reads the log that Runs have stored.
	Audit audit.Recorder

	// maximum size of a request's body, without the messages that its thread has already; default
	// 4 MiB
	MaxBody int64
	// maximum size with them, for clients that send the whole thread with each request; default
	// 32 MiB. A body without a Content-Length may have MaxBody.
	MaxRequest  int64
	MaxMessages int // of a run's input; default 10,000
	// time for a request's body to arrive, plus one second per 32 KiB received; default 10 s
	BodyTimeout time.Duration
	// time for a client to accept a write, before its connection is closed; default 10 s
	WriteTimeout time.Duration
	KeepAlive    time.Duration // silence on a stream before a comment is sent; default 15 s
}

// Server answers HTTP requests. Safe for concurrent use.
type Server struct {
	cfg       Config
	log       *slog.Logger
	beats     *heartbeat
	limits    *limiter // may be nil
	signIns   signIns
	suggester atomic.Pointer[suggest.Suggester]
	reads     readLog
	patterns  []string // of all routes
	prefixes  []string // of the paths of the API

	permissions atomic.Pointer[authorizer]
	http.Handler
}

// New returns a server. Close it to stop its keep-alive timer.
func New(cfg Config) (*Server, error) {
	if cfg.Runs == nil {
		return nil, errors.New("a server needs Runs: run.NewManager makes them")
	}
	if len(cfg.Protocols) == 0 {
		return nil, errors.New("a server needs Protocols: nobody can ask it for a run; AG-UI is agui.Protocol of protocol/agui")
	}
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 4<<20)
	cfg.MaxRequest = max(cfg.MaxBody, cmp.Or(cfg.MaxRequest, 32<<20))
	cfg.MaxMessages = cmp.Or(cfg.MaxMessages, 10_000)
	cfg.BodyTimeout = cmp.Or(cfg.BodyTimeout, 10*time.Second)
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, 10*time.Second)
	cfg.PagePolicy = cmp.Or(cfg.PagePolicy, pagePolicy)
	cfg.KeepAlive = cmp.Or(cfg.KeepAlive, 15*time.Second)
	s := &Server{
		cfg: cfg, log: cmp.Or(cfg.Logger, slog.Default()), beats: newHeartbeat(cfg.KeepAlive, cfg.WriteTimeout),
	}
	s.suggester.Store(cfg.Suggester)
	s.SetAuthorizer(cfg.Authorizer)
	s.limits = newLimiter(cfg.Limits, audit.NewLimitReporter(cfg.Audit, s.log))
	s.signIns.limit = rate.NewLimiter(signInsPerSecond, signInsAtOnce)
	routes := s.routes()
	s.patterns = routes.patterns
	guarded, err := (&gate{Server: s}).guard(routes)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Handler = s.logged(guarded)
	return s, nil
}

// SetSuggester replaces Config.Suggester; it may be nil.
func (s *Server) SetSuggester(to *suggest.Suggester) { s.suggester.Store(to) }

// Close stops the keep-alive timer. Open streams continue without keep-alive comments.
func (s *Server) Close() {
	s.beats.stop()
	if s.limits != nil {
		s.limits.reporter.Flush(context.Background())
	}
}

// router is a ServeMux that knows its patterns: a test takes from it which routes there are.
type router struct {
	http.ServeMux
	patterns []string
}

func (m *router) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

func (m *router) HandleFunc(pattern string, h http.HandlerFunc) { m.Handle(pattern, h) }

func (s *Server) routes() *router {
	mux := new(router)
	rest{s}.mount(mux)
	admin{s}.mount(mux)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { s.unrouted(mux, w, r) })
	mux.HandleFunc("GET /healthz", s.getHealth)
	mux.HandleFunc("GET /readyz", s.getReady)
	for pattern, h := range s.cfg.Mount {
		mux.Handle(pattern, h)
	}
	s.prefixes = []string{"/v1/"}
	for _, p := range s.cfg.Protocols {
		s.mount(mux, p)
	}
	if s.cfg.Web != nil {
		mux.Handle("/", s.pages())
	} else if s.cfg.Mount["/"] == nil {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.unrouted(mux, w, r) })
	}
	return mux
}

// unrouted answers requests that match no route: 405 if the path has routes for other methods, else
// 404.
func (s *Server) unrouted(mux *router, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/v1/" && pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.fail(w, r, &Error{
		Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Message: r.URL.Path + " takes " + strings.Join(allowed, " and ") + ", not " + r.Method,
	})
}

// call is one authenticated request.
type call struct {
	w          http.ResponseWriter
	r          *http.Request
	principal  auth.Principal
	owner      run.Owner // the principal's
	held       *held
	relayed    bool // Route.Relays
	words      bool // Route.Words
	timestamps bool // Route.Timestamps
	repeats    bool // Route.Repeats
}

// api authenticates a request, calls the handler and answers with its error.
func (s *Server) api(handle func(*call) error) http.Handler {
	return s.answer(handle, classOf, s.fail)
}

// answer is api for requests with a class and answers to errors of their own.
func (s *Server) answer(
	handle func(*call) error, classOf func(*http.Request) class,
	fail func(http.ResponseWriter, *http.Request, error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, err := s.authenticate(r)
		if err != nil {
			if r.Context().Err() == nil { // else the client has gone
				fail(w, r, s.refused(w, r, err))
			}
			return
		}
		accessOf(r).principal = principal
		c := &call{
			w: w, r: r, principal: principal,
			owner: run.Owner{Tenant: principal.Tenant, Subject: principal.Subject}, held: new(held),
		}
		defer s.limits.giveBody(c)
		if err = s.limits.admit(c, classOf(r)); err == nil {
			err = guarded(handle, c)
		}
		if err != nil {
			fail(w, r, err)
		}
	})
}

// guarded calls handle and turns a panic into an error.
func guarded(handle func(*call) error, c *call) (err error) {
	defer guard.Error(&err)
	return handle(c)
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, NotFound("there is nothing at "+r.Method+" "+r.URL.Path+
		"; agents are listed at /v1/agents and run at POST /v1/agents/{agent}/run"))
}

func (s *Server) getHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]string{"status": "ok"})
}

func (s *Server) getReady(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Runs.Draining() {
		s.fail(w, r, &Error{
			Status: http.StatusServiceUnavailable, Code: string(refusal.Draining),
			Message: "the server is shutting down",
		})
		return
	}
	if err := s.cfg.Runs.Ping(r.Context()); err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, map[string]string{"status": "ready"})
}
