package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/protocol/mcp"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
)

// mcpInput is where MCP messages are read from.
var mcpInput io.ReadCloser = os.Stdin

// mcpGrace is how long runs may go on when the client has left: it kills those that take longer.
const mcpGrace = 2 * time.Second

// mcp serves one MCP client over standard input and output. Nothing but messages is written to
// stdout.
func (a *app) mcp(ctx context.Context, args []string) error {
	var file, address, model, agent, as string
	flags := flagSet("mcp")
	flags.StringVar(&file, "config", "", "the pageside.yaml `FILE` whose agents and tools to offer")
	flags.StringVar(&address, "store", "",
		"where to keep threads: sqlite:`FILE` (default "+defaultStore+"), which no other process uses")
	flags.StringVar(&model, "model", "",
		"`provider/name` of the model that answers; replaces every model of the configuration")
	flags.StringVar(&agent, "agent", "", "the `id` of the only agent to offer")
	flags.StringVar(&as, "as", "", "the `subject` in whose name the client asks; needed if the configuration has auth")
	if err := a.parse(flags, args); err != nil {
		return err
	}
	what := &site{log: slog.New(slog.NewTextHandler(a.stderr, nil))}
	what.options = a.options(what.log, model)
	what.options.Stdout, what.options.Audit = a.stderr, true
	source, err := mcpSource(file, agent, as, what.options)
	if err != nil {
		return err
	}
	if what.built, err = config.Build(ctx, source, what.options); err != nil {
		return err
	}
	defer what.built.Close()
	return what.serveMCP(ctx, cmp.Or(address, source.Store, defaultStore), agent, as, a.stdout)
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
		return nil, fmt.Errorf("--as SUBJECT is needed: %s has auth, and the client asks in somebody's name: %w",
			file, errUsage)
	}
	return source, nil
}

// serveMCP serves the site to one client until that closes its end.
func (s *site) serveMCP(ctx context.Context, address, agent, as string, stdout io.Writer) error {
	st, err := sqlstore.Open(ctx, address)
	if err != nil {
		return fmt.Errorf("open the store %q (each client that starts 'pageside mcp' needs one of its own): %w",
			address, err)
	}
	defer st.Close()
	closeAll, err := s.open(ctx, st)
	defer closeAll()
	if err != nil {
		return err
	}
	cfg := s.serverConfig()
	cfg.Protocols = []server.Protocol{mcp.Local{Person: slices.Contains(s.built.Source.Personal, "mcp")}}
	cfg.Authenticate = nil
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
	s.runs.Drain(last)
	return err
}

// discardClose is a writer that stays open.
type discardClose struct{ io.Writer }

func (discardClose) Close() error { return nil }
