package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/policy/condition"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
)

// A conversation is a txtar file about a server and those who call it. The header says which rule
// it pins. Then come
//
//	setup         YAML: see setup. A later one, "setup renamed", is for "restart renamed"
//	conversation  what is done, one line each, and indented below it what comes of that
//
// Lines are requests, with who asks in front of them where callers are told apart, as
// tenant/subject/role; the tenant is acme unless another is named:
//
//	GET /v1/threads
//	ann POST /v1/resolve {"page":"orders"}
//	ann Idempotency-Key=k1 POST /v1/actions/save {}
//	ann says {thread: t1, run: r1} hello      a run: see says
//	wait 3h, restart, log, unrecorded, purge
//
// Time stands still but for what waits. Random ids, tokens and cursors are numbered, and may be
// used so: int_1. What tools do ("ran pay {}") is told wherever it happens, so that a line that
// lacks it says that it did not happen.
//
// UPDATE=1 writes what comes into the files.
func TestConversations(t *testing.T) {
	talk.Each(t, func(t *testing.T, file *talk.File) {
		synctest.Test(t, func(t *testing.T) {
			c := &conversation{t: t, file: file, disk: temp.Store(t), setup: &setup{}, names: talk.Names{Random: randomID, Of: byKind}}
			defer func() { c.stop() }()
			c.begin("setup")
			var out strings.Builder
			talk.Play(&out, file.Lines("conversation"), &c.names, func(line string) []string {
				return append(c.do(c.names.Reveal(line)), c.happened()...)
			})
			file.Compare(t, "conversation", out.String())
		})
	})
}

// setup is what a server is made of.
type setup struct {
	Users       bool   // callers are told apart; else they are one
	Rules       string // what the model says; default ok
	Choices     []choiceSetup
	Tools       []toolSetup
	Pages       []page.Page
	Payloads    []cardSetup
	Agent       agentSetup
	Others      []string      // ids of further agents like it
	Untrusted   bool          // branches that are tainted ask
	Permissions []policy.Rule // without any, users may do everything
	Default     bool          // no permissions are configured
	Server      server.Config
	Web         map[string]string // the files of the pages at /
	Quotas      run.Limits
	Prices      *llm.Prices
	Suggests    string   // what a model suggests, once an hour: see suggesting
	Inspected   int      // how many runs are kept for the inspector
	Unaudited   bool     // without an audit log
	Headers     []string // of answers that are told, beside Allow and Retry-After
}

type agentSetup struct {
	Description, Instructions string
	AskUser                   bool
	State                     sharedstate.Config
}

// choiceSetup is a choice of models of which each stands in for the one before. All of them play
// the rules. The first choice is the default.
type choiceSetup struct {
	ID, Label string
	Efforts   []string
	Models    []llm.Info
}

// toolSetup is a backend tool. It notes that it ran.
type toolSetup struct {
	Name, Description string
	Schema            string
	Effect            tool.Effect
	Approval          tool.Approval
	Page              bool // only on pages that name it
	Rate              int  // calls a minute
	Host              string
	Needs             []tool.Source
	Result            string
	Payload, Type     string // a card's content and type
	Fails             string
}

type cardSetup struct {
	Name, Marker, Schema string
}

// conversation is one under way, with the process that lives.
type conversation struct {
	t       *testing.T
	file    *talk.File
	setup   *setup
	disk    *sqlstore.Store
	handler *server.Server
	runs    *run.Manager
	audit   *audit.Log
	log     *logged.Text
	names   talk.Names
	said    int

	mu  sync.Mutex
	ran []string // what tools did since the last line
}

func (c *conversation) begin(section string) {
	if data := c.file.Section(section); data != nil {
		c.setup = &setup{}
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(c.setup); err != io.EOF { // of an empty one
			must.Do(c.t, err)
		}
	}
	s := c.setup
	c.log = &logged.Text{}
	logger := c.log.Logger()
	c.audit = audit.NewLog(audit.Config{Keep: -1, Arguments: true, Secrets: []string{"sk-configured-secret"}})
	must.Do(c.t, c.audit.Open(c.t.Context(), c.disk))
	cfg := s.Server
	var recorder *inspect.Recorder
	if s.Inspected > 0 {
		recorder = inspect.New(s.Inspected)
		cfg.Inspector = recorder
	}
	agents := []*agent.Agent{c.agent("default", recorder)}
	for _, id := range s.Others {
		agents = append(agents, c.agent(id, recorder))
	}
	c.runs = must.Get(run.NewManager(c.t.Context(), run.Config{
		Store: c.disk, Agents: run.Loops(agents...), Audit: c.audit, Logger: logger, Limits: s.Quotas,
	}))(c.t)
	cfg.Runs, cfg.Logger, cfg.AccessLog = c.runs, logger, logger
	cfg.Protocols = []server.Protocol{aguihttp.Protocol{}}
	mounted := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	cfg.Mount = map[string]http.Handler{"/mounted/": http.HandlerFunc(mounted)}
	if s.Web != nil {
		files := fstest.MapFS{}
		for name, content := range s.Web {
			files[name] = &fstest.MapFile{Data: []byte(content)}
		}
		cfg.Web = files
	}
	if !s.Unaudited {
		cfg.Audit = c.audit
	}
	if s.Users {
		cfg.Authenticate, cfg.Authorizer = byName, c.authorizer()
	}
	if s.Default {
		cfg.Authorizer = nil
	}
	if s.Suggests != "" {
		cfg.Suggester = suggest.New(suggest.Config{Model: suggesting(s.Suggests), Burst: 1, Every: time.Hour})
	}
	c.handler = must.Get(server.New(cfg))(c.t)
}

// suggesting is a model that suggests one thing. One that is costly says that it used 4,500 tokens;
// one that fails is busy.
func suggesting(how string) llm.Model {
	answer := func(context.Context, *llm.Request) ([]llm.Part, error) {
		parts := dialects.Says(`[{"label":"Why?","value":"Why is that?"}]`)
		switch how {
		case "costly":
			used := &llm.Usage{Input: new(int64(4000)), Output: new(int64(500))}
			parts = slices.Insert(parts, 1, llm.Part{Kind: llm.UsagePart, Usage: used})
		case "fails":
			return nil, &llm.Error{Kind: llm.KindOverloaded, Model: "test/m", Message: "busy"}
		}
		return parts, nil
	}
	return dialects.Fake{Is: llm.Info{Provider: "test", Model: "m"}, Answer: answer}
}

func (c *conversation) stop() {
	if c.handler != nil {
		c.handler.Close()
		c.runs.Drain(context.WithoutCancel(c.t.Context()))
	}
	if c.audit != nil {
		c.audit.Close()
	}
}

func (c *conversation) authorizer() policy.Authorizer {
	switch {
	case c.setup.Default:
		return policy.Default()
	case c.setup.Permissions == nil:
		return policy.Everything
	}
	return must.Get(policy.NewRules(condition.Compile, c.setup.Permissions...))(c.t)
}

// strangers are callers whose credentials are refused, and why.
var strangers = map[string]error{
	"":        errors.New("no such key"),
	"nobody":  errors.New("no such key"),
	"none":    auth.ErrNoCredentials,
	"expired": auth.Refuse("oidc", "the token has expired"),
	"flood":   auth.TooMany("session", "too many", 1500*time.Millisecond),
	"unknown": auth.Unavailable("oidc", "fetch the keys"),
}

// byName tells callers by a header: tenant/subject/role, or just the subject.
func byName(r *http.Request) (auth.Principal, error) {
	who := r.Header.Get("X-Who")
	if err := strangers[who]; err != nil {
		return auth.Principal{}, err
	}
	words := strings.Split(who, "/")
	switch {
	case who == "nameless":
		return auth.Principal{}, nil
	case who == "late":
		return auth.Principal{Subject: who, Expires: time.Now().Add(-2 * time.Minute)}, nil
	case len(words) == 1:
		words = append([]string{"acme"}, words...)
	}
	return auth.Principal{Tenant: words[0], Subject: words[1], Roles: words[2:], Method: "test"}, nil
}

func (c *conversation) agent(id string, recorder *inspect.Recorder) *agent.Agent {
	s := c.setup
	tools := make([]*tool.Tool, len(s.Tools))
	for i, each := range s.Tools {
		tools[i] = c.tool(each)
	}
	registry := must.Get(tool.NewRegistry(tools...))(c.t)
	var cards []*payload.Type
	for _, each := range s.Payloads {
		card := &payload.Type{Name: each.Name, Schema: json.RawMessage(cmp.Or(each.Schema, `{"type":"object"}`))}
		if each.Marker != "" {
			card.Source, card.Marker, card.Instructions = payload.FromLLM, each.Marker, "Propose."
		}
		cards = append(cards, card)
	}
	types := must.Get(payload.NewRegistry(cards...))(c.t)
	pages := must.Get(page.NewRegistry(registry, types, s.Pages...))(c.t)
	rules := "name: test\nrules:\n" + s.Rules + "- { fallback: true, steps: [{ text: ok }] }\n"
	model := must.Get(script.Parse("test", []byte(rules)))(c.t)
	a := &agent.Agent{
		ID: id, Model: model, Pages: pages, Authorizer: c.authorizer(), Audit: c.audit,
		Description: s.Agent.Description, Instructions: s.Agent.Instructions, AskUser: s.Agent.AskUser,
		State: s.Agent.State, Approvals: agent.Approvals{IgnoreTaint: !s.Untrusted}, Logger: c.log.Logger(),
	}
	for _, each := range s.Choices {
		a.Choices = append(a.Choices, c.choice(each, model))
	}
	if len(a.Choices) > 0 {
		a.Model = a.Choices[0].Model
	}
	if s.Prices != nil {
		a.Model = llm.WithProfile(model, llm.Profile{Prices: s.Prices})
	}
	if recorder != nil {
		a.Tracer = recorder
	}
	return a
}

func (c *conversation) choice(s choiceSetup, rules llm.Model) agent.Choice {
	models := make([]llm.Model, len(s.Models))
	for i, info := range s.Models {
		models[i] = chosen{rules, info, c}
	}
	model := must.Get(llm.Fallback(nil, models[0], models[1:]...))(c.t)
	return agent.Choice{ID: s.ID, Label: s.Label, Efforts: s.Efforts, Model: model}
}

// chosen is a model that says that it is another one. It notes what it is asked for.
type chosen struct {
	llm.Model
	is llm.Info
	c  *conversation
}

func (m chosen) Info() llm.Info { return m.is }

func (m chosen) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.c.note(strings.TrimSpace(fmt.Sprintf("asked %s %s", m.is.Model, req.Effort)))
	return m.Model.Stream(ctx, req)
}

func (c *conversation) tool(s toolSetup) *tool.Tool {
	t := &tool.Tool{
		Name: s.Name, Description: cmp.Or(s.Description, "Does "+s.Name+"."), Effect: s.Effect, Global: !s.Page,
		InputSchema: json.RawMessage(cmp.Or(s.Schema, `{"type":"object"}`)), PayloadType: s.Type,
		Policy: tool.Policy{Approval: s.Approval}, Host: s.Host, Needs: s.Needs,
		Handler: func(_ context.Context, call *tool.Call) (tool.Result, error) {
			c.note(strings.TrimSpace(fmt.Sprintf("ran %s %s %s", call.Tool, call.Args, call.ThreadID)))
			if s.Fails != "" {
				return tool.Result{}, errors.New(s.Fails)
			}
			result := tool.Result{Text: cmp.Or(s.Result, s.Name+" done")}
			if s.Payload != "" {
				result.Payload = json.RawMessage(s.Payload)
			}
			return result, nil
		},
	}
	if s.Rate > 0 {
		t.Policy.Rate = limit.PerMinute(s.Rate)
	}
	return t
}

// note adds to what tools did.
func (c *conversation) note(did string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ran = append(c.ran, did)
}

// happened returns what tools did since the last line.
func (c *conversation) happened() (told []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	told, c.ran = c.ran, nil
	slices.Sort(told) // what happens beside each other is in no order
	return told
}

// do carries out a line and returns what comes of it.
func (c *conversation) do(line string) []string {
	c.t.Helper()
	who := ""
	verb, rest, _ := strings.Cut(line, " ")
	if !isVerb(verb) {
		who = verb
		verb, rest, _ = strings.Cut(rest, " ")
	}
	header := http.Header{"X-Who": {cmp.Or(who, "nobody")}}
	for name, v, ok := strings.Cut(verb, "="); ok; name, v, ok = strings.Cut(verb, "=") {
		header.Set(name, v)
		verb, rest, _ = strings.Cut(rest, " ")
	}
	switch verb {
	case "wait":
		d := must.Get(time.ParseDuration(rest))(c.t)
		time.Sleep(d)
		return nil
	case "restart":
		c.stop()
		c.begin(strings.TrimSpace("setup " + rest))
		return nil
	case "log":
		return c.logged(rest)
	case "unrecorded":
		c.audit.Close() // it takes nothing any more
		return nil
	case "purge": // the events of all runs
		must.Get(c.disk.PurgeEvents(c.t.Context(), time.Now().Add(time.Hour)))(c.t)
		return nil
	case "says":
		return c.says(header, rest)
	}
	path, body, _ := strings.Cut(rest, " ")
	return c.asks(header, verb, path, body)
}

func isVerb(s string) bool {
	switch s {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
		"says", "wait", "restart", "log", "unrecorded", "purge":
		return true
	}
	return strings.Contains(s, "=")
}

// logged tells the lines of the log that have the words.
func (c *conversation) logged(words string) (told []string) {
	for line := range strings.Lines(c.log.String()) {
		if strings.Contains(line, words) {
			told = append(told, strings.TrimSpace(line))
		}
	}
	return told
}

// says posts a run. What a line says of it beside the user's words is in braces.
func (c *conversation) says(header http.Header, line string) []string {
	c.t.Helper()
	c.said++
	var p struct {
		Thread, Run, Agent, Parent, Interrupt string
		Old                                   bool
		Pageside, Answer                      any
		Context                               []map[string]string
	}
	text := line
	if strings.HasPrefix(line, "{") {
		end := strings.LastIndex(line, "}") + 1
		must.Do(c.t, yaml.Unmarshal([]byte(line[:end]), &p))
		text = strings.TrimSpace(line[end:])
	}
	runID := cmp.Or(p.Run, fmt.Sprint("r", c.said))
	in := map[string]any{
		"protocolVersion": "1.0", "threadId": cmp.Or(p.Thread, "t1"), "runId": runID, "parentRunId": p.Parent,
		"messages": []any{}, "tools": []any{}, "context": []any{}, "state": map[string]any{},
		"forwardedProps": map[string]any{"pageside": p.Pageside},
	}
	if p.Pageside == nil {
		in["forwardedProps"] = map[string]any{}
	}
	if p.Context != nil {
		in["context"] = p.Context
	}
	if text != "" {
		in["messages"] = []any{map[string]any{"id": "u-" + runID, "role": "user", "content": text}}
	}
	if p.Interrupt != "" {
		in["resume"] = []any{map[string]any{"interruptId": p.Interrupt, "status": "resolved", "payload": p.Answer}}
	}
	for name, drop := range map[string]bool{"protocolVersion": p.Old, "parentRunId": p.Parent == ""} {
		if drop {
			delete(in, name)
		}
	}
	body := must.Get(json.Marshal(in))(c.t)
	return c.asks(header, "POST", "/v1/agents/"+cmp.Or(p.Agent, "default")+"/run", string(body))
}

// asks makes a request, and tells its answer.
func (c *conversation) asks(header http.Header, method, path, body string) []string {
	c.t.Helper()
	r := httptest.NewRequestWithContext(c.t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header, r.Host, r.RemoteAddr = header, cmp.Or(header.Get("Host"), r.Host), "127.0.0.1:49152"
	if body != "" && header["Content-Type"] == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	synctest.Wait() // what is left to do behind the answer
	told := fmt.Sprint(w.Code)
	for _, name := range append([]string{"Allow", "Retry-After"}, c.setup.Headers...) {
		if v := w.Header().Get(name); v != "" {
			told += " " + name + ": " + v
		}
	}
	switch kind := w.Header().Get("Content-Type"); kind {
	case "text/event-stream":
		all := c.stream(w.Body.String())
		if len(all) == 0 {
			return []string{told}
		}
		all[0] = told + " " + all[0]
		return all
	case "application/json", "":
		return []string{strings.TrimSpace(told + " " + w.Body.String())}
	default:
		return append([]string{told + " " + kind}, strings.Split(strings.TrimSpace(w.Body.String()), "\n")...)
	}
}

// stream tells the events of a stream: texts and calls whole, of others what they say.
func (c *conversation) stream(body string) (told []string) {
	open := map[string]int{}
	begin := func(id, words string) {
		open[id] = len(told)
		told = append(told, words)
	}
	grow := func(id, words string) {
		if _, ok := open[id]; !ok {
			begin(id, "… ") // the stream begins inside
		}
		told[open[id]] += strings.ReplaceAll(words, "\n", `\n`)
	}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		e := must.Get(agui.UnmarshalEvent([]byte(data)))(c.t)
		switch e := e.(type) {
		case *agui.TextMessageStart:
			begin(e.MessageID, "says ")
		case *agui.TextMessageContent:
			grow(e.MessageID, e.Delta)
		case *agui.ToolCallStart:
			begin(e.ToolCallID, "calls "+e.ToolCallName+" ")
		case *agui.ToolCallArgs:
			grow(e.ToolCallID, e.Delta)
		case *agui.ToolCallResult:
			told = append(told, "result "+e.Content.Text())
		case *agui.RunStarted:
			told = append(told, e.RunID+" starts")
		case *agui.TextMessageEnd, *agui.ToolCallEnd:
		default:
			told = append(told, plainEnd.ReplaceAllString(strings.TrimSpace(data), "ends"))
		}
	}
	return told
}

// plainEnd is the end of a run about which there is nothing to say.
var plainEnd = regexp.MustCompile(`^\{"type":"RUN_FINISHED","threadId":"[^"]*","runId":"[^"]*"\}$`)

// randomID finds ids, tokens and cursors.
var randomID = regexp.MustCompile(`\b([a-z]+)_(?:[0-9a-z]{20}|[0-9A-Z]{26}|r\d+s\d+_[0-9a-z]{10})\b` +
	`|"(token|next|hash)":"([^"]+)"|"(id)":"([0-9a-z]{20})"|page_(context) id=\\"([0-9a-z]{20})`)

func byKind(found []string) (kind, id string) {
	return cmp.Or(found[1], found[2], found[4], found[6]), cmp.Or(found[3], found[5], found[7], found[0])
}
