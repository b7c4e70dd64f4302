package server

import (
	"fmt"
	"net/http"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// getAgents lists the agents that the caller may ask.
func (s *Server) getAgents(c call) error {
	type agentJSON struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	}
	out := struct {
		Agents []agentJSON `json:"agents"`
	}{[]agentJSON{}}
	for _, a := range s.cfg.Runs.Agents() {
		if s.mayVisit(c, a.ID, page.Place{}) == nil {
			out.Agents = append(out.Agents, agentJSON{a.ID, a.Description})
		}
	}
	writeJSON(c.w, out)
	return nil
}

// describe returns an agent that the caller may ask, and its capabilities.
func (s *Server) describe(c call, id string) (*agent.Agent, *agui.Capabilities, error) {
	a := s.cfg.Runs.Agent(id)
	if a == nil {
		return nil, nil, &Error{
			Status: http.StatusNotFound, Code: "unknown_agent",
			Message: fmt.Sprintf("there is no agent %q", id) + agentsAt,
		}
	}
	if err := s.mayVisit(c, a.ID, page.Place{}); err != nil {
		return nil, nil, err
	}
	if said, own := s.cfg.Runs.Capabilities(a.ID); own {
		return a, a.OwnCapabilities(said, s.offers(c)), nil
	}
	return a, a.Capabilities(c.r.Context(), c.principal, s.offers(c)), nil
}

// offers is what clients are told of the server besides its agents.
func (s *Server) offers(c call) map[string]any {
	return map[string]any{"rights": s.rights(c), "sharing": s.offersSharing(c)}
}
