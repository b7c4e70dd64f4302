package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/page"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

// runServe serves an assistant without pages of its own, for AG-UI clients.
func runServe(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	var c common
	var instructions string
	flags := newFlags("serve", &c)
	flags.StringVar(&c.store, "store", "sqlite:pageside.db", "where threads are kept: sqlite:`FILE`")
	flags.StringVar(&instructions, "instructions", "You are a helpful assistant beside the user's page.", "what the assistant is told first")
	if err := parse(flags, args, env, stdout); err != nil {
		return err
	}
	if c.model == "" {
		return fmt.Errorf("--model provider/name is needed, such as openai/gpt-5-mini: %w", errUsage)
	}
	model, err := openModel(c.model, env)
	if err != nil {
		return err
	}
	listener, err := listen(c.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	tools, err := tool.NewRegistry(extraTools()...)
	if err != nil {
		return fmt.Errorf("define tools: %w", err)
	}
	pages, err := page.NewRegistry(tools, nil)
	if err != nil {
		return fmt.Errorf("define pages: %w", err)
	}
	a := &agent.Agent{ID: "default", Description: "Answers from the page it stands beside.", Instructions: instructions, Model: model, Pages: pages}
	return serve(ctx, c, listener, site{agent: a, name: "Pageside:", mount: map[string]http.Handler{"GET /{$}": about()}}, stdout, stderr)
}

// about answers the root of a server that has no pages.
func about() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "Pageside is running. AG-UI clients post to /v1/agents/default/run.")
	})
}

// site is what a command serves.
type site struct {
	agent *agent.Agent
	web   fs.FS
	mount map[string]http.Handler
	name  string   // printed before the address
	notes []string // printed after it, a line each
}

// serve runs the server on the listener until ctx ends, then lets live runs finish.
func serve(ctx context.Context, c common, listener net.Listener, what site, stdout, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if err := what.agent.Validate(); err != nil {
		return fmt.Errorf("agent %q: %w", what.agent.ID, err)
	}
	st, err := sqlstore.Open(ctx, c.store)
	if err != nil {
		return fmt.Errorf("open the store %q: %w", c.store, err)
	}
	defer st.Close()
	runs, err := pagerun.NewManager(ctx, pagerun.Config{Store: st, Agents: []*agent.Agent{what.agent}, Logger: log})
	if err != nil {
		return err
	}
	handler, err := server.New(server.Config{Runs: runs, Store: st, Web: what.web, Mount: what.mount, Logger: log})
	if err != nil {
		return err
	}
	defer handler.Close()
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      2 * time.Minute, // streams set their own
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	announce(stdout, what, listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return shutdown(srv, runs, c.grace, log)
}

// shutdown stops taking runs, lets the live ones end within the grace, and closes the connections.
func shutdown(srv *http.Server, runs *pagerun.Manager, grace time.Duration, log *slog.Logger) error {
	log.Info("stopping: live runs may finish", "grace", grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	runs.Drain(ctx)
	last, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	if err := srv.Shutdown(last); err != nil {
		log.Warn("some clients did not read to the end and were cut off", "error", err)
		if err := srv.Close(); err != nil {
			return fmt.Errorf("close connections: %w", err)
		}
	}
	return nil
}

// listen opens the address, which must be loopback: there is no authentication yet.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: %w: %w", address, err, errUsage)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %q: without authentication only loopback addresses such as 127.0.0.1 are allowed: %w", address, errUsage)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (another server may be running; --listen 127.0.0.1:0 takes any free port): %w", address, err)
	}
	return l, nil
}

func announce(stdout io.Writer, what site, addr net.Addr) {
	info := what.agent.Model.Info()
	fmt.Fprintf(stdout, "%s http://%s\n", what.name, addr)
	if info.Scripted {
		fmt.Fprintf(stdout, "The answers come from %s, a scripted model: it plays rules from a file.\n", info.Name())
	} else {
		fmt.Fprintf(stdout, "The answers come from %s.\n", info.Name())
	}
	for _, note := range what.notes {
		fmt.Fprintln(stdout, note)
	}
}
