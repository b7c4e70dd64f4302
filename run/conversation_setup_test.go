package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/policy/condition"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// setup is what a process is made of.
type setup struct {
	Config      Config       // of the manager
	Agent       *agent.Agent // its settings; branches that are tainted ask nobody, unless Untrusted
	Untrusted   bool
	Others      []string // ids of further agents like it
	Own         bool     // the agent is somebody else's: see ownAgent
	Tools       []toolSetup
	Pages       []page.Page
	Builds      map[string]page.Built // what the builders of pages write
	Window      int                   // of the model
	State       stateSetup
	Permissions []policy.Rule
	Users       map[string]auth.Principal // default of tenant t, called as in the conversation
	Choices     []choiceSetup
	Titles      bool           // a model makes them
	TitleModel  string         `yaml:"titleModel"` // its name, default titles
	FreeTitles  bool           `yaml:"freeTitles"` // it has no prices
	Prices      llm.Prices     // of the model
	Purged      bool           // logs are, in the conversation
	Rates       map[string]int // of tools of the page, a minute
}

// toolSetup is a backend tool on every page. It notes that it ran.
type toolSetup struct {
	Name        string
	Description string
	Schema      jsonText
	Effect      tool.Effect
	Approval    tool.Approval
	Target      string
	OpenArgs    []string `yaml:"openArgs"`
	Sequential  bool
	Patches     bool   // its arguments hold a patch of the shared state
	Hangs       bool   // until its context ends
	Deaf        bool   // for an hour, whatever its context says
	Result      string // default NAME done
	EndsRun     string `yaml:"endsRun"` // a code to end the run with
	Panics      bool
	Dies        bool // with its process
	Page        bool // only on pages that name it
	Told        bool // it notes for whom it ran
	Counts      bool // its result is another each time
}

type stateSetup struct {
	Schema, Initial jsonText
	MaxBytes        int `yaml:"maxBytes"`
}

type choiceSetup struct {
	ID, Model string
	Efforts   []string
	Price     float64
}

// jsonText is JSON, as a string or as YAML.
type jsonText json.RawMessage

func (j *jsonText) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		*j = jsonText(n.Value)
		return nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	*j = raw
	return err
}

func decodeYAML(data []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	return dec.Decode(into)
}

func (c *conversation) readSetup(name string) *setup {
	s := &setup{Agent: &agent.Agent{}}
	if data := c.file.Section(name); len(data) > 0 {
		must.Do(c.t, decodeYAML(data, s))
	}
	return s
}

// principal is who is called so.
func (c *conversation) principal(name string) auth.Principal {
	if strings.HasPrefix(name, "stock") {
		name = ada.Subject
	}
	if p, ok := c.setup.Users[name]; ok {
		return p
	}
	return auth.Principal{Tenant: ada.Tenant, Subject: name}
}

// begin begins a process.
func (c *conversation) begin() {
	s, n := c.setup, c.n
	c.sick = newSick(c.disk)
	c.ails("", c.ailing)
	c.process = faulty.NewMortal(c.sick)
	cfg := s.Config
	cfg.Store, cfg.Audit, cfg.Logger = c.process, c.book, c.logger()
	cfg.Agents = c.agents(s)
	audited(&cfg)
	// Runs that are taken over call tools at once, which look at the fixture: it stays the same.
	c.store, c.fixture.n = c.disk, n
	c.Manager = must.Get(NewManager(c.t.Context(), cfg))(c.t)
}

func (c *conversation) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// stop ends the process as a shutdown without grace does: its runs are left to the next.
func (c *conversation) stop() {
	for _, o := range c.readers {
		o.reader.Close()
	}
	clear(c.readers)
	handOver(c)
}

func (c *conversation) agent(s *setup) *agent.Agent {
	tools := make([]*tool.Tool, len(s.Tools))
	for i, ts := range s.Tools {
		tools[i] = c.tool(ts)
	}
	registry := must.Get(tool.NewRegistry(tools...))(c.t)
	for i, p := range s.Pages {
		if built, ok := s.Builds[p.Name]; ok {
			s.Pages[i].Context = func(page.Place, map[string]any) (page.Built, error) { return built, nil }
		}
	}
	a := &agent.Agent{
		ID: "default", Model: c.voice("model", c.model, s.Prices, s.Window), Pages: must.Get(page.NewRegistry(registry, nil, s.Pages...))(c.t),
		Approvals: s.Agent.Approvals, Authorizer: policy.Everything, AskUser: s.Agent.AskUser,
		Limits: s.Agent.Limits, Page: s.Agent.Page,
		PageTools: s.Agent.PageTools, Logger: c.logger(),
	}
	a.Approvals.IgnoreTaint = !s.Untrusted
	if s.Permissions != nil {
		a.Authorizer = must.Get(policy.NewRules(condition.Compile, s.Permissions...))(c.t)
	}
	if s.Titles {
		prices := s.Prices
		if s.FreeTitles {
			prices = llm.Prices{}
		}
		a.TitleModel = c.voice(cmp.Or(s.TitleModel, "titles"), c.titles, prices, 0)
	}
	for _, choice := range s.Choices {
		model := c.voice(choice.Model, c.model, llm.Prices{Input: choice.Price, Output: choice.Price}, 0)
		a.Choices = append(a.Choices, agent.Choice{ID: choice.ID, Model: model, Efforts: choice.Efforts})
		a.Model = a.Choices[0].Model
	}
	for name, rate := range s.Rates {
		a.PageTools = map[string]agent.PageTool{name: {Calls: tool.NewLimiter(limit.PerMinute(rate))}}
	}
	a.State = sharedstate.Config{Initial: json.RawMessage(s.State.Initial), MaxBytes: s.State.MaxBytes}
	if s.State.Schema != nil {
		a.State.Schema = must.Get(tool.CompileSchema(json.RawMessage(s.State.Schema)))(c.t)
	}
	return a
}

func (c *conversation) tool(s toolSetup) *tool.Tool {
	return &tool.Tool{
		Name: s.Name, Description: cmp.Or(s.Description, "Does "+s.Name+"."), InputSchema: json.RawMessage(s.Schema), Global: !s.Page,
		Effect: s.Effect, Target: s.Target,
		Policy: tool.Policy{Approval: s.Approval, Sequential: s.Sequential, OpenArgs: s.OpenArgs},
		Handler: func(ctx context.Context, call *tool.Call) (tool.Result, error) {
			if s.Dies {
				c.process.Die()
			}
			c.process.Alive(func() { c.ranTool(s, call) })
			switch {
			case s.Panics:
				panic(s.Name)
			case s.Hangs:
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			case s.Deaf:
				time.Sleep(time.Hour)
			case s.EndsRun != "":
				return tool.Result{}, &tool.Error{Code: s.EndsRun, Message: "It is over.", EndsRun: true}
			case s.Patches:
				args := must.JSON[struct{ Patch json.RawMessage }](c.t, call.Args)
				return tool.Result{Text: "ok"}, call.PatchState(args.Patch)
			}
			if s.Counts {
				return tool.Result{Text: call.ID}, nil
			}
			return tool.Result{Text: cmp.Or(s.Result, s.Name+" done")}, nil
		},
	}
}

func (c *conversation) ranTool(s toolSetup, call *tool.Call) {
	told := ""
	if s.Told {
		told = " for " + string(must.Get(json.Marshal(call.Principal))(c.t))
	}
	c.note("ran %s %s%s", call.Tool, call.Args, told)
}

// voice is a model that notes that it was asked.
type voice struct {
	*steps
	info llm.Info
	c    *conversation
}

func (c *conversation) voice(name string, plays *steps, prices llm.Prices, window int) voice {
	info := llm.Info{Provider: "fake", Model: name, Tools: true, ParallelTools: true, Reasoning: true, Prices: prices, ContextWindow: window}
	return voice{plays, info, c}
}

func (v voice) Info() llm.Info { return v.info }

func (v voice) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	must.Be(v.c.t, dialects.Check(req), nil, "what providers say")
	v.c.note("%s", strings.TrimSpace("asked "+v.info.Model+" "+req.Effort))
	return v.steps.Stream(ctx, req)
}

// paint is the tool that pages have unless a line says otherwise.
var paint = agui.Tool{Name: "paint", Description: "Paints.", Parameters: rawJSON(`{"type":"object","properties":{"colour":{"type":"string"}}}`)}
