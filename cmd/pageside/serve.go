package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/protocol/a2a"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/web"
)

// serve serves the assistants of a configuration, or one that flags describe.
func (a *app) serve(ctx context.Context, args []string) error {
	var c common
	var instructions, folder string
	flags := newFlags("serve", &c)
	flags.StringVar(&c.config, "config", "",
		"the pageside.yaml `FILE` to serve; reloaded when it changes, and on SIGHUP")
	flags.StringVar(&c.store, "store", "", "where to keep threads: sqlite:`FILE` (default "+defaultStore+")")
	flags.StringVar(&instructions, "instructions", "", "the assistant's instructions, if there is no --config")
	flags.StringVar(&folder, "pages", "", "a `folder` of pages to serve at /, for trying things out")
	if err := a.parse(flags, args); err != nil {
		return err
	}
	what := &site{
		watch: c.config != "", web: web.Script(), name: "Pageside:", log: c.logger(a.stderr), inspector: c.recorder(),
		mount: map[string]http.Handler{"GET /{$}": about()},
	}
	what.options = a.options(what.log, c.model)
	what.options.Tracer, what.options.Stdout, what.options.Audit = tracer(what.inspector), a.stdout, true
	source, err := sourceOf(c, instructions, what.options)
	if err != nil {
		return err
	}
	if what.built, err = config.Build(ctx, source, what.options); err != nil {
		return err
	}
	defer what.built.Close()
	if note := what.built.PermissionNote(); note != "" {
		what.log.Info("permissions apply", "what", note)
	}
	listener, err := listen(cmp.Or(c.listen, source.Listen, defaultListen), source.Authenticates())
	if err != nil {
		return err
	}
	defer listener.Close()
	c.store = cmp.Or(c.store, source.Store, defaultStore)
	if folder != "" {
		pages, open, err := pagesOf(folder)
		if err != nil {
			return err
		}
		defer open.Close()
		what.web, what.pagePolicy = pages, userPagePolicy
		what.mount = map[string]http.Handler{"POST " + policyReports: blockedByPolicy(what.log)}
	}
	return what.serve(ctx, c, listener, a.stdout)
}

// options are what a configuration is built with.
func (a *app) options(log *slog.Logger, model string) config.Options {
	return config.Options{Env: a.env, Logger: log, Tools: extraTools(), OpenModel: modelsOf(a.env), Model: model}
}

// sourceOf returns the configuration that the flags ask for.
func sourceOf(c common, instructions string, o config.Options) (*config.Source, error) {
	if c.model != "" && !strings.Contains(c.model, "/") {
		return nil, fmt.Errorf("--model %q must be provider/name, such as openai/gpt-5-mini: %w", c.model, errUsage)
	}
	if c.config == "" {
		if c.model == "" {
			return nil, fmt.Errorf("--config FILE or --model provider/name is needed, such as openai/gpt-5-mini; 'pageside init' writes a FILE to start from: %w",
				usageError("pageside serve --help"))
		}
		return config.FromFile(config.File{Agents: []config.Agent{{
			ID: "default", Description: "Answers from the page it stands beside.", Model: c.model,
			Instructions: config.Text(cmp.Or(instructions, "You are a helpful assistant beside the user's page.")),
		}}})
	}
	if instructions != "" {
		return nil, fmt.Errorf("--instructions cannot be combined with --config, which has its own: %w", errUsage)
	}
	return load(c.config, o)
}

// load reads a configuration and checks that it has an agent. The error has all problems that can
// be found without starting anything.
func load(file string, o config.Options) (*config.Source, error) {
	source, err := config.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; 'pageside init' writes one to start from, --config names another", err)
	}
	if err != nil {
		return nil, cmp.Or(config.Diagnose(file, o), err)
	}
	return source, servesAgents(source)
}

// about answers the root of a server that has no pages.
func about() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w,
			"Pageside is running. AG-UI clients post to /v1/agents/{agent}/run; the agents are at /v1/agents.")
	})
}

// site is what a command serves.
type site struct {
	built   *config.Site
	options config.Options // to rebuild with, if watch is set
	watch   bool
	web     fs.FS
	mount   map[string]http.Handler
	// Content-Security-Policy of the pages in web; "" is the server's
	pagePolicy string
	name       string   // printed before the address
	notes      []string // printed after it, a line each
	log        *slog.Logger

	inspector *inspect.Recorder      // nil: none
	started   func(*pagerun.Manager) // called before the first request; may be nil

	// prepare fills the store before the first request; may be nil.
	prepare func(context.Context, store.Store) error

	// What open has opened.
	store *sqlstore.Store
	runs  *pagerun.Manager
	push  *a2a.Notifier // nil: the configuration wants none
}

// open opens the audit log in a store, and goes on with the runs that an earlier process left
// there. closeAll ends what has begun, also after an error.
func (s *site) open(ctx context.Context, st *sqlstore.Store) (closeAll func(), err error) {
	s.store = st
	var closers []func()
	closeAll = func() {
		for _, end := range slices.Backward(closers) {
			end()
		}
	}
	if log := s.built.Audit; log != nil {
		if err := log.Open(ctx, st); err != nil {
			return closeAll, err
		}
		closers = append(closers, log.Close)
		if config.Section(s.built.Source.Auth).APIKeys != nil {
			closers = append(closers, auditKeys(s.built.Source.KeyFile(), log, s.log))
		}
	}
	if s.prepare != nil {
		if err := s.prepare(ctx, st); err != nil {
			return closeAll, err
		}
	}
	if s.runs, err = pagerun.NewManager(ctx, s.runConfig()); err != nil {
		return closeAll, err
	}
	if s.started != nil {
		s.started(s.runs)
	}
	return closeAll, nil
}

// serve runs the server on the listener until ctx ends, then lets live runs finish.
func (s *site) serve(ctx context.Context, c common, listener net.Listener, stdout io.Writer) error {
	first := new(starting)
	srv := httpServer(first, s.log)
	defer srv.Close()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()

	st, err := c.openStore(ctx, s.log)
	if err != nil {
		return err // it names the file
	}
	defer st.Close()
	closeAll, err := s.open(ctx, st)
	defer closeAll()
	if err != nil {
		return err
	}
	handler, closeHandler, err := s.handler(ctx, c)
	if err != nil {
		return err
	}
	defer closeHandler()
	if s.watch {
		defer s.reload(ctx, handler)()
	}
	first.serve(handler)
	s.announce(stdout, listener.Addr())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return shutdown(srv, s.runs, c.grace, s.log)
}

// handler makes the server that HTTP clients reach, and what sends its push notifications.
func (s *site) handler(ctx context.Context, c common) (handler *server.Server, closeAll func(), err error) {
	if s.push, err = s.notifier(ctx); err != nil {
		return nil, nil, err
	}
	cfg := s.serverConfig()
	cfg.Origins = append(cfg.Origins, c.origins...)
	if c.logRequests {
		cfg.AccessLog = s.log
	}
	handler, err = server.New(cfg)
	closeAll = func() {
		if handler != nil {
			handler.Close()
		}
		if s.push != nil {
			s.push.Close()
		}
	}
	if err != nil {
		closeAll()
	}
	return handler, closeAll, err
}

func httpServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      2 * time.Minute, // streams set their own
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext:       server.ConnContext,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// shutdown refuses new runs, lets live ones end within the grace period, and closes the
// connections.
func shutdown(srv *http.Server, runs *pagerun.Manager, grace time.Duration, log *slog.Logger) error {
	log.Info("stopping; live runs may finish; a second Ctrl-C stops at once", "grace", grace)
	defer log.Info("stopped")
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	runs.Drain(ctx)
	last, stop := context.WithTimeout(context.Background(), 2*time.Second) // after Drain's 3 s
	defer stop()
	if err := srv.Shutdown(last); err != nil {
		log.Warn("some clients did not read to the end and were cut off", "error", err)
		if err := srv.Close(); err != nil {
			return fmt.Errorf("close connections: %w", err)
		}
	}
	return nil
}

// listen opens the address, which must be loopback if there is no authentication.
func listen(address string, authenticates bool) (net.Listener, error) {
	if err := config.CheckListen(address, authenticates); err != nil {
		return nil, fmt.Errorf("--listen %q: %w; write it as %s: %w", address, err, defaultListen, errUsage)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (another server may be running; --listen 127.0.0.1:0 takes any free port): %w",
			address, err)
	}
	return l, nil
}

// announce says where the site is, and what answers.
func (s *site) announce(stdout io.Writer, addr net.Addr) {
	info := s.built.Agents[0].Model.Info()
	answers := info.Name()
	if info.Scripted {
		answers += ", a scripted model: it plays rules from a file"
	}
	fmt.Fprintf(stdout, "%s http://%s\nThe answers come from %s.\n", s.name, addr, answers)
	for _, note := range s.notes {
		fmt.Fprintln(stdout, note)
	}
}
