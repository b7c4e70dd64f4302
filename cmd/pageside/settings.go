package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
)

// modelSettings let whoever looks at the demo choose another model. Runs that are live go on with theirs.
type modelSettings struct {
	env   func(string) string
	open  func(ctx context.Context, name string) (llm.Model, error)
	build func(llm.Model) ([]*agent.Agent, error) // the demo's agents with a model
	log   *slog.Logger

	mu      sync.Mutex
	current string // the model's name, as choices have it
	given   string // the model of the command line, if it is none of the usual ones
	runs    interface {
		SetAgents([]*agent.Agent) error
	}
}

// modelChoice is a model that the demo could use.
type modelChoice struct {
	Name      string `json:"name"`
	Label     string `json:"label"`
	Available bool   `json:"available"`
	Why       string `json:"why,omitempty"` // it is not
}

type settingsJSON struct {
	Models  []modelChoice `json:"models"`
	Current string        `json:"current"`
}

// ServeHTTP answers GET and PUT /demo/settings.
func (s *modelSettings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		if status, err := s.change(r); err != nil {
			answerJSON(w, status, map[string]any{"error": map[string]string{"code": "model_unusable", "message": err.Error()}})
			return
		}
	}
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	answerJSON(w, http.StatusOK, settingsJSON{s.choices(r.Context()), current})
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who left does not want it
}

// choices are the models there are, and what the others need. It looks for an Ollama each time: people start one when they read that.
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

// change puts the model that a request asks for in the place of the one there is.
func (s *modelSettings) change(r *http.Request) (status int, err error) {
	var body struct {
		Model string `json:"model"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 4<<10)).Decode(&body); err != nil {
		return http.StatusBadRequest, fmt.Errorf("the body is not JSON: %w", err)
	}
	choices := s.choices(r.Context())
	at := slices.IndexFunc(choices, func(c modelChoice) bool { return c.Name == body.Model })
	switch {
	case at < 0:
		return http.StatusBadRequest, fmt.Errorf("model %q is none of those the demo offers", body.Model)
	case !choices[at].Available:
		return http.StatusConflict, fmt.Errorf("%s cannot be used: %s", choices[at].Label, choices[at].Why)
	}
	model, err := s.open(r.Context(), body.Model)
	if err != nil {
		return http.StatusConflict, err
	}
	agents, err := s.build(model)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		return http.StatusServiceUnavailable, fmt.Errorf("the demo is still starting")
	}
	if err := s.runs.SetAgents(agents); err != nil {
		return http.StatusInternalServerError, err
	}
	s.current = body.Model
	s.log.Info("the demo answers with another model", "model", model.Info().Name())
	return 0, nil
}

// started gives the settings the runs whose agents they change.
func (s *modelSettings) started(runs interface{ SetAgents([]*agent.Agent) error }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = runs
}
