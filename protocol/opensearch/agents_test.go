package opensearch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var (
	owner   = store.Owner{Tenant: "acme", Subject: "ann"}
	threads = store.ThreadQuery{}
)

const agents = "/_plugins/_ml/agents/"

func get(t *testing.T, s *protocoltest.Site, user, method, path string, body any, into any) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(s.Read(s.Do(user, method, path, body), 200)), into))
}

type agent struct {
	Name, Type, Description string
	LLM                     struct {
		ModelID string `json:"model_id"`
	}
	Tools  []struct{ Type, Name string }
	Memory struct {
		Type        string
		ContainerID string `json:"memory_container_id"`
	}
}

func TestAgents(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	var a agent
	get(t, s, "anns", "GET", agents+"default", nil, &a)
	if a.Name != "default" || a.Type != "AG_UI" || a.Description != "A test." || a.LLM.ModelID != "script/test" || a.Memory.Type != "agentic_memory" || a.Memory.ContainerID != "pageside" {
		t.Errorf("%+v", a)
	}
	names := fmt.Sprint(a.Tools)
	for _, name := range []string{"count", "erase", "broken"} {
		if !strings.Contains(names, name) {
			t.Errorf("%s lack %s", names, name)
		}
	}
	for method, body := range map[string]any{"GET": nil, "POST": `{"query":{"match_all":{}},"size":5}`} {
		var found struct {
			Hits struct {
				Total struct{ Value int }
				Hits  []struct {
					ID     string `json:"_id"`
					Source agent  `json:"_source"`
				}
			}
		}
		get(t, s, "anns", method, agents+"_search", body, &found)
		if h := found.Hits; h.Total.Value != 1 || len(h.Hits) != 1 || h.Hits[0].ID != "default" || h.Hits[0].Source.Type != "AG_UI" {
			t.Errorf("%s: %+v", method, h)
		}
	}
	refuse(t, s, "GET", agents+"none", nil, 404)
	refuse(t, s, "DELETE", agents+"none", nil, 404)
	refuse(t, s, "DELETE", agents+"default", nil, 403)
	get(t, s, "anns", "GET", agents+"default", nil, &a)
}

// TestRegister: a registration finds the agent that is configured, and sets nothing.
func TestRegister(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for _, body := range []string{
		`{"name":"default","type":"AG_UI"}`,
		`{"name":"default","type":"ag_ui","description":"A test.","tools":[{"type":"count"},{"type":"x","name":"erase","description":"Erases.","parameters":{}}],"parameters":{}}`,
		`{"name":"chat","type":"AG_UI","model":{"model_id":"script/test"},"memory":{"type":"conversation_index"}}`,
		`{"name":"chat","type":"AG_UI","llm":{"model_id":"script/test"},"memory":{"type":"agentic_memory","memory_container_id":"pageside"}}`,
		`{"name":"chat","type":"AG_UI","agent_id":"default"}`,
		`{"name":"default","type":"conversational"}`,
	} {
		var made struct {
			ID string `json:"agent_id"`
		}
		if get(t, s, "anns", "POST", agents+"_register", body, &made); made.ID != "default" {
			t.Errorf("%s: %+v", body, made)
		}
	}
	for rest, field := range map[string]string{
		`"type":"AG_UI"`:                                                           "name",
		`"name":"default","type":"ROBOT"`:                                          "type",
		`"name":"default"`:                                                         "type",
		`"name":"other","type":"AG_UI"`:                                            "name",
		`"name":"other","type":"AG_UI","agent_id":"other"`:                         "agent_id",
		`"name":"` + strings.Repeat("x", 129) + `","type":"AG_UI"`:                 "name",
		`"model":{"model_id":"gpt","model_provider":"openai/v1/chat/completions"}`: "model.model_id",
		`"model":{"model_id":"gpt","model_provider":"azure"}`:                      "model.model_provider",
		`"llm":{"model_id":"other"}`:                                               "llm.model_id",
		`"llm":{"model_id":"script/test"},"model":{"model_id":"script/test"}`:      "llm",
		`"tools":[{"type":"ListIndexTool"}]`:                                       "tools[0].name",
		`"tools":[{"type":"count","description":"x"}]`:                             "tools[0].description",
		`"parameters":{"_llm_interface":"bedrock/converse/claude"}`:                "parameters._llm_interface",
		`"colour":"x"`:      "colour",
		`"description":"x"`: "description",
		`"memory":{"type":"remote_agentic_memory"}`:                    "memory.type",
		`"memory":{"type":"agentic_memory","memory_container_id":"x"}`: "memory.memory_container_id",
	} {
		body := "{" + rest + "}"
		if !strings.Contains(rest, `"name":"`) || strings.HasPrefix(rest, `"model"`) {
			if !strings.Contains(rest, `"type":"AG_UI"`) {
				body = `{"name":"default","type":"AG_UI",` + rest + "}"
			}
		}
		reason := refuse(t, s, "POST", agents+"_register", body, 400)
		if !strings.HasPrefix(reason, field+":") {
			t.Errorf("%s: %s, want %s", body, reason, field)
		}
	}
}

// TestRegisterAsDocumented: what pageside.yaml decides is ignored and named, never with a value.
func TestRegisterAsDocumented(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	body := `{"name":"chat","type":"AG_UI","description":"A test.","model":{"model_id":"script/test","credential":{"access_key":"s3cr3t"},"model_parameters":{"system_prompt":"Be brief.","max_tokens":"4096"}},
		"tools":[{"type":"count","parameters":{},"attributes":{"input_schema":"{}","strict":false},"include_output_in_agent_response":false,"config":{}}],
		"parameters":{"max_iteration":"10","message_history_limit":"10","mcp_connectors":[]},"memory":{"type":"conversation_index"},"app_type":"chat","context_management_name":"x"}`
	for method, path := range map[string]string{"POST": agents + "_register", "PUT": agents + "default"} {
		sent := body
		if method == "PUT" {
			sent = strings.Replace(body, `"name":"chat",`, "", 1)
		}
		resp := s.Do("anns", method, path, sent)
		want := "app_type, context_management_name, model.credential.access_key, model.model_parameters.max_tokens, model.model_parameters.system_prompt, " +
			"parameters.max_iteration, parameters.mcp_connectors, parameters.message_history_limit, tools[0].attributes.input_schema, tools[0].attributes.strict, tools[0].include_output_in_agent_response"
		if got := resp.Header.Get("Pageside-Ignored"); got != want {
			t.Errorf("%s ignores %q, want %q", method, got, want)
		}
		if got := s.Read(resp, 200); strings.Contains(got, "s3cr3t") || method == "PUT" && (!strings.Contains(got, `"result":"noop"`) || !strings.Contains(got, `"_id":"default"`)) {
			t.Errorf("%s: %s", method, got)
		}
	}
	if got := s.Do("anns", "POST", agents+"_register", `{"name":"default","type":"AG_UI"}`).Header.Get("Pageside-Ignored"); got != "" {
		t.Errorf("of nothing %q is ignored", got)
	}
	refuse(t, s, "PUT", agents+"none", `{"description":"x"}`, 404)
	for body, field := range map[string]string{`{"name":"other"}`: "name", `{"description":"x"}`: "description", `{"tools":[{"type":"ListIndexTool"}]}`: "tools[0].name", `{"llm":{"model_id":"other"}}`: "llm.model_id"} {
		if reason := refuse(t, s, "PUT", agents+"default", body, 400); !strings.HasPrefix(reason, field+":") {
			t.Errorf("%s: %s, want %s", body, reason, field)
		}
	}
}

// TestSearchByTerm: as set-up scripts look for the agent that they have made.
func TestSearchByTerm(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for query, n := range map[string]int{
		`{"term":{"type":"AG_UI"}}`: 1, `{"term":{"type":{"value":"AG_UI"}}}`: 1, `{"term":{"name.keyword":"default"}}`: 1, `{"term":{"_id":"default"}}`: 1,
		`{"term":{"type":{"value":"AG_UI","boost":1.0}}}`: 1, // OpenSearch's own clients write it
		`{"term":{"type":"FLOW"}}`:                        0, `{"term":{"name":{"value":"def"}}}`: 0,
	} {
		var f found
		if get(t, s, "anns", "POST", agents+"_search", `{"query":`+query+`}`, &f); len(f.Hits.Hits) != n || f.Hits.Total.Value != n {
			t.Errorf("%s: %+v", query, f)
		}
	}
	for _, query := range []string{`{"term":{"colour":"red"}}`, `{"term":{}}`, `{"term":{"type":7}}`, `{"term":{"type":{"boost":1}}}`, `{"term":{"type":"a","name":"b"}}`, `{"bool":{}}`} {
		if reason := refuse(t, s, "POST", agents+"_search", `{"query":`+query+`}`, 400); !strings.HasPrefix(reason, "query:") {
			t.Errorf("%s: %s", query, reason)
		}
	}
	refuse(t, s, "POST", sessions+"_search", `{"query":{"term":{"summary":"x"}}}`, 400)
}

// TestRegisterWithFewRights: a name that is no agent's is the client's own. It needs no permission.
func TestRegisterWithFewRights(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{}, func(c *server.Config) {
		c.Authorizer = policy.Func(func(_ context.Context, q policy.Question) (policy.Answer, error) {
			if q.Kind == policy.Agent && q.Name != "default" {
				return policy.Answer{Decision: policy.Deny}, nil
			}
			return policy.Answer{Decision: policy.Allow}, nil
		})
	})
	var made struct {
		ID string `json:"agent_id"`
	}
	get(t, s, "anns", "POST", agents+"_register", `{"name":"chat","type":"AG_UI","llm":{"model_id":"script/test"}}`, &made)
	if made.ID != "default" {
		t.Errorf("%+v", made)
	}
}

const sessions = "/_plugins/_ml/memory_containers/pageside/memories/sessions/"

type found struct {
	Hits struct {
		Total struct {
			Value    int
			Relation string
		}
		Hits []struct {
			ID     string `json:"_id"`
			Source struct {
				Summary string
				Created int64 `json:"created_time"`
				Updated int64 `json:"last_updated_time"`
			} `json:"_source"`
		}
	}
}

func TestSessions(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for i := range 5 {
		body := fmt.Sprintf(`{"threadId":"t%d","runId":"r%d","messages":[{"id":"m","role":"user","content":"hello %d"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, i, i, i)
		s.Read(s.Do("anns", "POST", stream, body), 200)
	}
	// as the chat plugin asks
	page := func(from, size int) (f found) {
		get(t, s, "anns", "POST", sessions+"_search", fmt.Sprintf(`{"query":{"match_all":{}},"from":%d,"size":%d,"sort":[{"last_updated_time":{"order":"desc"}}]}`, from, size), &f)
		return f
	}
	first, second := page(0, 3), page(3, 3)
	if h := first.Hits; len(h.Hits) != 3 || h.Hits[0].ID != "t4" || h.Hits[0].Source.Summary != "hello 4" || h.Hits[0].Source.Created == 0 || h.Hits[0].Source.Updated < h.Hits[0].Source.Created {
		t.Errorf("%+v", h)
	}
	// the plugin has a next page if (page+1)*size is below the total
	for size, pages := range map[int]int{1: 5, 2: 3, 3: 2, 4: 2, 5: 1, 20: 1} {
		seen, n := 0, 0
		for next := true; next; n++ {
			h := page(n*size, size).Hits
			seen += len(h.Hits)
			next = (n+1)*size < h.Total.Value
		}
		if seen != 5 || n != pages {
			t.Errorf("pages of %d: %d sessions on %d pages", size, seen, n)
		}
	}
	if h := page(0, 2).Hits; h.Total.Value != 3 || h.Total.Relation != "gte" {
		t.Errorf("%+v", h.Total)
	}
	if h := second.Hits; len(h.Hits) != 2 || h.Hits[1].ID != "t0" || h.Total.Value != 5 || h.Total.Relation != "eq" {
		t.Errorf("%+v", h)
	}
	var all, none found
	if get(t, s, "anns", "GET", sessions+"_search", nil, &all); len(all.Hits.Hits) != 5 {
		t.Errorf("%+v", all)
	}
	if get(t, s, "bobs", "GET", sessions+"_search", nil, &none); len(none.Hits.Hits) != 0 {
		t.Errorf("%+v", none)
	}
	var gone struct{ Result string }
	if get(t, s, "anns", "DELETE", sessions+"t4", nil, &gone); gone.Result != "deleted" {
		t.Errorf("%+v", gone)
	}
	refuse(t, s, "GET", sessions+"t4", nil, 404)
	refuse(t, s, "DELETE", sessions+"t4", nil, 404)
	var one struct{ Summary string }
	if get(t, s, "anns", "GET", sessions+"t3", nil, &one); one.Summary != "hello 3" {
		t.Errorf("%+v", one)
	}
	if h := page(0, 1).Hits; h.Hits[0].ID != "t3" {
		t.Errorf("%+v", h)
	}
}

func TestSearchRefuses(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for body, field := range map[string]string{
		`{"query":{"match":{"summary":"x"}}}`: "query", `{"query":{"match_all":{"boost":1}}}`: "query", `{"query":7}`: "query",
		`{"from":-1}`: "from", `{"size":-1}`: "from", `{"size":10001}`: "size", `{"from":9223372036854775807,"size":10}`: "size",
		`{"sort":[{"created_time":{"order":"desc"}}]}`: "sort", `{"sort":[{"last_updated_time":"asc"}]}`: "sort", `{"sort":"x"}`: "sort", `{"aggs":{}}`: "aggs",
	} {
		if reason := refuse(t, s, "POST", sessions+"_search", body, 400); !strings.HasPrefix(reason, field+":") {
			t.Errorf("%s: %s, want %s", body, reason, field)
		}
	}
	refuse(t, s, "POST", agents+"_search", `{"sort":[{"name":"desc"}]}`, 400)
	var empty found
	if get(t, s, "anns", "POST", agents+"_search", `{"from":7}`, &empty); len(empty.Hits.Hits) != 0 {
		t.Errorf("%+v", empty)
	}
	refuse(t, s, "GET", "/_plugins/_ml/memory_containers/other", nil, 404)
	refuse(t, s, "GET", "/_plugins/_ml/memory_containers/other/memories/sessions/_search", nil, 404)
	var c struct{ Name string }
	if get(t, s, "anns", "GET", "/_plugins/_ml/memory_containers/pageside", nil, &c); c.Name != "pageside" {
		t.Errorf("%+v", c)
	}
}
