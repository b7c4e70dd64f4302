package copilotkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

type info struct {
	Version, Mode string
	Agents        map[string]struct {
		Name, Description string
		Capabilities      struct {
			Tools struct{ ClientProvided bool }
		}
	}
	ThreadEndpoints struct{ List, Inspect, Mutations, RealtimeMetadata bool }
	SingleRoute     *struct{ ResourceOperations bool }
	Suggestions     bool
	LicenseStatus   *string
}

// TestInfo: what there is, and what there is not.
func TestInfo(t *testing.T) {
	s := protocoltest.Serve(t, copilotkit.Protocol{})
	var many, one info
	must.Do(t, json.Unmarshal([]byte(s.Read(s.Do("anns", "GET", "/copilotkit/info", nil), 200)), &many))
	must.Do(t, json.Unmarshal([]byte(s.Read(s.Do("anns", "POST", "/copilotkit/", `{"method":"info"}`), 200)), &one))
	if a := many.Agents["default"]; len(many.Agents) != 1 || a.Name != "default" || a.Description != "A test." || !a.Capabilities.Tools.ClientProvided {
		t.Errorf("the agents are %+v", many.Agents)
	}
	if many.Version != "1.74.0" || many.Mode != "sse" || !many.Suggestions || many.LicenseStatus != nil {
		t.Errorf("the runtime is %+v", many)
	}
	if e := many.ThreadEndpoints; !e.List || !e.Inspect || !e.Mutations || e.RealtimeMetadata {
		t.Errorf("of threads there is %+v", e)
	}
	if many.SingleRoute != nil || one.SingleRoute == nil || !one.SingleRoute.ResourceOperations {
		t.Errorf("the one address takes %+v and %+v", many.SingleRoute, one.SingleRoute)
	}
}

// TestInfoShowsOnlyWhatTheCallerMayAsk.
func TestInfoShowsOnlyWhatTheCallerMayAsk(t *testing.T) {
	s := protocoltest.Serve(t, copilotkit.Protocol{}, func(c *server.Config) {
		c.Authorizer = policy.Func(func(context.Context, policy.Question) (policy.Answer, error) {
			return policy.Answer{Decision: policy.Deny}, nil
		})
	})
	got := must.JSON[info](t, s.Read(s.Do("anns", "GET", "/copilotkit/info", nil), 200))
	if len(got.Agents) != 0 {
		t.Errorf("the agents are %+v", got.Agents)
	}
}

// TestDefaultIsTheFirstAgent if none is called so, in runs and in lists of threads.
func TestDefaultIsTheFirstAgent(t *testing.T) {
	s := protocoltest.Serve(t, copilotkit.Protocol{}, func(c *server.Config) {
		const rules = `{"name":"s","rules":[{"fallback":true,"steps":[{"text":"I help."}]}]}`
		model := must.Get(script.Parse("helper", []byte(rules)))(t)
		tools := must.Get(tool.NewRegistry())(t)
		types := must.Get(payload.NewRegistry())(t)
		pages := must.Get(page.NewRegistry(tools, types))(t)
		helper := &agent.Agent{Authorizer: policy.Everything, ID: "helper", Model: model, Pages: pages}
		runs := must.Get(run.NewManager(t.Context(), run.Config{
			Store: temp.Store(t), Agents: run.Loops(helper), Logger: slog.New(slog.DiscardHandler),
		}))(t)
		t.Cleanup(func() { runs.Drain(context.Background()) })
		c.Runs = runs
	})
	got := must.JSON[info](t, s.Read(s.Do("anns", "GET", "/copilotkit/info", nil), 200))
	if len(got.Agents) != 2 || got.Agents["default"].Name != "default" || got.Agents["helper"].Name != "helper" {
		t.Errorf("the agents are %+v", got.Agents)
	}
	if answer := s.Read(s.Do("anns", "POST", "/copilotkit/agent/default/run", hello), 200); !strings.Contains(answer, `"delta":"I "`) {
		t.Errorf("default answers %s", answer)
	}
	for _, id := range []string{"default", "helper"} {
		if list := s.Read(s.Do("anns", "GET", "/copilotkit/threads?agentId="+id, nil), 200); !strings.Contains(list, `"id":"g","name":"hello","agentId":"`+id+`"`) {
			t.Errorf("the threads of %s are %s", id, list)
		}
	}
	s.Read(s.Do("anns", "POST", "/copilotkit/agent/other/run", strings.ReplaceAll(hello, `"g"`, `"h"`)), 404)
}

// TestThreads: listed page by page with the archived ones last, shown to the inspector, changed and
// deleted.
func TestThreads(t *testing.T) {
	c := client{protocoltest.Serve(t, copilotkit.Protocol{}), "anns", false}
	for i := range 5 {
		c.open("run", strings.ReplaceAll(hello, `"g"`, fmt.Sprintf(`"t%d"`, i))).Rest()
	}
	for _, id := range []string{"t1", "t3"} {
		c.Read(c.resource("POST", "/threads/"+id+"/archive", map[string]string{"agentId": "default"}), 200)
	}
	// pins count in the list of the tray only
	c.Read(c.Do("anns", "PATCH", "/v1/threads/t0", `{"pinned":true}`), 200)
	if got := c.list(t, "&limit=2"); got != "t4 t2 | t0" {
		t.Errorf("the threads are %s", got)
	}
	if got := c.list(t, "&limit=2&includeArchived=true"); got != "t4 t2 | t0 t3 | t1" {
		t.Errorf("all threads are %s", got)
	}
	if got := c.list(t, "&limit=3&includeArchived=true"); got != "t4 t2 t0 | t3 t1" {
		t.Errorf("all threads are %s", got)
	}
	c.Read(c.resource("PATCH", "/threads/t3", map[string]any{"agentId": "default", "archived": false}), 200)
	c.Read(c.resource("DELETE", "/threads/t4", map[string]string{"agentId": "default"}), 200)
	if got := c.list(t, ""); got != "t3 t2 t0" {
		t.Errorf("the threads are %s", got)
	}
	if got := c.Read(c.resource("PATCH", "/threads/t0", map[string]string{"agentId": "default", "name": "A name"}), 200); !strings.Contains(got, `"name":"A name"`) {
		t.Errorf("the renamed thread is %s", got)
	}
	// deleted, another agent's, another user's
	c.Read(c.resource("PATCH", "/threads/t4", map[string]string{"agentId": "default", "name": "x"}), 404)
	c.Read(c.resource("DELETE", "/threads/t0", map[string]string{"agentId": "other"}), 404)
	c.Read(client{c.Site, "bobs", false}.resource("DELETE", "/threads/t0", map[string]string{"agentId": "default"}), 404)
	if all := c.open("connect", c.bodyOf("t4", "r", nil)).Rest(); all != nil {
		t.Errorf("a deleted thread is shown as %v", all)
	}
}

// list returns the ids of all pages.
func (c client) list(t *testing.T, query string) string {
	t.Helper()
	var pages []string
	for cursor := ""; ; {
		page := must.JSON[struct {
			Threads    []struct{ ID string }
			NextCursor *string
		}](t, c.Read(c.resource("GET", "/threads?agentId=default"+query+cursor, nil), 200))
		var ids []string
		for _, th := range page.Threads {
			ids = append(ids, th.ID)
		}
		pages = append(pages, strings.Join(ids, " "))
		if page.NextCursor == nil {
			return strings.Join(pages, " | ")
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// TestTheInspectorSeesAThread, its state too.
func TestTheInspectorSeesAThread(t *testing.T) {
	c := client{protocoltest.Serve(t, copilotkit.Protocol{}), "anns", false}
	count := strings.Replace(strings.Replace(hello, `"content":"hello"`, `"content":"count trials"`, 1), `"state":{}`, `"state":{"step":2}`, 1)
	c.open("run", count).Rest()
	messages := c.Read(c.resource("GET", "/threads/g/messages", nil), 200)
	for _, want := range []string{`"role":"user","content":"count trials"`, `"name":"count","args":"{\"of\":\"trials\"}"`, `"role":"tool","content":"18 trials","toolCallId":"`, `"content":{"of":"trials"}`} {
		if !strings.Contains(messages, want) {
			t.Errorf("the messages lack %s: %s", want, messages)
		}
	}
	if got := c.Read(c.resource("GET", "/threads/g/state", nil), 200); !strings.Contains(got, `{"state":{"step":2}}`) {
		t.Errorf("the state is %s", got)
	}
	if got := c.Read(c.resource("GET", "/threads/g/events", nil), 200); !strings.Contains(got, `"MESSAGES_SNAPSHOT"`) || !strings.Contains(got, `"snapshot":{"step":2}`) {
		t.Errorf("the events are %s", got)
	}
	_, shown := c.history("g")
	if state, ok := shown[2].(*agui.StateSnapshot); !ok || string(state.Snapshot) != `{"step":2}` {
		t.Errorf("after a reload there is %v", shown[2])
	}
}

// TestStop: the named run only, or whichever is live; nothing that has ended, and nobody else's.
func TestStop(t *testing.T) {
	for _, single := range []bool{false, true} {
		c := client{protocoltest.Serve(t, copilotkit.Protocol{}), "anns", single}
		e := c.open("run", decoded(t, strings.Replace(hello, `"content":"hello"`, `"content":"for ever"`, 1)))
		e.Until(isText)
		stop := func(c client, body any, want bool) {
			t.Helper()
			if got := c.Read(c.post("agent/stop", "agent/default/stop/g", body), 200); !strings.Contains(got, fmt.Sprintf(`"stopped":%t`, want)) {
				t.Errorf("stopping %v is answered with %s, want %t", body, got, want)
			}
		}
		stop(c, map[string]string{"runId": "other"}, false)
		stop(client{c.Site, "bobs", single}, map[string]string{}, false)
		c.Read(c.post("agent/stop", "agent/default/stop/g", map[string]string{"runId": ""}), 400)
		c.Read(c.post("agent/stop", "agent/default/stop/g", map[string]string{"run": "g"}), 400)
		stop(c, map[string]string{}, true)
		if end, ok := e.Rest()[len(e.All)-1].(*agui.RunFinished); !ok || end.Outcome != nil && end.Outcome.Type != agui.OutcomeSuccess {
			t.Errorf("the stopped run ends with %v, which CopilotKit does not know", e.All[len(e.All)-1])
		}
		stop(c, map[string]string{"runId": "g"}, false)
	}
}

func decoded(t *testing.T, body string) (v map[string]any) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(body), &v))
	return v
}
