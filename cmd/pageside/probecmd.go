package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/probe"
)

// probeReport is what --probe finds, in JSON.
type probeReport struct {
	Model  string `json:"model"`
	Window int    `json:"window,omitempty"` // in tokens; 0 means unknown
	// its server does not say how large the window is
	WindowAssumed bool          `json:"windowAssumed,omitempty"`
	Works         bool          `json:"works"` // all questions were asked, and none failed
	Answers       []probeAnswer `json:"answers"`
}

type probeAnswer struct {
	Question string       `json:"question"`
	Status   probe.Status `json:"status"`
	Detail   string       `json:"detail"`
	Advice   string       `json:"advice,omitempty"`
	MS       int64        `json:"ms"`
}

// probe asks a model what works, and fails if something does not that should.
func (a *app) probe(ctx context.Context, f modelsFlags) error {
	m, err := a.modelToProbe(f.probe, f.config)
	if err != nil {
		return err
	}
	info := m.Info()
	provider, _ := catalog.ProviderOf(info.Provider)
	if f.timeout == 0 {
		f.timeout = probe.Timeout
		if provider.Local {
			f.timeout = probe.LocalTimeout
		}
	}
	info = learned(ctx, m, f.timeout)
	report := probeReport{Model: info.Name(), Window: info.ContextWindow, WindowAssumed: info.WindowAssumed}
	if !f.json {
		fmt.Fprintf(a.stdout, "%s: window %s\n\n", info.Name(), windowOf(info))
	}
	for answer := range probe.Run(ctx, m, f.timeout) {
		answer.Advice = inFull(answer, provider, info.Model)
		report.Answers = append(report.Answers, probeAnswer{
			answer.Question, answer.Status, answer.Detail, answer.Advice, answer.Took.Milliseconds(),
		})
		if !f.json {
			printAnswer(a.stdout, answer)
		}
	}
	failed := report.failed()
	report.Works = failed == 0 && len(report.Answers) == probe.Questions
	if f.json {
		if err := writeJSON(a.stdout, report); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted after %d of %d questions", len(report.Answers), probe.Questions)
	case failed > 0:
		return fmt.Errorf("%s: %d of %d questions failed", info.Name(), failed, probe.Questions)
	}
	return nil
}

func (r probeReport) failed() (n int) {
	for _, a := range r.Answers {
		if a.Status == probe.Fails {
			n++
		}
	}
	return n
}

// inFull returns the advice with the names that it needs.
func inFull(a probe.Answer, p catalog.Provider, model string) string {
	switch {
	case a.Err == nil:
	case a.Err.Kind == llm.KindAuth && a.Err.Status != http.StatusPaymentRequired && p.Key != "":
		return a.Advice + ": " + p.Key + ", or key in pageside.yaml"
	case a.Err.Kind == llm.KindNetwork && p.Address != "":
		return a.Advice + ": " + p.Address + ", or baseUrl in pageside.yaml"
	case a.Err.Status == http.StatusNotFound && p.Name == "ollama":
		return "ollama pull " + model
	}
	return a.Advice
}

func printAnswer(w io.Writer, a probe.Answer) {
	fmt.Fprintf(w, "%-14s %-8s %6.1f s  %s\n", a.Question, a.Status,
		a.Took.Round(100*time.Millisecond).Seconds(), a.Detail)
	if a.Advice != "" {
		fmt.Fprintf(w, "%34s→ %s\n", "", a.Advice)
	}
}

// learned returns what is known of a model, for which a local one is loaded.
func learned(ctx context.Context, m llm.Model, timeout time.Duration) llm.Info {
	if m.Info().WindowAssumed {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		llm.Learn(ctx, m)
	}
	return m.Info()
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

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// modelToProbe opens a model of the configuration, or of a provider where there is no such file.
func (a *app) modelToProbe(name, file string) (llm.Model, error) {
	source, err := config.Load(file)
	ofProvider := strings.Contains(name, "/")
	switch {
	case errors.Is(err, fs.ErrNotExist) && ofProvider:
		return a.modelOfProvider(name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--probe %s: there is no %s whose model this could be; of a provider, write it as provider/name, such as %s: %w",
			name, file, exampleOf(name), errUsage)
	case err != nil:
		return nil, err
	}
	if _, defined := source.Models[name]; !defined && !ofProvider {
		return nil, fmt.Errorf("%s has no model %q%s: %w", file, name, orExample(name), errUsage)
	}
	return config.OpenModel(source, config.Options{Env: a.env, OpenModel: modelsOf(a.env)}, name)
}

// modelOfProvider opens a model by its name alone, and says how to give a key that is missing.
func (a *app) modelOfProvider(name string) (llm.Model, error) {
	m, err := openModel(name, a.env)
	provider, _, _ := strings.Cut(name, "/")
	p, _ := catalog.ProviderOf(provider)
	if err != nil && p.Key != "" && a.env(p.Key) == "" && !p.Local {
		return nil, fmt.Errorf("%w: write %s=… pageside models --probe %s", err, p.Key, name)
	}
	return m, err
}

// exampleOf returns a model of the provider, or of any.
func exampleOf(provider string) string {
	p, _ := catalog.ProviderOf(provider)
	return cmp.Or(p.Name, "openai") + "/" + cmp.Or(p.Example, "gpt-5-mini")
}

// orExample suggests a model, if what was written is the name of a provider.
func orExample(name string) string {
	if _, ok := catalog.ProviderOf(name); !ok {
		return ""
	}
	return "; one of the provider's is written like " + exampleOf(name)
}
