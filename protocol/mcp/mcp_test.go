package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/mcp"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// client is a go-sdk client of a site, and what it was told.
type client struct {
	*sdk.ClientSession
	mu    sync.Mutex
	said  []string          // progress
	asked []string          // elicitations
	heard chan struct{}     // one for each progress, as long as there is room
	reply *sdk.ElicitResult // to elicitations; nil: it has none
}

func connect(t *testing.T, s *protocoltest.Site, user string, reply *sdk.ElicitResult) *client {
	t.Helper()
	c := &client{heard: make(chan struct{}, 100), reply: reply}
	options := &sdk.ClientOptions{ProgressNotificationHandler: c.progress}
	if reply != nil {
		options.ElicitationHandler = c.elicit
	}
	c.ClientSession = connectWith(t, s, user, options)
	return c
}

func (c *client) progress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	c.mu.Lock()
	c.said = append(c.said, req.Params.Message)
	c.mu.Unlock()
	select {
	case c.heard <- struct{}{}:
	default:
	}
}

func (c *client) elicit(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, req.Params.Message)
	return c.reply, nil
}

func (c *client) told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.said, "")
}

// call calls a tool and wants progress.
func (c *client) call(ctx context.Context, tool string, args any) (*sdk.CallToolResult, error) {
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("p")
	return c.CallTool(ctx, p)
}

func textOf(r *sdk.CallToolResult) string {
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.(*sdk.TextContent).Text)
	}
	return strings.Join(texts, "|")
}

// want calls a tool, whose result must be as said. A * at the end stands for any text.
func (c *client) want(t *testing.T, tool string, args any, isError bool, text string) *sdk.CallToolResult {
	t.Helper()
	r, err := c.call(t.Context(), tool, args)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	prefix, open := strings.CutSuffix(text, "*")
	if got := textOf(r); r.IsError != isError || !strings.HasPrefix(got, prefix) || !open && got != text {
		t.Errorf("%s %v: %q, error %v; want %q, %v", tool, args, got, r.IsError, text, isError)
	}
	return r
}

type said struct {
	Text, ThreadID, RunID string
	Payloads              []struct {
		Type string
		Data json.RawMessage
	}
}

func saidOf(t *testing.T, r *sdk.CallToolResult) (s said) {
	t.Helper()
	raw := must.Get(json.Marshal(r.StructuredContent))(t)
	must.Do(t, json.Unmarshal(raw, &s))
	return s
}

func accept(approve bool) *sdk.ElicitResult {
	return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": approve}}
}

func TestScenarios(t *testing.T) {
	ask := func(ctx context.Context, t *testing.T, c *client, q protocoltest.Question) protocoltest.Seen {
		args := map[string]any{"question": q.Text}
		if q.Conversation != "" {
			args["threadId"] = q.Conversation
		}
		r, err := c.call(ctx, "ask_default", args)
		if err != nil {
			return protocoltest.Seen{Text: c.told(), Error: err.Error()}
		}
		a := saidOf(t, r)
		seen := protocoltest.Seen{Conversation: a.ThreadID, Text: a.Text}
		if r.IsError {
			seen.Error = textOf(r)
		}
		for _, p := range a.Payloads {
			seen.Card = p.Type + " " + string(p.Data)
		}
		return seen
	}
	protocoltest.Play(t, protocoltest.Protocol{
		DropIn: mcp.Protocol{}, ShowsCards: true, Lacks: map[protocoltest.Need]string{
			protocoltest.FrontendTools: "there is no page, and clients declare no tools",
			protocoltest.Approvals:     "they are asked within the call: TestApprovals",
			protocoltest.Cuts:          "streams cannot be resumed",
		},
		Ask: func(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
			return ask(t.Context(), t, connect(t, s, "anns", nil), q)
		},
		Cancel: func(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
			c := connect(t, s, "anns", nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-c.heard; cancel() }()
			seen := ask(ctx, t, c, q)
			waitFor(t, s)
			return seen
		},
	})
}

// waitFor waits until Ann's only run has ended as cancelled.
func waitFor(t *testing.T, s *protocoltest.Site) {
	t.Helper()
	list, err := s.Store.Threads(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, store.ThreadQuery{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("Ann has the threads %v, %v", list.Items, err)
	}
	for {
		runs, err := s.Store.Runs(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, list.Items[0].ID)
		if err != nil || len(runs) != 1 {
			t.Fatalf("she has the runs %v, %v", runs, err)
		}
		if runs[0].Status == store.RunCancelled {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// everything lets all callers call all tools.
func everything(c *server.Config) { c.Authorizer = policy.Everything }

func TestTools(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{}, everything)
	c := connect(t, s, "anns", nil)
	list := must.Get(c.ListTools(t.Context(), nil))(t)
	got := map[string]string{}
	for _, tool := range list.Tools {
		hints, _ := json.Marshal(tool.Annotations)
		got[tool.Name] = string(hints)
	}
	for name, want := range map[string]string{
		"ask_default": `null`,
		"count":       `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
		"erase":       `{"destructiveHint":true,"idempotentHint":false,"readOnlyHint":false}`,
		"broken":      `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
		"search":      `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
	} {
		if got[name] != want {
			t.Errorf("%s has the hints %s, want %s", name, got[name], want)
		}
	}
	if len(got) != 5 {
		t.Errorf("offered are %v", got)
	}
	r := c.want(t, "count", map[string]any{"of": "trials"}, false, "18 trials")
	if card, _ := json.Marshal(r.StructuredContent); string(card) != `{"of":"trials"}` {
		t.Errorf("the payload is %s", card)
	}
	for last := time.Now().Add(time.Minute); c.told() != "counting" && time.Now().Before(last); {
		time.Sleep(10 * time.Millisecond)
	}
	if c.told() != "counting" {
		t.Errorf("the progress is %q", c.told())
	}
	c.want(t, "broken", nil, true, "*")
	c.want(t, "count", map[string]any{"of": 7}, true, "invalid_arguments: args: *")
	if _, err := c.call(t.Context(), "pick", nil); err == nil || !strings.Contains(err.Error(), `there is no tool "pick"`) {
		t.Errorf("a tool of the page: %v", err)
	}
}

func TestAsking(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{})
	c := connect(t, s, "anns", nil)
	first := saidOf(t, c.want(t, "ask_default", map[string]any{"question": "count trials"}, false, "Let me count.\n\nThere are 18 trials."))
	const progress = "Let me count.Running countThere are 18 trials."
	for last := time.Now().Add(time.Minute); c.told() != progress && time.Now().Before(last); {
		time.Sleep(10 * time.Millisecond) // the client's handlers may run after its call has ended
	}
	if c.told() != progress {
		t.Errorf("the progress is %q", c.told())
	}
	second := saidOf(t, c.want(t, "ask_default", map[string]any{"question": "hello", "threadId": first.ThreadID}, false, "Hello to <you> & all."))
	if second.ThreadID != first.ThreadID || second.RunID == first.RunID {
		t.Errorf("%+v goes on with %+v", second, first)
	}
	history := s.Read(s.Do("anns", "GET", "/v1/threads/"+first.ThreadID+"/messages", nil), 200)
	if !strings.Contains(history, "count trials") || !strings.Contains(history, `"hello"`) {
		t.Errorf("the history is %s", history)
	}
	for _, bad := range []struct{ args, want string }{
		{`{}`, "invalid_request: question: *"}, {`{"question":" "}`, "invalid_request: question: *"}, {`{"question":7}`, "invalid_request: question: *"},
		{`{"question":"x","model":"m"}`, "invalid_request: model: *"}, {`{"question":"x","threadId":"made-up"}`, "invalid_request: threadId: there is no such conversation"},
		{`{"question":"x","threadId":"../../etc"}`, "invalid_request: threadId: *"}, {`[]`, "invalid_request: *"}, {`null`, "invalid_request: *"},
	} {
		c.want(t, "ask_default", json.RawMessage(bad.args), true, bad.want)
	}
	bob := connect(t, s, "bobs", nil)
	bob.want(t, "ask_default", map[string]any{"question": "hello", "threadId": first.ThreadID}, true, "invalid_request: threadId: there is no such conversation")
}

func TestApprovals(t *testing.T) {
	const args = `{"name":"it"}`
	question := map[string]any{"question": "erase it"}
	for _, v := range []struct {
		name       string
		reply      *sdk.ElicitResult
		direct     string // and whether it is an error
		asked      string
		wrong, bad bool
	}{
		{"approved", accept(true), "erased it", "I will erase it.\n\nThe tool says: erased it", false, false},
		{"not ticked", accept(false), "not_approved: *", "I will erase it.\n\nThe tool says: *", true, false},
		{"declined", &sdk.ElicitResult{Action: "decline"}, "not_approved: *", "I will erase it.\n\nThe tool says: *", true, false},
		{"dismissed", &sdk.ElicitResult{Action: "cancel"}, "not_approved: *", "I will erase it.*", true, false},
		{"a lie", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": "true"}}, "approval_required: *", "I will erase it.|The agent waits*", true, true},
		{"no elicitation", nil, "approval_required: erase needs the user's approval, and was not executed: this client cannot ask*", "I will erase it.|The agent waits for the user, and nothing was approved: this client cannot ask*", true, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := protocoltest.Serve(t, mcp.Protocol{}, everything)
			c := connect(t, s, "anns", v.reply)
			c.want(t, "erase", json.RawMessage(args), v.wrong, v.direct)
			r := c.want(t, "ask_default", question, v.bad, v.asked)
			if approved := v.name == "approved"; strings.Contains(textOf(r), "erased it") != approved {
				t.Errorf("the agent says %q", textOf(r))
			}
			if v.reply != nil && (len(c.asked) != 2 || !strings.HasPrefix(c.asked[0], "Erases.\n\nerase (destructive)") || !strings.Contains(c.asked[0], args) || !strings.Contains(c.asked[1], args)) {
				t.Errorf("asked were %q", c.asked)
			}
			if v.reply == nil { // the conversation can go on, which approves nothing
				thread := saidOf(t, r).ThreadID
				c.want(t, "ask_default", map[string]any{"question": "hello", "threadId": thread}, false, "Hello to <you> & all.")
				if history := s.Read(s.Do("anns", "GET", "/v1/threads/"+thread+"/messages", nil), 200); strings.Contains(history, "erased it") {
					t.Errorf("another question approved the call: %s", history)
				}
			}
		})
	}
}

// post sends a message as it is.
func post(s *protocoltest.Site, user, session, body string, headers ...string) *http.Response {
	headers = append([]string{"Accept", "application/json, text/event-stream"}, headers...)
	if session != "" {
		headers = append(headers, "Mcp-Session-Id", session)
	}
	return s.Do(user, "POST", "/mcp", body, headers...)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listTools  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

func TestSessionsBelongToTheirPrincipal(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{})
	opened := post(s, "anns", "", initialize)
	s.Read(opened, 200)
	id := opened.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("there is no session")
	}
	s.Read(post(s, "anns", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202)
	s.Read(post(s, "anns", id, listTools), 200)
	for user, status := range map[string]int{"bobs": 403, "twins": 403, "": 401, "nobodys": 401} {
		s.Read(post(s, user, id, listTools), status)
		s.Read(s.Do(user, "GET", "/mcp", nil, "Accept", "text/event-stream", "Mcp-Session-Id", id), status)
		s.Read(s.Do(user, "DELETE", "/mcp", nil, "Mcp-Session-Id", id), status)
	}
	s.Read(s.Do("anns", "DELETE", "/mcp", nil, "Mcp-Session-Id", id), 204)
	s.Read(post(s, "anns", id, listTools), 404)
	for range 33 { // the oldest gives way
		last := post(s, "anns", "", initialize)
		s.Read(last, 200)
		if id == opened.Header.Get("Mcp-Session-Id") {
			id = last.Header.Get("Mcp-Session-Id")
		}
	}
	for s.Do("anns", "DELETE", "/mcp", nil, "Mcp-Session-Id", "none"); ; {
		resp := post(s, "anns", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		resp.Body.Close()
		if resp.StatusCode == 404 {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("the oldest session stays")
		}
	}
}

func TestHostileMessages(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{}, func(c *server.Config) { c.MaxBody = 4 << 10 })
	for body, status := range map[string]int{
		"": 400, "[" + listTools + "," + listTools + "]": 400, " \n[": 400, "{": 400, "7": 400, `{"jsonrpc":"2.0","id":1,"method":"nonsense"}`: 400,
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<10) + `"}`: 413,
	} {
		s.Read(post(s, "anns", "", body), status)
	}
	s.Read(post(s, "anns", "", initialize, "Content-Type", "text/plain"), 415)
	s.Read(post(s, "anns", "", initialize, "Sec-Fetch-Site", "cross-site", "Origin", "https://elsewhere.example"), 403)
	s.Read(s.Do("anns", "PUT", "/mcp", "{}"), 405)
	early := s.Read(post(s, "anns", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"of":"x"}}}`), 200)
	if strings.Contains(early, "18 x") || !strings.Contains(early, `"error"`) {
		t.Errorf("before the session was initialised: %s", early)
	}
	c := connect(t, s, "anns", nil)
	for _, name := range []string{"", "ask_", "ask_other", "../count", strings.Repeat("x", 1000)} {
		if _, err := c.call(t.Context(), name, nil); err == nil {
			t.Errorf("the tool %.20q is there", name)
		}
	}
	c.want(t, "count", map[string]any{"of": "x"}, false, "18 x")
}

// What an answer rests on are links behind its text, if the client can follow them.
func TestSourcesAreLinks(t *testing.T) {
	c := connect(t, protocoltest.Serve(t, mcp.Protocol{}), "anns", accept(true))
	for _, question := range []string{"cite", "cite twice"} {
		r, err := c.call(t.Context(), "ask_default", map[string]any{"question": question})
		if err != nil || len(r.Content) != 2 {
			t.Fatalf("%s: %+v, %v", question, r, err)
		}
		link, _ := r.Content[1].(*sdk.ResourceLink)
		if link == nil || link.URI != "https://example.com/1" || link.Name != "1" || link.Title != "First study" || link.Description != "It worked." {
			t.Errorf("%s: the link is %+v", question, r.Content[1])
		}
	}
}

// What the policy does not allow is neither offered nor called, and limits count.
func TestPolicyAndLimits(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{}) // with the default policy: tools that read
	c := connect(t, s, "anns", accept(true))
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Errorf("offered are %d tools, %v", len(list.Tools), err)
	}
	if _, err := c.call(t.Context(), "erase", json.RawMessage(`{"name":"it"}`)); err == nil {
		t.Error("a tool that is not permitted was called")
	}
	s = protocoltest.Serve(t, mcp.Protocol{}, func(c *server.Config) {
		c.Limits = &server.Limits{Runs: limit.Rate{PerSecond: 0.001, Burst: 1}, Actions: limit.Rate{PerSecond: 0.001, Burst: 2}}
	})
	c = connect(t, s, "anns", nil)
	hello := map[string]any{"question": "hello"}
	c.want(t, "ask_default", hello, false, "Hello to <you> & all.")
	c.want(t, "ask_default", hello, true, "rate_limited: *")
	c.want(t, "count", map[string]any{"of": "x"}, false, "18 x")
	c.want(t, "count", map[string]any{"of": "x"}, false, "18 x")
	c.want(t, "count", map[string]any{"of": "x"}, true, "rate_limited: *")
}

// A call without a model is for the agent's own policy too, and counts as tainted: nobody knows who
// wrote its arguments.
func TestPolicyOfDirectCalls(t *testing.T) {
	args := json.RawMessage(`{"of":"x"}`)
	s := protocoltest.Serve(t, mcp.Protocol{}, everything, func(c *server.Config) { c.Runs.Settings("default").Authorizer = denies("count") })
	c := connect(t, s, "anns", nil)
	if _, err := c.call(t.Context(), "count", args); err == nil {
		t.Error("a tool that the agent's policy denies was called")
	}
	c.want(t, "search", json.RawMessage(`{}`), false, "3 found*")
	s = protocoltest.Serve(t, mcp.Protocol{}, func(c *server.Config) { c.Authorizer = onlyTainted{} })
	c = connect(t, s, "anns", nil)
	c.want(t, "count", args, false, "18 x")
}

// denies is a policy that denies one tool.
type denies string

func (d denies) Authorize(_ context.Context, q policy.Question) (policy.Answer, error) {
	if q.Kind == policy.Tool && q.Name == string(d) {
		return policy.Answer{Decision: policy.Deny}, nil
	}
	return policy.Answer{Decision: policy.Allow}, nil
}

// onlyTainted is a policy that takes calls for tainted ones only.
type onlyTainted struct{}

func (onlyTainted) Authorize(_ context.Context, q policy.Question) (policy.Answer, error) {
	if q.Kind == policy.Tool && !q.Tainted {
		return policy.Answer{Decision: policy.Deny}, nil
	}
	return policy.Answer{Decision: policy.Allow}, nil
}

// A session's stream ends when the server shuts down, and counts as an open stream.
func TestTheStreamOfASession(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{}, func(c *server.Config) { c.Limits = &server.Limits{StreamsAtOnce: 1} })
	opened := post(s, "anns", "", initialize)
	s.Read(opened, 200)
	id := opened.Header.Get("Mcp-Session-Id")
	stream := s.Do("anns", "GET", "/mcp", nil, "Accept", "text/event-stream", "Mcp-Session-Id", id)
	if stream.StatusCode != 200 {
		t.Fatalf("the stream answers %d", stream.StatusCode)
	}
	s.Read(s.Do("anns", "GET", "/mcp", nil, "Accept", "text/event-stream", "Mcp-Session-Id", id), 429)
	stream.Body.Close()
}

// What a client calls is in the audit log: what was asked, what a person said, and how it ended.
func TestCallsAreAudited(t *testing.T) {
	log := audit.NewLog(audit.Config{Keep: -1, Arguments: true})
	st := temp.Store(t)
	must.Do(t, log.Open(t.Context(), st))
	s := protocoltest.ServeOn(t, st, mcp.Protocol{}, everything, func(c *server.Config) { c.Audit = log })
	defer log.Close()
	yes, no := connect(t, s, "anns", accept(true)), connect(t, s, "anns", &sdk.ElicitResult{Action: "decline"})
	yes.want(t, "erase", json.RawMessage(`{"name":"it"}`), false, "erased it")
	no.want(t, "erase", json.RawMessage(`{"name":"that"}`), true, "not_approved: *")
	var entries string
	for last := time.Now().Add(time.Minute); time.Now().Before(last); time.Sleep(10 * time.Millisecond) {
		// entries that nothing waits for are written a little later
		if entries = s.Read(s.Do("anns", "GET", "/v1/audit", nil), 200); strings.Contains(entries, `"declined"`) {
			break
		}
	}
	for _, want := range []string{`"ask"`, `"waiting"`, `"approved"`, `"begun"`, `"ok"`, `"declined"`, `"not_run"`, `"kind":"tool.call"`, `"tool":"erase"`} {
		if !strings.Contains(entries, want) {
			t.Errorf("the log lacks %s: %s", want, entries)
		}
	}
}

// A call that is cancelled while a person is asked does not run, whatever the person says then.
func TestCancelledWhileAsking(t *testing.T) {
	for _, tool := range []string{"erase", "ask_default"} {
		s := protocoltest.Serve(t, mcp.Protocol{}, everything)
		asked, answer := make(chan struct{}), make(chan struct{})
		c := connectWith(t, s, "anns", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			close(asked)
			<-answer
			return accept(true), nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		args := map[string]any{"name": "it"}
		if tool != "erase" {
			args = map[string]any{"question": "erase it"}
		}
		if r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args}); err == nil {
			t.Errorf("%s says %q", tool, textOf(r))
		}
		close(answer)
		list := must.Get(s.Store.Threads(t.Context(), store.Owner{Tenant: "acme", Subject: "ann"}, store.ThreadQuery{}))(t)
		for _, thread := range list.Items {
			if history := s.Read(s.Do("anns", "GET", "/v1/threads/"+thread.ID+"/messages", nil), 200); strings.Contains(history, "erased it") {
				t.Errorf("it was erased: %s", history)
			}
		}
	}
}

func connectWith(t *testing.T, s *protocoltest.Site, user string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: protocoltest.As(user)}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session := must.Get(client.Connect(t.Context(), transport, nil))(t)
	t.Cleanup(func() { session.Close() })
	return session
}

// TestSessionsAreBoundedWhileOneIsBusy: a session whose call waits for its user ends late, and in
// the meantime the others are not spared.
func TestSessionsAreBoundedWhileOneIsBusy(t *testing.T) {
	s := protocoltest.Serve(t, mcp.Protocol{}, everything)
	asked, answer := make(chan struct{}), make(chan struct{})
	busy := connectWith(t, s, "anns", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		close(asked)
		<-answer
		return accept(false), nil
	}})
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = busy.CallTool(t.Context(), &sdk.CallToolParams{Name: "erase", Arguments: map[string]any{"name": "it"}})
	}()
	<-asked
	var ids []string
	for range 48 {
		opened := post(s, "anns", "", initialize)
		s.Read(opened, 200)
		ids = append(ids, opened.Header.Get("Mcp-Session-Id"))
	}
	open := func() (n int) {
		for _, id := range ids {
			resp := post(s, "anns", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			resp.Body.Close()
			if resp.StatusCode != 404 {
				n++
			}
		}
		return n
	}
	for until := time.Now().Add(time.Minute); open() > 32; {
		if time.Now().After(until) {
			t.Errorf("%d of %d sessions are open", open(), len(ids))
			break
		}
	}
	close(answer)
	<-called
}
