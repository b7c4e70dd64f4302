package run

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run/refusal"
)

// Query asks an agent's model for structured output on behalf of a user, outside of any thread: for
// work of the application's own, such as judging the rows of a table.
//
//	output, spent, err := runs.Query(ctx, principal, "default", agent.Query{
//		Name:         "classify",
//		Instructions: "Say which of the categories each ticket belongs to.",
//		Data:         []page.Item{{Description: "tickets", Value: tickets}},
//		Schema:       schema,
//	})
//
// The limits on the user's runs apply: the query counts as a run while it lasts, needs permission
// to ask the agent, and its usage counts towards the daily quotas that Usage shows. A single query
// may use what a single run may. It ends when ctx does, or when the server drains. It returns an
// *refusal.Error if the query was refused, and the model's error if the model failed.
func (m *Manager) Query(
	ctx context.Context, p auth.Principal, agentID string, q agent.Query,
) (json.RawMessage, usage.Spending, error) {
	output, spent, err := m.query(ctx, p, agentID, q)
	if err != nil {
		m.report(ctx, p, err)
	}
	return output, spent, err
}

func (m *Manager) query(
	ctx context.Context, p auth.Principal, agentID string, q agent.Query,
) (output json.RawMessage, spent usage.Spending, err error) {
	defer guard.Error(&err)
	s, err := m.Agent(agentID)
	if err != nil {
		return nil, spent, err
	}
	if err := permit(ctx, s.desk, p, page.Place{}); err != nil {
		return nil, spent, err
	}
	r := &Run{ID: "query_" + strings.ToLower(rand.Text()[:20]), m: m, owner: ownerOf(p), principal: p}
	if err := m.checkQuotas(ctx, r.owner); err != nil {
		return nil, spent, err
	}
	if err := m.admission.Run(r.owner, 0); err != nil {
		return nil, spent, err
	}
	defer m.admission.Decided(r.owner, 0)
	defer m.admission.Leave(r.owner)
	ctx, stop := context.WithTimeout(ctx, m.cfg.Timeout)
	defer stop()
	ctx, cancel := m.admission.UntilDrained(ctx)
	defer cancel()
	if account := r.openAccount(limit.Amount{}); account != nil {
		q.Budget = account
	}
	output, spent, err = s.desk.Query(ctx, q)
	return output, spent, queryError(ctx, err)
}

// queryError returns a *refusal.Error for a query that a limit or the server's end has stopped.
func queryError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if context.Cause(ctx) == error(refusal.ErrDraining) {
		return refusal.ErrDraining
	}
	if e, over := errors.AsType[*refusal.Error](err); over && e.Code == refusal.Budget {
		return &refusal.Error{Code: refusal.Quota, Limit: e.Limit, Message: e.Message, Err: err}
	}
	if errors.Is(err, refusal.ErrStore) {
		return StoreError("query a model", err)
	}
	return err
}
