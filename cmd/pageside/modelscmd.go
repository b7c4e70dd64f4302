package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/probe"
)

// modelsUsage precedes the flags.
const modelsUsage = `Usage: pageside models [PROVIDER] [flags]

Lists the providers, or what is known of a provider's models. With --probe it asks a real model what works.

  pageside models                              providers, their keys and addresses
  pageside models anthropic                    windows, images, tools and prices of its models
  pageside models --probe ollama/qwen3         a model of a provider
  pageside models --probe main                 the model "main" of pageside.yaml

`

// modelsFlags are those of `pageside models`.
type modelsFlags struct {
	probe, config string
	timeout       time.Duration
	json          bool
}

// models lists providers or a provider's models, or probes a model.
func (a *app) models(ctx context.Context, args []string) error {
	flags := flagSet("models")
	var f modelsFlags
	flags.StringVar(&f.probe, "probe", "",
		fmt.Sprintf("ask this `model`, a provider/name or a name of the configuration, %d questions and print what works; it takes a few hundred tokens",
			probe.Questions))
	flags.StringVar(&f.config, "config", "pageside.yaml", "the configuration `FILE` that describes the model to probe")
	flags.DurationVar(&f.timeout, "timeout", 0,
		fmt.Sprintf("how long each question of --probe may take (default %v, for local servers %v)",
			probe.Timeout, probe.LocalTimeout))
	flags.BoolVar(&f.json, "json", false, "print JSON")
	provider := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		provider, args = args[0], args[1:]
	}
	var help strings.Builder
	if err := parse(flags, args, a.env, &help); errors.Is(err, flag.ErrHelp) {
		_, rest, _ := strings.Cut(help.String(), "\n\n")
		fmt.Fprint(a.stdout, modelsUsage+rest)
		return err
	} else if err != nil {
		return err
	}
	switch {
	case f.timeout < 0:
		return fmt.Errorf("--timeout must be positive: %w", errUsage)
	case f.probe != "" && provider != "":
		return fmt.Errorf("models takes a provider or --probe, not both: %w", errUsage)
	case f.probe != "":
		return a.probe(ctx, f)
	case provider != "":
		return a.listModels(provider, f.json)
	case f.json:
		return writeJSON(a.stdout, a.providerRows())
	}
	return a.listProviders()
}

// providerRow is a provider in JSON.
type providerRow struct {
	Provider string `json:"provider"`
	Title    string `json:"title"`
	Example  string `json:"example"`
	Key      string `json:"key,omitempty"` // the environment variable
	KeySet   bool   `json:"keySet"`
	Address  string `json:"address,omitempty"` // the environment variable
	BaseURL  string `json:"baseUrl,omitempty"`
}

func (a *app) providerRows() (rows []providerRow) {
	for _, p := range catalog.Providers() {
		rows = append(rows, providerRow{
			p.Name, p.Title, p.Name + "/" + p.Example, p.Key, p.Key != "" && a.env(p.Key) != "", p.Address,
			p.BaseURL,
		})
	}
	return rows
}

func (a *app) listProviders() error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODELS\tOF\tKEY\tADDRESS")
	for _, p := range catalog.Providers() {
		fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\n", p.Name, p.Example, p.Title, keyState(p, a.env),
			cmp.Or(p.Address, "-"))
	}
	fmt.Fprintln(table, "script/FILE.yaml\trules from a file\t-\t-")
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.stdout, "\nKEY and ADDRESS are environment variables, which key and baseUrl of a model in pageside.yaml replace.\n"+
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

func (a *app) listModels(name string, asJSON bool) error {
	provider, ok := catalog.ProviderOf(name)
	if !ok {
		return fmt.Errorf("there is no provider %q%s: %w", name, didYouMean(name, providerNames()), errUsage)
	}
	if asJSON {
		var all []catalog.Model
		for _, api := range apis(provider) {
			all = append(all, catalog.Models(api)...)
		}
		return writeJSON(a.stdout, all)
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODELS THAT BEGIN WITH\tWINDOW\tIMAGES\tTHINKS\tTOOLS\tPRICE IN, OUT, CACHED ($ PER MILLION)")
	for _, api := range apis(provider) {
		for _, m := range catalog.Models(api) {
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", m.Prefix, m.Window, yes(m.Images),
				yes(m.Thinking != ""), toolsOf(m), priceOf(m.Prices))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.stdout, "\nOthers work too: they are taken to have tools, and no images. like, contextWindow, images, tools, parallelTools and\n"+
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
