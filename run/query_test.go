package run

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

var yesOrNo = agent.Query{Name: "judge", Instructions: "Judge.", Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}`)}

// judging is a manager whose model answers queries with a call that used 110 tokens.
func judging(t *testing.T, l Limits) *Manager {
	t.Helper()
	in, out := int64(100), int64(10)
	model := llmFunc(func(yield func(llm.Part, error) bool) {
		for _, p := range []llm.Part{{Kind: llm.ToolStart, Name: "judge"}, {Kind: llm.ToolArgs, Delta: `{"yes":true}`}, {Kind: llm.ToolEnd},
			{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &in, Output: &out}}, {Kind: llm.FinishPart, Finish: llm.FinishTools}} {
			if !yield(p, nil) {
				return
			}
		}
	})
	m := must.Get(NewManager(t.Context(), Config{Store: temp.Store(t), Agents: Loops(&agent.Agent{Authorizer: policy.Everything, ID: "default", Model: model}), Limits: l}))(t)
	t.Cleanup(func() { m.Drain(context.Background()) })
	return m
}

// TestQueryCountsToTheUsersLimits: what a query uses is shown, and refused beyond the quota.
func TestQueryCountsToTheUsersLimits(t *testing.T) {
	ann := auth.Principal{Tenant: "acme", Subject: "ann"}
	m := judging(t, Limits{Day: store.Quotas{User: store.Amount{Tokens: 1500}}})
	output, spent, err := m.Query(t.Context(), ann, "default", yesOrNo)
	if err != nil || string(output) != `{"yes":true}` || *spent.Usage[0].InputTokens+*spent.Usage[0].OutputTokens != 110 {
		t.Fatal(string(output), spent, err)
	}
	u, err := m.Usage(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"})
	if err != nil || u.User.Used.Tokens != 110 || u.User.Held.Tokens != 0 || u.Runs != 0 {
		t.Errorf("%+v %v", u, err)
	}
	var refused *refusal.Error
	for range 20 {
		if _, _, err = m.Query(t.Context(), ann, "default", yesOrNo); err != nil {
			break
		}
	}
	if !errors.As(err, &refused) || refused.Code != refusal.Quota {
		t.Errorf("the quota holds no query: %v", err)
	}
	if _, _, err := m.Query(t.Context(), auth.Principal{Tenant: "acme", Subject: "bob"}, "default", yesOrNo); err != nil {
		t.Errorf("another user pays: %v", err)
	}
}

// TestQueryIsRefused where a run would be.
func TestQueryIsRefused(t *testing.T) {
	ann := auth.Principal{Subject: "ann"}
	m := judging(t, Limits{Run: store.Amount{Tokens: 50}})
	ask := func(agent string) error {
		_, _, err := m.Query(t.Context(), ann, agent, yesOrNo)
		return err
	}
	must.Fail(t, ask("default"), "50 tokens", "error")
	must.Fail(t, ask("none"), `no agent "none"`, "error")
	m.Drain(t.Context())
	must.FailWith(t, ask("default"), error(refusal.ErrDraining), "error")
}

// llmFunc is a model that streams what the function yields.
type llmFunc func(yield func(llm.Part, error) bool)

func (llmFunc) Info() llm.Info { return llm.Info{Provider: "test", Model: "m", Tools: true} }

func (f llmFunc) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	return iter.Seq2[llm.Part, error](f)
}
