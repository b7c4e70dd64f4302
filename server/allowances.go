package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
)

type allowanceJSON struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Active    bool            `json:"active"` // on the shown branch
	Agent     string          `json:"agent"`
	RunID     string          `json:"runId"`
	CreatedAt time.Time       `json:"createdAt"`
	ExpiresAt time.Time       `json:"expiresAt"`
}

// getAllowances lists the standing approvals of a thread: the calls that run without asking.
func (s *Server) getAllowances(c call) error {
	all, err := s.cfg.Runs.Allowances(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return err
	}
	out := struct {
		Allowances []allowanceJSON `json:"allowances"`
	}{make([]allowanceJSON, 0, len(all))}
	for _, a := range all {
		out.Allowances = append(out.Allowances, allowanceJSON{a.ID, a.Tool, a.Args, a.Active, a.Agent, a.RunID, a.CreatedAt.UTC(), a.ExpiresAt.UTC()})
	}
	writeJSON(c.w, out)
	return nil
}

// deleteAllowance revokes an allowance: the user is asked again.
func (s *Server) deleteAllowance(c call) error {
	if err := s.cfg.Runs.RevokeAllowance(c.r.Context(), c.owner, c.r.PathValue("thread"), c.r.PathValue("allowance")); err != nil {
		return err
	}
	s.record(c, audit.Entry{Kind: audit.Allowance, ThreadID: c.r.PathValue("thread"), Decision: audit.Revoked, Outcome: audit.OK, Rule: "allowance " + c.r.PathValue("allowance")})
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
