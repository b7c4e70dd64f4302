package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/probe"
)

// runModels lists providers or a provider's models, or probes a model.
func runModels(ctx context.Context, args []string, env func(string) string, stdout io.Writer) error {
	flags := flag.NewFlagSet("pageside models", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	model := flags.String("probe", "", "ask this `model`, a provider/name or a name of the configuration, five questions, and print what works; uses some 10,000 tokens")
	file := flags.String("config", "pageside.yaml", "the configuration `FILE` that describes the model to probe")
	provider := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		provider, args = args[0], args[1:]
	}
	if err := parse(flags, args, env, stdout); err != nil {
		return err
	}
	switch {
	case *model != "" && provider != "":
		return fmt.Errorf("models takes a provider or --probe, not both: %w", errUsage)
	case *model != "":
		return probeModel(ctx, *model, *file, env, stdout)
	case provider != "":
		return listModels(provider, stdout)
	}
	return listProviders(env, stdout)
}

func listProviders(env func(string) string, stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODELS\tOF\tKEY\tADDRESS")
	for _, p := range catalog.Providers() {
		fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", p.Name, p.Example, p.Title, keyState(p, env), cmp.Or(p.Address, "-"))
	}
	fmt.Fprintln(table, "script/FILE.yaml\trules from a file\t-\t-")
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(stdout, "\nKEY and ADDRESS are environment variables, which key and baseUrl of a model in pageside.yaml replace.\n"+
		"'pageside models PROVIDER' lists what is known of its models, 'pageside models --probe MODEL' asks a real one.\n")
	return err
}

// keyState says where a provider's key comes from, and whether it is there.
func keyState(p catalog.Provider, env func(string) string) string {
	switch {
	case p.API == catalog.Bedrock:
		return "of AWS"
	case p.API == catalog.Vertex:
		return "of Google, GOOGLE_CLOUD_PROJECT"
	case env(p.Key) != "":
		return p.Key + ", set"
	case p.Local:
		return p.Key + ", not needed"
	}
	return p.Key
}

func listModels(name string, stdout io.Writer) error {
	provider, ok := catalog.ProviderOf(name)
	if !ok {
		return fmt.Errorf("there is no provider %q%s: %w", name, didYouMean(name, providerNames()), errUsage)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODELS THAT BEGIN WITH\tWINDOW\tIMAGES\tTHINKS\tTOOLS\tPRICE IN, OUT, CACHED ($ PER MILLION)")
	for _, api := range apis(provider) {
		for _, m := range catalog.Models(api) {
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", m.Prefix, m.Window, yes(m.Images), yes(m.Thinking != ""), toolsOf(m), priceOf(m.Prices))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(stdout, "\nOthers work too: they are taken to have tools, and no images. like, contextWindow, images, tools, parallelTools and\n"+
		"prices of a model in pageside.yaml replace what stands here. Prices are the maker's own, where they are known.\n")
	return err
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "-"
}

func toolsOf(m catalog.Model) string {
	switch {
	case m.NoTools:
		return "-"
	case m.Single:
		return "one a step"
	}
	return "yes"
}

func priceOf(p llm.Prices) string {
	if p == (llm.Prices{}) {
		return "?"
	}
	return fmt.Sprintf("%g, %g, %g", p.Input, p.Output, p.CacheRead)
}

// probeModel asks a model what works, and fails if something does not that should.
func probeModel(ctx context.Context, name, file string, env func(string) string, stdout io.Writer) error {
	m, err := modelToProbe(name, file, env)
	if err != nil {
		return err
	}
	info := m.Info()
	if info.WindowAssumed {
		llm.Learn(ctx, m)
		info = m.Info()
	}
	fmt.Fprintf(stdout, "%s: window %s\n\n", info.Name(), windowOf(info))
	failed := 0
	for a := range probe.Run(ctx, m) {
		if a.Status == probe.Fails {
			failed++
		}
		fmt.Fprintf(stdout, "%-14s %-8s %6.1f s  %s\n", a.Question, a.Status, a.Took.Round(100*time.Millisecond).Seconds(), a.Detail)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of the questions failed", failed)
	}
	return nil
}

// windowOf says how large a model's window is, and whether that is known.
func windowOf(info llm.Info) string {
	switch {
	case info.ContextWindow == 0:
		return "unknown"
	case info.WindowAssumed:
		return fmt.Sprintf("%d tokens, assumed: its server does not say", info.ContextWindow)
	}
	return fmt.Sprintf("%d tokens", info.ContextWindow)
}

// modelToProbe opens a model of the configuration, or of a provider where there is no such file.
func modelToProbe(name, file string, env func(string) string) (llm.Model, error) {
	source, err := config.Load(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(name, "/"):
		return openModel(name, env)
	case err != nil:
		return nil, err
	case !strings.Contains(name, "/") && !defined(source, name):
		return nil, fmt.Errorf("%s has no model %q: %w", file, name, errUsage)
	}
	return config.OpenModel(source, config.Options{Env: env, OpenModel: modelsOf(env)}, name)
}

func defined(s *config.Source, name string) bool {
	_, ok := s.Models[name]
	return ok
}
