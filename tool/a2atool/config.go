package a2atool

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/tool"
)

// Egress says what may be reached. Where it names no hosts, the host of the URL is the only one;
// the URL's port is always among the ports.
type Egress = egress.Policy

// Config describes an agent elsewhere.
type Config struct {
	Name        string // of the tool
	Description string // for the model: what the agent does, and what to tell it
	// URL is where the agent takes JSON-RPC: the url of an interface in its card whose
	// protocolBinding is JSONRPC.
	URL     string
	Headers map[string]string // sent with every request
	// Secrets are values that must never be shown: they are removed from all that the agent
	// answers. Values of Headers are among them.
	Secrets []string

	Category string
	Global   bool
	Effect   tool.Effect
	Policy   tool.Policy // its Timeout bounds a task up to its end or its next question
	// Silence is how long the agent may say nothing; 0 means DefaultSilence. Keep-alive comments
	// count as something.
	Silence  time.Duration
	MaxBytes int64 // of one answer and of a result; 0 means DefaultMaxBytes
	Egress   Egress

	poll time.Duration // before the first look at a task whose stream has ended; for tests
}

// Defaults of a Config.
const (
	DefaultTimeout  = 10 * time.Minute
	DefaultSilence  = 2 * time.Minute
	DefaultMaxBytes = 8 << 20
)

// agent is a Config that has been checked.
type agent struct {
	Config
	remote  a2aclient.Transport
	secrets *strings.Replacer
}

var inputSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"message":{"type":"string","minLength":1,"description":"What the agent is to do, with all it has to know: it does not see this conversation."},` +
	`"data":{"type":"object","description":"Structured data that goes with the message.","additionalProperties":true}},` +
	`"required":["message"],"additionalProperties":false}`)

// New makes the tool. It does not call the agent. Its error is an
// *agui.FieldError.
func New(c Config) (*tool.Tool, error) {
	a, err := newAgent(c)
	if err != nil {
		return nil, err
	}
	policy := a.Policy
	policy.Timeout = cmp.Or(policy.Timeout, DefaultTimeout)
	return &tool.Tool{
		Name: a.Name, Description: a.Description, InputSchema: inputSchema, Category: a.Category, Global: a.Global,
		Effect: a.Effect, Policy: policy, Handler: a.call, Withdraw: a.withdraw,
		Target: tool.TargetOf("a2a", a.URL), Host: upstream.Host(a.URL), MaxResult: a.MaxBytes,
	}, nil
}

func newAgent(c Config) (*agent, error) {
	a := &agent{Config: c}
	a.poll = cmp.Or(c.poll, firstPoll)
	a.Silence, a.MaxBytes = cmp.Or(c.Silence, DefaultSilence), cmp.Or(c.MaxBytes, DefaultMaxBytes)
	if err := (jsonx.Checks{
		{"name", a.checkName}, {"description", a.checkDescription}, {"url", a.checkURL},
		{"headers", a.checkHeaders}, {"silence", a.checkBounds},
	}).First(); err != nil {
		return nil, err
	}
	a.secrets = upstream.HeaderScrubber(c.Secrets, c.Headers)
	return a, nil
}

func (a *agent) checkName() error { return tool.CheckName(a.Name) }

func (a *agent) checkDescription() error {
	if strings.TrimSpace(a.Description) == "" {
		return errors.New("it is empty, and the model has to know what the agent does")
	}
	return nil
}

func (a *agent) checkURL() error {
	u, err := url.Parse(a.URL)
	if err != nil {
		return upstream.ErrURL
	}
	if strings.HasSuffix(u.Path, ".json") {
		return errors.New("it is that of a card: take the url of the JSONRPC interface that the card names")
	}
	client, err := a.Egress.StreamClient(u, a.MaxBytes)
	if err != nil {
		return err
	}
	a.remote = a2aclient.NewJSONRPCTransport(a.URL, &http.Client{Transport: wire{a, client.Transport}})
	return nil
}

func (a *agent) checkHeaders() error { return upstream.CheckHeaders(a.Headers, versionHeader) }

func (a *agent) checkBounds() error {
	if a.Silence < 0 || a.MaxBytes < 0 {
		return errors.New("a bound is negative")
	}
	return nil
}
