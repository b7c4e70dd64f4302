package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/protocol/aisdk"
	"github.com/pageside/pageside/protocol/chatv1"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/mcp"
	"github.com/pageside/pageside/protocol/openai"
	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// person is somebody who uses the server. What is hers has her canary in it.
type person struct {
	name string // part of the ids of what is hers alone
	auth.Principal
}

func (p person) canary() string { return "canary-of-" + p.name }

// shared is the canary of what belongs to her tenant.
func (p person) shared() string { return "canary-of-tenant-" + p.Tenant + "." }

// people are a user, another one of her tenant, one with her name in another tenant, and the one
// there would be without authentication.
var people = []person{
	{"anns", auth.Principal{Tenant: "acme", Subject: "ann"}}, {"bobs", auth.Principal{Tenant: "acme", Subject: "bob"}},
	{"twins", auth.Principal{Tenant: "globex", Subject: "ann"}}, {"locals", auth.Local},
}

// nobody has nothing: these ids are unknown.
var nobody = person{"nobodys", auth.Principal{Subject: "nobody"}}

const (
	unknownCard      = "card_aaaaaaaaaaaaaaaaaaaa"
	unknownAllowance = "alw_AAAAAAAAAAAAAAAAAAAAAAAAAA"
	unknownShare     = "share_AAAAAAAAAAAAAAAAAAAAAAAAAA"
	unknownToken     = "AAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// parrot is a model that answers with all it was told. In its instructions "do:card:X" and
// "do:save:X" it calls the tool of that name with X, and "do:wait:X" never ends.
var parrot = dialects.Fake{Is: llm.Info{Provider: "test", Model: "parrot", Tools: true}, Answer: parroted}

var command = regexp.MustCompile(`do:(\w+):(\S+)`)

func parroted(ctx context.Context, req *llm.Request) ([]llm.Part, error) {
	last := req.Messages[len(req.Messages)-1]
	order := command.FindStringSubmatch(textIn(last))
	switch {
	case order == nil:
		return dialects.Says(toldIn(req)), nil
	case order[1] == "wait":
		<-ctx.Done()
		return nil, &llm.Error{Kind: llm.KindCancelled, Model: "test/parrot", Message: "cancelled", Err: ctx.Err()}
	}
	args, err := json.Marshal(map[string]string{"text": order[2]})
	return dialects.Calls("c"+order[1], order[1], string(args)), err
}

func toldIn(req *llm.Request) string {
	var all strings.Builder
	for _, b := range req.System {
		all.WriteString(b.Text + "\n")
	}
	for _, m := range req.Messages {
		all.WriteString(textIn(m) + "\n")
	}
	return strings.ReplaceAll(all.String(), "do:", "did:")
}

func textIn(m llm.Message) string {
	var all strings.Builder
	for _, c := range m.Content {
		switch c := c.(type) {
		case llm.Text:
			all.WriteString(c.String())
		case llm.ToolCall:
			all.WriteString(c.Args)
		case llm.ToolResult:
			all.WriteString(c.Content.String())
		}
	}
	return all.String()
}

// switched is a policy that a test replaces. It begins with one that allows everything: what is
// left is what nobody may.
type switched struct {
	mu sync.Mutex
	to policy.Authorizer
}

func (s *switched) set(to policy.Authorizer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
}

func (s *switched) Authorize(ctx context.Context, q policy.Question) (policy.Answer, error) {
	s.mu.Lock()
	to := s.to
	s.mu.Unlock()
	return to.Authorize(ctx, q)
}

// matrixTools are a tool that shows a card, one that needs approval, and one for an action. They
// tell for whom they ran.
func matrixTools() []*tool.Tool {
	type input struct {
		Text string `json:"text"`
	}
	does := func(name string, effect tool.Effect) *tool.Tool {
		t := tool.New(name, "Does something.", func(_ context.Context, c *tool.Call, in input) (tool.Result, error) {
			text := fmt.Sprintf("%s for %s/%s in %q: %s", name, c.Principal.Tenant, c.Principal.Subject, c.ThreadID, in.Text)
			return tool.Result{Text: text}, nil
		})
		t.Global, t.Effect = true, effect
		return t
	}
	card := tool.New("card", "Shows a card.", func(_ context.Context, _ *tool.Call, in input) (tool.Result, error) {
		return tool.Result{Text: "shown", Payload: map[string]string{"title": in.Text}}, nil
	})
	card.Global, card.Effect, card.PayloadType = true, tool.Read, "card"
	return []*tool.Tool{card, does("save", tool.Write), does("look", tool.Read)}
}

// serveMatrix starts a server with everything a server can have.
func serveMatrix(t *testing.T, st *sqlstore.Store, by issuer) *world {
	t.Helper()
	tools := must.Get(tool.NewRegistry(matrixTools()...))(t)
	types := must.Get(payload.NewRegistry(&payload.Type{Name: "card"}))(t)
	pages, err := page.NewRegistry(tools, types, page.Page{Name: "orders", Actions: []page.Action{{Name: "look", Handler: page.HandlerServer, Tool: "look"}}})
	must.Do(t, err)
	log := audit.NewLog(audit.Config{Keep: -1, Arguments: true})
	must.Do(t, log.Open(t.Context(), st))
	t.Cleanup(log.Close)
	w := &world{by: by, policy: &switched{to: policy.Everything}, cards: map[string]string{}, given: map[string]string{}, standing: map[string]string{}, shares: map[string]madeShare{}}
	key := nobody.name + nobody.name
	w.cards[key], w.given[key], w.standing[key] = unknownCard, unknownAllowance, unknownAllowance
	w.shares[key] = madeShare{unknownShare, unknownToken}
	w.site = newSite(t, func(c *server.Config) {
		seen := inspect.New(1000)
		a := &agent.Agent{ID: "default", Model: parrot, Pages: pages, Tracer: seen, Audit: log, Authorizer: w.policy}
		runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a), Logger: c.Logger, Queue: 2 * time.Second, Audit: log})
		must.Do(t, err)
		t.Cleanup(func() {
			now, stop := context.WithCancel(context.Background())
			stop()
			runs.Drain(now)
		})
		c.Runs, c.Inspector, c.Authenticate, c.Audit = runs, seen, by.authenticate, log
		c.Authorizer = w.policy
		c.Protocols = []server.Protocol{
			agui.Protocol{}, a2a.Protocol{}, aisdk.Protocol{}, chatv1.Protocol{}, copilotkit.Protocol{}, mcp.Protocol{}, openai.Protocol{}, opensearch.Protocol{},
		}
		c.Suggester = suggest.New(suggest.Config{Model: suggesting(""), Burst: 1000})
		w.server = must.Get(server.New(*c))(t)
		t.Cleanup(w.server.Close)
	})
	return w
}

// world is what the people have on a server.
type world struct {
	*site
	server *server.Server
	by     issuer
	policy *switched
	// ids that the server made, by person and ids: of cards, allowances of threads and of users
	cards, given, standing map[string]string
	shares                 map[string]madeShare
}

// madeShare is a share as its owner is told of it.
type madeShare struct{ ID, Token string }

type reply struct {
	status  int
	body    string
	streams bool
}

// do makes a request with some headers.
func (w *world) do(credentials http.Header, method, path, body string) reply {
	w.t.Helper()
	resp := w.open(w.t.Context(), credentials, method, path, body)
	defer resp.Body.Close()
	must.Be(w.t, resp.Header.Get("X-Content-Type-Options"), "nosniff", "%s %s: X-Content-Type-Options", method, path)
	got := must.Get(io.ReadAll(resp.Body))(w.t)
	return reply{resp.StatusCode, string(got), resp.Header.Get("Content-Type") == "text/event-stream"}
}

func (w *world) open(ctx context.Context, credentials http.Header, method, path, body string) *http.Response {
	w.t.Helper()
	req := must.Get(http.NewRequestWithContext(ctx, method, w.URL+path, strings.NewReader(body)))(w.t)
	for name, values := range credentials {
		req.Header[name] = values
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if path == "/mcp" {
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	return must.Get(http.DefaultClient.Do(req))(w.t)
}

func (w *world) must(p person, status int, method, path, body string) string {
	w.t.Helper()
	got := w.do(w.by.good(p), method, path, body)
	if got.status != status {
		w.t.Fatalf("%s %s as %s: %d %s, want %d", method, path, p.name, got.status, got.body, status)
	}
	return got.body
}

// runBody asks for something at a place that belongs to the ids.
func runBody(thread, id, text, resume, ids string) string {
	messages := "[]"
	if text != "" {
		messages = fmt.Sprintf(`[{"id":"u-%s","role":"user","content":%q}]`, id, text)
	}
	return fmt.Sprintf(`{"protocolVersion":"1.0","threadId":%q,"runId":%q,"messages":%s,"resume":[%s],"tools":[],"context":[],"state":{},`+
		`"forwardedProps":{"pageside":{"page":"orders","scope":{"order":%q}}}}`, thread, id, messages, resume, ids)
}

var (
	cardID      = regexp.MustCompile(`"type":"ACTIVITY_SNAPSHOT"[^\n]*"messageId":"([^"]+)"`)
	interruptID = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)
)

// fill gives a person one of everything, under ids that end alike.
func (w *world) fill(p person, ids string) {
	w.t.Helper()
	thread := "t-" + ids
	run := func(id, text, resume string) string {
		w.t.Helper()
		return w.must(p, 200, "POST", "/v1/agents/default/run", runBody(thread, id+"-"+ids, text, resume, ids))
	}
	w.must(p, 204, "PUT", "/v1/instructions/order/"+ids, `{"text":"`+p.shared()+`"}`)
	card := cardID.FindStringSubmatch(run("card", "do:card:"+p.canary(), ""))
	asked := interruptID.FindStringSubmatch(run("save", "do:save:"+p.canary(), ""))
	if card == nil || asked == nil {
		w.t.Fatalf("%s has no card or is not asked", p.name)
	}
	run("always", "", fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"approved":true,"always":true}}`, asked[1]))
	asked = interruptID.FindStringSubmatch(run("anywhere", "do:save:"+ids+"-"+p.canary(), ""))
	if asked == nil {
		w.t.Fatalf("%s is not asked again", p.name)
	}
	run("standing", "", fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"approved":true,"always":true,"allowance":{"scope":"user","maxAge":86400}}}`, asked[1]))
	w.must(p, 204, "PUT", "/v1/threads/"+thread+"/messages/u-card-"+ids+"/feedback", `{"rating":1,"comment":"`+p.canary()+`"}`)
	w.must(p, 200, "PATCH", "/v1/threads/"+thread, `{"title":"`+p.canary()+`"}`)
	made := must.JSON[madeShare](w.t, w.must(p, 201, "POST", "/v1/threads/"+thread+"/shares", ""))
	w.shares[p.name+ids] = made
	var list struct{ Allowances []struct{ ID, RunID string } }
	must.Do(w.t, json.Unmarshal([]byte(w.must(p, 200, "GET", "/v1/threads/"+thread+"/allowances", "")), &list))
	if len(list.Allowances) != 1 {
		w.t.Fatalf("%s has %d allowances", p.name, len(list.Allowances))
	}
	w.cards[p.name+ids], w.given[p.name+ids] = card[1], list.Allowances[0].ID
	must.Do(w.t, json.Unmarshal([]byte(w.must(p, 200, "GET", "/v1/allowances", "")), &list))
	for _, a := range list.Allowances {
		if a.RunID == "standing-"+ids {
			w.standing[p.name+ids] = a.ID
		}
	}
	w.must(p, 204, "PUT", "/v1/instructions/stream/"+number(ids), `{"text":"`+p.shared()+`"}`)
	w.must(p, 200, "POST", "/v1/agents/default/run", runBody("chat-"+number(ids), "chat-"+ids, p.canary(), "", ids))
	w.must(p, 200, "PATCH", "/v1/threads/chat-"+number(ids), `{"title":"`+p.canary()+`"}`)
	w.must(p, 200, "POST", "/v1/agents/default/run", runBody("resp-"+ids, "resp-"+ids, p.canary(), "", ids))
	w.begin(p, ids, "w-"+ids, "wait-")
	w.begin(p, ids, "chat-"+number(ids)+"1", "chatting-")
	w.begin(p, ids, "c-"+ids, "cancelling-")
	w.begin(p, ids, "kit-"+ids, "kitting-")
	w.begin(p, ids, "ui-"+ids, "ui-")
}

// number is what ids are called where they are numbers.
func number(ids string) string {
	h := fnv.New32()
	_, _ = io.WriteString(h, ids)
	return fmt.Sprint(1_000_000_000 + uint64(h.Sum32()))
}

// begin starts a run that does not end by itself.
func (w *world) begin(p person, ids, thread, run string) {
	w.t.Helper()
	ctx, leave := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(leave)
	resp := w.open(ctx, w.by.good(p), "POST", "/v1/agents/default/run", runBody(thread, run+ids, "do:wait:"+p.canary(), "", ids))
	w.t.Cleanup(func() { resp.Body.Close() })
	r := bufio.NewReader(resp.Body)
	for line := ""; !strings.Contains(line, "RUN_STARTED"); {
		var err error
		if line, err = r.ReadString('\n'); err != nil {
			w.t.Fatalf("%s has no live run: %v", p.name, err)
		}
	}
}

// all is everything a person can read of what is hers alone.
func (w *world) all(p person, ids string) string {
	w.t.Helper()
	var all strings.Builder
	for _, path := range []string{"/v1/threads", "/v1/threads?deleted=true", "/v1/threads/t-" + ids, "/v1/threads/t-" + ids + "/messages", "/v1/threads/t-" + ids + "/runs",
		"/v1/threads/t-" + ids + "/allowances", "/v1/threads/t-" + ids + "/shares", "/v1/threads/w-" + ids + "/runs", "/v1/allowances"} {
		fmt.Fprintln(&all, w.do(w.by.good(p), "GET", path, ""))
	}
	return all.String()
}

// instructions are what her tenant has stored for some ids.
func (w *world) instructions(p person, ids string) string {
	w.t.Helper()
	return fmt.Sprint(w.do(w.by.good(p), "GET", "/v1/instructions/order/"+ids, ""))
}
