package demo

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/define"
	"github.com/pageside/pageside/demo/lines"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Config configures the demo.
type Config struct {
	// of Research; alerts are saved where its streams are, and failures logged
	research.Config

	LogFile      string        // an access log, plain or gz; empty means the generated sample
	QueryTimeout time.Duration // limit for a query of the page; 0 means 2 s
}

// Demo is the running demo application. Safe for concurrent use.
type Demo struct {
	config   Config
	log      *accesslog.Log
	sources  []source    // the log comes first
	schema   *ppl.Schema // of the log
	samples  []string    // questions that the page offers
	alerts   *saved.List[alert]
	research *research.App
}

// New loads the log and the library of Research.
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
	d := &Demo{config: config, log: log, samples: define.Read(files).Samples}
	if err := d.begin(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// begin measures the log and loads its alerts, and Research.
func (d *Demo) begin(ctx context.Context) (err error) {
	if d.sources, err = loadSources(ctx, d.log.DB); err != nil {
		return err
	}
	d.schema = &d.sources[0].Schema
	if d.alerts, err = saved.Load(d.config.Saved, saved.About(d.config.LogFile), "alert", alertID, nil); err != nil {
		return err
	}
	d.research, err = research.New(ctx, d.config.Config)
	return err
}

// Stats returns the number of events and the invalid lines.
func (d *Demo) Stats() lines.Stats { return d.log.Stats }

// Research returns the demo's other application.
func (d *Demo) Research() *research.App { return d.research }

// Close removes the loaded log.
func (d *Demo) Close() error { return d.log.Close() }

// Handler serves the API below /demo/, that of Research below /demo/research/, and queries where
// OpenSearch answers them.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/demo/", d.routes())
	mux.Handle("/demo/research/", d.research.Handler())
	openSearch := d.api()
	openSearch.Error = openSearchError
	mux.Handle(pplPath, openSearch.Handler(map[string]rest.Handler{"POST " + pplPath: rest.Body(d.postPPL)}))
	return mux
}

// files describe Discover and its tools.
//
//go:embed pages.yaml schemas
var files embed.FS

// Tools returns the demo's backend tools.
func (d *Demo) Tools() []*tool.Tool {
	app := define.Read(files)
	deletes := define.Tool(app, "delete_alert", d.deleteAlert)
	deletes.Policy.Summary = define.Summary(d.whatIsDeleted)
	discover := []*tool.Tool{
		define.Tool(app, "describe_fields", d.describeFields), define.Tool(app, "top_values", d.topValues),
		define.Tool(app, "look_up_client", d.lookUpClient), define.Tool(app, "make_chart", d.makeChart),
		define.Tool(app, "create_alert", d.createAlert), define.Tool(app, "list_alerts", d.listAlerts), deletes,
	}
	return append(discover, d.research.Tools()...)
}

// Payloads returns the demo's payload types.
func (d *Demo) Payloads() []*payload.Type {
	return append(define.Read(files).Payloads, d.research.Payloads()...)
}

// Pages returns the demo's pages.
func (d *Demo) Pages() []page.Page {
	return append(define.Read(files).Pages, d.research.Pages()...)
}

// AgentInstructions returns the first block of the system prompt for a real model.
func (d *Demo) AgentInstructions() string { return define.Read(files).Assistant }
