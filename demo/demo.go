package demo

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Config says what the demo shows.
type Config struct {
	LogFile     string // an access log, plain or gz; empty means the generated sample
	ArticleFile string // of Research: see research.Config
	TrialFile   string // of Research: see research.Config

	// Saved is where alerts, streams and reports are saved, for the same files; nil keeps them in
	// memory.
	Saved *saved.Store

	Log *slog.Logger // of failures; nil is slog.Default

	QueryTimeout time.Duration // how long one query of the page may run; 0 means 2 s
}

// Demo is the running demo application. It is safe for concurrent use.
type Demo struct {
	config   Config
	log      *accesslog.Log
	sources  []source    // the log itself comes first
	schema   *ppl.Schema // of the log
	alerts   *alerts
	research *research.App
}

// New loads the log and the library of Research. Close releases them.
func New(ctx context.Context, config Config) (*Demo, error) {
	config.Log = cmp.Or(config.Log, slog.Default())
	load := accesslog.Sample
	if config.LogFile != "" {
		load = func(ctx context.Context) (*accesslog.Log, error) { return accesslog.Open(ctx, config.LogFile) }
	}
	log, err := load(ctx)
	if err != nil {
		return nil, err
	}
	library, err := research.New(ctx, research.Config{ArticleFile: config.ArticleFile, TrialFile: config.TrialFile, Saved: config.Saved, Log: config.Log})
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	d := &Demo{config: config, log: log, research: library}
	if err := d.begin(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// begin measures the log and fetches its alerts.
func (d *Demo) begin(ctx context.Context) (err error) {
	if d.sources, err = loadSources(ctx, d.log); err != nil {
		return err
	}
	d.schema = d.sources[0].schema
	d.alerts, err = loadAlerts(d.config.Saved.Collection(saved.About(d.config.LogFile), "alert"))
	return err
}

// Stats says what was loaded: how many events, and which lines could not be read.
func (d *Demo) Stats() accesslog.Stats { return d.log.Stats }

// Research is the other application of the demo.
func (d *Demo) Research() *research.App { return d.research }

// Close removes what was loaded.
func (d *Demo) Close() error { return errors.Join(d.log.Close(), d.research.Close()) }

// Handler serves the API below /demo/, that of Research below /demo/research/.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/demo/", d.routes())
	mux.Handle("/demo/research/", d.research.Handler())
	return mux
}

// Tools are the demo's backend tools.
func (d *Demo) Tools() []*tool.Tool {
	discover := []*tool.Tool{d.describeFields(), d.topValues(), d.lookUpClient(), d.makeChart(), d.createAlert(), d.listAlerts(), d.deleteAlert()}
	return append(discover, d.research.Tools()...)
}

// Payloads are the demo's payload types.
func (d *Demo) Payloads() []*payload.Type {
	return append([]*payload.Type{chartType()}, d.research.Payloads()...)
}

// Pages are the demo's pages.
func (d *Demo) Pages() []page.Page { return append([]page.Page{discoverPage()}, d.research.Pages()...) }

//go:embed script.yaml
var scriptRules []byte

// Script is the scripted model's rules, in the format of package llm/script.
// Those for the pages of Research stand first: each asks for what only these pages send.
func Script() []byte {
	head, rules, _ := bytes.Cut(scriptRules, []byte("\nrules:\n"))
	return slices.Concat(head, []byte("\nrules:\n"), research.ScriptRules(), []byte("\n"), rules)
}

// AgentInstructions is the first block of the system prompt for a real model.
func (d *Demo) AgentInstructions() string { return agentInstructions }
