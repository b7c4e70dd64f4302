package server

import (
	"slices"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
)

// getAgents lists the agents that the caller may ask.
func (s rest) getAgents(c *call) error {
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
func (s *Server) agents(c *call) []*run.Served {
	return slices.DeleteFunc(s.cfg.Runs.Agents(), func(a *run.Served) bool {
		return s.mayVisit(c, a.ID, page.Place{}) != nil
	})
}

// offers is what clients are told of the server besides its agents.
func (s *Server) offers(c *call) map[string]any {
	return map[string]any{"rights": s.rights(c), "sharing": s.offersSharing(c)}
}
