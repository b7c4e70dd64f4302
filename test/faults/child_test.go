package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

// childEnv says, as JSON, what a process of this test binary is to be in place of a test.
const childEnv = "PAGESIDE_FAULTS_CHILD"

// childConfig is what a child is.
type childConfig struct {
	DB      string `json:"db"`  // the store's file
	LLM     string `json:"llm"` // the model's address
	Ledger  string `json:"ledger,omitempty"`
	KillAt  point  `json:"killAt,omitempty"` // where the process kills itself
	KillNth int32  `json:"killNth,omitempty"`
	// with clients that do not read; the server's default if 0
	Patience duration `json:"patience,omitempty"`
	Idle     duration `json:"idle,omitempty"`  // of the model's stream
	Quota    int64    `json:"quota,omitempty"` // a user's, in tokens a day
	// of one user's requests; with them, his runs have the default limits
	Requests *server.Limits `json:"requests,omitempty"`

	// be no server: open this many streams of the thread's address and hold them
	Streams string `json:"streams,omitempty"`
	Count   int    `json:"count,omitempty"`
}

type duration = time.Duration

// point is a place around a tool call at which a process dies.
type point string

const (
	beforePlan  point = "before the plan"
	afterPlan   point = "after the plan"
	afterStart  point = "after the start is committed"
	inTool      point = "before the effect"
	afterEffect point = "after the effect"
	afterFinish point = "after the finish is committed"
	beforeEnd   point = "before the run's end"
	afterEnd    point = "after the run's end"
)

// child is the whole life of a child process.
func child(role string) int {
	var cfg childConfig
	if err := json.Unmarshal([]byte(role), &cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	go func() { // the parent's death is this process's
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	err := error(nil)
	if cfg.Streams != "" {
		err = holdStreams(cfg)
	} else {
		err = serveChild(cfg)
	}
	fmt.Fprintln(os.Stderr, "child:", err)
	return 1
}

// serveChild is Pageside with tools that have effects outside, until it is killed.
func serveChild(cfg childConfig) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := sqlstore.Open(context.Background(), "sqlite:"+cfg.DB, sqlstore.WithLogger(log))
	if err != nil {
		return err
	}
	die := &failpoint{at: cfg.KillAt}
	die.left.Store(max(cfg.KillNth, 1))
	st := &killing{Store: db, failpoint: die}
	model := openai.New(openai.Config{BaseURL: cfg.LLM, APIKey: "sk-x", Model: "fake", Limits: httpmodel.Limits{IdleTimeout: cfg.Idle}})
	a, err := assistant(model, effects(cfg.Ledger, die)...)
	if err != nil {
		return err
	}
	limits := unlimited
	if cfg.Requests != nil {
		limits = run.Limits{}
	}
	limits.Day.User.Tokens = cfg.Quota
	counts := map[string]http.Handler{"GET /debug/counts": http.HandlerFunc(tellCounts)}
	_, h, err := assemble(run.Config{Store: st, Agents: run.Loops(a), Logger: log, Limits: limits},
		server.Config{WriteTimeout: cfg.Patience, Limits: cfg.Requests, Mount: counts})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return (&http.Server{Handler: h, ConnContext: server.ConnContext, ConnState: countConns, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}).Serve(l)
}

// assemble puts a server together that speaks AG-UI.
func assemble(runs run.Config, cfg server.Config) (*run.Manager, *server.Server, error) {
	manager, err := run.NewManager(context.Background(), runs)
	if err != nil {
		return nil, nil, err
	}
	cfg.Runs, cfg.Logger, cfg.Authenticate = manager, runs.Logger, owner
	cfg.Protocols = []server.Protocol{aguihttp.Protocol{}}
	h, err := server.New(cfg)
	return manager, h, err
}

// owner believes whoever says who he is.
func owner(r *http.Request) (auth.Principal, error) {
	if subject := r.Header.Get("X-Subject"); subject != "" {
		return auth.Principal{Subject: subject}, nil
	}
	return auth.Principal{Subject: ada.Subject}, nil
}

var ada = store.Owner{Subject: "ada"}

// tellCounts answers with what the process holds. With ?reset=1 its peak begins anew.
func tellCounts(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("reset") {
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else the old peak stays
	}
	now := countSelf()
	now.Conns = int(conns.Load())
	_ = json.NewEncoder(w).Encode(now)
}

// conns is how many connections clients have to this process.
var conns atomic.Int64

func countConns(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		conns.Add(-1)
	}
}

// assistant is an agent named default with the model and the tools.
func assistant(model llm.Model, tools ...*tool.Tool) (*agent.Agent, error) {
	for _, t := range tools {
		t.Global = true
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		return nil, err
	}
	pages, err := page.NewRegistry(registry, nil)
	if err != nil {
		return nil, err
	}
	// what these tests look at is what runs, not who is asked
	return &agent.Agent{
		Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default",
		Model: model, Pages: pages, Instructions: "Help.",
	}, nil
}

type effectInput struct {
	Ms int `json:"ms,omitempty" jsonschema:"how long it takes"`
	N  int `json:"n,omitempty" jsonschema:"tells calls apart"`
}

// effects are tools that write what they do into the ledger: one for each effect class that matters
// here, and one that needs approval.
func effects(path string, die *failpoint) []*tool.Tool {
	one := func(name string, effect tool.Effect) *tool.Tool {
		t := tool.New(name, "Has an effect.", func(ctx context.Context, c *tool.Call, in effectInput) (tool.Result, error) {
			die.hit(inTool)
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			if err := record(path, c); err != nil {
				return tool.Result{}, err
			}
			die.hit(afterEffect)
			return tool.Result{Text: "done " + name}, nil
		})
		t.Effect = effect
		return t
	}
	transfer := one("transfer", tool.Write)
	transfer.Policy.Approval = tool.ApprovalAlways
	return []*tool.Tool{one("look", tool.Read), one("stamp", tool.Idempotent), one("pay", tool.Write), transfer}
}

// record writes one line into the ledger, which outlives every process.
func record(path string, c *tool.Call) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s %s %s\n", c.Tool, c.RunID, c.ID, c.Key)
	return err
}

// failpoint ends the process when it comes to a point for the nth time.
type failpoint struct {
	at   point
	left atomic.Int32
}

func (f *failpoint) hit(at point) {
	if f.at == at && f.left.Add(-1) == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // not one step further
	}
}

// killing is a store around whose operations the process dies.
type killing struct {
	*sqlstore.Store
	*failpoint
}

// PlanCalls implements store.Store.
func (s *killing) PlanCalls(ctx context.Context, o store.Owner, runID string, calls []journal.ToolCall, wait bool) error {
	s.hit(beforePlan)
	err := s.Store.PlanCalls(ctx, o, runID, calls, wait || s.at == afterPlan)
	s.hit(afterPlan)
	return err
}

// StartCall implements store.Store.
func (s *killing) StartCall(ctx context.Context, o store.Owner, runID, callID string, wait bool) error {
	err := s.Store.StartCall(ctx, o, runID, callID, wait || s.at == afterStart)
	s.hit(afterStart)
	return err
}

// FinishCall implements store.Store.
func (s *killing) FinishCall(ctx context.Context, o store.Owner, runID string, call journal.ToolCall, wait bool) error {
	err := s.Store.FinishCall(ctx, o, runID, call, wait || s.at == afterFinish)
	s.hit(afterFinish)
	return err
}

// EndRun implements store.Store.
func (s *killing) EndRun(ctx context.Context, o store.Owner, r store.Run, messages []agui.Message, last store.Batch) error {
	s.hit(beforeEnd)
	err := s.Store.EndRun(ctx, o, r, messages, last)
	s.hit(afterEnd)
	return err
}
