package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"

	"github.com/pageside/pageside/demo"
)

//go:embed testdata/*.jsonl.gz
var testdata embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prompts:", err)
		os.Exit(1)
	}
}

// measure replays recordings and writes a table for each.
func measure(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("prompts", flag.ContinueOnError)
	logFile := flags.String("log", "", "the access log `FILE` that the recorded page showed; without it the generated sample")
	if err := flags.Parse(args); err != nil {
		return err
	}
	conversations, err := load(flags.Args())
	if err != nil {
		return err
	}
	counter, err := newCounter()
	if err != nil {
		return err
	}
	d, err := demo.New(ctx, demo.Config{LogFile: *logFile})
	if err != nil {
		return err
	}
	defer d.Close()
	for _, c := range conversations {
		if (*logFile == "") != (c.log == "") {
			return fmt.Errorf("%s was recorded on the log %q: name the same one with -log", c.name, c.log)
		}
		calls, err := replay(ctx, c, d)
		if err != nil {
			return fmt.Errorf("replay %s: %w", c.name, err)
		}
		if err := table(out, counter, c, calls); err != nil {
			return err
		}
		if err := dialectTable(ctx, out, calls); err != nil {
			return err
		}
	}
	return nil
}

// load reads the recordings at the paths, or else those that come with the program.
func load(paths []string) ([]*conversation, error) {
	open := func(name string) (fs.File, error) { return os.Open(name) }
	if len(paths) == 0 {
		open = testdata.Open
		paths, _ = fs.Glob(testdata, "testdata/*") // the pattern is right
	}
	var all []*conversation
	for _, p := range paths {
		f, err := open(p)
		if err != nil {
			return nil, err
		}
		c, err := readConversation(path.Base(p), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// table writes what each layout costs, in Markdown.
func table(out io.Writer, counter *counter, c *conversation, calls []call) error {
	fmt.Fprintf(out, "%d questions, %d runs, %d model calls (%s)\n\n", c.questions, len(c.runs), len(calls), c.name)
	fmt.Fprintln(out, "| | page context | prompt tokens | cached | uncached a call | cost | against A |")
	fmt.Fprintln(out, "|---|---|--:|--:|--:|--:|--:|")
	var first bill
	for i, l := range layouts {
		b, err := counter.price(l, calls)
		if err != nil {
			return err
		}
		if i == 0 {
			first = b
		}
		fmt.Fprintf(out, "| %s | %s | %d | %.1f %% | %d | %.0f | %+.1f %% |\n", l.key, l.name, b.tokens,
			100*float64(b.cached)/float64(b.tokens), b.uncached()/b.calls, b.cost(), 100*(b.cost()/first.cost()-1))
	}
	_, err := fmt.Fprintln(out)
	return err
}
