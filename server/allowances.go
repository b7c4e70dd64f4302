package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/run"
)

type allowanceJSON struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	OpenArgs  []string        `json:"openArgs,omitempty"` // they may have any value
	Scope     string          `json:"scope"`              // thread or user
	ThreadID  string          `json:"threadId"`           // where it was given
	Active    bool            `json:"active"`             // on the shown branch
	Agent     string          `json:"agent"`
	RunID     string          `json:"runId"`
	CreatedAt time.Time       `json:"createdAt"`
	ExpiresAt time.Time       `json:"expiresAt"`
}

func writeAllowances(w http.ResponseWriter, all []run.Allowance) {
	out := struct {
		Allowances []allowanceJSON `json:"allowances"`
	}{make([]allowanceJSON, 0, len(all))}
	for _, a := range all {
		scope := "thread"
		if a.UserWide {
			scope = "user"
		}
		out.Allowances = append(out.Allowances, allowanceJSON{a.ID, a.Tool, a.Args, a.OpenArgs, scope, a.ThreadID, a.Active, a.Agent, a.RunID,
			a.CreatedAt.UTC(), a.ExpiresAt.UTC()})
	}
	writeJSON(w, out)
}

// getUserAllowances lists the standing approvals that hold on all threads of the caller.
func (s rest) getUserAllowances(c *call) error {
	all, err := s.cfg.Runs.UserAllowances(c.r.Context(), c.owner)
	if err != nil {
		return err
	}
	writeAllowances(c.w, all)
	return nil
}

// deleteUserAllowance revokes an allowance of all threads.
func (s rest) deleteUserAllowance(c *call) error {
	if err := s.cfg.Runs.RevokeAllowance(c.r.Context(), c.owner, "", c.r.PathValue("allowance")); err != nil {
		return err
	}
	s.record(c, audit.Entry{
		Kind: audit.Allowance, Decision: audit.Revoked, Outcome: audit.OK,
		Rule: "allowance " + c.r.PathValue("allowance"),
	})
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// getAllowances lists the standing approvals of a thread: the calls that run without asking.
func (s rest) getAllowances(c *call) error {
	all, err := s.cfg.Runs.Allowances(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return err
	}
	writeAllowances(c.w, all)
	return nil
}

// deleteAllowance revokes an allowance: the user is asked again.
func (s rest) deleteAllowance(c *call) error {
	if err := s.cfg.Runs.RevokeAllowance(c.r.Context(), c.owner, c.r.PathValue("thread"),
		c.r.PathValue("allowance")); err != nil {
		return err
	}
	s.record(c, audit.Entry{
		Kind: audit.Allowance, ThreadID: c.r.PathValue("thread"), Decision: audit.Revoked, Outcome: audit.OK,
		Rule: "allowance " + c.r.PathValue("allowance"),
	})
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
