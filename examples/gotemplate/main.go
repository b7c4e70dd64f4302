// Command gotemplate is a server-rendered application with the assistant beside it: html/template,
// no front end to build. The page says what it shows and what can be done in it with data
// attributes (orders.html); the assistant is in the same program, and is what pageside.yaml
// describes.
//
//	go run ./examples/gotemplate
package main

import (
	"cmp"
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

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/web"
)

//go:embed orders.html orders.css pageside.yaml answers.yaml
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	listen := flag.String("listen", "127.0.0.1:8421", "the `ADDRESS` to listen on")
	flag.Parse()
	if err := serve(ctx, *listen, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gotemplate:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, address string, stdout io.Writer) error {
	site, err := newSite(ctx)
	if err != nil {
		return err
	}
	defer site.close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	fmt.Fprintf(stdout, "Orders with the assistant beside them: http://%s\n", listener.Addr())
	srv := &http.Server{Handler: site.handler, ReadHeaderTimeout: 10 * time.Second, ConnContext: server.ConnContext}
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	if err := srv.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// site is the application and its assistant.
type site struct {
	handler http.Handler
	close   func()
}

// newSite serves both at one address: the assistant at /v1/ and the paths of its script, the
// application everywhere else.
func newSite(ctx context.Context) (*site, error) {
	assistant, closeAssistant, err := newAssistant(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the assistant: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", assistant)
	mux.Handle("GET /pageside.js", assistant)
	mux.Handle("GET /assets/", assistant)
	mux.HandleFunc("GET /{$}", showOrders)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /orders.css", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "orders.css") })
	return &site{mux, closeAssistant}, nil
}

// newAssistant returns the assistant of pageside.yaml. It keeps threads in memory; package
// store/sqlstore would keep them in a file.
func newAssistant(ctx context.Context) (_ *server.Server, closeAll func(), _ error) {
	raw, err := files.ReadFile("pageside.yaml")
	if err != nil {
		return nil, nil, err
	}
	source, err := config.Parse("pageside.yaml", raw)
	if err != nil {
		return nil, nil, err
	}
	built, err := config.Build(ctx, source, config.Options{OpenModel: openModel})
	if err != nil {
		return nil, nil, err
	}
	kept, err := sqlstore.OpenTemp(ctx)
	if err != nil {
		built.Close()
		return nil, nil, err
	}
	runs, err := run.NewManager(ctx, run.Config{Store: kept, Agents: built.Served()})
	if err != nil {
		built.Close()
		return nil, nil, err
	}
	handler, err := server.New(server.Config{Runs: runs, Web: web.Script(), Protocols: []server.Protocol{agui.Protocol{}}, Logger: slog.Default()})
	if err != nil {
		built.Close()
		return nil, nil, err
	}
	return handler, func() {
		handler.Close()
		late, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		runs.Drain(late)
		built.Close()
	}, nil
}

// openModel knows one provider: the rules in answers.yaml. Others are in the packages beside
// llm/script.
func openModel(spec config.ModelSpec) (llm.Model, error) {
	if spec.Provider != "script" {
		return nil, fmt.Errorf("this example knows the provider script only, not %q", cmp.Or(spec.Provider, spec.Name))
	}
	raw, err := files.ReadFile("answers.yaml")
	if err != nil {
		return nil, err
	}
	return script.Parse("orders", raw)
}
