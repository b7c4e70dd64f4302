package faults

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// local is a server in this process, on a port of its own, where nothing has to die.
type local struct {
	*client
	llm   *provider
	store *sqlstore.Store
	runs  *run.Manager
}

// localConfig is what a local server has of its own.
type localConfig struct {
	memory bool // a store that forgets, in place of SQLite
	tools  []*tool.Tool
	model  func(*openai.Config)
	agent  func(*agent.Agent)
	run    func(*run.Config)
}

// unlimited lets one user do what many do: these tests are about other promises than limits.
var unlimited = run.Limits{UserRuns: -1, ThreadLine: -1, UserInputs: -1}

func newLocal(t *testing.T, cfg localConfig) *local {
	t.Helper()
	s := &local{llm: newProvider(t), store: temp.Store(t)}
	quiet := slog.New(slog.DiscardHandler)
	if !cfg.memory {
		db, err := sqlstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "faults.db"), sqlstore.WithLogger(quiet))
		must.Do(t, err)
		s.store = db
	}
	t.Cleanup(func() {
		must.Be(t, s.store.Close(), nil, "closing the store")
	})
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	model := openai.Config{BaseURL: s.llm.url, APIKey: secret, Model: "fake", HTTPClient: &http.Client{Transport: transport}}
	apply(cfg.model, &model)
	a, err := assistant(openai.New(model), cfg.tools...)
	must.Do(t, err)
	apply(cfg.agent, a)
	runs := run.Config{Store: s.store, Agents: run.Loops(a), Logger: quiet, Limits: unlimited}
	apply(cfg.run, &runs)
	var h *server.Server
	if s.runs, h, err = assemble(runs, server.Config{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		now, stop := context.WithCancel(context.Background())
		stop()
		s.runs.Drain(now)
	})
	t.Cleanup(h.Close)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close() })
	s.client = newClient(t, "http://"+l.Addr().String())
	return s
}

// secret is the model's key, which nobody else may ever see.
const secret = "sk-do-not-tell-4711"

func apply[T any](adjust func(*T), to *T) {
	if adjust != nil {
		adjust(to)
	}
}
