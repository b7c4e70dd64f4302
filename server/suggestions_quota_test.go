package server_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/test/must"
)

// costly suggests something, and says that it used 4,500 tokens, or nothing of it.
func costly(silent bool) llm.Model {
	in, out := int64(4000), int64(500)
	used := llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &in, Output: &out}}
	answer := func(context.Context, *llm.Request) ([]llm.Part, error) {
		parts := dialects.Says(`[{"label":"Why?","value":"Why is that?"}]`)
		if !silent {
			parts = slices.Insert(parts, 1, used)
		}
		return parts, nil
	}
	return dialects.Fake{Is: llm.Info{Provider: "test", Model: "costly"}, Answer: answer}
}

func newQuotaSite(t *testing.T, m llm.Model) *site {
	t.Helper()
	return newSite(t, func(c *server.Config) {
		model, err := script.Parse("test", []byte(rules))
		must.Do(t, err)
		c.Runs, err = run.NewManager(t.Context(), run.Config{
			Store: temp.Store(t), Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model}), Logger: c.Logger,
			Limits: run.Limits{Run: store.Amount{Tokens: 10}, Day: store.Quotas{User: store.Amount{Tokens: 5000}}},
		})
		must.Do(t, err)
		t.Cleanup(func() { c.Runs.Drain(context.WithoutCancel(t.Context())) })
		c.Suggester = suggest.New(suggest.Config{Model: m})
	})
}

// TestSuggestionsCountTowardsQuotas: what suggestions use and what runs use is one sum. What may be
// used for one answer is not about them.
func TestSuggestionsCountTowardsQuotas(t *testing.T) {
	s := newQuotaSite(t, costly(false))
	s.do("", "POST", "/v1/suggestions", `{"instructions":"First."}`, 200, `"label":"Why?"`)
	s.do("", "GET", "/v1/limits", "", 200, `"used":4500,"held":0`)
	s.do("", "POST", "/v1/suggestions", `{"instructions":"First."}`, 200, `"source":"cache"`)
	s.do("", "GET", "/v1/limits", "", 200, `"used":4500,"held":0`)
	refused := s.do("", "POST", "/v1/suggestions", `{"instructions":"Second. `+strings.Repeat("word ", 500)+`"}`, 429)
	if !strings.Contains(refused, `"code":"quota_exceeded"`) || !strings.Contains(refused, "5000 tokens") {
		t.Errorf("the refusal is %s", refused)
	}
	s.do("", "GET", "/v1/limits", "", 200, `"used":4500,"held":0`)
}

// TestUnreportedSuggestionsAreNotFree: a provider that reports no usage is billed by an estimate.
func TestUnreportedSuggestionsAreNotFree(t *testing.T) {
	s := newQuotaSite(t, costly(true))
	s.do("", "POST", "/v1/suggestions", `{"instructions":"First."}`, 200, `"label":"Why?"`)
	if limits := s.do("", "GET", "/v1/limits", "", 200); strings.Contains(limits, `"used":0,"held":0`) {
		t.Errorf("nothing was counted: %s", limits)
	}
}

// TestForgottenSuggestions: what was suggested to a person is dropped with the person's data, and
// nobody else's is.
func TestForgottenSuggestions(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Suggester = suggest.New(suggest.Config{Model: costly(false)})
		c.Authenticate = byName
		c.Authorizer = policy.Everything
	})
	ask := func(user string) string {
		return s.read(s.as(user, "POST", "/v1/suggestions", `{"instructions":"First."}`), 200)
	}
	ask("ann")
	ask("bob")
	s.read(s.as("bob", "DELETE", "/v1/subjects/ann", ""), 204)
	must.Have(t, ask("bob"), `"cache"`, "bob's")
	must.Have(t, ask("ann"), `"model"`, "ann's")
}
