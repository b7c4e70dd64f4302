package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// common are the flags of every command that serves.
type common struct {
	listen string
	store  string
	model  string
	grace  time.Duration
}

// newFlags returns a flag set with the common flags.
func newFlags(name string, c *common, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("pageside "+name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.listen, "listen", "127.0.0.1:8420", "`address` to listen on; without authentication only loopback addresses are allowed")
	fs.StringVar(&c.model, "model", "", "`provider/name` of the model that answers")
	fs.DurationVar(&c.grace, "grace", 30*time.Second, "how long live runs may go on after a signal to stop")
	return fs
}

// parse reads the command line, and the environment for flags that are not on it.
func parse(fs *flag.FlagSet, args []string, env func(string) string) error {
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		name := "PAGESIDE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v := env(name); v != "" {
			if err := f.Value.Set(v); err != nil {
				bad = errors.Join(bad, fmt.Errorf("environment variable %s: %w: %w", name, err, errUsage))
			}
		}
	})
	if bad != nil {
		return bad
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: %w", fs.Arg(0), errUsage)
	}
	return nil
}
