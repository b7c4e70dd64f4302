package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Summary is a run in the list.
type Summary struct {
	ID       string `json:"id"`
	ThreadID string `json:"threadId"`
	// ThreadTitle is set by the server, from its store: the thread's title as it is now, as long as
	// the thread is not deleted.
	ThreadTitle string `json:"threadTitle,omitempty"`
	// the id of the user message that the run answers, perhaps together with other runs: one that
	// only carries results of the page's tools has the question of the run before
	QuestionID string     `json:"questionId,omitempty"`
	Agent      string     `json:"agent"`
	Subject    string     `json:"subject"` // whose run it is
	Model      string     `json:"model"`
	Effort     string     `json:"effort,omitempty"` // that the user has chosen
	Place      page.Place `json:"place"`
	Question   string     `json:"question"`
	Status     string     `json:"status"` // live, done, failed, cancelled or interrupted
	Error      string     `json:"error,omitempty"`
	BeganAt    time.Time  `json:"beganAt"`
	EndedAt    time.Time  `json:"endedAt,omitzero"`
	Steps      int        `json:"steps"`
	Calls      int        `json:"calls"`
	// names of the tools that the run called, each once
	ToolNames []string `json:"toolNames"`
	// names of the page's tools whose results the run carries
	Brings []string `json:"brings,omitempty"`
	Usage  Usage    `json:"usage"`
	// Stored means that nothing is kept of the run but what the store has: no prompt, no times of
	// calls, no decisions
	Stored bool `json:"stored,omitempty"`
}

// Usage counts tokens as the provider reports them; nil means unknown, not zero. Prompt is an
// estimate of what was sent.
type Usage struct {
	Prompt     int    `json:"prompt"`
	Input      *int64 `json:"input,omitempty"` // CacheRead and CacheWrite are parts of it
	Output     *int64 `json:"output,omitempty"`
	Reasoning  *int64 `json:"reasoning,omitempty"`
	CacheRead  *int64 `json:"cacheRead,omitempty"`
	CacheWrite *int64 `json:"cacheWrite,omitempty"`

	// Cost is in US dollars; nil if it is unknown. That of a run is of those calls whose cost is
	// known; Unpriced counts the others.
	Cost     *float64 `json:"cost,omitempty"`
	Unpriced int      `json:"unpriced,omitempty"`
}

// Detail is everything about a run.
type Detail struct {
	Summary
	// Redacted means that texts are left out which the reader may not see.
	Redacted bool             `json:"redacted,omitempty"`
	Sections []page.Section   `json:"sections"` // of the system prompt
	Tools    []ToolView       `json:"tools"`
	Withheld []agent.Withheld `json:"withheld"` // tools that the user may not use
	Context  []ContextView    `json:"context"`
	Steps    []Step           `json:"modelCalls"`
	Calls    []CallView       `json:"toolCalls"`
	// what the model's server does that no error says
	Warnings []string `json:"warnings,omitempty"`
}

// ToolView is a tool the model was offered.
type ToolView struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Tokens      int             `json:"tokens"`
	Frontend    bool            `json:"frontend"` // it runs in the page
}

// ContextView is what the page said it shows.
type ContextView struct {
	Description string `json:"description"`
	Label       string `json:"label,omitempty"`
	Kind        string `json:"kind,omitempty"`
	Source      string `json:"source,omitempty"`
	Tokens      int    `json:"tokens"`
	Value       string `json:"value"`
}

// Step is one model call. Times are in milliseconds.
type Step struct {
	// what it was for: summary or title; empty for a step of the answer
	Purpose string `json:"purpose,omitempty"`
	// that answered; with a fallback, the last one asked
	Model   string    `json:"model"`
	Effort  string    `json:"effort,omitempty"` // that it was asked for
	Attempt int       `json:"attempt"`
	BeganAt time.Time `json:"beganAt"`
	// until the first part of the answer; -1 if none came
	FirstMS  int64         `json:"firstMs"`
	MS       int64         `json:"ms"`
	Messages []MessageView `json:"messages"` // of the prompt
	// how many of the first messages the prompt of the previous call had too
	Unchanged int    `json:"unchanged"`
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Usage     Usage  `json:"usage"`
	Finish    string `json:"finish,omitempty"`
	Error     string `json:"error,omitempty"`
}

// MessageView is one message of a prompt.
type MessageView struct {
	Role   string `json:"role"`
	Text   string `json:"text"` // its first 4,000 bytes
	Tokens int    `json:"tokens"`
}

// CallView is one tool call.
type CallView struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Args     string `json:"args"`
	Decision string `json:"decision"`
	Why      string `json:"why,omitempty"`
	Rule     string `json:"rule,omitempty"` // of the policy that decided
	// the model call that made it, from 0; -1 if it was one of an earlier run
	Step    int       `json:"step"`
	BeganAt time.Time `json:"beganAt"`
	EndedAt time.Time `json:"endedAt,omitzero"`
	Result  string    `json:"result,omitempty"`
	IsError bool      `json:"isError,omitempty"`
}

// Access says whose runs a reader may see, and how much of them.
type Access struct {
	Owner  string // key of whose runs, unless All
	Tenant string // whose runs, if All
	All    bool   // the runs of all users of the tenant
	// leaves out the system prompt, context, prompts, thoughts, and what tools were given and
	// returned
	Redacted bool
}

// sees reports whether a run is among those of the access.
func (a Access) sees(r *record) bool {
	if a.All {
		return r.principal.Tenant == a.Tenant
	}
	return r.owner == a.Owner
}

// Runs lists runs, newest first.
func (r *Recorder) Runs(access Access) []Summary {
	records := r.of(access.sees)
	out := make([]Summary, 0, len(records))
	for _, run := range slices.Backward(records) {
		out = append(out, run.summary())
	}
	return out
}

// Run returns what an access shows of a run. It reports false if the run is not kept or is not
// among those of the access.
func (r *Recorder) Run(access Access, id string) (Detail, bool) {
	for _, run := range slices.Backward(r.of(access.sees)) {
		if run.id == id {
			return run.detail().For(access), true
		}
	}
	return Detail{}, false
}

// For returns what an access shows of the run.
func (d Detail) For(access Access) Detail {
	if access.Redacted {
		d.redact()
	}
	return d
}

// redact removes what the user has not seen in the conversation itself: names, sizes, times,
// decisions and answers stay.
func (d *Detail) redact() {
	d.Redacted = true
	for i := range d.Sections {
		d.Sections[i].Text = ""
	}
	for i := range d.Tools {
		d.Tools[i].Description, d.Tools[i].Parameters = "", nil
	}
	for i := range d.Context {
		d.Context[i].Value = ""
	}
	for i := range d.Steps {
		step := &d.Steps[i]
		step.Reasoning = ""
		if step.Purpose == agent.PurposeSummary {
			step.Text = ""
		}
		step.Messages = slices.Clone(step.Messages)
		for j := range step.Messages {
			step.Messages[j].Text = ""
		}
	}
	for i := range d.Calls {
		d.Calls[i].Args, d.Calls[i].Result = "", ""
	}
}

func (r *record) summary() Summary {
	s := Summary{
		ID: r.id, ThreadID: r.Input.ThreadID, QuestionID: r.asked, Agent: r.Agent, Subject: r.principal.Subject,
		Model: r.Model.Name(), Effort: r.Effort, Place: r.Input.Place, Question: r.question,
		Status: r.status(), BeganAt: r.At, EndedAt: r.ended, Steps: len(r.steps), Calls: len(r.calls),
		ToolNames: []string{}, Brings: r.brings,
	}
	for _, c := range r.calls {
		s.name(c.Name)
	}
	if r.err != nil {
		s.Error = r.err.Error()
	}
	for _, m := range r.steps {
		s.Usage.Add(m.usage)
	}
	return s
}

// name adds the name of a tool that the run called.
func (s *Summary) name(tool string) {
	if !slices.Contains(s.ToolNames, tool) {
		s.ToolNames = append(s.ToolNames, tool)
	}
}

// Add adds what another call used. A count known of only one of the two is kept.
func (u *Usage) Add(other Usage) {
	u.Prompt += other.Prompt
	u.Unpriced += other.Unpriced
	u.Input = sum(u.Input, other.Input)
	u.Output = sum(u.Output, other.Output)
	u.Reasoning = sum(u.Reasoning, other.Reasoning)
	u.CacheRead = sum(u.CacheRead, other.CacheRead)
	u.CacheWrite = sum(u.CacheWrite, other.CacheWrite)
	u.Cost = sum(u.Cost, other.Cost)
}

func sum[N int64 | float64](a, b *N) *N {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(*a + *b)
}

func usageOf(m agent.ModelTrace) Usage {
	u := Usage{
		Input: m.Usage.Input, Output: m.Usage.Output, Reasoning: m.Usage.Reasoning,
		CacheRead: m.Usage.CacheRead, CacheWrite: m.Usage.CacheWrite, Cost: m.Cost,
	}
	if m.Cost == nil && !unbilled(m) {
		u.Unpriced = 1
	}
	for _, block := range m.Request.System {
		u.Prompt += page.Tokens(block.Text)
	}
	for _, t := range m.Request.Tools {
		u.Prompt += agent.DeclaredTokens(t)
	}
	for _, message := range m.Request.Messages {
		u.Prompt += tokens(message)
	}
	return u
}

// unbilled reports whether a call has no cost: the provider refused it, or it played a file.
func unbilled(m agent.ModelTrace) bool {
	refused, failed := errors.AsType[*llm.Error](m.Err)
	return strings.HasPrefix(m.Model, "script/") || failed && refused.Status >= 400 && m.Usage == (llm.Usage{})
}

// detailOf returns the details of a run of which only a summary is known: its lists are empty.
func detailOf(s Summary) Detail {
	return Detail{
		Summary: s, Sections: []page.Section{}, Tools: []ToolView{}, Withheld: []agent.Withheld{},
		Context: []ContextView{}, Steps: []Step{}, Calls: []CallView{},
	}
}

func (r *record) detail() Detail {
	d := detailOf(r.summary())
	d.Sections, d.Withheld = slices.Clone(r.Sections), append(d.Withheld, r.Withheld...)
	for _, t := range r.Tools {
		frontend := false
		for _, f := range r.Input.Frontend {
			frontend = frontend || f.Name == t.Name
		}
		d.Tools = append(d.Tools, ToolView{t.Name, t.Description, t.Parameters, agent.DeclaredTokens(t), frontend})
	}
	for i, c := range r.Input.Context {
		v := ContextView{Description: c.Description, Tokens: page.Tokens(c.Value), Value: c.Value}
		if i < len(r.Input.Details) {
			v.Label, v.Kind, v.Source = r.Input.Details[i].Label, r.Input.Details[i].Kind, r.Input.Details[i].Source
		}
		d.Context = append(d.Context, v)
	}
	for _, m := range r.steps {
		d.Steps = append(d.Steps, stepOf(m))
	}
	d.Warnings = slices.Clone(r.warnings)
	for _, c := range r.calls {
		d.Calls = append(d.Calls, CallView{
			c.ID, c.Name, c.Args, c.Decision, c.Why, c.Rule, c.step, c.At, c.ended, c.result, c.isError,
		})
	}
	return d
}

func stepOf(m modelCall) Step {
	s := Step{
		Purpose: m.Purpose, Model: m.Model, Effort: m.effort, Attempt: m.Attempt, BeganAt: m.Began, FirstMS: -1,
		MS: m.Ended.Sub(m.Began).Milliseconds(), Messages: m.messages, Unchanged: m.unchanged,
		Text: m.Text, Reasoning: m.Reasoning, Usage: m.usage, Finish: string(m.Finish),
	}
	if !m.First.IsZero() {
		s.FirstMS = m.First.Sub(m.Began).Milliseconds()
	}
	if m.Err != nil {
		s.Error = m.Err.Error()
	}
	return s
}

// longest is how much of a message is shown.
const longest = 4000

func systemView(blocks []llm.Block) MessageView {
	m := llm.Message{Role: "system"}
	for _, b := range blocks {
		m.Content = append(m.Content, llm.Text{Text: b.Text})
	}
	return viewOf(m)
}

func viewOf(m llm.Message) MessageView {
	v := MessageView{Role: m.Role, Tokens: tokens(m)}
	for i, c := range m.Content {
		if i > 0 {
			v.Text += "\n"
		}
		v.Text += textOf(c)
	}
	v.Text = visible.Clip(v.Text, longest)
	return v
}
