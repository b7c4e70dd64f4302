package server

import (
	"fmt"
	"net/http"

	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/policy"
)

// inspectorAccess returns what the caller may see: with the permission for the inspector own runs
// in full, and with ?all=true those of the whole tenant; without it own runs, redacted.
func (s *Server) inspectorAccess(c call) (inspect.Access, error) {
	answer := s.decide(c.r.Context(), c, policy.Question{Kind: policy.Inspector, Verb: policy.Read})
	own := inspect.Access{Owner: c.owner.Key(), Redacted: answer.Decision != policy.Allow}
	all := c.r.URL.Query().Get("all")
	switch {
	case all == "" || all == "false":
		return own, nil
	case all != "true":
		return own, badField("all", "must be true or false")
	case own.Redacted:
		return own, forbidden(policy.Question{Kind: policy.Inspector, Verb: policy.Read}, answer)
	}
	return inspect.Access{Tenant: c.owner.Tenant, All: true}, nil
}

// getInspectedRuns lists recorded runs, newest first.
func (s *Server) getInspectedRuns(c call) error {
	access, err := s.inspectorAccess(c)
	if err != nil {
		return err
	}
	s.adminRead(c, "inspector", "the list of runs")
	writeJSON(c.w, struct {
		Runs []inspect.Summary `json:"runs"`
	}{s.cfg.Inspector.RunsFor(access)})
	return nil
}

// getInspectedRun returns everything about one run that the caller may see.
func (s *Server) getInspectedRun(c call) error {
	id := c.r.PathValue("run")
	access, err := s.inspectorAccess(c)
	if err != nil {
		return err
	}
	detail, ok := s.cfg.Inspector.RunFor(access, id)
	if !ok {
		return notKept(id)
	}
	s.adminRead(c, "inspector", "run "+id)
	writeJSON(c.w, detail)
	return nil
}

// getReport returns a run as a file for the scripted model.
func (s *Server) getReport(c call) error {
	id := c.r.PathValue("run")
	if err := s.permit(c, policy.Question{Kind: policy.Inspector, Verb: policy.Read}); err != nil {
		return err
	}
	report, ok, err := s.cfg.Inspector.Report(c.owner.Key(), id)
	switch {
	case err != nil:
		return err
	case !ok:
		return notKept(id)
	}
	s.adminRead(c, "inspector", "report of run "+id)
	h := c.w.Header()
	h.Set("Content-Type", "application/yaml")
	h.Set("Content-Disposition", `attachment; filename="report.yaml"`)
	_, _ = c.w.Write(report) // an error means that the client has gone
	return nil
}

func notKept(id string) error {
	return &Error{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf("nothing is kept of a run %q: only the newest runs since the start are", id)}
}
