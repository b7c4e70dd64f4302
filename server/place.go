package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/page"
)

// placeJSON is the part of a body that says which agent is meant and where the user is.
type placeJSON struct {
	Agent string `json:"agent"` // default: the first agent
	page.Place
}

// at returns the agent that a body means, and its view of the place.
func (s *Server) at(p placeJSON) (*agent.Agent, page.View, error) {
	if err := p.Check(); err != nil {
		field, reason, _ := strings.Cut(err.Error(), ": ")
		return nil, page.View{}, badField(field, reason)
	}
	a := s.cfg.Runs.Agent(p.Agent)
	if p.Agent == "" {
		a = s.cfg.Runs.Agents()[0]
	}
	if a == nil {
		return nil, page.View{}, &Error{Status: http.StatusNotFound, Code: "unknown_agent", Message: fmt.Sprintf("there is no agent %q", p.Agent), Details: map[string]any{"field": "agent"}}
	}
	return a, a.Pages.Resolve(p.Place), nil
}
