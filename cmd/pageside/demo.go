package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/llm"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/web"
)

// demoCommand is the demo as its flags describe it.
type demoCommand struct {
	*app
	common
	files           demo.Config
	reset, printLog bool
	addresses       map[string]string // as modelSwitch has them
}

// demo serves the demo application with its assistant.
func (a *app) demo(ctx context.Context, args []string) error {
	c, err := a.parseDemo(args)
	if err != nil {
		return err
	}
	if c.printLog {
		return accesslog.WriteSample(a.stdout)
	}
	return c.run(ctx)
}

func (a *app) parseDemo(args []string) (*demoCommand, error) {
	c := &demoCommand{app: a}
	if err := a.parse(c.flags(), args); err != nil {
		return nil, err
	}
	if c.reset && c.store == "" && !c.printLog {
		return nil, fmt.Errorf("--reset is for a demo with --store; without it every start begins anew: %w", errUsage)
	}
	if c.recover && c.store == "" && !c.printLog {
		return nil, fmt.Errorf("--recover is for a demo with --store; without it there is nothing to recover: %w",
			errUsage)
	}
	return c, nil
}

func (c *demoCommand) flags() *flag.FlagSet {
	flags := newFlags("demo", &c.common)
	flags.StringVar(&c.store, "store", "",
		"where to keep threads, alerts, streams and reports: sqlite:`FILE`; by default they are gone when the demo ends")
	flags.BoolVar(&c.reset, "reset", false,
		"replace the alerts, streams and reports in --store by the demo's own; threads stay")
	flags.StringVar(&c.files.ArticleFile, "articles", "",
		"articles for Research: a `FILE` of JSON lines, plain or .gz; by default generated")
	flags.StringVar(&c.files.TrialFile, "trials", "",
		"clinical trials for Research: a CSV `FILE` from ClinicalTrials.gov, plain or .gz; by default generated")
	flags.StringVar(&c.files.LogFile, "log", "",
		"Apache or nginx access log: a `FILE` in common or combined format, plain or .gz; by default generated")
	flags.BoolVar(&c.printLog, "print-log", false, "print the generated access log and exit")
	return flags
}

// run opens all that the demo shows, and serves it.
func (c *demoCommand) run(ctx context.Context) error {
	listener, err := listen(cmp.Or(c.listen, defaultListen), false) // before the log is read
	if err != nil {
		return err
	}
	defer listener.Close()
	users, err := openSaved(ctx, c.store, c.reset)
	if err != nil {
		return err
	}
	defer users.Close()
	notes := []string{keptNote(c.store)}
	if c.store == "" {
		folder, err := os.MkdirTemp("", "pageside-demo-")
		if err != nil {
			return fmt.Errorf("make a folder for the demo's threads: %w", err)
		}
		defer os.RemoveAll(folder)
		c.store = "sqlite:" + filepath.Join(folder, "threads.db")
	}
	log := c.logger(c.stderr)
	c.files.Saved, c.files.Log = users, log
	return c.serve(ctx, listener, notes, log)
}

// serve serves the demo until ctx ends.
func (c *demoCommand) serve(ctx context.Context, listener net.Listener, notes []string, log *slog.Logger) error {
	model, err := demoModel(ctx, c.model, c.env)
	if err != nil {
		return err
	}
	if base := baseNote(model.Info(), c.env); base != "" {
		notes = append(notes, base)
	}
	d, err := demo.New(ctx, c.files)
	if err != nil {
		return err
	}
	defer d.Close()
	what := &site{
		log: log, inspector: c.recorder(), web: web.Files(),
		name: "Discover with Pageside:", notes: append(demoNotes(d, c.files, model.Info()), notes...),
	}
	if what.built, err = demoSite(ctx, d, model, tracer(what.inspector)); err != nil {
		return err
	}
	defer what.built.Close()
	suggester, err := demoSuggester(ctx, c.model, model, c.env)
	if err != nil {
		return err
	}
	models := c.newSwitch(d, model, tracer(what.inspector), log)
	models.suggesting = newChangingModel(suggester)
	what.built.Suggester = models.suggesting
	what.started = func(runs *pagerun.Manager) { models.started(runs); d.Research().UseModel(asker(runs)) }
	what.prepare = func(ctx context.Context, st store.Store) error { return storeInstructions(ctx, st, d) }
	what.mount = map[string]http.Handler{
		"/demo/": d.Handler(), "/_plugins/_ppl": d.Handler(), "/demo/model": models.handler(),
	}
	return what.serve(ctx, c.common, listener, c.stdout)
}

// asker lets Research ask the assistant's model. The demo has one user.
func asker(runs *pagerun.Manager) research.Asker {
	const id = "default"
	return research.Asker{
		Query: func(ctx context.Context, q agent.Query) (json.RawMessage, error) {
			output, _, err := runs.Query(ctx, auth.Local, id, q)
			if e, ok := errors.AsType[*refusal.Error](err); ok {
				return nil, &refuse.Error{Status: http.StatusTooManyRequests, Code: string(e.Code), Message: e.Message}
			}
			return output, err
		},
		Model: func() llm.Info { return runs.Settings(id).Model.Info() },
	}
}

// savedFile returns the file beside the threads where the demo keeps what users make:
// threads-demo.db for threads.db.
func savedFile(store string) string {
	file := strings.TrimPrefix(store, "sqlite:")
	extension := filepath.Ext(file)
	return strings.TrimSuffix(file, extension) + "-demo" + cmp.Or(extension, ".db")
}

// openSaved opens the demo's saved data. It returns nil, which saves nothing, if store names no
// file; the store itself reports an invalid name.
func openSaved(ctx context.Context, store string, reset bool) (*saved.Store, error) {
	if file := strings.TrimPrefix(store, "sqlite:"); file == "" ||
		strings.Contains(file, ":") && filepath.VolumeName(file) == "" {
		return nil, nil
	}
	users, err := saved.Open(ctx, savedFile(store))
	if err != nil {
		return nil, fmt.Errorf("--store %s: %w", store, err)
	}
	if reset {
		err = users.Clear(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, users.Close())
	}
	return users, nil
}

// baseNote mentions OPENAI_BASE_URL if the model is asked there: a wrong address otherwise shows
// only in an answer.
func baseNote(model llm.Info, env func(string) string) string {
	base := env("OPENAI_BASE_URL")
	if model.Provider != "openai" || base == "" {
		return ""
	}
	address, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("OPENAI_BASE_URL has it asked at %s://%s.", address.Scheme, address.Host)
}

// keptNote says where the demo keeps what users make, if it does.
func keptNote(store string) string {
	if store == "" {
		return "Nothing is kept: threads, alerts, streams and reports are gone when the demo ends; --store sqlite:demo.db keeps them."
	}
	return fmt.Sprintf("Threads are kept in %s; alerts, streams and reports in %s.",
		strings.TrimPrefix(store, "sqlite:"), savedFile(store))
}

// newSwitch returns what connects other models. model answers until somebody does.
func (c *demoCommand) newSwitch(d *demo.Demo, model llm.Model, tracer agent.Tracer, log *slog.Logger) *modelSwitch {
	return &modelSwitch{
		env: c.env, log: log, given: c.model, addresses: c.addresses,
		now: connection{name: cmp.Or(c.model, model.Info().Name()), scripted: model.Info().Scripted},
		build: func(m llm.Model) ([]*agent.Agent, error) {
			built, err := demoSite(context.Background(), d, m, tracer)
			if err != nil {
				return nil, err
			}
			return built.Agents, nil // the demo's site needs no closing
		},
	}
}

// demoNotes says how to get a real model, and what was loaded.
func demoNotes(d *demo.Demo, files demo.Config, model llm.Info) (notes []string) {
	if model.Scripted {
		notes = append(notes,
			"For a real one press Connect a model on the page, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, start Ollama, or name one with --model.")
	}
	stats := d.Stats()
	log := fmt.Sprintf("The log has %d requests.", stats.Count)
	if files.LogFile == "" {
		log = fmt.Sprintf("The log is a generated sample of %d requests; --log FILE shows your own.", stats.Count)
	} else if stats.Bad > 0 {
		log += fmt.Sprintf(" Lines that could not be read: %d, the first is line %d (%s).", stats.Bad,
			stats.BadLines[0].Line, stats.BadLines[0].Reason)
	}
	articles, trials := d.Research().Stats()
	return append(notes, log, libraryNote("articles", articles), libraryNote("trials", trials))
}

// libraryNote says what was loaded into the library of Research.
func libraryNote(what string, s library.Source) string {
	if s.Generated {
		return fmt.Sprintf("Research has %d generated %s; --%s FILE shows your own.", s.Count, what, what)
	}
	note := fmt.Sprintf("Research has %d %s.", s.Count, what)
	if s.Bad > 0 {
		note += fmt.Sprintf(" Entries that could not be read: %d, the first is in line %d (%s).", s.Bad,
			s.BadLines[0].Line, s.BadLines[0].Reason)
	}
	return note
}

// storeInstructions writes the instructions that streams of the demo come with, where none are
// stored yet.
func storeInstructions(ctx context.Context, st store.Store, d *demo.Demo) error {
	local := store.Owner{Subject: "local"}
	for id, text := range d.Research().Instructions() {
		_, err := st.Instructions(ctx, local, "stream", id)
		if errors.Is(err, store.ErrNotFound) {
			err = st.PutInstructions(ctx, local, store.Instructions{
				Kind: "stream", ID: id, Text: text, UpdatedAt: time.Now().UTC(), UpdatedBy: local.Subject,
			})
		}
		if err != nil {
			return fmt.Errorf("store the instructions of stream %s: %w", id, err)
		}
	}
	return nil
}

// demoModel opens the chosen model, else the first one found, else the demo's script.
func demoModel(ctx context.Context, name string, env func(string) string) (llm.Model, error) {
	if name == "" {
		name = findModel(ctx, env)
	}
	if name == "" || name == scriptedDemo {
		m, err := demo.NewScripted()
		if err != nil {
			return nil, fmt.Errorf("read the demo's script: %w", err)
		}
		return m, nil
	}
	m, err := openModel(name, env)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	return m, nil
}

// demoSuggester returns the model that suggests what to ask: the chosen one, unless it plays a file
// of the user's, which has no rules for that.
func demoSuggester(ctx context.Context, name string, chosen llm.Model, env func(string) string) (llm.Model, error) {
	if name == "" || name == scriptedDemo || !chosen.Info().Scripted {
		return chosen, nil
	}
	return demoModel(ctx, scriptedDemo, env)
}

// contextTokens is the budget of the page context: enough for a loaded page of Research in brief.
const contextTokens = 4000

// demoSite builds the demo's assistant with its pages and tools.
func demoSite(ctx context.Context, d *demo.Demo, model llm.Model, tracer agent.Tracer) (*config.Site, error) {
	titles, pages := "", d.Pages() // a real model is not asked, and paid, for titles
	if _, ok := model.(*demo.Scripted); ok {
		titles, pages = model.Info().Name(), demo.Connectable(pages)
	}
	source, err := config.FromFile(config.File{Agents: []config.Agent{{
		ID: "default", Description: "Explores a web server's access log, or a research library, with you.",
		Instructions: config.Text(d.AgentInstructions()), Model: model.Info().Name(),
		AskUser: true, ContextTokens: contextTokens, TitleModel: titles,
	}}, Suggestions: &config.Suggestions{Model: model.Info().Name()}})
	if err != nil {
		return nil, fmt.Errorf("describe the demo: %w", err)
	}
	built, err := config.Build(ctx, source, config.Options{
		Tools: d.Tools(), Payloads: d.Payloads(), Pages: pages,
		OpenModel: func(config.ModelSpec) (llm.Model, error) { return model, nil }, Tracer: tracer, Audit: true,
	})
	if err != nil {
		return nil, fmt.Errorf("define the demo: %w", err)
	}
	return built, nil
}
