// Command plain is an assistant in a page without a framework and without a build: a chat box of
// sixty lines (chat.js) on the built @pageside/core, without the tray.
//
//	make web && go run ./examples/plain
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/web"
)

//go:embed index.html chat.js style.css answers.yaml
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	listen := flag.String("listen", "127.0.0.1:8422", "the `ADDRESS` to listen on")
	flag.Parse()
	if err := serve(ctx, *listen, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, address string, stdout io.Writer) error {
	handler, closeAll, err := newSite(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	fmt.Fprintf(stdout, "A chat box without a framework: http://%s\n", listener.Addr())
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ConnContext: server.ConnContext}
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	if err := srv.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// newSite serves the assistant at /v1/, the built core at /pageside-core.js, and the page.
func newSite(ctx context.Context) (_ http.Handler, closeAll func(), _ error) {
	rules, err := files.ReadFile("answers.yaml")
	if err != nil {
		return nil, nil, err
	}
	model, err := script.Parse("plain", rules)
	if err != nil {
		return nil, nil, err
	}
	pages, err := page.NewRegistry(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	kept, err := sqlstore.OpenTemp(ctx)
	if err != nil {
		return nil, nil, err
	}
	room := &agent.Agent{ID: "default", Description: "Switches the light of a room.", Model: model, Pages: pages}
	runs, err := run.NewManager(ctx, run.Config{Store: kept, Agents: run.Loops(room)})
	if err != nil {
		return nil, nil, err
	}
	assistant, err := server.New(server.Config{Runs: runs, Web: web.Script(), Protocols: []server.Protocol{agui.Protocol{}}, Logger: slog.Default()})
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", assistant)
	mux.Handle("/pageside-core.js", assistant)
	mux.Handle("/assets/", assistant)
	mux.Handle("/", http.FileServerFS(files))
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux, func() {
		assistant.Close()
		late, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		runs.Drain(late)
	}, nil
}
