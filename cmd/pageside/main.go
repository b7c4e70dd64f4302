// Command pageside is the Pageside server.
//
//	pageside demo               the demo: no key, no configuration
//	pageside serve --config …   the assistants of a pageside.yaml
//	pageside mcp --config …     the same for one MCP client, over standard input and output
//	pageside init               a pageside.yaml and a page to start from
//	pageside check              what a pageside.yaml resolves to
//	pageside models             providers, models, and whether a real one works
//	pageside keys …             API keys: create, list, revoke
//	pageside audit              verifies or exports the audit log
//
// It only wires the packages together; `pageside help` lists the commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/nearest"
)

func main() {
	ctx := untilSignal(context.Background(), os.Stderr, os.Exit)
	// for packages without a logger of their own: one format for all lines
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "pageside:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "pageside:", err)
		os.Exit(1)
	}
}

// usageError marks a mistake on the command line. It is the command that prints the help.
type usageError string

func (e usageError) Error() string { return "see '" + string(e) + "'" }

// Is makes all of them one for errors.Is.
func (usageError) Is(target error) bool {
	_, ok := target.(usageError)
	return ok
}

const errUsage = usageError("pageside help")

const usage = `Pageside: an AI assistant beside any page of a web application.

Usage:

  pageside demo  [flags]    serves the demo: a log explorer and a library with an assistant; needs no key
  pageside serve [flags]    serves the assistants of a pageside.yaml, or one that flags describe, to AG-UI clients
  pageside mcp   [flags]    serves the agents and tools of a pageside.yaml to an MCP client that starts it, such as an editor
  pageside init  [flags]    writes a commented pageside.yaml and an example page to start from
  pageside check [flags]    validates a pageside.yaml and prints what each place resolves to
  pageside models [PROVIDER]  lists providers, or a provider's models; --probe MODEL asks a real one what works
  pageside forget [flags]   deletes everything of one person from the store of a server that does not run
  pageside keys  create|list|revoke  makes, lists and revokes API keys
  pageside audit verify     checks that nobody has changed the audit log; 'pageside audit export' prints it
  pageside version          prints the version and the commit it was built from
  pageside help             prints this text; 'pageside demo --help' lists a command's flags

Models are written provider/name. 'pageside models' lists all providers.

  openai/gpt-5-mini           OPENAI_API_KEY
  anthropic/claude-haiku-4-5  ANTHROPIC_API_KEY
  gemini/gemini-2.5-flash     GEMINI_API_KEY
  bedrock/…                   the AWS environment
  ollama/llama3.2             needs no key
  script/FILE.yaml            plays rules from a file

Flags may also be given as environment variables: --listen as PAGESIDE_LISTEN and so on.
`

// app is one call of the program: what its commands share.
type app struct {
	env            func(string) string
	stdout, stderr io.Writer
}

// command is what the program, or one of its commands, can do.
type command struct {
	name string
	run  func(*app, context.Context, []string) error
}

// commands are what the program can do. Beside them there are version and help.
var commands = []command{
	{"demo", (*app).demo}, {"serve", (*app).serve}, {"mcp", (*app).mcp}, {"init", (*app).init},
	{"check", (*app).check}, {"models", (*app).models}, {"forget", (*app).forget}, {"keys", (*app).keys},
	{"audit", (*app).audit},
}

// run is the whole program, so that tests can call it.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		args = []string{"help"}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "version", "--version":
		fmt.Fprintln(stdout, version())
		return nil
	case "help", "-h", "--help":
		if len(rest) == 0 || find(commands, rest[0]) == nil {
			fmt.Fprint(stdout, usage)
			return nil
		}
		name, rest = rest[0], []string{"--help"}
	}
	if c := find(commands, name); c != nil {
		return c.run(&app{env, stdout, stderr}, ctx, rest)
	}
	names := append(commandNames(commands), "version", "help")
	return fmt.Errorf("there is no command %q%s: %w", name, didYouMean(name, names), errUsage)
}

// choose runs one of the commands that stand behind another, or prints how they are used.
func (a *app) choose(ctx context.Context, of string, among []command, usage string, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"help", "-help", "--help", "-h"}, args[0]) {
		fmt.Fprint(a.stdout, usage)
		return nil
	}
	if c := find(among, args[0]); c != nil {
		return c.run(a, ctx, args[1:])
	}
	return fmt.Errorf("there is no command %q; %s takes %s: %w", of+" "+args[0], of,
		strings.Join(commandNames(among), ", "), errUsage)
}

// find returns the command of that name, nil if there is none.
func find(among []command, name string) *command {
	if i := slices.IndexFunc(among, func(c command) bool { return c.name == name }); i >= 0 {
		return &among[i]
	}
	return nil
}

func commandNames(all []command) (names []string) {
	for _, c := range all {
		names = append(names, c.name)
	}
	return names
}

// didYouMean suggests the name that was probably meant.
func didYouMean(name string, names []string) string {
	return nearest.Question("%s", nearest.Slip(name, names))
}
