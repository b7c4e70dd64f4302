package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/store/sqlstore"
)

// common are the flags of the commands that serve.
type common struct {
	config string
	listen string
	store  string
	model  string
	grace  time.Duration

	recover bool

	logFormat   logFormat
	logLevel    logLevel
	logRequests bool

	inspector bool
	origins   []string
}

// listVar declares a flag that may be repeated, or list several values separated by commas.
func listVar(fs *flag.FlagSet, to *[]string, name, usage string, check func(string) error) {
	fs.Func(name, usage, func(values string) error {
		for v := range strings.SplitSeq(values, ",") {
			if err := check(v); err != nil {
				return err
			}
			*to = append(*to, v)
		}
		return nil
	})
}

// openStore opens the store that the flags name.
func (c common) openStore(ctx context.Context, log *slog.Logger) (*sqlstore.Store, error) {
	options := []sqlstore.Option{sqlstore.WithLogger(log)}
	if c.recover {
		options = append(options, sqlstore.WithRecovery())
	}
	return sqlstore.Open(ctx, c.store, options...)
}

// recorder returns the recorder for the inspector, or nil.
func (c common) recorder() *inspect.Recorder {
	if !c.inspector {
		return nil
	}
	return inspect.New(0)
}

// tracer returns r as a Tracer, with a nil recorder as a nil interface.
func tracer(r *inspect.Recorder) agent.Tracer {
	if r == nil {
		return nil
	}
	return r
}

const (
	defaultListen = "127.0.0.1:8420"
	defaultStore  = "sqlite:pageside.db"
)

// flagSet returns the flags of a command, none yet.
func flagSet(name string) *flag.FlagSet {
	fs := flag.NewFlagSet("pageside "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // main reports errors, once
	return fs
}

// newFlags returns a flag set with the common flags.
func newFlags(name string, c *common) *flag.FlagSet {
	fs := flagSet(name)
	fs.StringVar(&c.listen, "listen", "",
		"`address` to listen on (default "+defaultListen+"); others than loopback need auth in the configuration")
	fs.StringVar(&c.model, "model", "",
		"`provider/name` of the model that answers; replaces every model of the configuration")
	listVar(fs, &c.origins, "origin", "`origin` of other pages that may use the server, such as http://localhost:5173; "+
		"may be repeated", config.CheckOrigin)
	fs.BoolVar(&c.inspector, "inspector", name == "demo",
		"keep the newest runs in memory, prompts included, and show each user their own at /inspector")
	c.logFormat = "text"
	fs.Var(&c.logFormat, "log-format", "text or json: the `format` of the log on stderr")
	fs.Var(&c.logLevel, "log-level", "the lowest `level` that is logged: debug, info, warn or error")
	fs.BoolVar(&c.logRequests, "log-requests", name != "demo",
		"log a line for each request (method, path, status, duration, user); runs are always logged")
	fs.BoolVar(&c.recover, "recover", false,
		"start once with a damaged write-ahead log of the store: keep the files aside as FILE.damaged and FILE.damaged-wal, and take what is before the damage; without damage it does nothing")
	fs.DurationVar(&c.grace, "grace", 30*time.Second, "how long live runs may go on after a signal to stop")
	return fs
}

// parse reads the command line of a command; see parse.
func (a *app) parse(fs *flag.FlagSet, args []string) error { return parse(fs, args, a.env, a.stdout) }

// parse reads the command line, and the environment for flags that are not on it. If help is asked
// for, it prints the flags and returns flag.ErrHelp.
func parse(fs *flag.FlagSet, args []string, env func(string) string, stdout io.Writer) error {
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		printFlags(fs, stdout)
		return err
	} else if err != nil {
		err = meant(fs, err)
		if strings.HasSuffix(err.Error(), "?") {
			return fmt.Errorf("%w %w", err, helpOf(fs))
		}
		return fmt.Errorf("%w: %w", err, helpOf(fs))
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q%s: %w", fs.Arg(0), forFlag(fs), helpOf(fs))
	}
	given := make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		v := env(variable(f))
		if v == "" || given[f.Name] {
			return
		}
		if err := f.Value.Set(v); err != nil {
			bad = errors.Join(bad,
				fmt.Errorf("invalid value %q for the environment variable %s: %w: %w", v, variable(f), err, helpOf(fs)))
		}
	})
	return errors.Join(bad, checkStore(fs))
}

// forFlag suggests the flag that takes what was given alone: a configuration.
func forFlag(fs *flag.FlagSet) string {
	if file := fs.Arg(0); fs.Lookup("config") != nil &&
		(strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml")) {
		return fmt.Sprintf("; did you mean --config %s?", file)
	}
	return ""
}

// helpOf says where a command's flags are explained.
func helpOf(fs *flag.FlagSet) error { return usageError(fs.Name() + " --help") }

// checkStore refuses an address of a store that a command cannot mean.
func checkStore(fs *flag.FlagSet) error {
	f := fs.Lookup("store")
	if f == nil || f.Value.String() == "" {
		return nil
	}
	if err := config.CheckStore(f.Value.String()); err != nil {
		return fmt.Errorf("--store %q: %w: %w", f.Value, err, helpOf(fs))
	}
	return nil
}

// meant improves the error for an unknown flag: it suggests the flag that was probably meant.
func meant(fs *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return errors.New(strings.Replace(err.Error(), " for flag -", " for --", 1))
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	best := nearest.Slip(name, names)
	if other := otherNames[name]; best == "" && fs.Lookup(other) != nil {
		best = other
	}
	return fmt.Errorf("%s has no flag --%s%s", fs.Name(), name, nearest.Question("--%s", best))
}

// otherNames are what flags are called elsewhere.
var otherNames = map[string]string{
	"port": "listen", "p": "listen", "host": "listen", "bind": "listen", "addr": "listen", "address": "listen",
	"c": "config", "f": "config", "file": "config", "cors": "origin", "cors-origin": "origin", "allow-origin": "origin",
	"db": "store", "database": "store", "data": "store", "m": "model", "llm": "model", "v": "log-level",
	"verbose": "log-level", "debug": "log-level",
	"static": "pages", "root": "pages", "public": "pages", "o": "dir", "out": "dir", "output": "dir",
}

// variable returns the environment variable for a flag.
func variable(f *flag.Flag) string {
	return "PAGESIDE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// printFlags prints a command's flags with two dashes, as the documentation writes them.
func printFlags(fs *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "Usage: %s [flags]\n\n", fs.Name())
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0s" {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(w, "  %s\n        %s\n", strings.TrimSpace("--"+f.Name+" "+value), text)
	})
}
