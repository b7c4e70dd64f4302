package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool/signed"
)

// Egress says what may be reached. Where it names no hosts, the host of the URL is the only one;
// the URL's port is always among the ports.
type Egress = egress.Policy

// Config describes a remote agent.
type Config struct {
	ID          string // the server's name of it
	Description string
	// URL takes a RunAgentInput by POST and answers with Server-Sent Events.
	URL     string
	Headers map[string]string // sent as they are
	// Secrets are values that must never be shown: they are removed from all that the agent
	// answers. Values of Headers are among them.
	Secrets []string
	// Sign has the requests signed, so that the agent knows for whom they are; nil does not. See
	// package signed.
	Sign     *Sign
	Protocol Protocol // "" means AG-UI 1.0
	// Silence is how long the agent may say nothing; 0 means DefaultSilence. Keep-alive comments
	// count as something.
	Silence  time.Duration
	MaxBytes int64 // of one answer; 0 means DefaultMaxBytes
	Egress   Egress
	Logger   *slog.Logger // default slog.Default()
}

// Sign has requests signed.
type Sign struct {
	Secret string
	// Send names what the agent is told in signed.CallerHeader: principal, place, scope, or a
	// single source such as scope.stream. Empty is all three.
	Send []string
}

// Protocol is the version of AG-UI that an agent is sent. What it answers may be of either.
type Protocol string

// Versions of AG-UI.
const (
	AGUI1 Protocol = "1.0"
	// AGUI0 leaves out what version 0.x does not know, for agents that refuse unknown fields.
	AGUI0 Protocol = "0.x"
)

// Defaults of a Config.
const (
	DefaultSilence  = 2 * time.Minute
	DefaultMaxBytes = 16 << 20
)

// Agent is a remote agent. It implements run.Agent.
type Agent struct {
	Config
	client  *http.Client
	secrets *strings.Replacer
}

// New returns a remote agent. It does not call it. Its error is an *agui.FieldError.
func New(c Config) (*Agent, error) {
	a := &Agent{Config: c}
	a.Silence, a.MaxBytes, a.Protocol = cmp.Or(c.Silence, DefaultSilence), cmp.Or(c.MaxBytes,
		DefaultMaxBytes), cmp.Or(c.Protocol, AGUI1)
	a.Logger = cmp.Or(c.Logger, slog.Default())
	if err := (jsonx.Checks{
		{"id", a.checkID}, {"url", a.checkURL}, {"headers", a.checkHeaders}, {"sign", a.checkSign},
		{"protocol", a.checkProtocol}, {"silence", a.checkBounds},
	}).First(); err != nil {
		return nil, err
	}
	a.secrets = a.scrubber()
	return a, nil
}

// Info implements run.Agent.
func (a *Agent) Info() run.Info {
	return run.Info{ID: a.ID, Description: a.Description, Host: a.Host()}
}

// Capabilities implements run.Agent: AG-UI has no standard way to ask for them.
func (a *Agent) Capabilities() *agui.Capabilities { return nil }

// Host returns where the agent is, for people.
func (a *Agent) Host() string { return upstream.Host(a.URL) }

func (a *Agent) checkID() error {
	if a.ID == "" {
		return errors.New("it is empty")
	}
	return nil
}

func (a *Agent) checkURL() error {
	u, err := url.Parse(a.URL)
	if err != nil {
		return upstream.ErrURL
	}
	a.client, err = a.Egress.StreamClient(u, a.MaxBytes)
	return err
}

func (a *Agent) checkHeaders() error {
	return upstream.CheckHeaders(a.Headers, signed.Headers...)
}

func (a *Agent) checkSign() error {
	if a.Sign == nil {
		return nil
	}
	if err := signed.CheckSecret(a.Sign.Secret); err != nil {
		return err
	}
	send, err := tool.Signed(a.Sign.Send)
	a.Sign = &Sign{a.Sign.Secret, send}
	return err
}

func (a *Agent) checkProtocol() error {
	if a.Protocol != AGUI1 && a.Protocol != AGUI0 {
		return fmt.Errorf("%q is neither %s nor %s", a.Protocol, AGUI1, AGUI0)
	}
	return nil
}

func (a *Agent) checkBounds() error {
	if a.Silence < 0 || a.MaxBytes < 0 {
		return errors.New("a bound is negative")
	}
	return nil
}

// scrubber removes secrets from texts.
func (a *Agent) scrubber() *strings.Replacer {
	secrets := slices.Clone(a.Secrets)
	if a.Sign != nil {
		secrets = append(secrets, a.Sign.Secret)
	}
	return upstream.HeaderScrubber(secrets, a.Headers)
}

// Run implements run.Agent.
func (a *Agent) Run(ctx context.Context, in run.Input, out run.Output) (run.Outcome, error) {
	watch, own, stop := upstream.NewWatch(ctx, a.Silence)
	defer stop()
	resp, err := a.post(own, watch, in)
	if err != nil {
		return run.Outcome{}, a.failure(ctx, watch, err)
	}
	defer resp.Body.Close()
	if err := a.checkResponse(watch, resp); err != nil {
		return run.Outcome{}, err
	}
	s := newStream(a, in, watch.Reader(resp.Body))
	outcome, err := s.play(out)
	if s.refused != nil && ctx.Err() == nil {
		return run.Outcome{}, s.refused
	}
	if err != nil {
		return run.Outcome{}, a.failure(ctx, watch, err)
	}
	return outcome, nil
}
