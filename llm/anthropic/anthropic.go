package anthropic

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// apiVersion is the version of the Messages API.
const apiVersion = "2023-06-01"

// official is the address of Anthropic's own API.
const official = "https://api.anthropic.com"

// Config configures a model. Model is required, and so is APIKey unless the server at BaseURL needs
// none.
type Config struct {
	// the first half of the model's name in Info and errors; default "anthropic"
	Provider string
	BaseURL  string      // with or without the /v1 at its end; default https://api.anthropic.com
	APIKey   string      // sent as x-api-key unless empty
	Model    string      // such as "claude-sonnet-4-6"
	Like     string      // the model that this one behaves like, if its own name says nothing
	Headers  http.Header // sent with every request; "anthropic-beta" belongs here

	// BodyVersion is the version of the API as Google's Vertex AI wants it: in the body, and the
	// model in the address. BaseURL ends before the model then.
	BodyVersion string

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	httpmodel.Limits

	Abilities llm.Profile // over what is known about the model's family
}

// Model is one model behind a Messages endpoint. Safe for concurrent use.
type Model struct {
	cfg     Config
	family  catalog.Model
	info    llm.Info
	client  *httpmodel.Client
	dialect *llm.Dialect

	// the model has called a tool although the request said in words that it must not. Until then
	// tool_choice says nothing of it: another choice than before costs the cache of the messages
	defies atomic.Bool
}

var _ llm.Model = (*Model)(nil)

// New returns the model for cfg. A wrong address or key shows at the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "anthropic")
	cfg.BaseURL = strings.TrimRight(cmp.Or(cfg.BaseURL, official), "/")
	m := &Model{cfg: cfg, family: familyOf(cmp.Or(cfg.Like, cfg.Model))}
	m.info = cfg.Abilities.Apply(m.describe())
	m.dialect = newDialect(m.info)
	m.client = httpmodel.New(httpmodel.Config{
		Model: m.info.Name(), URL: cfg.url(), Header: cfg.Headers,
		Defaults: map[string]string{"Anthropic-Version": apiVersion},
		Key:      strings.TrimSpace(cfg.APIKey), KeyHeader: "X-Api-Key", HTTPClient: cfg.HTTPClient,
		Limits: cfg.Limits.For(m.info.Reasoning || m.family.MayThink()),
	})
	return m
}

// url is where the calls go.
func (cfg *Config) url() string {
	if cfg.BodyVersion != "" {
		return cfg.BaseURL + "/" + url.PathEscape(cfg.Model) + ":streamRawPredict"
	}
	return strings.TrimSuffix(cfg.BaseURL, "/v1") + "/v1/messages"
}

// Resolve returns the model for a name such as "anthropic/claude-sonnet-4-6". From env, such as
// os.Getenv, it reads ANTHROPIC_API_KEY, which is required unless ANTHROPIC_BASE_URL is set.
func Resolve(name string, env func(string) string) (llm.Model, error) {
	cfg, err := ConfigOf(name, env)
	if err != nil {
		return nil, err
	}
	return New(cfg), nil
}

// ConfigOf returns the configuration that Resolve makes a model of.
func ConfigOf(name string, env func(string) string) (Config, error) {
	cfg := Config{Provider: "anthropic", BaseURL: env("ANTHROPIC_BASE_URL"), APIKey: env("ANTHROPIC_API_KEY")}
	var err error
	cfg.Model, err = httpmodel.ModelOf(name, cfg.Provider, cfg.BaseURL, cfg.APIKey, "ANTHROPIC_API_KEY")
	if err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// Info returns what is known about the model, overridden by the configuration.
func (m *Model) Info() llm.Info { return m.info }

func (m *Model) describe() llm.Info {
	f := m.family
	return llm.Info{
		Provider: m.cfg.Provider, Model: m.cfg.Model, Host: httpmodel.HostOf(m.cfg.BaseURL),
		ContextWindow: f.Window, Tools: true, ParallelTools: true, Images: true, PDF: true,
		Reasoning: f.Thinking != "", StrictTools: f.Strict, Prices: f.PricesAt(m.cfg.BaseURL),
	}
}

// Stream makes one call. Range to its end so that the connection can be reused.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return httpmodel.Parts(m.dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
		call := m.client.Call(ctx, fit, yield)
		return call.Do(m.encode(fit.Request), &stream{Call: call, model: m})
	})
}
