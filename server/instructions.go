package server

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
)

// maxInstructions is the maximum length of a scope's stored instructions in bytes.
const maxInstructions = 16 << 10

type instructionsJSON struct {
	Kind      string    `json:"kind"`
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	UpdatedAt time.Time `json:"updatedAt"`
	UpdatedBy string    `json:"updatedBy"`
}

// getInstructions returns the stored instructions of a scope.
func (s rest) getInstructions(c *call) error {
	if err := s.permit(c, policy.Question{
		Kind: policy.Instructions, Name: c.r.PathValue("kind"), Verb: policy.Read, Scope: scopeOf(c),
	}); err != nil {
		return err
	}
	in, err := s.cfg.Runs.ScopeInstructions(c.r.Context(), c.owner, c.r.PathValue("kind"), c.r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(c.w, instructionsJSON{in.Kind, in.ID, in.Text, in.UpdatedAt.UTC(), in.UpdatedBy})
	return nil
}

// putInstructions stores the instructions of a scope for the caller's tenant. The next run at a
// place with that scope gets them.
func (s rest) putInstructions(c *call) error {
	var body struct {
		Text string `json:"text"`
	}
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	if body.Text == "" {
		return badField("text", "must not be empty: DELETE removes the instructions of a scope")
	}
	if len(body.Text) > maxInstructions {
		return badField("text", fmt.Sprintf("must be at most %d bytes", maxInstructions))
	}
	return s.storeInstructions(c, body.Text)
}

// scopeOf returns the scope that a request is about, for conditions.
func scopeOf(c *call) map[string]string {
	return map[string]string{c.r.PathValue("kind"): c.r.PathValue("id")}
}

func (s rest) deleteInstructions(c *call) error { return s.storeInstructions(c, "") }

func (s rest) storeInstructions(c *call, text string) error {
	kind, id := c.r.PathValue("kind"), c.r.PathValue("id")
	if err := checkID("kind", kind); err != nil {
		return err
	}
	if err := checkID("id", id); err != nil {
		return err
	}
	if err := s.permit(c, policy.Question{
		Kind: policy.Instructions, Name: kind, Verb: policy.Write, Scope: scopeOf(c),
	}); err != nil {
		return err
	}
	agree := func(before string) error { return s.auditInstructions(c, kind+":"+id, before, text) }
	if err := s.cfg.Runs.PutInstructions(c.r.Context(), c.owner, kind, id, text, agree); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// auditInstructions records a change of instructions before it is made, since it enters the system
// prompt of everybody at that scope.
func (s rest) auditInstructions(c *call, scope, before, after string) error {
	e := audit.Entry{Principal: c.principal, Kind: audit.Instructions, Tool: scope, Decision: audit.Changed, ArgsHash: textHash(after), Outcome: audit.OK,
		Detail: "was " + cmp.Or(textHash(before), "empty")}
	if after == "" {
		e.Decision = audit.Deleted
	}
	return s.confirmed(c, e)
}
