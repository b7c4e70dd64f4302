package vertex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Config configures a model.
type Config struct {
	Project  string // of Google Cloud
	Location string // a region, or "global", which is the default
	BaseURL  string // default Google's address for the location
	Model    string // such as "gemini-2.5-flash" or "claude-sonnet-4-5@20250929"
	Like     string // the model that this one behaves like, if its own name says nothing

	// what a configuration says of its abilities, over what is known
	Abilities llm.Profile

	Headers http.Header // of every request of the model
	httpmodel.Limits

	// CredentialsFile holds the credentials; default Google's usual places.
	CredentialsFile string
}

// claudeVersion is the version of the Messages API at Vertex AI.
const claudeVersion = "vertex-2023-10-16"

// Resolve returns the model of a name such as "vertex/gemini-2.5-flash". From env, such as
// os.Getenv, it reads GOOGLE_CLOUD_PROJECT, which is required, GOOGLE_CLOUD_LOCATION,
// VERTEX_BASE_URL and GOOGLE_APPLICATION_CREDENTIALS.
func Resolve(name string, env func(string) string) (llm.Model, error) {
	cfg, err := ConfigOf(name, env)
	if err != nil {
		return nil, err
	}
	return New(cfg), nil
}

// ConfigOf returns the configuration that Resolve makes a model of.
func ConfigOf(name string, env func(string) string) (Config, error) {
	provider, model, _ := strings.Cut(name, "/")
	cfg := Config{
		Project: env("GOOGLE_CLOUD_PROJECT"), Location: env("GOOGLE_CLOUD_LOCATION"), BaseURL: env("VERTEX_BASE_URL"),
		Model: model, CredentialsFile: env("GOOGLE_APPLICATION_CREDENTIALS"),
	}
	var err error
	switch {
	case provider != "vertex" || model == "":
		err = errors.New("write vertex/NAME, such as vertex/gemini-2.5-flash")
	case cfg.Project == "":
		err = errors.New("GOOGLE_CLOUD_PROJECT is not set")
	}
	if err != nil {
		return Config{}, fmt.Errorf("model %q: %w", name, err)
	}
	return cfg, nil
}

// New returns the model for cfg. Missing credentials show at the first call.
func New(cfg Config) llm.Model {
	client := &http.Client{Transport: &authorized{cfg: cfg}}
	if strings.HasPrefix(strings.ToLower(cmp.Or(cfg.Like, cfg.Model)), "claude") {
		return anthropic.New(anthropic.Config{
			Provider: "vertex", BaseURL: cfg.models("anthropic") + "/models", BodyVersion: claudeVersion,
			Model: cfg.Model, Like: cfg.Like, Abilities: cfg.Abilities,
			HTTPClient: client, Headers: cfg.Headers, Limits: cfg.Limits,
		})
	}
	return gemini.New(gemini.Config{
		Provider: "vertex", BaseURL: cfg.models("google"),
		Model: cfg.Model, Like: cfg.Like, Abilities: cfg.Abilities,
		HTTPClient: client, Headers: cfg.Headers, Limits: cfg.Limits,
	})
}

// models is the address of a maker's models.
func (cfg *Config) models(maker string) string {
	location := cmp.Or(cfg.Location, "global")
	host := "https://aiplatform.googleapis.com"
	if location != "global" {
		host = "https://" + location + "-aiplatform.googleapis.com"
	}
	base := strings.TrimRight(cmp.Or(cfg.BaseURL, host), "/")
	return base + "/v1/projects/" + cfg.Project + "/locations/" + location + "/publishers/" + maker
}

// authorized adds a token to every request. Safe for concurrent use.
type authorized struct {
	cfg  Config
	once sync.Once
	from oauth2.TokenSource
	err  error
}

// scope is what a token must allow.
const scope = "https://www.googleapis.com/auth/cloud-platform"

func (a *authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	a.once.Do(a.find)
	if a.err != nil {
		return nil, a.err
	}
	token, err := a.from.Token()
	if err != nil {
		return nil, fmt.Errorf("vertex: get a token: %w", err)
	}
	signed := r.Clone(r.Context())
	token.SetAuthHeader(signed)
	return http.DefaultTransport.RoundTrip(signed)
}

// find looks for the credentials. Tokens outlive the request that was first.
func (a *authorized) find() {
	ctx := context.Background()
	found, err := a.credentials(ctx)
	if err != nil {
		a.err = fmt.Errorf("vertex: no credentials of Google: %w", err)
		return
	}
	a.from = found.TokenSource
}

func (a *authorized) credentials(ctx context.Context) (*google.Credentials, error) {
	if a.cfg.CredentialsFile == "" {
		return google.FindDefaultCredentials(ctx, scope)
	}
	raw, err := os.ReadFile(a.cfg.CredentialsFile)
	if err != nil {
		return nil, err
	}
	var file struct{ Type google.CredentialsType }
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", a.cfg.CredentialsFile, err)
	}
	return google.CredentialsFromJSONWithType(ctx, raw, file.Type, scope)
}
