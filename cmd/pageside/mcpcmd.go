package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/compat/mcp"
	"github.com/pageside/pageside/config"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
)

// mcpInput is where MCP messages are read from.
var mcpInput io.ReadCloser = os.Stdin

// mcpGrace is how long runs may go on when the client has left: it kills those that take longer.
const mcpGrace = 2 * time.Second

// runMCP serves one MCP client over standard input and output. Nothing but messages is written to
// stdout.
func runMCP(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	var file, address, model, agent, as string
	flags := flag.NewFlagSet("pageside mcp", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main reports errors, once
	flags.StringVar(&file, "config", "", "the pageside.yaml `FILE` whose agents and tools to offer")
	flags.StringVar(&address, "store", "", "where to keep threads: sqlite:`FILE` (default sqlite:pageside.db), which no other process uses")
	flags.StringVar(&model, "model", "", "`provider/name` of the model that answers; replaces every model of the configuration")
	flags.StringVar(&agent, "agent", "", "the `id` of the only agent to offer")
	flags.StringVar(&as, "as", "", "the `subject` in whose name the client asks; needed if the configuration has auth")
	if err := parse(flags, args, env, stdout); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	options := config.Options{Env: env, Logger: log, Tools: extraTools(), OpenModel: modelsOf(env), Model: model, Stdout: stderr, Audit: true}
	source, err := mcpSource(file, agent, as, options)
	if err != nil {
		return err
	}
	built, err := config.Build(ctx, source, options)
	if err != nil {
		return err
	}
	defer built.Close()
	return serveMCP(ctx, site{built: built}, cmp.Or(address, source.Store, "sqlite:pageside.db"), agent, as, log, stdout)
}

// mcpSource reads the configuration, and checks the flags against it.
func mcpSource(file, agent, as string, o config.Options) (*config.Source, error) {
	if file == "" {
		return nil, fmt.Errorf("--config FILE is needed: %w", errUsage)
	}
	source, err := load(file, o)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, a := range source.Agents {
		ids = append(ids, a.ID)
	}
	switch {
	case agent != "" && !slices.Contains(ids, agent):
		return nil, fmt.Errorf("--agent %q: there is no such agent%s: %w", agent, didYouMean(agent, ids), errUsage)
	case as == "" && source.Authenticates():
		return nil, fmt.Errorf("--as SUBJECT is needed: %s has auth, and the client asks in somebody's name: %w", file, errUsage)
	}
	return source, nil
}

// serveMCP serves a built configuration until the client closes its end.
func serveMCP(ctx context.Context, what site, address, agent, as string, log *slog.Logger, stdout io.Writer) error {
	st, err := sqlstore.Open(ctx, address)
	if err != nil {
		return fmt.Errorf("open the store %q (each client that starts 'pageside mcp' needs one of its own): %w", address, err)
	}
	defer st.Close()
	if log := what.built.Audit; log != nil {
		if err := log.Open(ctx, st); err != nil {
			return err
		}
		defer log.Close()
	}
	runs, err := pagerun.NewManager(ctx, runConfig(what.built, st, log))
	if err != nil {
		return err
	}
	cfg := serverConfig(what, runs, st, nil, log)
	cfg.DropIns, cfg.Authenticate = []server.DropIn{mcp.Local{Person: slices.Contains(what.built.Source.Personal, "mcp")}}, nil
	if as != "" {
		cfg.Authenticate = func(*http.Request) (auth.Principal, error) {
			return auth.Principal{Subject: as, Method: commandLine}, nil
		}
	}
	handler, err := server.New(cfg)
	if err != nil {
		return err
	}
	defer handler.Close()
	err = mcp.Serve(ctx, handler, release(), agent, mcpInput, discardClose{stdout})
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), mcpGrace)
	defer stop()
	runs.Drain(last)
	return err
}

// discardClose is a writer that stays open.
type discardClose struct{ io.Writer }

func (discardClose) Close() error { return nil }
