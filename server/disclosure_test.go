package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
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
	must.Do(t, err)
	named := func(name, host string, needs ...tool.Source) *tool.Tool {
		made := tool.New(name, "Does "+name+".", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{}, nil })
		made.Host, made.Needs, made.Effect = host, needs, tool.Read
		return made
	}
	tools, err := tool.NewRegistry(named("search", "api.search.com"), named("pay", ""), named("look", "", "scope.order"))
	must.Do(t, err)
	pages, err := page.NewRegistry(tools, nil, page.Page{Name: "orders", Instructions: "SECRET words of the operator.", Tools: []string{"search", "pay", "look"}})
	must.Do(t, err)
	rules, err := policy.NewRules(policy.Rule{Roles: []string{"clerk"}, On: on(policy.Tool, "pay"), Then: policy.Allow},
		policy.Rule{On: on(policy.Tool, "pay"), Then: policy.Deny}, policy.Rule{On: on(policy.Tool, "*"), Then: policy.Allow},
		policy.Rule{On: map[policy.Kind][]string{policy.Agent: {"*"}, policy.Page: {"*"}}, Then: policy.Allow})
	must.Do(t, err)
	return newSite(t, func(c *server.Config) {
		made := &agent.Agent{ID: "default", Model: model, Pages: pages, Authorizer: rules, Instructions: "SECRET too.", State: sharedstate.Config{Model: sharedstate.Write}}
		serves(t, c, temp.Store(t), made)
	})
}

func TestADisclosureTellsWhatTheServerAddsAndWhereDataGoes(t *testing.T) {
	s := newDisclosingSite(t)
	body := s.do("", "POST", "/v1/disclosure", `{"page":"orders"}`, 200)
	d := must.JSON[agent.Disclosure](t, body)
	models := []agent.DisclosedModel{
		{Name: "openai/gpt", Uses: []agent.ModelUse{agent.UsedNow}, Destination: agent.Destination{Host: "api.openai.com"}},
		{Name: "openai/spare", Uses: []agent.ModelUse{agent.UsedInReserve}, Destination: agent.Destination{Private: true}},
	}
	if !reflect.DeepEqual(d.Models, models) {
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
	if d.State != sharedstate.Write || !strings.Contains(body, `"name":"page orders"`) || strings.Contains(body, "SECRET") {
		t.Errorf("the parts of the prompt are named and not told: %s", body)
	}
	s.do("", "POST", "/v1/disclosure", `{"page":"orders","scope":{"order":"7"}}`, 200, `"name":"look"`)
	s.do("", "POST", "/v1/disclosure", `{"agent":"nobody"}`, 404, `"field":"agent"`)
}

// TestADisclosureSaysWhichModelAnswersNow: what the client would ask for, or else what was chosen
// last in the thread, and only in one's own. The others can be chosen, or stand in.
func TestADisclosureSaysWhichModelAnswersNow(t *testing.T) {
	scripted := must.Get(script.Parse("test", []byte(rules)))(t)
	info := func(name string, tools bool) llm.Info {
		return llm.Info{Provider: "openai", Model: name, Host: name + ".example.com", Tools: tools}
	}
	model := func(name string, rest ...string) llm.Model {
		first := llm.Model(informed{scripted, info(name, name != "mute")})
		var others []llm.Model
		for _, name := range rest {
			others = append(others, informed{scripted, info(name, true)})
		}
		return must.Get(llm.Fallback(nil, first, others...))(t)
	}
	s := newSite(t, func(c *server.Config) {
		c.Authenticate = byName
		a := *c.Runs.Settings("default")
		a.Choices = agent.Choices{{ID: "fast", Model: model("fast", "both")}, {ID: "deep", Model: model("both", "spare")}, {ID: "mute", Model: model("mute", "fast", "spare", "last")}}
		a.Model = a.Choices[0].Model
		must.Do(t, a.Validate())
		must.Do(t, c.Runs.SetAgents(run.Loops(&a)))
	})
	told := func(who, body, want string) {
		t.Helper()
		d := must.JSON[agent.Disclosure](t, s.do(who, "POST", "/v1/disclosure", body, 200))
		var got []string
		for _, m := range d.Models {
			got = append(got, fmt.Sprint(m.Name[len("openai/"):], m.Uses))
		}
		must.Be(t, strings.Join(got, " "), want, "%s is told for %s of", who, body)
		if hasTools := !strings.HasPrefix(want, "mute"); (len(d.Tools) > 0) != hasTools {
			t.Errorf("for %s the tools are %v", body, d.Tools)
		}
	}
	const fast = "fast[now] both[reserve choice] mute[choice] spare[choice_reserve] last[choice_reserve]"
	const deep = "both[now] spare[reserve] fast[choice] mute[choice] last[choice_reserve]"
	told("acme/ann", `{}`, fast)
	told("acme/ann", `{"model":"deep"}`, deep)
	told("acme/ann", `{"model":"mute"}`, "mute[now] fast[reserve choice] spare[reserve] last[reserve] both[choice]")
	if got := s.do("acme/ann", "POST", "/v1/disclosure", `{"model":"gpt-9"}`, 422); !strings.Contains(got, `"field":"model"`) || !strings.Contains(got, "fast, deep, mute") {
		t.Errorf("what is not offered is refused with %s", got)
	}
	s.do("acme/ann", "POST", "/v1/agents/default/run", strings.Replace(input("t1", "r1", "hello"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":{"model":"deep"}}`, 1), 200)
	told("acme/ann", `{"threadId":"t1"}`, deep)
	told("acme/ann", `{"threadId":"t1","model":"fast"}`, fast)
	told("acme/ann", `{"threadId":"t2"}`, fast)
	told("acme/bob", `{"threadId":"t1"}`, fast)
}

// informed is a model with another Info.
type informed struct {
	llm.Model
	is llm.Info
}

func (m informed) Info() llm.Info { return m.is }

// TestADisclosureCountsWhatTheInspectorCounts: users, administrators and operators are told one
// number of what the server adds to a call.
func TestADisclosureCountsWhatTheInspectorCounts(t *testing.T) {
	scripted := must.Get(script.Parse("test", []byte(rules)))(t)
	count := tool.New("count", "Counts the rows of a table.", func(context.Context, *tool.Call, struct {
		Table string `json:"table"`
	}) (tool.Result, error) {
		return tool.Result{}, nil
	})
	tools := must.Get(tool.NewRegistry(count))(t)
	cards, err := payload.NewRegistry(&payload.Type{Name: "chart", Description: "A chart.", Source: payload.FromLLM, Schema: json.RawMessage(`{"type":"object","properties":{"rows":{"type":"array"}}}`)})
	must.Do(t, err)
	pages, err := page.NewRegistry(tools, cards, page.Page{Name: "orders", Instructions: "Ünits are in UTC.", Tools: []string{"count"}, Payloads: []string{"chart"}})
	must.Do(t, err)
	for _, mode := range []llm.PayloadTransport{llm.PayloadMarker, llm.PayloadTool} {
		recorder := inspect.New(0)
		s := newSite(t, func(c *server.Config) {
			made := &agent.Agent{
				ID: "default", Model: informed{scripted, llm.Info{Provider: "openai", Model: "gpt", Tools: true, Payloads: mode}}, Pages: pages, Tracer: recorder,
				Authorizer: policy.Everything, Instructions: "Be brief.", State: sharedstate.Config{Model: sharedstate.Write}, AskUser: true,
			}
			serves(t, c, temp.Store(t), made)
			c.Inspector = recorder
		})
		told := must.JSON[agent.Disclosure](t, s.do("", "POST", "/v1/disclosure", `{"page":"orders"}`, 200))
		s.do("", "POST", "/v1/agents/default/run", strings.Replace(input("t1", "r1", "hello"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":{"page":"orders"}}`, 1), 200)
		seen := must.JSON[inspect.Detail](t, s.do("", "GET", "/v1/inspector/runs/r1", "", 200))
		asked := seen.Steps[0]
		if server := asked.Usage.Prompt - asked.Messages[0].Tokens; len(asked.Messages) != 1 || told.Tokens != server {
			t.Errorf("with %v a user is told of %d tokens, and a call has %d", mode, told.Tokens, server)
		}
	}
}
