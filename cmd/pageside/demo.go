package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/web"
)

// runDemo serves the demo application with its assistant.
func runDemo(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	var c common
	var logFile string
	flags := newFlags("demo", &c)
	flags.StringVar(&c.store, "store", "", "where threads are kept: sqlite:`FILE`; without it they are gone when the demo ends")
	flags.StringVar(&logFile, "log", "", "Apache or nginx access `FILE` in common or combined format, plain or .gz; without it the demo shows a generated sample")
	if err := parse(flags, args, env, stdout); err != nil {
		return err
	}
	listener, err := listen(c.listen) // before the work of reading the log
	if err != nil {
		return err
	}
	defer listener.Close()
	if c.store == "" {
		folder, err := os.MkdirTemp("", "pageside-demo-")
		if err != nil {
			return fmt.Errorf("make a folder for the demo's threads: %w", err)
		}
		defer os.RemoveAll(folder)
		c.store = "sqlite:" + filepath.Join(folder, "threads.db")
	}
	model, err := demoModel(ctx, c.model, env)
	if err != nil {
		return err
	}
	d, err := demo.New(ctx, demo.Config{LogFile: logFile, Model: model.Info()})
	if err != nil {
		return err
	}
	defer d.Close()
	a, err := demoAgent(d, model)
	if err != nil {
		return err
	}
	what := site{agent: a, web: web.Files(), name: "Discover with Pageside:", notes: demoNotes(d, model.Info(), logFile),
		mount: map[string]http.Handler{"/demo/": d.Handler()}}
	return serve(ctx, c, listener, what, stdout, stderr)
}

// demoNotes says how to get a real model, and what was loaded of the log.
func demoNotes(d *demo.Demo, model llm.Info, logFile string) (notes []string) {
	if model.Scripted {
		notes = append(notes, "For a real one set OPENAI_API_KEY, start Ollama, or name one with --model.")
	}
	stats := d.Stats()
	if logFile == "" {
		return append(notes, fmt.Sprintf("The log is a generated sample of %d requests; --log FILE shows your own.", stats.Total))
	}
	note := fmt.Sprintf("The log has %d requests.", stats.Total)
	if stats.Bad > 0 {
		note += fmt.Sprintf(" Lines that could not be read: %d, the first is line %d (%s).", stats.Bad, stats.BadLines[0].Line, stats.BadLines[0].Reason)
	}
	return append(notes, note)
}

// demoModel is the chosen model, else one that can be found, else the script that comes with the demo.
func demoModel(ctx context.Context, name string, env func(string) string) (llm.Model, error) {
	if name == "" {
		name = findModel(ctx, env)
	}
	if name == "" || name == "script/demo" {
		m, err := script.Parse("demo", demo.Script())
		if err != nil {
			return nil, fmt.Errorf("read the demo's script: %w", err)
		}
		return m, nil
	}
	return openModel(name, env)
}

func demoAgent(d *demo.Demo, model llm.Model) (*agent.Agent, error) {
	tools, err := tool.NewRegistry(d.Tools()...)
	if err != nil {
		return nil, fmt.Errorf("define the demo's tools: %w", err)
	}
	pages, err := page.NewRegistry(tools, nil, d.Pages()...)
	if err != nil {
		return nil, fmt.Errorf("define the demo's pages: %w", err)
	}
	return &agent.Agent{ID: "default", Description: "Explores a web server's access log with you.", Instructions: d.AgentInstructions(), Model: model, Pages: pages}, nil
}
