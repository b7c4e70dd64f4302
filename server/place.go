package server

import (
	"fmt"
	"net/http"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/page"
)

// placeJSON is how a body says which agent is meant, and where the user is.
type placeJSON struct {
	Agent  string            `json:"agent"` // default: the first agent
	Page   string            `json:"page"`
	Tab    string            `json:"tab"`
	Subtab string            `json:"subtab"`
	Scope  map[string]string `json:"scope"`
}

func (p placeJSON) place() page.Place {
	return page.Place{Page: p.Page, Tab: p.Tab, Subtab: p.Subtab, Scope: p.Scope}
}

// at returns the agent that a body means and what holds at its place.
func (s *Server) at(p placeJSON) (*agent.Agent, page.View, error) {
	switch {
	case p.Tab != "" && p.Page == "":
		return nil, page.View{}, badField("tab", "a tab needs a page")
	case p.Subtab != "" && p.Tab == "":
		return nil, page.View{}, badField("subtab", "a subtab needs a tab")
	}
	a := s.cfg.Runs.Agent(p.Agent)
	if p.Agent == "" {
		a = s.cfg.Runs.Agents()[0]
	}
	if a == nil {
		return nil, page.View{}, &Error{Status: http.StatusNotFound, Code: "unknown_agent", Message: fmt.Sprintf("there is no agent %q", p.Agent), Details: map[string]any{"field": "agent"}}
	}
	return a, a.Pages.Resolve(p.place()), nil
}
