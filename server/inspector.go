package server

import (
	"fmt"

	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/policy"
)

// inspectorAccess returns what the caller may see: with the permission for the inspector own runs
// in full, and with ?all=true those of the whole tenant; without it own runs, redacted.
func (s admin) inspectorAccess(c *call) (inspect.Access, error) {
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

// getInspectedRuns lists recorded runs, newest first; with ?stored=true those of the caller that
// the store has, such as runs from before a restart.
func (s admin) getInspectedRuns(c *call) error {
	access, err := s.inspectorAccess(c)
	if err != nil {
		return err
	}
	out := struct {
		Runs []inspect.Summary `json:"runs"`
	}{}
	switch stored := c.r.URL.Query().Get("stored"); {
	case stored == "" || stored == "false":
		out.Runs = s.cfg.Inspector.Runs(access)
		titles := inspectedTitles(c.r.Context(), s.cfg.Runs, c.owner.Tenant)
		for i, r := range out.Runs {
			if out.Runs[i].ThreadTitle, err = titles(r); err != nil {
				return err
			}
		}
	case stored != "true":
		return badField("stored", "must be true or false")
	case access.All:
		return badField("stored", "cannot be combined with all: the store lists one user's runs")
	default:
		if out.Runs, err = inspectPast(c.r.Context(), s.cfg.Runs, c.owner); err != nil {
			return err
		}
	}
	s.adminRead(c, "inspector", "the list of runs")
	writeJSON(c.w, out)
	return nil
}

// getInspectedRun returns everything about one run that the caller may see. A run of the caller's
// that is not recorded is rebuilt from the store.
func (s admin) getInspectedRun(c *call) error {
	id := c.r.PathValue("run")
	access, err := s.inspectorAccess(c)
	if err != nil {
		return err
	}
	detail, ok := s.cfg.Inspector.Run(access, id)
	if !ok && !access.All {
		if detail, ok, err = inspectPastRun(c.r.Context(), s.cfg.Runs, c.owner, id); err != nil {
			return err
		}
		detail = detail.For(access)
	}
	if !ok {
		return notKept(id)
	}
	titles := inspectedTitles(c.r.Context(), s.cfg.Runs, c.owner.Tenant)
	if detail.ThreadTitle, err = titles(detail.Summary); err != nil {
		return err
	}
	s.adminRead(c, "inspector", "run "+id)
	writeJSON(c.w, detail)
	return nil
}

// getReport returns a run as a file for the scripted model.
func (s admin) getReport(c *call) error {
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
	return NotFound(fmt.Sprintf("nothing is kept of a run %q: only the newest runs since the start are", id))
}
