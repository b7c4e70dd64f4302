// Command server is Pageside as the benchmarks run it: the library with its default settings,
// SQLite in a temporary folder, the model of the mock provider, and one backend tool. It listens on
// ADDR and reaches the model at UP. With AUDIT set, which is the key, it keeps an audit log. With
// USERS set the header X-User says who asks, and each may do what `pageside serve` lets users do.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	_ "net/http/pprof" // on PPROF, where it is set

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench server:", err)
		os.Exit(1)
	}
}

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func serve(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "pageside-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st, err := sqlstore.Open(ctx, "sqlite:"+filepath.Join(dir, "bench.db"))
	if err != nil {
		return err
	}
	defer st.Close()
	a, err := benchAgent("http://" + env("UP", "127.0.0.1:9901") + "/v1")
	if err != nil {
		return err
	}
	var recorder audit.Recorder
	if key := os.Getenv("AUDIT"); key != "" {
		log := audit.NewLog(audit.Config{Key: []byte(key)})
		if err := log.Open(ctx, st); err != nil {
			return err
		}
		defer log.Close()
		recorder, a.Audit = log, log
	}
	runs, err := run.NewManager(ctx, run.Config{
		Audit: recorder,
		Store: st, Agents: run.Loops(a), Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Limits: runLimits(),
	})
	if err != nil {
		return err
	}
	doors := server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Audit: recorder}
	if users() {
		doors.Authenticate, doors.Limits = authenticate, limits()
	}
	handler, err := server.New(doors)
	if err != nil {
		return err
	}
	defer handler.Close()
	if address := os.Getenv("PPROF"); address != "" {
		go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil)) }()
	}
	srv := &http.Server{Addr: env("ADDR", "127.0.0.1:9920"), Handler: handler}
	go func() { <-ctx.Done(); srv.Close() }()
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func users() bool { return os.Getenv("USERS") != "" }

func runLimits() run.Limits {
	if users() {
		return run.Limits{}
	}
	return run.Limits{UserRuns: -1, UserInputs: -1} // the load is one user's
}

func authenticate(r *http.Request) (auth.Principal, error) {
	return auth.Principal{Subject: r.Header.Get("X-User")}, nil
}

// limits are those of a site where people sign in.
func limits() *server.Limits {
	perMinute := func(n, burst int) limit.Rate { return limit.Rate{PerSecond: float64(n) / 60, Burst: burst} }
	return &server.Limits{
		Runs: perMinute(60, 30), Searches: perMinute(120, 30), Writes: perMinute(300, 100), Reads: perMinute(1200, 300),
		SearchesAtOnce: 4, StreamsAtOnce: 200, Bodies: 16 << 20, AllBodies: 64 << 20,
	}
}

type lookup struct {
	Query string `json:"query" jsonschema:"what to look up"`
}

func benchAgent(baseURL string) (*agent.Agent, error) {
	text := strings.Repeat("record found; ", 74)[:1024]
	t := tool.New("bench_lookup", "Looks a record up by query.", func(context.Context, *tool.Call, lookup) (tool.Result, error) {
		return tool.Result{Text: text}, nil
	})
	t.Global, t.Effect = true, tool.Read
	tools, err := tool.NewRegistry(t)
	if err != nil {
		return nil, err
	}
	pages, err := page.NewRegistry(tools, nil)
	if err != nil {
		return nil, err
	}
	model := openai.New(openai.Config{BaseURL: baseURL, APIKey: "sk-mock", Model: "mock"})
	return &agent.Agent{ID: "default", Instructions: "You are a helpful assistant.", Model: model, Pages: pages}, nil
}
