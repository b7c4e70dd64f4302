package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// A door is a way to have a tool called.
type door struct {
	dropIn string // "" is the server's own
	name   string
	// path is asked with a body, in which WORDS stands for what the model is told, and TOOL for the
	// tool that is called. A door that is told nothing comes behind a run on the same thread.
	path, body string
	knock      func(h *house, tool, words string) // what is not done with one request
	// relays means that another model may have written the words, so that every branch is tainted
	relays bool
	// direct means that nobody knows who has written the arguments
	direct bool
}

// words are what the model is told: the tools it calls, one after the other.
func words(name string, tainted bool) string {
	if tainted {
		return "look " + name
	}
	return cmp.Or(name, "hello")
}

// doors are all of them. One of a drop-in that is not here fails TestEveryDoor.
var doors = []door{
	{name: "AG-UI", path: "/v1/agents/default/run", body: aguiBody("t1", "r1", "WORDS")},
	{name: "button", path: "/v1/actions/TOOL", body: `{"page":"p","args":{},"threadId":"t1"}`},
	{name: "button without a thread", direct: true, path: "/v1/actions/TOOL", body: `{"page":"p","args":{}}`},
	{dropIn: "a2a", name: "A2A", relays: true, path: "/v1/a2a/default",
		body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":
			{"messageId":"m","role":"ROLE_USER","parts":[{"text":"WORDS"}]}}}`},
	{dropIn: "mcp", name: "MCP ask", relays: true, knock: func(h *house, _, words string) {
		h.mcp("ask_default", map[string]any{"question": words})
	}},
	{dropIn: "mcp", name: "MCP direct", direct: true, knock: func(h *house, tool, _ string) {
		h.mcp(tool, map[string]any{})
	}},
	{dropIn: "openai", name: "OpenAI completions", path: "/v1/chat/completions",
		body: `{"model":"default","messages":[{"role":"user","content":"WORDS"}]}`},
	{dropIn: "openai", name: "OpenAI responses", path: "/v1/responses", body: `{"model":"default","input":"WORDS"}`},
	{dropIn: "ai-sdk", name: "AI SDK", path: "/v1/ai-sdk/default",
		body: `{"id":"t1","trigger":"submit-message","messages":
			[{"id":"u1","role":"user","parts":[{"type":"text","text":"WORDS"}]}]}`},
	{dropIn: "chat", name: "chat", path: "/v1/chat/stream", body: `{"message":"WORDS"}`},
	{dropIn: "copilotkit", name: "CopilotKit", path: "/copilotkit/agent/default/run", body: aguiBody("t1", "r1", "WORDS")},
	{dropIn: "opensearch", name: "OpenSearch", path: "/_plugins/_ml/agents/default/_execute/stream",
		body: aguiBody("t1", "r1", "WORDS")},
}

// open has a tool called. Where it is tainted, what wrote the call has read what a tool returned.
func (d door) open(h *house, name string, tainted bool) {
	h.t.Helper()
	told := words(name, tainted)
	switch {
	case d.knock != nil:
		d.knock(h, name, told)
		return
	case !strings.Contains(d.body, "WORDS") && !d.direct:
		h.post("/v1/agents/default/run", aguiBody("t1", "r1", words("", tainted)))
	}
	h.post(strings.ReplaceAll(d.path, "TOOL", name), strings.ReplaceAll(d.body, "WORDS", told))
}

// effectsBehind are the tools, named like their effects.
var effectsBehind = []tool.Effect{tool.Read, tool.Idempotent, tool.Write, tool.Exfil, tool.Destructive}

// roles are what a rule says about the tools of a user: "" is no rule.
var roles = map[string]string{"trusted": audit.Allow, "watched": audit.Ask, "banned": audit.Deny, "stranger": ""}

// wanted is what has to become of a call, by the table of the guide.
func (d door) wanted(effect tool.Effect, role string, tainted, person bool) string {
	tainted = tainted || d.direct || d.relays && !person
	switch rule := roles[role]; {
	case rule == "" && effect == tool.Read:
		return audit.Allow
	case rule == "", rule == audit.Deny:
		return audit.Deny
	case rule == audit.Ask:
		return audit.Ask
	case effect == tool.Exfil, effect == tool.Destructive, effect != tool.Read && tainted:
		return audit.Ask
	}
	return audit.Allow
}

// TestEveryDoor: the same call has the same fate, through whatever door it comes: by what the tool
// does, by what the rules say of the user, and by what the model has read.
func TestEveryDoor(t *testing.T) {
	for name := range dropIns {
		if !slices.ContainsFunc(doors, func(d door) bool { return d.dropIn == name }) {
			t.Errorf("the drop-in %s is a door that nobody has tried", name)
		}
	}
	cases := 0
	for _, d := range doors {
		for _, person := range []bool{false, true} {
			if person && !d.relays {
				continue
			}
			for _, role := range slices.Sorted(maps.Keys(roles)) {
				for _, effect := range effectsBehind {
					for _, tainted := range []bool{false, true} {
						cases++
						t.Run(fmt.Sprintf("%s/person=%v/%s/%s/tainted=%v", d.name, person, role, effect, tainted), func(t *testing.T) {
							h := newHouse(t, role, person)
							d.open(h, string(effect), tainted)
							h.expect(string(effect), d.wanted(effect, role, tainted, person))
						})
					}
				}
			}
		}
	}
	if cases < 500 {
		t.Errorf("%d cases are too few", cases)
	}
}

// house is a server with all drop-ins and a tool of each effect.
type house struct {
	t    *testing.T
	http *httptest.Server
	role string

	mu      sync.Mutex
	ran     []string
	entries []audit.Entry
	told    strings.Builder // what the answers were, for failures
}

func newHouse(t *testing.T, role string, person bool) *house {
	t.Helper()
	h := &house{t: t, role: role}
	built := h.build(person)
	st := temp.Store(t)
	runs, err := pagerun.NewManager(t.Context(), pagerun.Config{Store: st, Agents: built.Served(), Audit: h, Logger: slog.New(slog.DiscardHandler)})
	must.Do(t, err)
	cfg := (&site{built: built, runs: runs, store: st, log: slog.New(slog.DiscardHandler)}).serverConfig()
	cfg.Audit, cfg.Authenticate = h, func(*http.Request) (auth.Principal, error) {
		return auth.Principal{Subject: "ann", Roles: []string{role}}, nil
	}
	handler := must.Get(server.New(cfg))(t)
	h.http = httptest.NewServer(handler)
	t.Cleanup(func() {
		h.http.CloseClientConnections()
		h.http.Close()
		handler.Close()
		runs.Drain(context.Background())
	})
	return h
}

func (h *house) build(person bool) *config.Site {
	h.t.Helper()
	var actions strings.Builder
	for _, effect := range effectsBehind {
		fmt.Fprintf(&actions, "{name: %s, handler: server, tool: %s}, ", effect, effect)
	}
	text := "dropIns: [" + strings.Join(slices.Sorted(maps.Keys(dropIns)), ", ") + "]\n" +
		"agents: [{id: default, description: A test., model: openai/test}]\n" +
		"pages: [{name: p, actions: [" + actions.String() + "]}]\n" +
		"permissions:\n" +
		"  - {agents: ['*'], pages: ['*'], actions: ['*'], then: allow}\n" +
		"  - {tools: [look], then: allow}\n"
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		if roles[role] != "" {
			text += fmt.Sprintf("  - {roles: [%s], tools: [read, idempotent, write, exfil, destructive], then: %s}\n", role, roles[role])
		}
	}
	if person {
		text += "personal: [a2a, mcp]\n"
	}
	source := must.Get(config.Parse("pageside.yaml", []byte(text)))(h.t)
	built, err := config.Build(h.t.Context(), source, config.Options{Logger: slog.New(slog.DiscardHandler), Tools: h.tools(),
		OpenModel: func(config.ModelSpec) (llm.Model, error) { return dutiful, nil }})
	must.Do(h.t, err)
	h.t.Cleanup(func() { _ = built.Close() })
	for _, a := range built.Agents {
		a.Audit = h
	}
	return built
}

// tools are one of each effect, and look, whose results taint.
func (h *house) tools() (list []*tool.Tool) {
	add := func(name string, effect tool.Effect) {
		made := tool.New(name, "Does it.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ran = append(h.ran, name)
			return tool.Result{Text: "done"}, nil
		})
		made.Global, made.Effect = true, effect
		list = append(list, made)
	}
	for _, effect := range effectsBehind {
		add(string(effect), effect)
	}
	add("look", tool.Read)
	return list
}

// Record implements audit.Recorder.
func (h *house) Record(_ context.Context, e audit.Entry) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, e)
	return nil
}

// expect checks what became of a tool's call, by what ran and by what the audit log says.
func (h *house) expect(name, want string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if ran := slices.Contains(h.ran, name); ran != (want == audit.Allow) {
		h.t.Errorf("ran is %v, want %s: %v\n%s", ran, want, h.ran, h.told.String())
	}
	if slices.ContainsFunc(h.entries, func(e audit.Entry) bool { return e.Tool == name && e.Decision == audit.Ask }) != (want == audit.Ask) {
		h.t.Errorf("want %s, the audit log has %+v\n%s", want, h.entries, h.told.String())
	}
}

func (h *house) post(path, body string) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.http.URL+path, strings.NewReader(body))
	must.Do(h.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	resp := must.Get(h.http.Client().Do(req))(h.t)
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body)
	fmt.Fprintf(&h.told, "%s: %d %s\n", path, resp.StatusCode, said)
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest {
		h.t.Errorf("%s", h.told.String())
	}
}

// mcp calls a tool as an MCP client whose user never approves anything.
func (h *house) mcp(name string, args map[string]any) {
	h.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	session, err := client.Connect(h.t.Context(), &sdk.StreamableClientTransport{Endpoint: h.http.URL + "/mcp", HTTPClient: h.http.Client()}, nil)
	must.Do(h.t, err)
	defer session.Close()
	r, err := session.CallTool(h.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	fmt.Fprintf(&h.told, "%s: %+v %v\n", name, r, err)
}

// dutiful is a model that calls the tools that the user's last message names, one in each step.
var dutiful = dialects.Fake{
	Is: llm.Info{Provider: "test", Model: "dutiful", Tools: true, ParallelTools: true},
	Answer: func(_ context.Context, req *llm.Request) ([]llm.Part, error) {
		plan := planOf(req)
		if len(plan) == 0 || req.Choice == llm.ChoiceNone {
			return dialects.Says("Done."), nil
		}
		return dialects.Calls("c"+plan[0], plan[0], "{}"), nil
	},
}

// planOf returns the tools that the user's last message names and that have no result yet.
func planOf(req *llm.Request) (plan []string) {
	for _, m := range req.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				if m.Role == llm.RoleUser {
					plan = slices.DeleteFunc(strings.Fields(c.String()), func(word string) bool { return word == "hello" })
				}
			case llm.ToolResult:
				plan = plan[min(1, len(plan)):]
			}
		}
	}
	return plan
}
