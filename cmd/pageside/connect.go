package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/llm"
	pagerun "github.com/pageside/pageside/run"
)

// modelSettings lets users of the demo choose another model. Live runs keep theirs.
type modelSettings struct {
	env   func(string) string
	open  func(ctx context.Context, name string) (llm.Model, error)
	build func(llm.Model) ([]*agent.Agent, error) // the demo's agents with a model
	// makes the suggestions; it changes with the agents
	suggesting *changingModel
	log        *slog.Logger

	mu      sync.Mutex
	current string // the model's name, as in choices
	given   string // the model of the command line
	runs    interface {
		SetAgents([]pagerun.Agent) error
	}
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

// modelChoice is a model that the demo could use.
type modelChoice struct {
	Name      string `json:"name"`
	Label     string `json:"label"`
	Available bool   `json:"available"`
	Why       string `json:"why,omitempty"` // it is not available
}

type settingsJSON struct {
	Models  []modelChoice `json:"models"`
	Current string        `json:"current"`
}

// refusedChange is why the model was not changed.
type refusedChange struct {
	status        int
	code, message string
}

func (e *refusedChange) Error() string { return e.message }

func refused(status int, code, format string, args ...any) *refusedChange {
	return &refusedChange{status, code, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers GET and PUT /demo/settings.
func (s *modelSettings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPut:
		err = s.change(r)
	default:
		w.Header().Set("Allow", "GET, HEAD, PUT")
		err = refused(http.StatusMethodNotAllowed, "method_not_allowed", "use GET or PUT")
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	answerJSON(w, http.StatusOK, settingsJSON{s.choices(r.Context()), current})
}

// refuse answers with the reason. Internal errors are logged, not told.
func (s *modelSettings) refuse(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*refusedChange](err)
	if !ok {
		s.log.Error("the demo's model could not be changed", "err", err)
		e = refused(http.StatusInternalServerError, "internal", "the model could not be changed")
	}
	answerJSON(w, e.status, map[string]any{"error": map[string]string{"code": e.code, "message": e.message}})
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have left
}

// choices returns the models to choose from, with what the unavailable ones need. It looks for an
// Ollama each time: people start one when they read that.
func (s *modelSettings) choices(ctx context.Context) []modelChoice {
	all := []modelChoice{{Name: scriptedDemo, Label: "Scripted demo model", Available: true}}
	for _, f := range found {
		c := modelChoice{Name: f.model, Label: f.label, Available: s.env(f.key) != ""}
		if !c.Available {
			c.Why = fmt.Sprintf("Start the demo with %s set.", f.key)
		}
		all = append(all, c)
	}
	local := ollamaModels(ctx, s.env)
	if len(local) == 0 {
		all = append(all, modelChoice{Name: "ollama", Label: "Ollama on this machine", Why: "Start Ollama with a model, then open this again."})
	}
	for _, m := range local[:min(len(local), 8)] {
		all = append(all, modelChoice{Name: "ollama/" + m, Label: m + " (Ollama)", Available: true})
	}
	if s.given != "" && !slices.ContainsFunc(all, func(c modelChoice) bool { return c.Name == s.given }) {
		all = slices.Insert(all, 1, modelChoice{Name: s.given, Label: "Chosen at the start", Available: true})
	}
	return all
}

// chosen reads the model that a request asks for.
func chosen(r *http.Request) (string, error) {
	const most = 4 << 10
	raw, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	switch {
	case err != nil:
		return "", refused(http.StatusBadRequest, "invalid_request", "the body could not be read")
	case len(raw) > most:
		return "", refused(http.StatusRequestEntityTooLarge, "too_large", "the body is larger than 4 KiB")
	}
	var body struct {
		Model string `json:"model"`
	}
	if err := strict.Decode(raw, &body); err != nil {
		return "", refused(http.StatusBadRequest, "invalid_request", "the body must be {\"model\": name}: %v", err)
	}
	return body.Model, nil
}

// change switches to the model that a request asks for.
func (s *modelSettings) change(r *http.Request) error {
	name, err := chosen(r)
	if err != nil {
		return err
	}
	choices := s.choices(r.Context())
	at := slices.IndexFunc(choices, func(c modelChoice) bool { return c.Name == name })
	switch {
	case at < 0:
		return refused(http.StatusBadRequest, "unknown_model", "the demo does not offer model %q", name)
	case !choices[at].Available:
		return refused(http.StatusConflict, "model_unusable", "%s cannot be used: %s", choices[at].Label, choices[at].Why)
	}
	model, err := s.open(r.Context(), name)
	if err != nil {
		return refused(http.StatusConflict, "model_unusable", "%v", err)
	}
	agents, err := s.build(model)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		return refused(http.StatusServiceUnavailable, "starting", "the demo is still starting")
	}
	if err := s.runs.SetAgents(pagerun.Loops(agents...)); err != nil {
		return err
	}
	s.suggesting.change(model)
	s.current = name
	s.log.Info("the model was changed", "model", model.Info().Name())
	return nil
}

// started tells the settings whose agents to change.
func (s *modelSettings) started(runs interface{ SetAgents([]pagerun.Agent) error }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = runs
}
