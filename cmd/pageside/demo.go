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
	return serve(ctx, c, listener, site{agent: a, web: web.Files(), name: "Discover with Pageside:", mount: map[string]http.Handler{"/demo/": d.Handler()}}, stdout, stderr)
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
	pages, err := page.NewRegistry(tools, d.Pages()...)
	if err != nil {
		return nil, fmt.Errorf("define the demo's pages: %w", err)
	}
	return &agent.Agent{ID: "default", Description: "Explores a web server's access log with you.", Instructions: d.AgentInstructions(), Model: model, Pages: pages}, nil
}
