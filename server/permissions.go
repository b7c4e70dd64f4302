package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
)

// authorizer is the policy in use; its Authorizer may be nil.
type authorizer struct{ policy.Authorizer }

// SetAuthorizer replaces Config.Authorizer.
func (s *Server) SetAuthorizer(to policy.Authorizer) {
	s.permissions.Store(&authorizer{to})
}

// decide asks the policy about the caller.
func (s *Server) decide(ctx context.Context, c *call, q policy.Question) policy.Answer {
	q.Principal = c.principal
	answer := policy.Decide(ctx, s.permissions.Load().Authorizer, q)
	if answer.Err != nil {
		s.log.Error("the policy failed, which refuses what it was asked about", "kind", q.Kind, "name", q.Name,
			"rule", answer.Rule, "subject", q.Principal.Subject, "error", answer.Err)
	}
	return answer
}

// permit refuses a request that the policy does not allow.
func (s *Server) permit(c *call, q policy.Question) error {
	answer := s.decide(c.r.Context(), c, q)
	if answer.Decision == policy.Allow {
		return nil
	}
	s.record(c, audit.Entry{
		Kind: audit.Denied, Tool: strings.TrimSpace(string(q.Kind) + " " + q.Name), Decision: audit.Deny,
		Rule: answer.Rule, Outcome: audit.NotRun,
	})
	return forbidden(q, answer)
}

// forbidden is the error for what the policy refuses. It names the kind, so that an administrator
// knows which permission is missing.
func forbidden(q policy.Question, answer policy.Answer) *Error {
	message := "you are not permitted to " + wanted(q)
	if answer.Reason != "" {
		message += ": " + answer.Reason
	}
	return &Error{
		Status: http.StatusForbidden, Code: "not_permitted", Message: message,
		Details: map[string]any{"kind": q.Kind, "name": q.Name, "verb": q.Verb},
	}
}

// wanted says in words what a question asks to do.
func wanted(q policy.Question) string {
	switch {
	case q.Kind == policy.Sharing && q.Verb == policy.Read:
		return "read shared conversations"
	case q.Kind == policy.Sharing:
		return "share conversations"
	case q.Kind == policy.Push:
		return "have a server told of tasks"
	case q.Name != "":
		return fmt.Sprintf("%s %s %q", q.Verb, q.Kind, q.Name)
	}
	return fmt.Sprintf("%s %s", q.Verb, q.Kind)
}

// aboutPlace returns a question at a place.
func aboutPlace(kind policy.Kind, name string, verb policy.Verb, at page.Place) policy.Question {
	return policy.Question{Kind: kind, Name: name, Verb: verb, Page: at.String(), Scope: at.Scope}
}

// mayVisit refuses an agent or a place that the caller may not use.
func (s *Server) mayVisit(c *call, agentID string, at page.Place) error {
	if err := s.permit(c, aboutPlace(policy.Agent, agentID, policy.Use, at)); err != nil {
		return err
	}
	if at.Page == "" {
		return nil
	}
	return s.permit(c, aboutPlace(policy.Page, at.String(), policy.Use, at))
}

// rights lists what the caller may read besides own threads, such as "inspector", for clients that
// offer it.
func (s *Server) rights(c *call) []string {
	list := []string{}
	for _, q := range []policy.Question{
		{Kind: policy.Inspector, Verb: policy.Read}, {Kind: policy.Definitions, Verb: policy.Read},
		{Kind: policy.Resolve, Verb: policy.Read},
		{Kind: policy.Audit, Verb: policy.Read},
	} {
		if q.Kind == policy.Inspector && s.cfg.Inspector == nil { // there is nothing to read
			continue
		}
		if s.decide(c.r.Context(), c, q).Decision == policy.Allow {
			list = append(list, string(q.Kind))
		}
	}
	return list
}
