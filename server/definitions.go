package server

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

type toolJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Category    string          `json:"category,omitempty"`
	Global      bool            `json:"global"`
	Effect      string          `json:"effect"`
	Approval    string          `json:"approval,omitempty"`
	PayloadType string          `json:"payloadType,omitempty"`
}

type payloadJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Source      string          `json:"source"`
	Global      bool            `json:"global"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

type areaJSON struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Tools       []string          `json:"tools,omitempty"`
	Payloads    []string          `json:"payloads,omitempty"`
	Actions     []actionJSON      `json:"actions,omitempty"`
	Suggestions []page.Suggestion `json:"suggestions,omitempty"`
	Tabs        []areaJSON        `json:"tabs,omitempty"`
	Subtabs     []areaJSON        `json:"subtabs,omitempty"`
}

type actionJSON struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Handler     string `json:"handler"`
}

// getDefinitions returns the tools, payload types and pages of the server's agents, for generating
// types and for inspection. It leaves instructions out.
func (s admin) getDefinitions(c *call) error {
	if err := s.permit(c, policy.Question{Kind: policy.Definitions, Verb: policy.Read}); err != nil {
		return err
	}
	tools, payloads, pages := map[string]toolJSON{}, map[string]payloadJSON{}, map[string]areaJSON{}
	for _, a := range s.cfg.Runs.Agents() {
		for t := range a.Pages.Tools().All() {
			tools[t.Name] = toolJSON{
				t.Name, t.Description, t.Declaration(), t.Category, t.Global, string(t.Effect),
				string(t.Policy.Approval), t.PayloadType,
			}
		}
		for p := range a.Pages.Payloads().All() {
			payloads[p.Name] = payloadJSON{p.Name, p.Description, string(p.Source), p.Global, p.Schema}
		}
		for p := range a.Pages.All() {
			pages[p.Name] = pageOut(p)
		}
	}
	s.adminRead(c, "definitions", "")
	writeJSON(c.w, map[string]any{"tools": inOrder(tools), "payloads": inOrder(payloads), "pages": inOrder(pages)})
	return nil
}

// inOrder returns the values sorted by name.
func inOrder[V any](byName map[string]V) []V {
	list := make([]V, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	return list
}

func pageOut(p page.Page) areaJSON {
	out := areaJSON{
		Name: p.Name, Title: p.Title, Tools: p.Tools, Payloads: p.Payloads, Actions: actionsOut(p.Actions),
		Suggestions: p.Suggestions,
	}
	for _, t := range p.Tabs {
		tab := areaJSON{
			Name: t.Name, Tools: t.Tools, Payloads: t.Payloads, Actions: actionsOut(t.Actions),
			Suggestions: t.Suggestions,
		}
		for _, sub := range t.Subtabs {
			tab.Subtabs = append(tab.Subtabs, areaJSON{
				Name: sub.Name, Tools: sub.Tools, Payloads: sub.Payloads, Actions: actionsOut(sub.Actions),
				Suggestions: sub.Suggestions,
			})
		}
		out.Tabs = append(out.Tabs, tab)
	}
	return out
}

func actionsOut(list []page.Action) []actionJSON {
	var out []actionJSON
	for _, a := range list {
		out = append(out, actionJSON{a.Name, a.Description, a.Handler})
	}
	return out
}

// postResolve returns what an agent works with at a place: tools, payload types, actions, and the
// sections of the system prompt.
func (s admin) postResolve(c *call) error {
	var at placeJSON
	if err := s.decodeBody(c, &at); err != nil {
		return err
	}
	a, err := s.at(c, at)
	if err != nil {
		return err
	}
	if err := s.permit(c, aboutPlace(policy.Resolve, a.ID, policy.Read, at.Place)); err != nil {
		return err
	}
	has, err := a.Describe(c.r.Context(), c.owner, at.Place)
	if err != nil {
		return err
	}
	s.adminRead(c, "resolve", at.Place.String())
	writeJSON(c.w, has)
	return nil
}

// postDisclosure tells the caller what an agent works with at a place, and where data goes.
func (s rest) postDisclosure(c *call) error {
	var in struct {
		placeJSON
		Model    string `json:"model"`    // the ID of a choice, as a run would be asked for it
		ThreadID string `json:"threadId"` // whose last choice holds without one
	}
	if err := s.decodeBody(c, &in); err != nil {
		return err
	}
	a, err := s.at(c, in.placeJSON)
	if err != nil {
		return err
	}
	told, err := a.Disclose(c.r.Context(), c.principal, in.Place, run.Pick{Model: in.Model}, in.ThreadID)
	if err != nil {
		return err
	}
	writeJSON(c.w, told)
	return nil
}

// placeJSON is the part of a body that names the agent and the place.
type placeJSON struct {
	Agent string `json:"agent"` // default: the first agent
	page.Place
}

// at returns the agent that a body names, if the caller may use it and the place.
func (s *Server) at(c *call, p placeJSON) (*run.Served, error) {
	if err := p.Check(); err != nil {
		field, reason, _ := strings.Cut(err.Error(), ": ")
		return nil, badField(field, reason)
	}
	if p.Agent == "" {
		p.Agent = s.cfg.Runs.Agents()[0].ID
	}
	a, err := s.cfg.Runs.Agent(p.Agent)
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		e.Field = "agent"
	}
	if err != nil {
		return nil, err
	}
	return a, s.mayVisit(c, a.ID, p.Place)
}
