package server

import (
	"net/http"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
)

// subject returns the person a request is about, of the caller's tenant, if the caller may do that.
func (s admin) subject(c *call, verb policy.Verb) (run.Owner, error) {
	name := c.r.PathValue("subject")
	if err := checkID("subject", name); err != nil {
		return run.Owner{}, err
	}
	return run.Owner{Tenant: c.owner.Tenant, Subject: name}, s.permit(c, policy.Question{
		Kind: policy.Subject, Name: name, Verb: verb,
	})
}

// getSubject counts what the server holds of a person.
func (s admin) getSubject(c *call) error {
	o, err := s.subject(c, policy.Read)
	if err != nil {
		return err
	}
	holdings, err := s.cfg.Runs.Holdings(c.r.Context(), o)
	if err != nil {
		return err
	}
	writeJSON(c.w, holdings)
	return nil
}

// deleteSubject deletes everything of a person: threads, runs, events, journal, allowances,
// feedback and usage. Live runs are cancelled.
func (s admin) deleteSubject(c *call) error {
	o, err := s.subject(c, policy.Write)
	if err != nil {
		return err
	}
	e := audit.Entry{
		Principal: c.principal, Kind: audit.Forget, Tool: "subject " + o.Subject, Decision: audit.Deleted,
		Outcome: audit.Begun,
	}
	if err := s.confirmed(c, e); err != nil {
		return err
	}
	err = s.cfg.Runs.Forget(c.r.Context(), o)
	if e.Outcome = audit.OK; err != nil {
		e.Outcome, e.Detail = audit.Failed, "some of it may be left"
	}
	s.record(c, e)
	if err != nil {
		return err
	}
	if suggester := s.suggester.Load(); suggester != nil {
		suggester.Forget(suggestionsOf(o))
	}
	if s.cfg.Inspector != nil {
		s.cfg.Inspector.Forget(o.Key())
	}
	s.log.Info("a subject's data was deleted", "tenant", o.Tenant, "subject", o.Subject, "by", c.principal.Subject)
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
