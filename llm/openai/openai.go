package openai

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Config configures a model. BaseURL and Model are required; for the provider "openai" only Model
// is.
type Config struct {
	// "openai" (default), another of Providers, or any name for another server
	Provider  string
	BaseURL   string // up to and including /v1; default https://api.openai.com/v1
	APIKey    string // sent unless empty
	KeyHeader string // carries the key; default "Authorization", as a bearer token
	Model     string
	Like      string      // the model that this one behaves like, if its own name says nothing
	Headers   http.Header // sent with every request

	// MaxTokens is the field in which Chat Completions take the most tokens of an answer; default
	// what the catalog says of the provider, else max_tokens.
	MaxTokens string
	// Local means that it runs on one's own machines, and may take minutes to load a model; true of
	// providers that the catalog knows as local.
	Local bool

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	// Of a model that neither may think nor is Local, the HeaderTimeout is 30 s by default, and the
	// FirstContentTimeout 60 s; the IdleTimeout is 30 s. While the first content is waited for,
	// comments are signs of life, up to httpmodel.MaxSilence.
	httpmodel.Limits

	// Responses uses the Responses API in place of Chat Completions. Calls are stateless: nothing
	// is stored at the provider, and what a model thought travels encrypted in the history.
	Responses bool

	// ReturnReasoning is the field of an assistant message in which a Chat Completions server
	// expects its reasoning back: AutoField, NoField, or the field's name.
	ReturnReasoning string

	Abilities llm.Profile // over what is known about the model's family
}

// Model is one model behind an endpoint for Chat Completions or Responses. Safe for concurrent use.
type Model struct {
	cfg     Config
	info    llm.Info
	family  catalog.Model
	client  *httpmodel.Client
	host    string // whose opaque values are sent back
	dialect *llm.Dialect

	unwilling atomic.Uint32 // wishes the provider has refused for good
	local     local         // what Ollama says of the model
}

var _ llm.Model = (*Model)(nil)

// New returns the model for cfg. A wrong address or key shows at the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "openai")
	known, _ := catalog.ProviderOf(cfg.Provider)
	cfg.BaseURL = strings.TrimRight(cmp.Or(cfg.BaseURL, official), "/")
	cfg.KeyHeader = cmp.Or(cfg.KeyHeader, known.KeyHeader, "Authorization")
	cfg.Local = cfg.Local || known.Local
	cfg.MaxTokens = cfg.limitField(known)
	family, _ := familyOf(cmp.Or(cfg.Like, cfg.Model))
	info := cfg.info(family)
	cfg.ReturnReasoning = cfg.returnField()
	path := "/chat/completions"
	if cfg.Responses {
		path = "/responses"
	}
	client := httpmodel.New(httpmodel.Config{
		Model: info.Name(), URL: cfg.BaseURL + path, Header: cfg.Headers, Key: strings.TrimSpace(cfg.APIKey),
		KeyHeader:  cfg.KeyHeader,
		HTTPClient: cfg.HTTPClient, Limits: cfg.limits(info.Reasoning || family.MayThink()),
	})
	m := &Model{
		cfg: cfg, info: info, family: family, client: client, host: httpmodel.HostOf(cfg.BaseURL),
		dialect: cfg.dialect(info),
	}
	if known.IgnoresNone {
		m.unwilling.Store(uint32(wishForbidden))
	}
	return m
}

// limitField is the field for the most tokens of an answer. OpenAI's reasoning models refuse
// max_tokens, Mistral's servers the newer name.
func (cfg *Config) limitField(known catalog.Provider) string {
	if cfg.MaxTokens == "" && cfg.ofMistral() {
		return "max_tokens"
	}
	return cmp.Or(cfg.MaxTokens, known.MaxTokens, "max_tokens")
}

// limits returns the limits of a call. A model that may think gets time to, and so does one of a
// server on this machine, which may have to load it first.
func (cfg *Config) limits(mayThink bool) httpmodel.Limits {
	l := cfg.Limits.For(mayThink || cfg.Local)
	l.HeaderTimeout = cmp.Or(l.HeaderTimeout, 30*time.Second)
	l.FirstContentTimeout = cmp.Or(l.FirstContentTimeout, time.Minute)
	l.IdleTimeout = cmp.Or(l.IdleTimeout, 30*time.Second)
	return l
}

// Info returns what is known about the model. What Ollama says of it is known from the first call
// on, and that a server takes no tools from its first refusal.
func (m *Model) Info() llm.Info {
	info := m.info
	if m.cfg.asksWindow() {
		tokens := m.local.window.Load()
		info.ContextWindow, info.WindowAssumed = int(cmp.Or(tokens, assumedWindow)), tokens == 0
	}
	info.Images = info.Images || m.local.sees.Load()
	if wishes(m.unwilling.Load())&wishTools != 0 {
		info.Tools, info.ToolsRefused = false, true
	}
	return info
}

// Stream makes one call. Range to its end so that the connection can be reused.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return httpmodel.Parts(m.dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
		return m.stream(ctx, fit, yield)
	})
}

// stream makes the call, and repeats it if the provider refused something optional.
func (m *Model) stream(ctx context.Context, req *llm.Fitted, yield httpmodel.Yield) error {
	m.learn(ctx)
	wish := m.wishes(req.Request)
	for {
		s := &stream{Call: m.client.Call(ctx, req, yield), model: m}
		err := s.Do(m.body(req.Request, wish), m.answer(s))
		less := m.without(s.refused, wish)
		if s.Began {
			m.learn(ctx) // the call has loaded the model
		}
		if s.Began || less == wish {
			return err
		}
		wish = less
	}
}

// answer is the reader of the API that the model is called by.
func (m *Model) answer(s *stream) httpmodel.Answer {
	if m.cfg.Responses {
		return &responses{stream: s}
	}
	c := &chat{stream: s}
	c.keepDetails = m.cfg.Provider == "openrouter"
	return c
}

// body is the request's.
func (m *Model) body(req *llm.Request, wish wishes) []byte {
	if !wish.tools(req) {
		without := *req
		without.Tools, req = nil, &without
	}
	if m.cfg.Responses {
		return m.encodeResponses(req, wish)
	}
	return m.encode(req, wish)
}

// stream is the state common to the readers of both APIs. What they emit fails together: see
// httpmodel.Output.
type stream struct {
	*httpmodel.Call
	model   *Model
	calls   calls
	usage   *llm.Usage
	blocks  int    // content blocks begun
	refused wishes // by the error that ended the call
	done    bool   // the provider said [DONE]
}

// isDone reports whether an event ends the stream.
func (s *stream) isDone(data []byte) bool {
	s.done = string(data) == "[DONE]"
	return s.done
}

// block returns the index of a content block, beginning it on first use.
func (s *stream) block(n *int) int {
	if *n == 0 {
		s.blocks++
		*n = s.blocks
	}
	return *n - 1
}

// tell emits a piece of text or reasoning, if there is any.
func (s *stream) tell(kind llm.PartKind, block *int, piece string) {
	if piece != "" {
		s.Emit(llm.Part{Kind: kind, Index: s.block(block), Delta: piece})
	}
}

// keep emits what goes back to the provider with a block, if there is anything.
func (s *stream) keep(block int, what, raw string) {
	if raw != "" || what == sealField {
		s.Emit(llm.Part{Kind: llm.Opaque, Index: block, Opaque: s.model.seal(what, raw)})
	}
}

// startCall emits a call's name, the reasoning that led to it, and the arguments that came before
// the name.
func (s *stream) startCall(c *call, thoughts string) {
	s.called()
	c.started, c.part = true, s.block(new(int))
	s.Emit(llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.ID(c.sentID, "call_"), Name: c.name})
	s.keep(c.part, sealItems, thoughts)
	s.write(c, string(c.held))
	c.held = nil
}

// write emits a piece of a call's arguments, if there is any.
func (s *stream) write(c *call, args string) {
	if args != "" {
		s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: args})
	}
}

// endCalls closes the calls of an answer that is whole. Those whose name never came are dropped.
func (s *stream) endCalls() {
	for _, c := range s.calls.all {
		if c.started {
			s.keep(c.part, sealExtra, c.opaque)
			s.Emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
		}
	}
}
