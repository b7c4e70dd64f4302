package demo

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// Config says what the demo shows.
type Config struct {
	LogFile string   // an access log, plain or gz; empty means the generated sample
	Model   llm.Info // the model that answers, as the page shows it

	QueryTimeout time.Duration // how long one query of the page may run; 0 means 2 s
}

// Demo is the running demo application. It is safe for concurrent use.
type Demo struct {
	config Config
	log    *accesslog.Log
	schema *ppl.Schema
}

// New loads the log. Close releases it.
func New(ctx context.Context, config Config) (*Demo, error) {
	load := accesslog.Sample
	if config.LogFile != "" {
		load = func(ctx context.Context) (*accesslog.Log, error) { return accesslog.Open(ctx, config.LogFile) }
	}
	log, err := load(ctx)
	if err != nil {
		return nil, err
	}
	return &Demo{config: config, log: log, schema: logSchema()}, nil
}

// logSchema is what queries may use of the log's table.
func logSchema() *ppl.Schema {
	s := &ppl.Schema{Source: accesslog.Table, ID: "_id"}
	for _, c := range accesslog.Columns {
		s.Fields = append(s.Fields, ppl.Field{Name: c.Name, Type: ppl.Type(c.Type)})
	}
	return s
}

// Stats says what was loaded: how many events, and which lines could not be read.
func (d *Demo) Stats() accesslog.Stats { return d.log.Stats }

// Close removes the loaded log.
func (d *Demo) Close() error { return d.log.Close() }

// Handler serves the API below /demo/.
func (d *Demo) Handler() http.Handler { return d.routes() }

// Tools are the demo's backend tools.
func (d *Demo) Tools() []*tool.Tool { return []*tool.Tool{d.describeFields(), d.topValues()} }

// Pages are the demo's pages.
func (d *Demo) Pages() []page.Page { return []page.Page{discoverPage()} }

//go:embed script.yaml
var scriptRules []byte

// Script is the scripted model's rules, in the format of package llm/script.
func Script() []byte { return scriptRules }

// AgentInstructions is the first block of the system prompt for a real model.
func (d *Demo) AgentInstructions() string { return agentInstructions }
