package server

import (
	"fmt"
	"net/http"

	"github.com/pageside/pageside/inspect"
)

// getInspectedRuns lists the owner's recorded runs, newest first.
func (s *Server) getInspectedRuns(c call) error {
	s.adminRead(c, "inspector", "the list of runs")
	writeJSON(c.w, struct {
		Runs []inspect.Summary `json:"runs"`
	}{s.cfg.Inspector.Runs(c.owner.Key())})
	return nil
}

// getInspectedRun returns everything about one run.
func (s *Server) getInspectedRun(c call) error {
	id := c.r.PathValue("run")
	detail, ok := s.cfg.Inspector.Run(c.owner.Key(), id)
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
