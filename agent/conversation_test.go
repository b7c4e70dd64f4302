package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
)

func init() { flag.BoolVar(&talk.Update, "update", talk.Update, "write what happened into testdata") }

// A conversation is a txtar file: its header says which rule or bug it pins, then come
//
//	setup     YAML: agent, tools, pages, place, frontend, context, history
//	model     YAML: the model's steps as lists of parts, or
//	script    rules for package script
//	events    what is emitted, one event per line; "commit" is a call of Commit
//	outcome   pending calls, interrupts, usage and the error
//	journal   what was entered into the journal
//	taint     when the branch was tainted in this run, where the file has such a section
//	requests  what the model was asked, where the file has such a section
//	thread    the messages of the thread at the end, where the file has such a section
//	state     the shared state at the end, where the file has such a section
//	next      what the model is told of the thread in the next run, if the file has the section
//
// Besides what the file says every conversation must be a legal sequence of events, leave a
// balanced thread, and send prompts of which each is a prefix of the next.
func TestConversations(t *testing.T) {
	talk.Each(t, func(t *testing.T, file *talk.File) {
		synctest.Test(t, func(t *testing.T) { converse(t, file) })
	})
}

func converse(t *testing.T, file *talk.File) {
	c := newConversation(t, file)
	defer close(c.released)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c.cancel = cancel
	outcome, err := c.agent.Run(ctx, c.input, c.out)
	checkAudit(t, c, outcome)
	if file.Section("events") == nil {
		t.Error("the conversation has no events section")
	}
	file.Compare(t, "events", showEvents(c.out.lines))
	file.Compare(t, "outcome", showOutcome(outcome, err))
	file.Compare(t, "journal", c.journal.String())
	file.Compare(t, "taint", cmp.Or(strings.Join(c.journal.taints, "\n"), "not")+"\n")
	file.Compare(t, "thread", showThread(c.out.transcript.Messages()))
	file.Compare(t, "state", string(c.out.transcript.State())+"\n")
	file.Compare(t, "next", showMessages(c.nextPrompt(outcome.Pending)))
	if c.fake != nil {
		file.Compare(t, "requests", showRequests(c.fake.requests))
		if !c.broken && len(c.fake.refused) > 0 {
			t.Errorf("a provider would refuse it: %v", c.fake.refused)
		}
		if !c.rebuilt {
			checkPrefixes(t, c.fake.requests)
		}
	}
	must.Be(t, c.out.finish(c.ownPending(outcome), err), nil, "the end of the run")
	if !c.broken {
		checkBalance(t, c.out.transcript.Messages(), c.stillOpen(outcome))
	}
}

// ownPending leaves out what waits from before a crash: the recorder has not seen those calls being
// made.
func (c *conversation) ownPending(o Outcome) Outcome {
	o.Pending = slices.DeleteFunc(slices.Clone(o.Pending), func(id string) bool { return slices.Contains(c.waiting, id) })
	return o
}

// stillOpen are the calls that wait after the run.
func (c *conversation) stillOpen(outcome Outcome) []string {
	open := slices.Concat(c.waiting, outcome.Pending)
	for _, i := range outcome.Interrupts {
		open = append(open, i.ToolCallID)
	}
	return open
}

// checkPrefixes holds that a prompt is only appended to: system, tools and the messages sent before
// stay byte for byte.
func checkPrefixes(t *testing.T, requests []*llm.Request) {
	t.Helper()
	requests = slices.DeleteFunc(slices.Clone(requests), isRepair)
	for i := 1; i < len(requests); i++ {
		before, after := requests[i-1], requests[i]
		if !reflect.DeepEqual(before.Tools, after.Tools) {
			t.Errorf("request %d declares other tools than the one before", i+1)
		}
		for _, pair := range [][2]string{
			{showBlocks(before.System), showBlocks(after.System)},
			{showMessages(ofThread(before)), showMessages(ofThread(after))},
		} {
			if !strings.HasPrefix(pair[1], pair[0]) {
				t.Errorf("request %d does not begin like the one before:\n%s\n---\n%s", i+1, pair[0], pair[1])
			}
		}
	}
}

// checkBalance holds that the thread can be sent to a model once the pending calls are answered.
func checkBalance(t testing.TB, thread []agui.Message, pending []string) {
	t.Helper()
	for _, id := range pending {
		thread = append(thread, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("done")})
	}
	must.Be(t, llm.Balance(prompted(thread)), nil, "the balance of the thread")
}

type conversation struct {
	agent    *Agent
	input    Input
	out      *recorder
	fake     *fakeModel // nil where a script answers
	cancel   context.CancelCauseFunc
	released chan struct{} // closed at the end: what hangs may go
	// the thread cannot end balanced: it was not, or nothing could be written
	broken bool
	// something is left out of the prompt, or a tool is offered, in the middle of the run
	rebuilt bool
	journal *fakeJournal
	waiting []string // calls of the history that still wait after the run
	audit   *fakeAudit
}

func newConversation(t *testing.T, file *talk.File) *conversation {
	c := &conversation{released: make(chan struct{}), journal: &fakeJournal{}, audit: &fakeAudit{}}
	var s setup
	for _, f := range file.Files {
		switch f.Name {
		case "setup":
			decodeYAML(t, f.Data, &s)
		case "model":
			c.fake = &fakeModel{steps: c.steps(t, f.Data)}
		case "script":
			model := must.Get(script.Parse("script", f.Data))(t)
			c.agent = &Agent{Model: dialects.Strict(model)}
		}
	}
	if c.agent == nil {
		c.agent = &Agent{Model: c.fake}
	}
	c.configure(t, &s)
	c.agent.Audit = c.audit
	c.broken = s.FailAt != "" || s.Broken
	c.out = newRecorder(c.input.History)
	c.out.transcript.SetState(c.input.State)
	c.out.failEmit = c.observe(&s)
	return c
}

// observe cancels the run or fails when a certain event is emitted.
func (c *conversation) observe(s *setup) func(agui.Event) error {
	if s.FailCommit != "" {
		c.out.failCommit = errors.New(s.FailCommit)
	}
	return func(e agui.Event) error {
		if s.CancelAt != "" && string(e.Type()) == s.CancelAt {
			c.cancel(fmt.Errorf("the user pressed stop: %w", ErrStopped))
		}
		if s.FailAt != "" && string(e.Type()) == s.FailAt {
			return errors.New("the log is full")
		}
		return nil
	}
}

func decodeYAML(t *testing.T, data []byte, into any) {
	t.Helper()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	must.Do(t, dec.Decode(into))
}

// setup is the configuration of a conversation.
type setup struct {
	Instructions string
	MaxSteps     int `yaml:"maxSteps"`
	Place        string
	Tools        []toolSetup
	Pages        []page.Page
	Frontend     []struct{ Name, Description, Parameters, Metadata string }
	Words        bool                `yaml:"words"`
	PageTools    map[string]PageTool `yaml:"pageTools"`
	Context      []agui.ContextItem
	History      []string
	Say          string // shorthand for a history of one user message
	Continues    string // the cut message to go on with
	AskUser      bool   `yaml:"askUser"`
	Untrusted    bool
	Undeclared   tool.Effect // of tools of the page
	MaxResult    int         `yaml:"maxResult"`
	ContextSize  int         `yaml:"contextTokens"`
	MaxCalls     int         `yaml:"maxCallsPerQuestion"`
	// DEFINITION stands for that of the first tool, of the server's or else of the page's
	Interrupts []string
	// what the user has allowed; nil keeps no allowances
	Allowed []struct{ Tool, Args, Changed string }
	Resume  []struct{ ID, Status, Payload string }
	// goes on after a crash
	Crashed bool
	// what the journal knows
	Calls      map[string]struct{ State, Tool, Args, Effect, Result, By string }
	Cut        []string
	Waiting    []string // calls of the history that still wait after the run
	Given      []string // calls of the history that the caller says the client was given
	Broken     bool     // the history cannot be balanced
	FailStart  string   `yaml:"failStart"`
	FailTaint  string   `yaml:"failTaint"`
	Tainted    bool     // the branch is, from earlier runs
	Rebuilt    bool     // the prompts of the run are not prefixes of each other
	Window     int      // tokens of the model
	CancelAt   string   `yaml:"cancelAt"`
	FailAt     string   `yaml:"failAt"`
	FailCommit string   `yaml:"failCommit"`
	cardSetup  `yaml:",inline"`
	Shared     *stateSetup // the shared state
	// rules of the policy; nil is none
	Permissions []permissionSetup
	Roles       []string // of the user
}

// toolSetup is a backend tool and what it does.
type toolSetup struct {
	Name, Description, Schema string
	Global                    bool
	Sequential                bool
	Timeout, Sleep            time.Duration
	Progress                  []string
	Result, Error, Panic      string
	Times                     int      // the result is repeated so often
	Hang                      bool     // ignores its context
	Asks                      []string // one after the other, before it has a result
	Effect                    tool.Effect
	Approval                  tool.Approval
	Summary, Refuses          string // what is asked, and why nobody is
	PayloadType               string `yaml:"payloadType"`
	Payload                   string // JSON
	Sources                   []tool.CitableSource
	// what it does with its run: a JSON Patch of the state, or an event
	Does []string
}

func (c *conversation) configure(t *testing.T, s *setup) {
	var tools []*tool.Tool
	for _, ts := range s.Tools {
		tools = append(tools, c.tool(ts))
	}
	registry := must.Get(tool.NewRegistry(tools...))(t)
	pages := must.Get(page.NewRegistry(registry, s.payloads(t), s.described()...))(t)
	counts := map[string]int{}
	c.agent.ID, c.agent.Instructions, c.agent.Limits.Steps, c.agent.Pages = "test", s.Instructions, s.MaxSteps, pages
	c.agent.newID = func(prefix string) string { counts[prefix]++; return fmt.Sprint(cmp.Or(prefix, "ctx"), counts[prefix]) }
	c.agent.AskUser, c.agent.Approvals.IgnoreTaint, c.agent.Limits.ResultBytes = s.AskUser, !s.Untrusted, s.MaxResult
	c.agent.Approvals.PageTools, c.agent.Approvals.Words = s.Undeclared, s.Words
	c.agent.Limits.ContextTokens, c.agent.PageTools = s.ContextSize, s.PageTools
	c.agent.Limits.CallsPerQuestion = s.MaxCalls
	c.input = Input{ThreadID: "t1", RunID: "r1", Place: page.ParsePlace(s.Place), Journal: c.journal, Waiting: Waiting{Calls: s.Given}, Continues: s.Continues}
	c.waiting, c.rebuilt = s.Waiting, s.Rebuilt
	c.journal.model, c.input.Tainted = c.fake, s.Tainted
	if s.FailTaint != "" {
		c.journal.failTaint = errors.New(s.FailTaint)
	}
	if s.Window > 0 {
		c.fake.info = fakeInfo
		c.fake.info.ContextWindow = s.Window
	}
	if s.FailStart != "" {
		c.journal.failStart = errors.New(s.FailStart)
	}
	for _, f := range s.Frontend {
		c.input.Frontend = append(c.input.Frontend, agui.Tool{Name: f.Name, Description: f.Description, Parameters: json.RawMessage(f.Parameters), Metadata: json.RawMessage(f.Metadata)})
	}
	c.permit(t, s)
	c.allow(t, s, registry)
	c.resume(t, s)
	c.configureCards(s)
	c.configureState(t, s)
	c.input.Context = s.Context
	if s.Say != "" {
		c.input.History = append(c.input.History, agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent(s.Say)})
	}
	for _, line := range s.History {
		m, err := agui.UnmarshalMessage([]byte(line))
		if err != nil {
			t.Fatal(line, err)
		}
		c.input.History = append(c.input.History, m)
	}
}

// resume sets what earlier runs left behind.
func (c *conversation) resume(t *testing.T, s *setup) {
	for _, line := range s.Interrupts {
		i := must.JSON[calls.Interrupt](t, line)
		c.input.Waiting.Interrupts = append(c.input.Waiting.Interrupts, i)
	}
	for _, e := range s.Resume {
		c.input.Waiting.Resume = append(c.input.Waiting.Resume, agui.ResumeEntry{InterruptID: e.ID, Status: cmp.Or(e.Status, agui.ResumeResolved), Payload: json.RawMessage(e.Payload)})
	}
	if s.Crashed || s.Calls != nil || s.Cut != nil {
		c.input.Crash = &Crash{Calls: map[string]journal.ToolCall{}, Cut: s.Cut}
	}
	for id, e := range s.Calls {
		c.input.Crash.Calls[id] = journal.ToolCall{
			ID: id, Tool: e.Tool, Args: json.RawMessage(e.Args), Effect: e.Effect, State: journal.State(e.State), Result: e.Result, AllowedBy: e.By,
		}
	}
}

func (c *conversation) tool(s toolSetup) *tool.Tool {
	var summary tool.Summary
	if s.Summary != "" || s.Refuses != "" {
		summary = func(_ context.Context, call *tool.Call) (string, error) {
			if s.Refuses != "" {
				return "", errors.New(s.Refuses)
			}
			return strings.ReplaceAll(s.Summary, "ARGS", string(call.Args)), nil
		}
	}
	return &tool.Tool{
		Name: s.Name, Description: cmp.Or(s.Description, "does "+s.Name), InputSchema: json.RawMessage(s.Schema), Global: s.Global,
		Bundled: true, // a set-up may leave it out of its pages
		Policy:  tool.Policy{Sequential: s.Sequential, Timeout: s.Timeout, Approval: s.Approval, Summary: summary}, Effect: s.Effect, PayloadType: s.PayloadType,
		Withdraw: func(_ context.Context, call *tool.Call) {
			c.journal.note("withdraws %s %s %s asked %s", call.ID, call.Tool, call.Args, call.Reply.Memo)
		},
		Handler: func(ctx context.Context, call *tool.Call) (tool.Result, error) {
			for _, p := range s.Progress {
				call.Progress("stage", p, 0.5)
				time.Sleep(s.Sleep)
			}
			time.Sleep(s.Sleep)
			if s.Does != nil {
				return doAll(call, s.Does, s.Result)
			}
			switch {
			case s.Hang:
				<-c.released
			case s.Panic != "":
				panic(s.Panic)
			case s.Error != "":
				return tool.Result{}, errors.New(s.Error)
			}
			c.journal.note("runs %s %s %s%s", call.ID, call.Tool, call.Args, replied(call))
			if asked := timesAsked(call); asked < len(s.Asks) {
				return tool.Result{Ask: &tool.Question{Text: s.Asks[asked], Memo: fmt.Append(nil, asked+1)}}, nil
			}
			return tool.Result{
				Text:    strings.Repeat(strings.ReplaceAll(s.Result, "ARGS", string(call.Args)), max(1, s.Times)),
				Payload: s.payload(), Sources: s.Sources,
			}, nil
		},
	}
}

// replied says what a call is told of the user's answer.
func replied(call *tool.Call) string {
	if call.Reply == nil {
		return ""
	}
	return " with " + call.Reply.Text
}

// timesAsked is what a tool that asks remembers.
func timesAsked(call *tool.Call) (n int) {
	if call.Reply != nil {
		_ = json.Unmarshal(call.Reply.Memo, &n)
	}
	return n
}

// steps reads the model's steps.
func (c *conversation) steps(t *testing.T, data []byte) (steps [][]fakePart) {
	var raw [][]struct {
		Text, Reason, Start, ID, Args, Opaque string
		I                                     int
		End, Pause                            bool
		Finish                                llm.Finish
		Usage                                 []int64
		Error                                 llm.ErrorKind
		RetryAfter                            time.Duration `yaml:"retryAfter"`
		MayBeTooLong                          bool          `yaml:"mayBeTooLong"`
		Cancel                                bool
	}
	decodeYAML(t, data, &raw)
	for _, step := range raw {
		var parts []fakePart
		for _, p := range step {
			f := fakePart{part: llm.Part{Index: p.I}}
			switch {
			case p.Text != "":
				f.part.Kind, f.part.Delta = llm.TextDelta, p.Text
			case p.Reason != "":
				f.part.Kind, f.part.Delta = llm.ReasoningDelta, p.Reason
			case p.Start != "":
				f.part.Kind, f.part.Name, f.part.ID = llm.ToolStart, p.Start, p.ID
			case p.Args != "":
				f.part.Kind, f.part.Delta = llm.ToolArgs, p.Args
			case p.End:
				f.part.Kind = llm.ToolEnd
			case p.Opaque != "":
				f.part.Kind, f.part.Opaque = llm.Opaque, p.Opaque
			case p.Usage != nil:
				f.part.Kind, f.part.Usage = llm.UsagePart, &llm.Usage{Input: &p.Usage[0], Output: &p.Usage[1]}
			case p.Pause:
				f.part.Kind = llm.Pause
			case p.Error != "":
				f.err = &llm.Error{Kind: p.Error, Model: "fake/one", Message: "it failed", RetryAfter: p.RetryAfter, MayBeTooLong: p.MayBeTooLong}
			case p.Cancel:
				f.do = func(context.Context) { c.cancel(fmt.Errorf("the user pressed stop: %w", ErrStopped)) }
			default:
				f.part.Kind, f.part.Finish = llm.FinishPart, cmp.Or(p.Finish, llm.FinishStop)
			}
			parts = append(parts, f)
		}
		steps = append(steps, parts)
	}
	return steps
}

// scriptID is the random end of the ids the script model gives its calls.
var scriptID = regexp.MustCompile(`(call_r\d+s\d+_)\w+`)

func showEvents(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(scriptID.ReplaceAllString(line, "${1}x") + "\n")
	}
	return b.String()
}

func showOutcome(o Outcome, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	if o.Pending != nil {
		fmt.Fprintf(&b, "pending: %s\n", strings.Join(o.Pending, " "))
	}
	for i := range o.Interrupts {
		kept, _ := json.Marshal(o.Interrupts[i])
		fmt.Fprintf(&b, "interrupt: %s\n", kept)
	}
	if o.Usage != nil {
		u, _ := agui.MarshalUsage(o.Usage)
		fmt.Fprintf(&b, "usage: %s\n", u)
	}
	fmt.Fprintf(&b, "finish: %s\n", o.Finish)
	return b.String()
}

func showRequests(requests []*llm.Request) string {
	var b strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&b, "=== request %d %s\n", i+1, r.Choice)
		b.WriteString(showBlocks(r.System))
		for _, d := range r.Tools {
			fmt.Fprintf(&b, "tool %s: %s %s\n", d.Name, d.Description, d.Parameters)
		}
		b.WriteString(showMessages(r.Messages))
	}
	return b.String()
}

func showBlocks(blocks []llm.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		cache := ""
		if block.Cache {
			cache = " (cache)"
		}
		fmt.Fprintf(&b, "system%s: %s\n", cache, block.Text)
	}
	return b.String()
}

func showMessages(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s\n", m.Role)
		for _, c := range m.Content {
			b.WriteString("  " + showContent(c) + "\n")
		}
	}
	return b.String()
}

func showContent(c llm.Content) string {
	switch c := c.(type) {
	case llm.Text:
		return "text " + strings.ReplaceAll(c.String(), "\n", "\n  | ")
	case llm.Reasoning:
		return fmt.Sprintf("reasoning %s [%s]", c.Text, c.Opaque)
	case llm.ToolCall:
		return strings.TrimSpace(fmt.Sprintf("call %s %s %s %s", c.ID, c.Name, c.Args, c.Opaque))
	case llm.ToolResult:
		return fmt.Sprintf("result %s error=%t %s", c.ID, c.IsError, c.Content.String())
	}
	return fmt.Sprintf("%+v", c)
}
