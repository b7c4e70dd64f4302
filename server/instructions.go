package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
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
func (s *Server) getInstructions(c call) error {
	if err := s.permit(c, policy.Question{
		Kind: policy.Instructions, Name: c.r.PathValue("kind"), Verb: policy.Read, Scope: scopeOf(c),
	}); err != nil {
		return err
	}
	in, err := s.cfg.Store.Instructions(c.r.Context(), c.owner, c.r.PathValue("kind"), c.r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "this scope has no instructions"}
	}
	if err != nil {
		return fmt.Errorf("read the instructions of a scope: %w", err)
	}
	writeJSON(c.w, instructionsJSON{in.Kind, in.ID, in.Text, in.UpdatedAt.UTC(), in.UpdatedBy})
	return nil
}

// putInstructions stores the instructions of a scope for the caller's tenant. The next run at a
// place with that scope gets them.
func (s *Server) putInstructions(c call) error {
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
func scopeOf(c call) map[string]string {
	return map[string]string{c.r.PathValue("kind"): c.r.PathValue("id")}
}

func (s *Server) deleteInstructions(c call) error { return s.storeInstructions(c, "") }

func (s *Server) storeInstructions(c call, text string) error {
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
	before, err := s.cfg.Store.Instructions(c.r.Context(), c.owner, kind, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read the instructions of a scope: %w", err)
	}
	if err := s.auditInstructions(c, kind+":"+id, before.Text, text); err != nil {
		return err
	}
	in := store.Instructions{Kind: kind, ID: id, Text: text, UpdatedAt: time.Now(), UpdatedBy: c.owner.Subject}
	if err := s.cfg.Store.PutInstructions(c.r.Context(), c.owner, in); err != nil {
		return fmt.Errorf("store the instructions of a scope: %w", err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// auditInstructions records a change of instructions before it is made, since it enters the system
// prompt of everybody at that scope.
func (s *Server) auditInstructions(c call, scope, before, after string) error {
	e := audit.Entry{Principal: c.principal, Kind: audit.Instructions, Tool: scope, Decision: audit.Changed, ArgsHash: textHash(after), Outcome: audit.OK,
		Detail: "was " + cmp.Or(textHash(before), "empty")}
	if after == "" {
		e.Decision = audit.Deleted
	}
	return s.confirmed(c, e)
}
