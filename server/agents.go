package server

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
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
	for _, a := range s.agents(c) {
		out.Agents = append(out.Agents, agentJSON{a.ID, a.Description})
	}
	writeJSON(c.w, out)
	return nil
}

// agents returns the agents that the caller may ask.
func (s *Server) agents(c call) []run.Info {
	return slices.DeleteFunc(s.cfg.Runs.Agents(), func(a run.Info) bool {
		return s.mayVisit(c, a.ID, page.Place{}) != nil
	})
}

// describe returns an agent that the caller may ask, and its capabilities.
func (s *Server) describe(c call, id string) (a run.Info, can *agui.Capabilities, err error) {
	if a, err = s.cfg.Runs.Info(id); err != nil {
		return a, nil, err
	}
	if err := s.mayVisit(c, a.ID, page.Place{}); err != nil {
		return a, nil, err
	}
	can, err = s.cfg.Runs.Capabilities(c.r.Context(), c.principal, a.ID, s.offers(c))
	return a, can, err
}

// offers is what clients are told of the server besides its agents.
func (s *Server) offers(c call) map[string]any {
	return map[string]any{"rights": s.rights(c), "sharing": s.offersSharing(c)}
}
