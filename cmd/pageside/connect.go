package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/probe"
	pagerun "github.com/pageside/pageside/run"
)

// modelSwitch lets the demo's user connect another model, with a key that stays in memory. Live
// runs keep the model they began with.
type modelSwitch struct {
	env   func(string) string
	build func(llm.Model) ([]*agent.Agent, error) // the demo's agents with a model
	given string                                  // the model of the command line
	// other addresses of providers that are sent a key, for tests
	addresses map[string]string
	// makes the suggestions; it changes with the agents
	suggesting *changingModel
	log        *slog.Logger

	mu   sync.Mutex
	now  connection
	runs *pagerun.Manager
}

// connection is the model that answers now.
type connection struct {
	name     string // as it was chosen
	scripted bool
	key      string // that the user gave for it; sent to its provider alone, and told to nobody
}

// keyOf returns the key that the user gave for a provider, or "".
func (c connection) keyOf(provider string) string {
	if connected, _, _ := strings.Cut(c.name, "/"); connected == provider {
		return c.key
	}
	return ""
}

// changingModel is whatever model was chosen last.
type changingModel struct{ now atomic.Pointer[llm.Model] }

func newChangingModel(m llm.Model) *changingModel {
	c := &changingModel{}
	c.change(m)
	return c
}

func (c *changingModel) change(m llm.Model) { c.now.Store(&m) }

func (c *changingModel) Info() llm.Info { return (*c.now.Load()).Info() }

func (c *changingModel) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return (*c.now.Load()).Stream(ctx, req)
}

// connectionJSON is the model that answers, and those that could.
type connectionJSON struct {
	Model     string            `json:"model"`
	Scripted  bool              `json:"scripted"`
	Providers []offeredProvider `json:"providers"`
}

type offeredProvider struct {
	Name   string   `json:"name"`
	Label  string   `json:"label"`
	Models []string `json:"models"` // the first is the usual one; with a Host, others will do, too
	// that a key is sent to; absent if none is needed
	Host   string `json:"host,omitempty"`
	HasKey bool   `json:"hasKey,omitempty"` // of the environment, or of this connection
}

// handler serves /demo/model. The server has refused requests to hosts that are not loopback.
func (s *modelSwitch) handler() http.Handler {
	api := rest.API{Timeout: tryFor + 10*time.Second, Log: s.log}
	return api.Handler(map[string]rest.Handler{
		"GET /demo/model":    ownPage(func(r *http.Request) (any, error) { return s.state(r.Context()), nil }),
		"PUT /demo/model":    ownPage(s.connect),
		"DELETE /demo/model": ownPage(s.disconnect),
	})
}

// ownPage refuses what a page of any other origin asks, and changes that no page asks for: a key is
// taken from the demo's own form alone.
func ownPage(handle rest.Handler) rest.Handler {
	return func(r *http.Request) (any, error) {
		if header := foreignHeader(r); header != "" {
			return nil, &refuse.Error{
				Status: http.StatusForbidden, Code: "forbidden_origin",
				Message: "only the demo's own page may ask this", Details: map[string]any{"field": header},
			}
		}
		return handle(r)
	}
}

// foreignHeader returns the header that tells that another origin asks, or "".
func foreignHeader(r *http.Request) string {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case origin == "" && reads, origin == "http://"+r.Host:
	default:
		return "Origin"
	}
	if site == "" || site == "same-origin" || site == "none" && reads {
		return ""
	}
	return "Sec-Fetch-Site"
}

func (s *modelSwitch) current() connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *modelSwitch) state(ctx context.Context) connectionJSON {
	now := s.current()
	return connectionJSON{now.name, now.scripted, s.providers(ctx, now)}
}

// providers returns those that can be connected. It looks for an Ollama each time: people start one
// when they read that.
func (s *modelSwitch) providers(ctx context.Context, now connection) (all []offeredProvider) {
	for _, f := range found {
		name, model, _ := strings.Cut(f.model, "/")
		p, _ := catalog.ProviderOf(name)
		all = append(all, offeredProvider{
			name, f.label, []string{model}, httpmodel.HostOf(p.BaseURL),
			s.env(f.key) != "" || now.keyOf(name) != "",
		})
	}
	if local := ollamaModels(ctx, s.env); len(local) > 0 {
		all = append(all, offeredProvider{Name: "ollama", Label: "Ollama", Models: local[:min(len(local), 8)]})
	}
	return withGiven(all, s.given)
}

// withGiven offers the model of the command line, too, as the usual one of its provider.
func withGiven(all []offeredProvider, given string) []offeredProvider {
	provider, model, ok := strings.Cut(given, "/")
	if !ok || given == scriptedDemo {
		return all
	}
	i := slices.IndexFunc(all, func(p offeredProvider) bool { return p.Name == provider })
	if i < 0 {
		return append(all, offeredProvider{Name: provider, Label: "Command line", Models: []string{model}})
	}
	others := slices.DeleteFunc(all[i].Models, func(name string) bool { return name == model })
	all[i].Models = append([]string{model}, others...)
	return all
}

// maxConnect is the most bytes of a request to connect a model.
const maxConnect = 4 << 10

// connect switches to the model that a request names, once it has answered.
func (s *modelSwitch) connect(r *http.Request) (any, error) {
	var asked struct {
		Model string `json:"model"`
		Key   string `json:"key"`
	}
	if err := rest.Decode(maxConnect, r, &asked); err != nil {
		return nil, err
	}
	next := connection{name: strings.TrimSpace(asked.Model), key: strings.TrimSpace(asked.Key)}
	provider, err := s.check(r.Context(), &next)
	if err != nil {
		return nil, err
	}
	model, err := s.openConnection(r.Context(), next)
	if err != nil {
		return nil, &refuse.Error{
			Status: http.StatusUnprocessableEntity, Code: "model_unusable", Message: err.Error(),
			Details: map[string]any{"field": "model"},
		}
	}
	if provider.Host != "" {
		if err := try(r.Context(), model); err != nil {
			return nil, err
		}
	}
	if err := s.use(model, next); err != nil {
		return nil, err
	}
	return s.state(r.Context()), nil
}

// check returns the provider of a connection. Without a key of its own, the connection gets the
// provider's last one.
func (s *modelSwitch) check(ctx context.Context, next *connection) (offeredProvider, error) {
	now := s.current()
	providers := s.providers(ctx, now)
	name, model, _ := strings.Cut(next.name, "/")
	i := slices.IndexFunc(providers, func(p offeredProvider) bool { return p.Name == name })
	if i < 0 || model == "" || len(model) > 200 {
		return offeredProvider{}, refuse.BadField("model",
			"must be the name of a provider and of its model, such as %s; the providers are %s", found[0].model,
			namesOf(providers))
	}
	p := providers[i]
	switch {
	case p.Host == "" && !slices.Contains(p.Models, model):
		return p, refuse.BadField("model", "must be one that is there: %s/%s", p.Name,
			strings.Join(p.Models, ", "+p.Name+"/"))
	case p.Host == "" && next.key != "":
		return p, refuse.BadField("key", "must be left out: %s takes none", p.Label)
	case p.Host != "" && !p.HasKey && next.key == "":
		return p, refuse.BadField("key", "is missing: %s needs one", p.Label)
	case len(next.key) > 512 || strings.ContainsFunc(next.key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return p, refuse.BadField("key", "must be at most 512 letters, digits and signs, without spaces")
	}
	next.key = cmp.Or(next.key, now.keyOf(p.Name))
	return p, nil
}

func namesOf(providers []offeredProvider) string {
	var names []string
	for _, p := range providers {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// openConnection opens the model of a connection. One with a key is asked at its provider's own
// address, whatever the environment says: that address is for the environment's key.
func (s *modelSwitch) openConnection(ctx context.Context, c connection) (llm.Model, error) {
	if c.key == "" {
		return demoModel(ctx, c.name, s.env)
	}
	provider, name, _ := strings.Cut(c.name, "/")
	spec := config.ModelSpec{Provider: provider, Name: name, Key: c.key, BaseURL: s.addresses[provider]}
	return describedModel(spec, func(string) string { return "" })
}

// tryFor is how long a model may take for its first answer.
const tryFor = 30 * time.Second

// try asks a model the first question of a probe, which is a dozen tokens. The error says why it
// cannot be used.
func try(ctx context.Context, m llm.Model) error {
	asking, stop := context.WithTimeout(ctx, tryFor)
	defer stop()
	for answer := range probe.Run(asking, m, tryFor+time.Second) {
		if answer.Status == probe.Works {
			return nil
		}
		return unusable(answer)
	}
	return &refuse.Error{
		Status: http.StatusUnprocessableEntity, Code: "model_unusable",
		Message: fmt.Sprintf("%s has not answered within %v", m.Info().Name(), tryFor),
	}
}

// unusable is why a model is not connected: what its provider said, advice, and the field to
// change.
func unusable(a probe.Answer) *refuse.Error {
	e := &refuse.Error{
		Status: http.StatusUnprocessableEntity, Code: "model_unusable", Message: a.Detail,
		Details: map[string]any{},
	}
	switch {
	case a.Err == nil:
	case a.Err.Kind == llm.KindAuth:
		e.Code, e.Details["field"] = "key_refused", "key"
	case a.Err.Kind == llm.KindBadRequest:
		e.Details["field"] = "model"
	}
	if a.Advice != "" {
		e.Message = strings.TrimRight(e.Message, ".") + ": " + a.Advice
	}
	return e
}

// disconnect goes back to the scripted model and forgets the key.
func (s *modelSwitch) disconnect(r *http.Request) (any, error) {
	model, err := demoModel(r.Context(), scriptedDemo, s.env)
	if err != nil {
		return nil, err
	}
	if err := s.use(model, connection{name: scriptedDemo}); err != nil {
		return nil, err
	}
	return s.state(r.Context()), nil
}

// use has a model answer the runs to come.
func (s *modelSwitch) use(model llm.Model, next connection) error {
	agents, err := s.build(model)
	if err != nil {
		return err
	}
	next.scripted = model.Info().Scripted
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.runs.SetAgents(pagerun.Loops(agents...)); err != nil {
		return err
	}
	s.suggesting.change(model)
	s.now = next
	s.log.Info("the model was changed", "model", model.Info().Name())
	return nil
}

// started tells the switch whose agents to change. It comes before the first request.
func (s *modelSwitch) started(runs *pagerun.Manager) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = runs
}
