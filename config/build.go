package config

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/remote"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// Options are what Build needs besides the file. Only OpenModel is required.
type Options struct {
	Env       func(string) string                     // looks up environment variables; may be nil
	OpenModel func(spec ModelSpec) (llm.Model, error) // opens a provider's model
	Model     string                                  // provider/name, replaces the file's models
	Logger    *slog.Logger                            // default slog.Default()
	Tracer    agent.Tracer                            // observes runs; may be nil
	Stdout    io.Writer                               // where audit.anchorStdout writes; may be nil
	Look      bool                                    // only inspect: approve no MCP tools
	Offline   bool                                    // as Look, and start no MCP server

	// Audit makes Site.Audit, unless the file says audit: {enabled: false}. The caller opens it
	// with its store: tools that change something do not run before that.
	Audit bool

	// What the program itself defines. The file may refer to it by name.
	Tools    []*tool.Tool
	Payloads []*payload.Type
	Pages    []page.Page
}

// ModelSpec is a model as the file describes it, with its key resolved.
type ModelSpec struct {
	Provider, Name string
	Like           string // the known model that it behaves like; "" if the file names none
	// what requests to it may hold: tools, strict ones, images; nil is as known
	Abilities llm.Profile
	Key       string // "" if the file names none
	BaseURL   string
	Responses bool
	Timeout   time.Duration     // for the headers, and for the first word; 0 is the adapter's
	Headers   map[string]string // of requests to it
}

// Site is what a file describes, ready to be served. Close it after its last use.
type Site struct {
	Source *Source
	Agents []*agent.Agent
	// Suggester is the model for suggestions; nil if the file names none.
	Suggester llm.Model

	// Authenticator identifies callers; nil if the file names no method.
	Authenticator auth.Authenticator

	Tools    *tool.Registry
	Payloads *payload.Registry
	Pages    *page.Registry
	// Authorizer decides what users may do; nil allows everything. The agents have it too.
	Authorizer policy.Authorizer
	MCP        *mcptool.Manager // nil if the file names no server

	// PushKeys seal the credentials of clients' push notifications: a2a.NotifierConfig.Keys.
	PushKeys [][]byte

	// Audit is the audit log that the agents record in; nil without Options.Audit. Open it with the
	// store before the first run, and close it before the store.
	Audit *audit.Log

	served []run.Agent       // the agents
	remote map[string]string // hosts of those that are somewhere else, by id

	sessions *sessions // behind MCP; sites may share them
	closed   sync.Once
}

// Close ends the sessions with MCP servers unless another site shares them. It never fails, and is
// safe to call more than once.
func (s *Site) Close() error {
	s.closed.Do(s.sessions.release)
	return nil
}

// builder builds a site.
type builder struct {
	resolver
	Options
	site   *Site
	before *Site                // whose sessions may be reused; may be nil
	models map[string]llm.Model // by the name under models, or provider/name
}

// Build makes the site that a file describes: it reads the files that this one refers to, opens
// models and connects to MCP servers. It returns Errors if the file is invalid.
func Build(ctx context.Context, s *Source, o Options) (*Site, error) { return build(ctx, s, o, nil) }

// build is Build, reusing the sessions of another site where it can.
func build(ctx context.Context, s *Source, o Options, before *Site) (*Site, error) {
	b := newBuilder(s, o, before)
	b.build(ctx)
	if !b.flawless() {
		problems := Errors(nil).with(b.problems)
		sortByLine(problems)
		_ = b.site.Close()
		return nil, problems
	}
	return b.site, nil
}

func newBuilder(s *Source, o Options, before *Site) *builder {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	o.Logger, o.Stdout = cmp.Or(o.Logger, slog.Default()), cmp.Or(o.Stdout, io.Discard)
	return &builder{
		resolver: resolver{checker: checker{Source: s}, sources: s.sources(o.Env)}, Options: o,
		site: &Site{Source: s, remote: map[string]string{}}, before: before, models: map[string]llm.Model{},
	}
}

// flawless reports whether no problem was found so far.
func (b *builder) flawless() bool { return len(b.problems) == 0 }

// build collects problems instead of stopping at the first. Where one was found it makes nothing
// that depends on it, but keeps looking for others.
func (b *builder) build(ctx context.Context) {
	b.site.Authenticator = b.authenticator()
	types := b.payloadTypes()
	tools := b.allTools(ctx)
	if b.flawless() {
		b.site.Payloads, b.site.Tools = b.register(types, tools)
	}
	b.site.Pages = b.pageRegistry(types, tools)
	if b.flawless() {
		b.site.Authorizer = b.authorizer()
	}
	b.agentList()
	b.prices()
	b.pushKeys()
	b.auditLog() // now that all secrets are known
	for _, a := range b.site.Agents {
		a.Audit = b.site.Recorder()
	}
	if b.Suggestions != nil {
		b.site.Suggester = b.openModel("suggestions.model", b.Suggestions.Model)
	}
}

func (b *builder) payloadTypes() []*payload.Type {
	types := slices.Clone(b.Options.Payloads)
	for i, p := range b.File.Payloads {
		at := fmt.Sprintf("payloads[%d]", i)
		t := &payload.Type{
			Name: p.Name, Description: p.Description, Source: payload.Source(cmp.Or(p.Source, "tool")),
			Global: p.Global, Marker: p.Marker,
			Schema: b.objectAt(at+".schema", p.Schema), Instructions: b.textAt(at+".instructions", p.Instructions),
		}
		if _, err := payload.NewRegistry(t); err != nil { // alone, so that the error has its line
			b.fail(at, "%v", err)
		}
		types = append(types, t)
	}
	return types
}

func (b *builder) register(types []*payload.Type, tools []*tool.Tool) (*payload.Registry, *tool.Registry) {
	payloads, err := payload.NewRegistry(types...)
	b.sound("payloads", err)
	registry, err := tool.NewRegistry(tools...)
	b.sound("tools", err)
	return payloads, registry
}

// pageRegistry checks what pages refer to, and makes them if all is well.
func (b *builder) pageRegistry(types []*payload.Type, tools []*tool.Tool) *page.Registry {
	known := names{}
	for _, t := range tools {
		known.tools = append(known.tools, t.Name)
	}
	for _, p := range types {
		known.payloads = append(known.payloads, p.Name)
	}
	for i, t := range b.File.Tools {
		known.tools = append(known.tools, t.Name) // it may be wrong, but it is there
		if t.PayloadType != "" {
			b.known(fmt.Sprintf("tools[%d].payloadType", i), "payload", []string{t.PayloadType}, known.payloads)
		}
	}
	before := len(b.problems)
	b.checker.pages(known)
	list := slices.Clone(b.Options.Pages)
	for i, p := range b.File.Pages {
		at := fmt.Sprintf("pages[%d]", i)
		made := b.page(at, p)
		if b.flawless() {
			// alone, so that the error has its line
			b.sound(at, page.Check(b.site.Tools, b.site.Payloads, made))
		}
		list = append(list, made)
	}
	if len(b.problems) == before {
		b.reachable(list)
	}
	if !b.flawless() {
		return nil
	}
	pages, err := page.NewRegistry(b.site.Tools, b.site.Payloads, list...)
	b.sound("pages", err)
	return pages
}

func (b *builder) page(at string, p Page) page.Page {
	here := b.area(at, p.Area)
	out := page.Page{
		Name: here.Name, Title: p.Title, Instructions: here.Instructions, Context: b.contextAt(at, p),
		Tools: here.Tools, Payloads: here.Payloads, Actions: here.Actions, Suggestions: here.Suggestions,
	}
	for i, t := range p.Tabs {
		at := fmt.Sprintf("%s.tabs[%d]", at, i)
		here := b.area(at, t.Area)
		tab := page.Tab{
			Name: here.Name, Instructions: here.Instructions,
			Tools: here.Tools, Payloads: here.Payloads, Actions: here.Actions, Suggestions: here.Suggestions,
		}
		for j, sub := range t.Subtabs {
			tab.Subtabs = append(tab.Subtabs, b.area(fmt.Sprintf("%s.subtabs[%d]", at, j), sub))
		}
		out.Tabs = append(out.Tabs, tab)
	}
	return out
}

// area returns what a page, a tab and a subtab have in common, as a subtab, which has no more.
func (b *builder) area(at string, a Area) page.Subtab {
	out := page.Subtab{
		Name: a.Name, Instructions: b.textAt(at+".instructions", a.Instructions), Tools: a.Tools, Payloads: a.Payloads,
	}
	for _, action := range a.Actions {
		action.Handler = cmp.Or(action.Handler, page.HandlerClient)
		out.Actions = append(out.Actions, page.Action(action))
	}
	for _, s := range a.Suggestions {
		out.Suggestions = append(out.Suggestions, page.Suggestion(s))
	}
	return out
}

// contextAt returns the context builder that a page's templates make, or nil if it has none.
func (b *builder) contextAt(at string, p Page) page.ContextBuilder {
	data := b.templateAt(at+".context", p.Context, maxContext)
	instructions := b.templateAt(at+".contextInstructions", p.ContextInstructions, page.MaxBuiltInstructions)
	if data == nil && instructions == nil {
		return nil
	}
	return contextBuilder(data, instructions)
}

func (b *builder) templateAt(field string, t Text, most int) *contextTemplate {
	text := b.textAt(field, t)
	if text == "" {
		return nil
	}
	parsed, err := parseContext(field, text, most)
	b.sound(field, err)
	return parsed
}

// pageTools returns what the file says of tools of the page.
func pageTools(all []PageTool) map[string]agent.PageTool {
	known := map[string]agent.PageTool{}
	for _, t := range all {
		known[t.Name] = agent.PageTool{
			Effect: tool.Effect(t.Effect), Approval: policyOf(t.Approval, false, 0).Approval,
			Calls: tool.NewLimiter(policyOf("", false, t.Rate).Rate),
		}
	}
	return known
}

func (b *builder) agentList() {
	known := pageTools(b.File.PageTools)
	for i, a := range b.File.Agents {
		at := fmt.Sprintf("agents[%d]", i)
		made := &agent.Agent{
			ID: a.ID, Description: a.Description, Instructions: b.textAt(at+".instructions", a.Instructions),
			Pages: b.site.Pages, AskUser: a.AskUser, PageTools: known,
			Limits: agent.Limits{
				Steps: a.MaxSteps, CallsAtOnce: a.MaxToolCalls, CallsPerQuestion: a.MaxCallsPerQuestion,
				ContextTokens: a.ContextTokens,
			},
			Authorizer: b.site.Authorizer, Tracer: b.Tracer, Logger: b.Logger,
		}
		if a.TitleModel != "" {
			made.TitleModel = b.openModel(at+".titleModel", a.TitleModel)
		}
		p := Section(a.Approvals)
		made.Approvals = agent.Approvals{
			IgnoreTaint: p.Untrusted != nil && !*p.Untrusted, PageTools: tool.Effect(p.PageTools),
			Words: p.Ask == "words", Expiry: time.Duration(p.Expiry),
		}
		made.State = b.stateAt(at+".state", a.State)
		made.Page = b.placeAt(at+".page", a.Page)
		b.answeredBy(at, a, made)
		if b.flawless() {
			b.sound(at, made.Validate())
		}
		b.site.Agents = append(b.site.Agents, made)
	}
}

// placeAt returns the place of a path, which pages must have.
func (b *builder) placeAt(field, path string) page.Place {
	place := page.ParsePlace(path)
	if path != "" && b.site.Pages != nil && (place.Page == "" || place.String() != path || !b.site.Pages.Knows(place)) {
		b.fail(field, "there is no place %q under pages: write page, page/tab or page/tab/subtab", path)
	}
	return place
}

// answeredBy sets who answers for an agent: a model, or an agent elsewhere.
func (b *builder) answeredBy(at string, a Agent, made *agent.Agent) {
	if a.URL == "" {
		b.ownModels(at, a, made)
		b.site.served = append(b.site.served, run.Loop(made))
		return
	}
	address, _, err := b.secret(a.URL)
	if !b.sound(at+".url", err) {
		return
	}
	headers, secrets := b.secretsAt(at+".headers", a.Headers)
	far, err := remote.New(remote.Config{
		ID: a.ID, Description: a.Description, URL: address, Headers: headers, Secrets: secrets,
		Sign: (*remote.Sign)(b.signAt(at+".sign", a.Sign)), Protocol: remote.Protocol(a.Protocol),
		Silence: time.Duration(a.Silence), Egress: b.EgressPolicy(), Logger: b.Logger,
	})
	if !b.soundField(at, err) {
		return
	}
	b.site.remote[a.ID] = far.Host()
	b.site.served = append(b.site.served, run.Host(made, far))
}

// ownModels opens the models of an agent that answers here. One that replaces all of the file's
// leaves no choice.
func (b *builder) ownModels(at string, a Agent, made *agent.Agent) {
	if len(a.Choices) == 0 || b.Options.Model != "" {
		made.Model = b.openModel(at+".model", a.Model)
		return
	}
	for i, choice := range a.Choices {
		m := b.openModel(fmt.Sprintf("%s.choices[%d].model", at, i), choice.Model)
		made.Choices = append(made.Choices, agent.Choice{
			ID: choice.Model, Label: choice.Label, Model: m, Efforts: choice.Efforts,
		})
	}
	made.Model = made.Choices[0].Model
}

// Served returns the agents as a run.Manager takes them.
func (s *Site) Served() []run.Agent { return s.served }

// Remote returns the host of an agent that is somewhere else, or "".
func (s *Site) Remote(id string) string { return s.remote[id] }

// OpenModel opens one model of a file: a name under models, or provider/name. It has no fallbacks.
func OpenModel(s *Source, o Options, name string) (llm.Model, error) {
	b := newBuilder(s, o, nil)
	m := b.bareModel(name, name)
	if !b.flawless() {
		return nil, b.problems
	}
	return m, nil
}

// openModel returns the model, with its fallbacks, for a name under models or for provider/name.
func (b *builder) openModel(field, name string) llm.Model {
	if b.Options.Model != "" {
		return b.insteadOfAll()
	}
	if m, ok := b.models[name]; ok {
		return m
	}
	described, ok := b.Models[name]
	m := b.bareModel(field, name)
	if ok && m != nil && len(described.Fallback) > 0 {
		m = b.withFallback(jsonPath("models", name), m, described.Fallback)
	}
	b.models[name] = m
	return m
}

// insteadOfAll returns the model of Options.Model. The file's models, keys and fallbacks are
// ignored.
func (b *builder) insteadOfAll() llm.Model {
	name := b.Options.Model
	if m, ok := b.models[name]; ok {
		return m
	}
	m, err := b.open(ModelSpec{}, name)
	if err != nil {
		if !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("model %q: %w", name, err)
		}
		b.fail("", "%v", err)
	}
	b.models[name] = m
	return m
}

func (b *builder) withFallback(at string, first llm.Model, names []string) llm.Model {
	var rest []llm.Model
	for i, name := range names {
		if m := b.bareModel(fmt.Sprintf("%s.fallback[%d]", at, i), name); m != nil {
			rest = append(rest, m)
		}
	}
	if len(rest) < len(names) {
		return first // already reported
	}
	m, err := llm.Fallback(b.Logger, first, rest...)
	if !b.sound(at+".fallback", err) {
		return first
	}
	return m
}

// bareModel opens a model without its fallbacks, or reports why it cannot.
func (b *builder) bareModel(field, name string) llm.Model {
	described, named := b.Models[name]
	if named {
		field = jsonPath("models", name)
	} else {
		described = Model{Use: name}
	}
	spec := ModelSpec{
		Like:      described.Like,
		Abilities: llm.Profile{Tools: described.Tools, StrictTools: described.StrictTools, Images: described.Images},
		BaseURL:   described.BaseURL, Responses: described.Responses,
	}
	if described.Key != "" {
		key, ok := b.secretAt(field+".key", described.Key)
		if !ok {
			return nil
		}
		spec.Key = key
	}
	if len(described.Headers) > 0 {
		spec.Headers, _ = b.secretsAt(field+".headers", described.Headers)
	}
	spec.Timeout = time.Duration(described.Timeout)
	use := described.Use
	if path, ok := strings.CutPrefix(use, scriptProvider); ok && path != "" {
		use = scriptProvider + b.besideFile(path)
		b.refersTo(path)
	}
	m, err := b.open(spec, use)
	if !b.sound(field, err) {
		return nil
	}
	profile := described.profile()
	profile.Wishes = b.wishesOf(field, described)
	return llm.WithProfile(m, profile)
}

// wishesOf returns what the file asks of each answer, or nil if nothing.
func (b *builder) wishesOf(field string, m Model) *llm.Wishes {
	if m.Effort == "" && m.Temperature == nil && m.MaxTokens == 0 && m.Extra == nil {
		return nil
	}
	w := &llm.Wishes{
		Effort: m.Effort, Temperature: m.Temperature, MaxTokens: m.MaxTokens,
		Extra: map[string]json.RawMessage{},
	}
	if m.Extra == nil {
		return w
	}
	b.sound(field+".extra", json.Unmarshal(b.objectAt(field+".extra", m.Extra), &w.Extra))
	return w
}

// scriptProvider is the prefix of models that play a file. Its path is relative to the
// configuration, like every other.
const scriptProvider = "script/"

// open opens the model named provider/name.
func (b *builder) open(spec ModelSpec, name string) (llm.Model, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || provider == "" || rest == "" {
		return nil, errors.New("must be a name under models, or provider/name")
	}
	spec.Provider, spec.Name = provider, rest
	return b.OpenModel(spec)
}

// profile returns what the file says about the model's abilities and prices.
func (m Model) profile() llm.Profile {
	p := llm.Profile{Tools: m.Tools, ParallelTools: m.ParallelTools, StrictTools: m.StrictTools, Images: m.Images}
	if m.ContextWindow > 0 {
		p.ContextWindow = &m.ContextWindow
	}
	if m.Payloads != "" && m.Payloads != "auto" {
		p.Payloads = new(llm.PayloadTransport(m.Payloads))
	}
	if m.Prices != nil {
		p.Prices = new(llm.Prices(*m.Prices))
	}
	return p
}

// stateAt returns how an agent shares state with the page. agent.Agent.Validate checks the rest.
func (b *builder) stateAt(field string, s *State) sharedstate.Config {
	if s == nil {
		return sharedstate.Config{}
	}
	out := sharedstate.Config{Model: sharedstate.Access(s.Model), MaxBytes: s.MaxBytes}
	for _, p := range s.Predict {
		out.Predict = append(out.Predict, sharedstate.Prediction{Key: p.Key, Tool: p.Tool, Argument: p.Argument})
	}
	if s.Schema != nil {
		schema, err := tool.CompileSchema(b.objectAt(field+".schema", s.Schema))
		b.sound(field+".schema", err)
		out.Schema = schema
	}
	if s.Initial != nil {
		if out.Initial = b.objectAt(field+".initial", s.Initial); !json.Valid(out.Initial) {
			b.fail(field+".initial", "is not valid JSON")
		}
	}
	return out
}
