package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// audience is who may use a route.
type audience string

const (
	anybody    audience = "anybody"    // with or without credentials
	everyone   audience = "everyone"   // who is authenticated
	tenant     audience = "tenant"     // what it is about belongs to a tenant
	colleagues audience = "colleagues" // it searches what belongs to a tenant, and may find nothing
	owner      audience = "owner"      // what it is about belongs to one person
)

// cell says who may use a route, and how it is used. In path and body {ids} stands for the ids of
// what it is about, {card}, {allowance}, {standing}, {share} and {token} for those the server
// made.
type cell struct {
	route, path, body string
	who               audience
	needs             []string            // permissions, as in grants
	live              string              // path or body that streams a run that does not end
	whole             bool                // its stream is there as soon as it begins
	status            int                 // for those who may
	shows             func(person) string // the canary that the answer has
	ignores           string              // the answer has this for ids that are somebody else's
	// checks what a request of someone who may has done
	then func(t *testing.T, w *world, p person, ids, answer string)
}

// matrix has a line for each route, those that take something away last.
var matrix = []cell{
	{route: "GET /healthz", path: "/healthz", who: anybody, status: 200},
	{route: "GET /readyz", path: "/readyz", who: anybody, status: 200},
	{route: "/", path: "/nothing", who: anybody, status: 404},
	{route: "/v1/", path: "/v1/nothing", who: anybody, status: 404},
	{route: "GET /v1/agents", path: "/v1/agents", who: everyone, status: 200},
	{route: "GET /v1/agents/{agent}/capabilities", path: "/v1/agents/default/capabilities", who: everyone, needs: []string{"agents"}, status: 200},
	{route: "GET /v1/agents/{agent}/run/capabilities", path: "/v1/agents/default/run/capabilities", who: everyone, needs: []string{"agents"}, status: 200},
	{route: "GET /v1/definitions", path: "/v1/definitions", who: everyone, needs: []string{"definitions"}, status: 200},
	{route: "POST /v1/suggestions", path: "/v1/suggestions", body: `{"page":"orders","instructions":"about {ids}"}`, who: everyone, needs: []string{"agents"}, status: 200, then: says(`"source":"model"`)},
	{route: "POST /v1/resolve", path: "/v1/resolve", body: `{"page":"orders","scope":{"order":"{ids}"}}`, who: everyone, needs: []string{"agents", "resolve"}, status: 200, shows: person.shared},
	{route: "POST /v1/disclosure", path: "/v1/disclosure", body: `{"page":"orders","scope":{"order":"{ids}"},"threadId":"t-{ids}"}`, who: everyone, needs: []string{"agents"}, status: 200, then: says(`"models":[`)},
	{route: "POST /v1/actions/{name}", path: "/v1/actions/look", body: `{"page":"orders","threadId":"t-{ids}","args":{"text":"x"}}`, who: everyone, needs: []string{"agents", "actions"}, status: 200,
		ignores: `in \"\": x`, then: says(`look for {tenant}/{subject} in \"t-{ids}\": x`)},
	{route: "GET /v1/threads", path: "/v1/threads", who: everyone, status: 200, shows: person.canary},
	{route: "GET /v1/threads", path: "/v1/threads?q=canary", who: everyone, status: 200, shows: person.canary},
	{route: "GET /v1/inspector/runs", path: "/v1/inspector/runs", who: everyone, status: 200, shows: person.canary},
	{route: "GET /v1/inspector/runs", path: "/v1/inspector/runs?stored=true", who: everyone, status: 200, shows: person.canary},
	{route: "GET /v1/inspector/runs", path: "/v1/inspector/runs?all=true", who: colleagues, needs: []string{"inspector"}, status: 200, shows: person.canary},
	{route: "GET /v1/limits", path: "/v1/limits", who: everyone, status: 200},
	{route: "GET /v1/audit", path: "/v1/audit?thread=t-{ids}", who: colleagues, needs: []string{"audit"}, status: 200, shows: person.canary},
	{route: "GET /v1/audit/verify", path: "/v1/audit/verify", who: everyone, needs: []string{"audit"}, status: 200, then: says(`"state":"unanchored"`)},
	{route: "GET /v1/subjects/{subject}", path: "/v1/subjects/{subject}", who: colleagues, needs: []string{"subjects:read"}, status: 200, then: lacks(`"threads":0`)},
	{route: "GET /v1/allowances", path: "/v1/allowances", who: everyone, status: 200, shows: person.canary, then: says(`"id":"{standing}"`)},
	{route: "GET /v1/chat/conversations", path: "/v1/chat/conversations", who: everyone, status: 200, shows: person.canary, then: says(`"conversation_id":{number},`)},
	{route: "GET /v1/chat/conversations/{conversation}", path: "/v1/chat/conversations/{number}", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/chat/stream", path: "/v1/chat/stream?lastEventId=chat-{ids}:1.0", live: "/v1/chat/stream?lastEventId=chatting-{ids}:1.0", who: owner, status: 200, shows: person.canary},
	{route: "POST /v1/chat/stream", path: "/v1/chat/stream", body: `{"message":"And?","context":{"current_page":"orders","stream_id":{number}}}`, who: everyone, needs: []string{"agents"}, status: 200, shows: person.shared,
		live: `{"message":"do:wait:x"}`},
	{route: "POST /v1/chat/stream", path: "/v1/chat/stream", body: `{"message":"And?","conversation_id":{number}}`, who: owner, needs: []string{"agents"}, status: 200, shows: person.canary,
		live: `{"message":"do:wait:x"}`},
	{route: "PATCH /v1/chat/conversations/{conversation}", path: "/v1/chat/conversations/{number}", body: `{"title":"about {ids}"}`, who: owner, status: 200,
		then: reads("/v1/threads", `"title":"about {ids}"`)},
	{route: "POST /v1/chat/conversations/{conversation}/cancel", path: "/v1/chat/conversations/{number}1/cancel", who: owner, status: 204,
		then: reads("/v1/runs/chatting-{ids}/events?protocolVersion=1.0", `"outcome":{"type":"cancelled"}`)},
	{route: "DELETE /v1/chat/conversations/{conversation}", path: "/v1/chat/conversations/{number}", who: owner, status: 204, then: reads("/v1/threads?deleted=true", `"id":"chat-{number}"`)},
	{route: "GET /.well-known/agent-card.json", path: "/.well-known/agent-card.json", who: anybody, status: 200},
	{route: "GET /v1/a2a/{agent}/.well-known/agent-card.json", path: "/v1/a2a/default/.well-known/agent-card.json", who: everyone, needs: []string{"agents"}, status: 200},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("GetTask", `"id":"card-{ids}"`), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary,
		ignores: `"code":-32001`},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("ListTasks", `"contextId":"t-{ids}","includeArtifacts":true`), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary,
		ignores: `"tasks":[],"totalSize":0`},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("ListTasks", `"includeArtifacts":true`), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("SendMessage", `"message":{"messageId":"m","contextId":"resp-{ids}","taskId":"resp-{ids}","role":"ROLE_USER","parts":[{"text":"And?"}]}`), who: everyone, needs: []string{"agents"}, status: 200,
		ignores: `"code":-32001`, then: says(`"code":-32004`)},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("SendStreamingMessage", a2aMessage("And?")), who: everyone, needs: []string{"agents"}, status: 200,
		live: a2aBody("SendStreamingMessage", a2aMessage("do:wait:x"))},
	{route: "POST /v1/a2a/{agent}", path: "/v1/a2a/default?A2A-Version=1.0", body: a2aBody("CancelTask", `"id":"cancelling-{ids}"`), who: everyone, needs: []string{"agents"}, status: 200,
		ignores: `"code":-32001`, then: reads("/v1/runs/cancelling-{ids}/events?protocolVersion=1.0", `"outcome":{"type":"cancelled"}`)},
	// a session is its principal's: protocol/mcp tests what is in one
	{route: "POST /mcp", path: "/mcp", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, who: everyone, status: 202},
	{route: "GET /mcp", path: "/mcp", who: everyone, status: 400},
	{route: "DELETE /mcp", path: "/mcp", who: everyone, status: 400},
	{route: "GET /v1/models", path: "/v1/models", who: everyone, status: 200},
	{route: "GET /v1/models/{model}", path: "/v1/models/default", who: everyone, needs: []string{"agents"}, status: 200},
	{route: "POST /v1/chat/completions", path: "/v1/chat/completions", body: `{"model":"default","messages":[{"role":"user","content":"And {ids}?"}]}`, who: everyone, needs: []string{"agents"}, status: 200},
	{route: "POST /v1/chat/completions", path: "/v1/chat/completions", body: `{"model":"default","stream":true,"messages":[{"role":"user","content":"And {ids}?"}]}`, who: everyone, needs: []string{"agents"}, status: 200,
		live: `{"model":"default","stream":true,"messages":[{"role":"user","content":"do:wait:x"}]}`},
	{route: "POST /v1/responses", path: "/v1/responses", body: `{"model":"default","input":"And?","previous_response_id":"resp-{ids}"}`, who: owner, needs: []string{"agents"}, status: 200, shows: person.canary},
	{route: "POST /v1/responses", path: "/v1/responses", body: `{"model":"default","stream":true,"input":"And?","store":false}`, who: everyone, needs: []string{"agents"}, status: 200,
		live: `{"model":"default","stream":true,"input":"do:wait:x"}`},
	{route: "GET /copilotkit/info", path: "/copilotkit/info", who: everyone, status: 200, then: says(`"mode":"sse"`)},
	{route: "GET /copilotkit/threads", path: "/copilotkit/threads?agentId=default", who: everyone, status: 200, shows: person.canary, then: says(`"id":"t-{ids}"`)},
	{route: "GET /copilotkit/threads/{thread}/messages", path: "/copilotkit/threads/t-{ids}/messages", who: owner, status: 200, shows: person.canary},
	{route: "GET /copilotkit/threads/{thread}/events", path: "/copilotkit/threads/t-{ids}/events", who: owner, status: 200, shows: person.canary},
	{route: "GET /copilotkit/threads/{thread}/state", path: "/copilotkit/threads/t-{ids}/state", who: owner, status: 200, then: says(`{"state":null}`)},
	{route: "POST /copilotkit/agent/{agent}/connect", path: "/copilotkit/agent/default/connect", body: runBody("t-{ids}", "connect", "", "", ""), who: everyone, status: 200, shows: person.canary,
		ignores: "there is no such thread", live: runBody("w-{ids}", "connect", "", "", "")},
	{route: "POST /copilotkit/agent/{agent}/suggest", path: "/copilotkit/agent/default/suggest", body: runBody("suggest", "suggest", "about {ids}", "", ""), whole: true, who: everyone, needs: []string{"agents"}, status: 200, then: says("copilotkitSuggest")},
	{route: "POST /copilotkit", path: "/copilotkit", body: `{"method":"resource/request","params":{"path":"/threads/t-{ids}/messages","httpMethod":"GET"}}`, who: owner, status: 200, shows: person.canary},
	{route: "POST /copilotkit/{$}", path: "/copilotkit/", body: `{"method":"resource/request","params":{"path":"/threads/t-{ids}/messages","httpMethod":"GET"}}`, who: owner, status: 200, shows: person.canary},
	{route: "POST /copilotkit/agent/{agent}/stop/{thread}", path: "/copilotkit/agent/default/stop/kit-{ids}", body: "{}", who: everyone, status: 200, ignores: `"stopped":false`,
		then: reads("/v1/runs/kitting-{ids}/events?protocolVersion=1.0", `"outcome":{"type":"cancelled"}`)},
	{route: "PATCH /copilotkit/threads/{thread}", path: "/copilotkit/threads/kit-{ids}", body: `{"agentId":"default","name":"about {ids}"}`, who: owner, status: 200,
		then: reads("/v1/threads", `"title":"about {ids}"`)},
	{route: "POST /copilotkit/threads/{thread}/archive", path: "/copilotkit/threads/kit-{ids}/archive", body: `{"agentId":"default"}`, who: owner, status: 200, then: reads("/v1/threads?archived=true", `"id":"kit-{ids}"`)},
	{route: "DELETE /copilotkit/threads/{thread}", path: "/copilotkit/threads/kit-{ids}", body: `{"agentId":"default"}`, who: owner, status: 200, then: reads("/v1/threads?deleted=true", `"id":"kit-{ids}"`)},
	{route: "GET /v1/ai-sdk/{agent}/{id}", path: "/v1/ai-sdk/default/t-{ids}", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/ai-sdk/{agent}/{id}/stream", path: "/v1/ai-sdk/default/t-{ids}/stream", who: everyone, status: 204},
	{route: "POST /v1/ai-sdk/{agent}", path: "/v1/ai-sdk/default", body: `{"id":"asked-{ids}","messages":[{"id":"asked-{ids}","role":"user","parts":[{"type":"text","text":"And {ids}?"}]}]}`, who: everyone, needs: []string{"agents"}, status: 200,
		live: `{"id":"ui-live","messages":[{"id":"ui-live","role":"user","parts":[{"type":"text","text":"do:wait:x"}]}]}`},
	{route: "DELETE /v1/ai-sdk/{agent}/{id}/stream", path: "/v1/ai-sdk/default/ui-{ids}/stream", who: everyone, status: 204,
		then: reads("/v1/runs/ui-{ids}/events?protocolVersion=1.0", `"outcome":{"type":"cancelled"}`)},
	{route: "POST /_plugins/_ml/agents/_register", path: "/_plugins/_ml/agents/_register", body: `{"name":"default","type":"AG_UI"}`, who: everyone, needs: []string{"agents"}, status: 200},
	{route: "GET /_plugins/_ml/agents/_search", path: "/_plugins/_ml/agents/_search", who: everyone, status: 200},
	{route: "POST /_plugins/_ml/agents/_search", path: "/_plugins/_ml/agents/_search", body: `{"query":{"match_all":{}}}`, who: everyone, status: 200},
	{route: "GET /_plugins/_ml/agents/{agent}", path: "/_plugins/_ml/agents/default", who: everyone, needs: []string{"agents"}, status: 200},
	// agents are the operator's: docs/adr/0042
	{route: "PUT /_plugins/_ml/agents/{agent}", path: "/_plugins/_ml/agents/default", body: `{"type":"AG_UI"}`, who: everyone, needs: []string{"agents"}, status: 200},
	{route: "DELETE /_plugins/_ml/agents/{agent}", path: "/_plugins/_ml/agents/default", who: everyone, status: 403},
	{route: "POST /_plugins/_ml/agents/{agent}/_execute", path: "/_plugins/_ml/agents/default/_execute", body: `{"parameters":{"question":"And {ids}?"}}`, who: everyone, needs: []string{"agents"}, status: 200},
	{route: "POST /_plugins/_ml/agents/{agent}/_execute/stream", path: "/_plugins/_ml/agents/default/_execute/stream", body: `{"parameters":{"question":"And?","memory_id":"resp-{ids}"}}`, who: owner,
		needs: []string{"agents"}, status: 200, shows: person.canary, live: `{"parameters":{"question":"do:wait:x"}}`},
	{route: "GET /_plugins/_ml/{rest...}", path: "/_plugins/_ml/models/_search", who: everyone, status: 404},
	{route: "POST /_plugins/_ml/{rest...}", path: "/_plugins/_ml/models/_search", body: `{}`, who: everyone, status: 404},
	{route: "GET /_plugins/_ml/memory_containers/{container}", path: "/_plugins/_ml/memory_containers/pageside", who: everyone, status: 200},
	{route: "GET /_plugins/_ml/memory_containers/{container}/memories/sessions/_search", path: "/_plugins/_ml/memory_containers/pageside/memories/sessions/_search", who: everyone, status: 200, shows: person.canary,
		then: says(`"_id":"resp-{ids}"`)},
	{route: "POST /_plugins/_ml/memory_containers/{container}/memories/sessions/_search", path: "/_plugins/_ml/memory_containers/pageside/memories/sessions/_search", body: `{"size":100}`, who: everyone, status: 200, shows: person.canary},
	{route: "GET /_plugins/_ml/memory_containers/{container}/memories/sessions/{session}", path: "/_plugins/_ml/memory_containers/pageside/memories/sessions/t-{ids}", who: owner, status: 200, shows: person.canary},
	{route: "DELETE /_plugins/_ml/memory_containers/{container}/memories/sessions/{session}", path: "/_plugins/_ml/memory_containers/pageside/memories/sessions/resp-{ids}", who: owner, status: 200,
		then: reads("/v1/threads?deleted=true", `"id":"resp-{ids}"`)},
	{route: "GET /v1/threads/{thread}", path: "/v1/threads/t-{ids}", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/threads/{thread}/messages", path: "/v1/threads/t-{ids}/messages", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/threads/{thread}/history", path: "/v1/threads/t-{ids}/history", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/threads/{thread}/runs", path: "/v1/threads/t-{ids}/runs", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/threads/{thread}/events", path: "/v1/threads/t-{ids}/events", live: "/v1/threads/w-{ids}/events?stay=1", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/threads/{thread}/allowances", path: "/v1/threads/t-{ids}/allowances", who: owner, status: 200, shows: person.canary},
	{route: "POST /v1/threads/{thread}/shares", path: "/v1/threads/t-{ids}/shares", body: `{"expiresIn":60}`, who: owner, needs: []string{"sharing:use"}, status: 201, then: says(`"token":"`)},
	{route: "GET /v1/threads/{thread}/shares", path: "/v1/threads/t-{ids}/shares", who: owner, status: 200, then: says(`"id":"{share}"`)},
	{route: "GET /v1/shared/{token}", path: "/v1/shared/{token}", who: tenant, needs: []string{"sharing:read"}, status: 200, shows: person.canary},
	{route: "GET /v1/runs/{run}/events", path: "/v1/runs/card-{ids}/events", live: "/v1/runs/wait-{ids}/events", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/inspector/runs/{run}", path: "/v1/inspector/runs/card-{ids}", who: owner, status: 200, shows: person.canary},
	{route: "GET /v1/inspector/runs/{run}/report", path: "/v1/inspector/runs/card-{ids}/report", who: owner, needs: []string{"inspector"}, status: 200, shows: person.canary},
	{route: "GET /v1/instructions/{kind}/{id}", path: "/v1/instructions/order/{ids}", who: tenant, needs: []string{"instructions:read"}, status: 200, shows: person.shared},
	{route: "PATCH /v1/threads/{thread}", path: "/v1/threads/t-{ids}", body: `{"archived":false}`, who: owner, status: 200, shows: person.canary},
	{route: "PUT /v1/threads/{thread}/messages/{message}/feedback", path: "/v1/threads/t-{ids}/messages/u-card-{ids}/feedback", body: `{"rating":-1}`, who: owner, status: 204,
		then: reads("/v1/threads/t-{ids}/messages", `"rating":-1`)},
	{route: "PUT /v1/threads/{thread}/payloads/{message}", path: "/v1/threads/t-{ids}/payloads/{card}", body: `{"status":"accepted"}`, who: owner, status: 204,
		then: reads("/v1/threads/t-{ids}/messages", `"status":"accepted"`)},
	{route: "POST /v1/runs/{run}/cancel", path: "/v1/runs/wait-{ids}/cancel", who: owner, status: 204,
		then: reads("/v1/runs/wait-{ids}/events?protocolVersion=1.0", `"outcome":{"type":"cancelled"}`)},
	{route: "DELETE /v1/threads/{thread}/allowances/{allowance}", path: "/v1/threads/t-{ids}/allowances/{allowance}", who: owner, status: 204,
		then: reads("/v1/threads/t-{ids}/allowances", `"allowances":[]`)},
	{route: "DELETE /v1/threads/{thread}/shares/{share}", path: "/v1/threads/t-{ids}/shares/{share}", who: owner, status: 204,
		then: misses("/v1/threads/t-{ids}/shares", `"id":"{share}"`)},
	{route: "DELETE /v1/allowances/{allowance}", path: "/v1/allowances/{standing}", who: owner, status: 204, then: misses("/v1/allowances", `"id":"{standing}"`)},
	{route: "PUT /v1/instructions/{kind}/{id}", path: "/v1/instructions/order/{ids}", body: `{"text":"written about {ids}"}`, who: everyone, needs: []string{"instructions:write"}, status: 204,
		then: reads("/v1/instructions/order/{ids}", `"text":"written about {ids}"`, `"updatedBy":"{subject}"`)},
	{route: "DELETE /v1/instructions/{kind}/{id}", path: "/v1/instructions/order/{ids}", who: everyone, needs: []string{"instructions:write"}, status: 204,
		then: reads("/v1/instructions/order/{ids}", `"code":"not_found"`)},
	{route: "DELETE /v1/threads/{thread}", path: "/v1/threads/t-{ids}", who: owner, status: 204, then: reads("/v1/threads?deleted=true", `"id":"t-{ids}"`)},
	// late for others too: it gives them a thread of their own with these ids
	{route: "POST /v1/agents/{agent}/run", path: "/v1/agents/default/run", body: runBody("w-{ids}", "matrix-{ids}", "And?", "", "{ids}"), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary,
		live: runBody("live-{ids}", "live-{ids}", "do:wait:x", "", "{ids}")},
	{route: "POST /copilotkit/agent/{agent}/run", path: "/copilotkit/agent/default/run", body: runBody("w-{ids}", "kit-{ids}", "And?", "", "{ids}"), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary,
		live: runBody("kit-live-{ids}", "kit-live-{ids}", "do:wait:x", "", "{ids}")},
	{route: "POST /copilotkit", path: "/copilotkit", body: envelope(runBody("w-{ids}", "one-{ids}", "And?", "", "{ids}")), who: everyone, needs: []string{"agents"}, status: 200, shows: person.canary,
		live: envelope(runBody("one-live-{ids}", "one-live-{ids}", "do:wait:x", "", "{ids}"))},
	{route: "DELETE /v1/subjects/{subject}", path: "/v1/subjects/{subject}", who: colleagues, needs: []string{"subjects:write"}, status: 204, then: misses("/v1/threads?deleted=true", `"id"`)},
}

// envelope is a run as CopilotKit asks for it at its one address.
func envelope(body string) string {
	return `{"method":"agent/run","params":{"agentId":"default"},"body":` + body + `}`
}

// says checks what is in the answer.
func says(want string) func(*testing.T, *world, person, string, string) {
	return func(t *testing.T, w *world, p person, ids, answer string) {
		t.Helper()
		if want := w.fillIn(want, p, ids); !strings.Contains(answer, want) {
			t.Errorf("%s is told %s, want %s", p.name, answer, want)
		}
	}
}

// a2aBody is a request of the A2A drop-in.
func a2aBody(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
}

func a2aMessage(text string) string {
	return `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}`
}

// reads checks what the person then reads.
func reads(path string, want ...string) func(*testing.T, *world, person, string, string) {
	return func(t *testing.T, w *world, p person, ids, _ string) {
		t.Helper()
		got := w.do(w.by.good(p), "GET", w.fillIn(path, p, ids), "")
		for _, each := range want {
			says(each)(t, w, p, ids, got.body)
		}
	}
}

// lacks checks what is not in the answer.
func lacks(not string) func(*testing.T, *world, person, string, string) {
	return func(t *testing.T, w *world, p person, ids, answer string) {
		t.Helper()
		if not := w.fillIn(not, p, ids); strings.Contains(answer, not) {
			t.Errorf("%s is told %s, which has %s", p.name, answer, not)
		}
	}
}

// misses checks what the person then no longer reads.
func misses(path, not string) func(*testing.T, *world, person, string, string) {
	return func(t *testing.T, w *world, p person, ids, _ string) {
		t.Helper()
		lacks(not)(t, w, p, ids, w.do(w.by.good(p), "GET", w.fillIn(path, p, ids), "").body)
	}
}

// fillIn puts ids into a path, body or text.
func (w *world) fillIn(text string, p person, ids string) string {
	return strings.NewReplacer("{ids}", ids, "{number}", number(ids), "{card}", w.cards[p.name+ids], "{allowance}", w.given[p.name+ids], "{standing}", w.standing[p.name+ids], "{share}", w.shares[p.name+ids].ID, "{token}", w.shares[p.name+ids].Token, "{tenant}", p.Tenant, "{subject}", p.Subject).Replace(text)
}

// request makes a cell's request about what belongs to a person.
func (w *world) request(c cell, credentials http.Header, of person, ids string) reply {
	w.t.Helper()
	method, _, found := strings.Cut(c.route, " ")
	if !found {
		method = http.MethodGet
	}
	return w.do(credentials, method, w.fillIn(c.path, of, ids), w.fillIn(c.body, of, ids))
}

// hasIDs reports whether a cell is about something that has an id.
func (c *cell) hasIDs() bool { return placeholder.MatchString(c.path + c.body) }

// placeholder is an id to fill in, as opposed to the start of a JSON object.
var placeholder = regexp.MustCompile(`\{[a-z]`)

// fresh reports whether a cell's answers differ although they are about the same.
func (c *cell) fresh() bool {
	starts := []string{"POST /v1/suggestions", "POST /copilotkit/agent/{agent}/run", "POST /copilotkit/agent/{agent}/suggest"}
	anew := []string{"POST /v1/chat/stream", "POST /v1/chat/completions", "POST /v1/responses", "POST /copilotkit", "POST /v1/ai-sdk/{agent}",
		"POST /_plugins/_ml/agents/{agent}/_execute", "POST /_plugins/_ml/memory_containers/{container}/memories/sessions/_search"}
	return strings.HasPrefix(c.route, "POST /v1/agents/") || slices.Contains(starts, c.route) || c.route == "POST /v1/a2a/{agent}" && c.live != "" || c.who == everyone && slices.Contains(anew, c.route)
}

// TestAuthorisation: on every route each person reaches what is hers, and nobody else does. A route
// without a line in the matrix fails it.
func TestAuthorisation(t *testing.T) {
	t.Parallel()
	w := serveMatrix(t, temp.Store(t), tokenIssuer(t))
	covered := map[string]bool{}
	for _, c := range matrix {
		covered[c.route] = true
	}
	if routes := slices.Sorted(slices.Values(w.server.Routes())); !slices.Equal(routes, slices.Sorted(maps.Keys(covered))) {
		t.Errorf("the server has the routes %q, the matrix has %q", routes, slices.Sorted(maps.Keys(covered)))
	}
	for _, p := range people {
		w.fill(p, p.name)
		w.fill(p, "same")
	}
	w.strangers(t)
	w.others(t)
	w.owners(t)
}

// strangers checks that without valid credentials no route answers, and none does anything.
func (w *world) strangers(t *testing.T) {
	ann := people[0]
	before := w.all(ann, ann.name) + w.instructions(ann, ann.name)
	answers := map[string]bool{}
	for name, headers := range w.by.bad {
		for _, c := range matrix {
			got := w.request(c, headers(ann), ann, ann.name)
			want := 401
			switch {
			case c.who == anybody:
				want = c.status
			case !w.by.none[name]:
				answers[refusedWith(t, got.body)] = true
			}
			must.Be(t, got.status, want, "%s with %s", c.route, name)
			w.clean(t, c, person{name: "somebody with " + name, Principal: auth.Principal{Tenant: "nowhere"}}, got.body)
		}
	}
	must.Be(t, len(answers), 1, "refusals tell what is wrong: %q", slices.Collect(maps.Keys(answers)))
	if after := w.all(ann, ann.name) + w.instructions(ann, ann.name); after != before {
		t.Errorf("requests without credentials changed %s\ninto %s", before, after)
	}
}

// refusedWith returns what an error tells, whatever form its protocol gives it.
func refusedWith(t *testing.T, body string) string {
	t.Helper()
	var told struct{ Code, Message, Type, Reason string }
	var in struct {
		Error   json.RawMessage
		Message string
	}
	if !strings.HasPrefix(body, "{") { // the AI SDK's are plain text, without a word for either
		body = fmt.Sprintf(`{"error":{"type":"security_exception","reason":%q}}`, body)
	}
	err := json.Unmarshal([]byte(body), &in)
	if told.Message = in.Message; err == nil && in.Message == "" {
		err = json.Unmarshal(in.Error, &told)
	} else if err == nil {
		err = json.Unmarshal(in.Error, &told.Code)
	}
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if told.Type == "security_exception" { // OpenSearch has one type for both
		told.Code, told.Message = "unauthenticated", told.Reason
		if strings.HasPrefix(told.Reason, "you are not permitted to") {
			told.Code = "not_permitted"
		}
	}
	return fmt.Sprintf("%q %q", told.Code, told.Message)
}

// clean fails if an answer holds what belongs to another person or tenant.
func (w *world) clean(t *testing.T, c cell, to person, body string) {
	t.Helper()
	for _, p := range people {
		if p.name != to.name && (c.who != colleagues || p.Tenant != to.Tenant) && strings.Contains(body, p.canary()) || p.Tenant != to.Tenant && strings.Contains(body, p.shared()) {
			t.Errorf("%s tells %s what is %s's: %s", c.route, to.name, p.name, body)
		}
	}
}

// others checks that what is somebody else's looks like what does not exist, and stays as it is.
func (w *world) others(t *testing.T) {
	for _, of := range people {
		before := w.all(of, of.name) + w.instructions(of, of.name)
		for _, p := range people {
			if p.name != of.name {
				for _, c := range matrix {
					w.other(t, c, p, of)
				}
			}
		}
		if after := w.all(of, of.name) + w.instructions(of, of.name); after != before {
			t.Errorf("others changed %s\ninto %s", before, after)
		}
	}
}

// together reports whether what a cell is about, if it belongs to of, is p's as well.
func (c *cell) together(p, of person) bool {
	if strings.Contains(c.route, "/v1/subjects/") { // about whoever is called so in p's tenant
		return slices.ContainsFunc(people, func(q person) bool { return q.Tenant == p.Tenant && q.Subject == of.Subject })
	}
	return p.Tenant == of.Tenant && (c.who == colleagues || c.route == "POST /v1/resolve" || c.route == "POST /v1/disclosure" || strings.Contains(c.route, "/v1/instructions/") || strings.Contains(c.route, "/v1/shared/"))
}

// other has a person use a route with the ids of what is somebody else's.
func (w *world) other(t *testing.T, c cell, p, of person) {
	t.Helper()
	if c.together(p, of) {
		return
	}
	got := w.request(c, w.by.good(p), of, of.name)
	w.clean(t, c, p, got.body)
	must.Have(t, got.body, c.ignores, "%s as %s: what is %s's is answered with", c.route, p.name, of.name)
	if !c.hasIDs() || c.fresh() {
		return
	}
	none := w.request(c, w.by.good(p), nobody, nobody.name)
	if hidden := c.who == owner || c.who == tenant; hidden && (got.status != 404 || none.status != 404) {
		t.Errorf("%s as %s: what is %s's is answered with %d, what nobody has with %d, want 404", c.route, p.name, of.name, got.status, none.status)
	}
	if got.status != none.status || w.withoutIDs(got.body, of) != w.withoutIDs(none.body, nobody) {
		t.Errorf("%s as %s: what is %s's is answered with %d %s, what nobody has with %d %s", c.route, p.name, of.name, got.status, got.body, none.status, none.body)
	}
}

// answeredAt is when an error of A2A was made, in seconds.
var answeredAt = regexp.MustCompile(`"timestamp":"[^"]*"`)

// withoutIDs returns a text without the ids of what is somebody's, and without the time.
func (w *world) withoutIDs(text string, of person) string {
	text = answeredAt.ReplaceAllString(text, "")
	key := of.name + of.name
	for _, id := range []string{w.cards[key], w.given[key], w.standing[key], w.shares[key].ID, w.shares[key].Token, of.name, `\"` + of.Subject + `\"`, `"` + of.Subject + `"`} {
		text = strings.ReplaceAll(text, id, "")
	}
	return text
}

// owners checks that each person sees and changes what is hers, also where others use the same ids.
func (w *world) owners(t *testing.T) {
	for _, c := range matrix {
		for i, p := range people {
			w.own(t, c, p, p.name)
			next := people[(i+1)%len(people)]
			before := w.all(next, "same")
			w.own(t, c, p, "same")
			if after := w.all(next, "same"); after != before {
				t.Errorf("%s as %s changed what is %s's: %s\ninto %s", c.route, p.name, next.name, before, after)
			}
		}
	}
}

func (w *world) own(t *testing.T, c cell, p person, ids string) {
	t.Helper()
	got := w.request(c, w.by.good(p), p, ids)
	if got.status != c.status {
		t.Errorf("%s as %s: %d %s, want %d", c.route, p.name, got.status, got.body, c.status)
		return
	}
	if c.shows != nil && !strings.Contains(got.body, c.shows(p)) {
		t.Errorf("%s does not tell %s what is hers: %s", c.route, p.name, got.body)
	}
	w.clean(t, c, p, got.body)
	if got.streams != (c.live != "" || c.whole) {
		t.Errorf("%s streams: %t, and the matrix says how to keep it open: %t", c.route, got.streams, c.live != "")
	}
	if c.then != nil {
		c.then(t, w, p, ids, got.body)
	}
}
