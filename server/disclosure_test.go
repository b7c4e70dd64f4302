package server_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// remoteModel is a model that is called over the network.
type remoteModel struct {
	llm.Model
	name, host string
}

func (m remoteModel) Info() llm.Info {
	return llm.Info{Provider: "openai", Model: m.name, Host: m.host, Tools: true}
}

// newDisclosingSite is a server whose agent has two models and three tools, one of them for clerks.
func newDisclosingSite(t *testing.T) *site {
	t.Helper()
	model, err := llm.Fallback(nil, remoteModel{name: "gpt", host: "api.openai.com"}, remoteModel{name: "spare", host: "10.0.0.7:8000"})
	must(t, err)
	named := func(name, host string, needs ...tool.Source) *tool.Tool {
		made := tool.New(name, "Does "+name+".", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{}, nil })
		made.Host, made.Needs, made.Effect = host, needs, tool.Read
		return made
	}
	tools, err := tool.NewRegistry(named("search", "api.search.com"), named("pay", ""), named("look", "", "scope.order"))
	must(t, err)
	pages, err := page.NewRegistry(tools, nil, page.Page{Name: "orders", Instructions: "SECRET words of the operator.", Tools: []string{"search", "pay", "look"}})
	must(t, err)
	rules, err := policy.NewRules(policy.Rule{Roles: []string{"clerk"}, On: on(policy.Tool, "pay"), Then: policy.Allow},
		policy.Rule{On: on(policy.Tool, "pay"), Then: policy.Deny}, policy.Rule{On: on(policy.Tool, "*"), Then: policy.Allow},
		policy.Rule{On: map[policy.Kind][]string{policy.Agent: {"*"}, policy.Page: {"*"}}, Then: policy.Allow})
	must(t, err)
	return newSite(t, func(c *server.Config) {
		made := &agent.Agent{ID: "default", Model: model, Pages: pages, Authorizer: rules, Instructions: "SECRET too.", State: agent.State{Model: agent.StateWrite}}
		runs, err := run.NewManager(t.Context(), run.Config{Store: c.Store.(store.Store), Agents: run.Loops(made), Logger: c.Logger})
		must(t, err)
		t.Cleanup(func() { runs.Drain(t.Context()) })
		c.Runs = runs
	})
}

func TestADisclosureTellsWhatTheServerAddsAndWhereDataGoes(t *testing.T) {
	s := newDisclosingSite(t)
	body := s.send("POST", "/v1/disclosure", `{"page":"orders"}`, 200)
	var d agent.Disclosure
	must(t, json.Unmarshal([]byte(body), &d))
	models := []agent.DisclosedModel{
		{Name: "openai/gpt", Destination: agent.Destination{Host: "api.openai.com"}},
		{Name: "openai/spare", Destination: agent.Destination{Private: true}},
	}
	if !slices.Equal(d.Models, models) {
		t.Errorf("models %+v, want %+v", d.Models, models)
	}
	var names []string
	for _, each := range d.Tools {
		names = append(names, each.Name)
		if each.Name == "search" && each.Host != "api.search.com" {
			t.Errorf("search goes to %q", each.Host)
		}
	}
	if !slices.Contains(names, "search") || !slices.Contains(names, "update_state") || slices.Contains(names, "pay") || slices.Contains(names, "look") {
		t.Errorf("the tools are %q: neither one that the user may not use nor one that lacks its scope", names)
	}
	if d.State != agent.StateWrite || !strings.Contains(body, `"name":"page orders"`) || strings.Contains(body, "SECRET") {
		t.Errorf("the parts of the prompt are named and not told: %s", body)
	}
	s.expect("POST", "/v1/disclosure", `{"page":"orders","scope":{"order":"7"}}`, 200, `"name":"look"`)
	s.expect("POST", "/v1/disclosure", `{"agent":"nobody"}`, 404, `"field":"agent"`)
}
