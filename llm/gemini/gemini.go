package gemini

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// official is the address of the Gemini API.
const official = "https://generativelanguage.googleapis.com"

// Config says which model to call and how. Model is needed, and APIKey unless the server at BaseURL
// wants none.
type Config struct {
	Provider string // the first half of the model's name in Info and errors; default "gemini"
	// with or without the /v1beta at its end; default https://generativelanguage.googleapis.com
	BaseURL string
	APIKey  string      // sent as x-goog-api-key unless empty
	Model   string      // such as "gemini-2.5-flash"
	Like    string      // the model that this one behaves like, if its own name says nothing
	Headers http.Header // sent with every request

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	// The API may hold back the headers while the model thinks. A MaxLine of 0 means 4 MiB: calls
	// come whole.
	httpmodel.Limits

	Abilities llm.Profile // over what is known of the model's family
}

// Model is one model of the Gemini API. It is safe for concurrent use.
type Model struct {
	cfg     Config
	family  catalog.Model
	info    llm.Info
	client  *httpmodel.Client
	dialect *llm.Dialect
}

var _ llm.Model = (*Model)(nil)

// New returns the model cfg describes. A wrong address or key shows with the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "gemini")
	cfg.MaxLine = cmp.Or(cfg.MaxLine, 4<<20)
	m := &Model{cfg: cfg, family: familyOf(cmp.Or(cfg.Like, cfg.Model))}
	m.info = cfg.Abilities.Apply(m.describe())
	m.dialect = newDialect(m.info)
	m.client = httpmodel.New(httpmodel.Config{
		Model: m.info.Name(), URL: cfg.url(), Header: cfg.Headers,
		Key: strings.TrimSpace(cfg.APIKey), KeyHeader: "X-Goog-Api-Key", HTTPClient: cfg.HTTPClient,
		Limits: cfg.Limits.For(m.info.Reasoning || m.family.MayThink()),
	})
	return m
}

// url is where the calls go.
func (cfg *Config) url() string {
	base := strings.TrimRight(cmp.Or(cfg.BaseURL, official), "/")
	if !versioned().MatchString(base) {
		base += "/v1beta"
	}
	return base + "/models/" + url.PathEscape(strings.TrimPrefix(cfg.Model, "models/")) +
		":streamGenerateContent?alt=sse"
}

// versioned matches addresses that name a version of the API.
var versioned = lazy.Regexp(`/v1[a-z0-9]*(/|$)`)

// Resolve returns the model of a name such as "gemini/gemini-2.5-flash", with what env, such as
// os.Getenv, says: GEMINI_API_KEY or GOOGLE_API_KEY, needed unless GEMINI_BASE_URL points
// elsewhere.
func Resolve(name string, env func(string) string) (llm.Model, error) {
	cfg, err := ConfigOf(name, env)
	if err != nil {
		return nil, err
	}
	return New(cfg), nil
}

// ConfigOf returns the configuration that Resolve makes a model of.
func ConfigOf(name string, env func(string) string) (Config, error) {
	cfg := Config{
		Provider: "gemini", BaseURL: env("GEMINI_BASE_URL"),
		APIKey: cmp.Or(env("GEMINI_API_KEY"), env("GOOGLE_API_KEY")),
	}
	var err error
	cfg.Model, err = httpmodel.ModelOf(name, cfg.Provider, cfg.BaseURL, cfg.APIKey, "GEMINI_API_KEY")
	if err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// Info returns what is known of the model, and what the configuration says of it.
func (m *Model) Info() llm.Info { return m.info }

func (m *Model) describe() llm.Info {
	f := m.family
	return llm.Info{
		Provider: m.cfg.Provider, Model: m.cfg.Model, Host: httpmodel.HostOf(cmp.Or(m.cfg.BaseURL, official)),
		ContextWindow: f.Window, Tools: true, ParallelTools: true,
		Images: true, PDF: true, Audio: true, Video: true,
		Reasoning: f.Thinking != "", Prices: f.PricesAt(cmp.Or(m.cfg.BaseURL, official)),
	}
}

// Stream makes one call. Range to its end to let the connection be used again.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return httpmodel.Parts(m.dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
		call := m.client.Call(ctx, fit, yield)
		return call.Do(m.encode(fit.Request), &stream{Call: call, model: m})
	})
}
