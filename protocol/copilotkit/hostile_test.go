package copilotkit_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

const suggestTool = `{"name":"copilotkitSuggest","description":"Suggest","parameters":{"type":"object"}}`

// asked is a request for suggestions.
func asked(thread, choice string) string {
	return `{"threadId":"` + thread + `","runId":"` + thread + `","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[` + suggestTool + `],"context":[],"state":{},"forwardedProps":` + choice + `}`
}

const chosen = `{"toolChoice":{"type":"function","function":{"name":"copilotkitSuggest"}}}`

// TestSuggestions are a call of the front end's tool, keep no thread, and taint what is sent when
// one is clicked. A run that must call that tool is a request for them as well.
func TestSuggestions(t *testing.T) {
	s := protocoltest.Serve(t, copilotkit.Protocol{}, withSuggestions(t))
	c := client{s, "anns", false}
	for _, op := range []string{"suggest", "run"} {
		e := c.open(op, asked("s-"+op, chosen))
		messages := folded(t, nil, e.Rest())
		if len(messages) != 1 || len(messages[0].ToolCalls) != 1 || messages[0].ToolCalls[0].Name != "copilotkitSuggest" ||
			messages[0].ToolCalls[0].Arguments != `{"suggestions":[{"title":"More","message":"Tell me more"},{"title":"Less","message":"Tell me less"}]}` {
			t.Errorf("%s suggests %+v", op, messages)
		}
	}
	if list := s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200); !strings.Contains(list, `"threads":[]`) {
		t.Errorf("suggestions keep threads: %s", list)
	}
	// a tool that is only called so is one of the page
	c.open("run", asked("s-tool", "{}")).Rest()
	if list := s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200); !strings.Contains(list, `"id":"s-tool"`) {
		t.Errorf("a run is taken for a request for suggestions: %s", list)
	}
	c.open("run", strings.Replace(hello, `"content":"hello"`, `"content":"Tell me  more"`, 1)).Rest()
	row, err := s.Store.Run(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, "g")
	if err != nil || !row.Tainted {
		t.Errorf("what a clicked suggestion began is %+v, %v", row, err)
	}
	// without a model, and without any of the page: nothing
	none := client{protocoltest.Serve(t, copilotkit.Protocol{}), "anns", false}
	if all := none.open("suggest", asked("s", chosen)).Rest(); len(all) != 2 {
		t.Errorf("nothing is suggested with %v", all)
	}
}

// TestWhatIsRefused, in CopilotKit's form of errors, which names the field.
func TestWhatIsRefused(t *testing.T) {
	s := protocoltest.Serve(t, copilotkit.Protocol{})
	s.Read(s.Do("anns", "POST", "/copilotkit/agent/default/run", hello), 200)
	envelope := func(method, params, body string) string {
		return `{"method":"` + method + `","params":` + params + `,"body":` + body + `}`
	}
	resource := func(method, path string) string {
		return envelope("resource/request", `{"path":"`+path+`","httpMethod":"`+method+`"}`, "{}")
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		field              string
	}{
		{"POST", "", `{`, 400, ""},
		{"POST", "", `{"method":"info","extra":1}`, 400, "extra"},
		{"POST", "", `{"method":"info","params":{"extra":1}}`, 400, "params.extra"},
		{"POST", "", `{"method":7}`, 400, "method"},
		{"POST", "", `{}`, 400, "method"},
		{"POST", "", envelope("transcribe", "{}", "{}"), 400, "method"},
		{"POST", "", envelope("run", `{"agentId":"default"}`, hello), 400, "method"},
		{"POST", "", envelope("agent/../run", `{"agentId":"default"}`, hello), 400, "method"},
		{"POST", "", envelope("agent/run", `{}`, hello), 400, "params.agentId"},
		{"POST", "", envelope("agent/stop", `{"agentId":"default"}`, "{}"), 400, "params.threadId"},
		{"POST", "", envelope("agent/run", `{"agentId":"default"}`, `null`), 400, "*"},
		{"POST", "", `{"method":"agent/run","params":{"agentId":"default"}}`, 400, "*"},
		{"POST", "", resource("GET", "//elsewhere.example/threads"), 400, "params.path"},
		{"POST", "", resource("GET", "https://elsewhere.example/threads"), 400, "params.path"},
		{"POST", "", resource("GET", "/threads/%2/messages"), 400, "params.path"},
		{"POST", "", resource("GET", "/threads//messages"), 400, "params.path"},
		{"POST", "", resource("GET", "/threads/*"), 404, "params.path"},
		{"POST", "", resource("GET", "/threads/../../v1/threads"), 404, "params.path"},
		{"POST", "", resource("GET", "/../v1/threads"), 404, "params.path"},
		{"POST", "", resource("PUT", "/threads/g"), 404, "params.path"},
		{"POST", "", resource("GET", "threads"), 404, "params.path"},
		{"POST", "", resource("GET", "/threads"), 400, "agentId"},
		{"POST", "", resource("GET", "/threads/%2e%2e/messages"), 404, "*"},
		{"POST", "/agent/default/run", `{"threadId":7}`, 400, "threadId"},
		{"POST", "/agent/default/run", `{"__proto__":1}`, 400, "*"},
		{"POST", "/agent/default/connect", `{}`, 400, "*"},
		{"POST", "/agent/default/connect", `[]`, 400, "*"},
		{"POST", "/agent/default/suggest", `{}`, 400, "*"},
		{"POST", "/agent/default/suggest", strings.Replace(hello, "hello", strings.Repeat("x", 17<<10), 1), 400, "instructions"},
		{"POST", "/agent/default/stop/g", `[]`, 400, "*"},
		{"POST", "/agent/default/stop/g", `{"runId":7}`, 400, "runId"},
		{"GET", "/threads", "", 400, "agentId"},
		{"GET", "/threads?agentId=default&limit=0", "", 400, "limit"},
		{"GET", "/threads?agentId=default&limit=201", "", 400, "limit"},
		{"GET", "/threads?agentId=default&includeArchived=yes", "", 400, "includeArchived"},
		{"GET", "/threads?agentId=default&cursor=x", "", 400, "cursor"},
		{"GET", "/threads?agentId=default&cursor=archived:x", "", 400, "cursor"},
		{"PATCH", "/threads/g", `{"name":"x"}`, 400, "agentId"},
		{"PATCH", "/threads/g", `{"agentId":"default"}`, 400, "name"},
		{"PATCH", "/threads/g", `{"agentId":"default","name":""}`, 400, "name"},
		{"PATCH", "/threads/g", `{"agentId":"default","name":"` + strings.Repeat("é", 201) + `"}`, 400, "name"},
		{"PATCH", "/threads/g", `{"agentId":"default","title":"x"}`, 400, "title"},
		{"POST", "/threads/g/archive", `{"agentId":"default","name":"x"}`, 400, "*"},
		{"DELETE", "/threads/g", `{"agentId":"default","archived":true}`, 400, "*"},
		{"DELETE", "/threads/g", `{}`, 400, "agentId"},
		{"GET", "/threads/none/messages", "", 404, "*"},
		{"GET", "/threads/none/state", "", 404, "*"},
		{"GET", "/threads/none/events", "", 404, "*"},
	} {
		var sent any
		if c.body != "" {
			sent = c.body
		}
		var got struct {
			Error, Message string
			Details        struct{ Field string }
		}
		body := s.Read(s.Do("anns", c.method, "/copilotkit"+c.path, sent), c.status)
		must.Do(t, json.Unmarshal([]byte(body), &got))
		if got.Error == "" || got.Message == "" || c.field != "*" && got.Details.Field != c.field {
			t.Errorf("%s %s %s: %s, want the field %q", c.method, c.path, c.body, body, c.field)
		}
	}
	// what was refused changed nothing
	if list := s.Read(s.Do("anns", "GET", "/v1/threads", nil), http.StatusOK); !strings.Contains(list, `"id":"g","title":"hello"`) {
		t.Errorf("the threads are %s", list)
	}
}

// TestNewerClients send their version, and get what 0.x would choke on.
func TestNewerClients(t *testing.T) {
	c := client{protocoltest.Serve(t, copilotkit.Protocol{}), "anns", false}
	pick := strings.Replace(strings.Replace(hello, `"content":"hello"`, `"content":"pick"`, 1), `"tools":[]`, `"tools":[{"name":"pick","description":"Picks.","parameters":{"type":"object","properties":{"from":{"type":"string"}}}}]`, 1)
	for _, v := range []struct {
		thread, version string
		pending         int
	}{{"old", "", 0}, {"new", `"protocolVersion":"1.0",`, 1}} {
		body := strings.ReplaceAll(strings.Replace(pick, "{", "{"+v.version, 1), `"g"`, `"`+v.thread+`"`)
		for _, op := range []string{"run", "connect"} {
			all := c.open(op, body).Rest()
			end, pending := all[len(all)-1].(*agui.RunFinished), 0
			if end.Outcome != nil {
				pending = len(end.Outcome.PendingToolCallIDs)
			}
			if pending != v.pending {
				t.Errorf("%s with %q ends with %+v", op, v.version, end.Outcome)
			}
		}
	}
}
