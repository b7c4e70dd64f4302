package httpmodel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/llm"
)

// Limits are the limits of one call. Zero fields mean the defaults given here, or those of the
// provider's package.
type Limits struct {
	// Timeouts. The consumer's time does not count. For a model that may think, the first two are
	// Patience by default.
	HeaderTimeout       time.Duration // for the response headers; 1 min
	FirstContentTimeout time.Duration // from there for the first content; 2 min
	IdleTimeout         time.Duration // from one event to the next; 1 min

	MaxLine  int   // longest line of the stream in bytes; 1 MiB
	MaxStep  int   // text, reasoning and arguments of one answer in bytes; 4 MiB
	MaxBody  int64 // all of one answer's stream in bytes; 64 MiB
	MaxCalls int   // tool calls of one answer; 128
}

// WithDefaults replaces zeros with the defaults.
func (l Limits) WithDefaults() Limits {
	return Limits{
		HeaderTimeout:       cmp.Or(l.HeaderTimeout, time.Minute),
		FirstContentTimeout: cmp.Or(l.FirstContentTimeout, 2*time.Minute),
		IdleTimeout:         cmp.Or(l.IdleTimeout, time.Minute),
		MaxLine:             cmp.Or(l.MaxLine, 1<<20),
		MaxStep:             cmp.Or(l.MaxStep, 4<<20),
		MaxBody:             cmp.Or(l.MaxBody, 64<<20),
		MaxCalls:            cmp.Or(l.MaxCalls, 128),
	}
}

// Patience is how long a model that may think gets for its headers and for its first content: many
// servers send nothing while it does.
const Patience = 5 * time.Minute

// For returns the limits for a model: one that may think gets Patience where nothing else is set.
func (l Limits) For(mayThink bool) Limits {
	if mayThink {
		l.HeaderTimeout = cmp.Or(l.HeaderTimeout, Patience)
		l.FirstContentTimeout = cmp.Or(l.FirstContentTimeout, Patience)
	}
	return l
}

// EndTimeout limits waiting for the end of an answer whose model has stopped.
func (l Limits) EndTimeout() time.Duration { return min(5*time.Second, l.IdleTimeout) }

// DrainTimeout limits waiting for the end of the response after an answer, to reuse the connection.
const DrainTimeout = 50 * time.Millisecond

// Config is the destination of a model's requests.
type Config struct {
	Model  string // provider/model, for errors
	URL    string
	Header http.Header // sent with every request
	// the API's default headers, overridden by Header
	Defaults map[string]string

	Key       string // kept out of every error; may be empty
	KeyHeader string // carries Key, in "Authorization" as a bearer token

	// default: one shared by all models; follows no redirects unless CheckRedirect is set
	HTTPClient *http.Client
	Limits     Limits
}

// Client sends the requests of one model. Safe for concurrent use.
type Client struct {
	Config
	header http.Header
}

// New returns a client for cfg. A wrong address or key shows at the first call.
func New(cfg Config) *Client {
	cfg.Limits = cfg.Limits.WithDefaults()
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = sharedClient()
	}
	client := *cfg.HTTPClient
	if client.CheckRedirect == nil { // never send the key elsewhere
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	cfg.HTTPClient = &client
	return &Client{Config: cfg, header: cfg.headers()}
}

// sharedClient keeps connections to a provider open between steps.
var sharedClient = sync.OnceValue(func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.DisableCompression = true
	return &http.Client{Transport: transport}
})

// headers returns the headers common to all requests.
func (cfg *Config) headers() http.Header {
	h := http.Header{}
	for name, values := range cfg.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	h.Set("Accept-Encoding", "identity") // compression delays a stream and hides its size
	defaults := map[string]string{"User-Agent": "pageside"}
	maps.Copy(defaults, cfg.Defaults)
	for name, value := range defaults {
		if h.Get(name) == "" {
			h.Set(name, value)
		}
	}
	switch {
	case cfg.Key == "":
	case cfg.KeyHeader == "Authorization":
		h.Set(cfg.KeyHeader, "Bearer "+cfg.Key)
	default:
		h.Set(cfg.KeyHeader, cfg.Key)
	}
	return h
}

// post is a request with this body.
func (c *Client) post(ctx context.Context, body *lentBody) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header, req.ContentLength, req.GetBody = c.header.Clone(), int64(len(body.bytes)), body.open
	req.Body, _ = body.open() // never fails
	return req, nil
}

// Yield receives the parts of a stream; it returns false when the consumer has left the loop.
type Yield = func(llm.Part, error) bool

// Parts returns the stream of one call. run makes the call with the fitted request; its error is
// ErrLeft or an *llm.Error. A request whose strict schemas the provider refuses is made again
// without them, and none are sent from then on.
func Parts(d *llm.Dialect, req *llm.Request, run func(*llm.Fitted, Yield) error) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		if err := relaxing(d, d.Fit(req), yield, run); err != nil && err != ErrLeft {
			yield(llm.Part{}, err)
		}
	}
}

func relaxing(d *llm.Dialect, fit *llm.Fitted, yield Yield, run func(*llm.Fitted, Yield) error) error {
	err := run(fit, fit.Restore(yield))
	refused, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	relaxed := d.Relaxed(fit, refused)
	if relaxed == nil {
		return err
	}
	err = run(relaxed, relaxed.Restore(yield))
	if again, ok := errors.AsType[*llm.Error](err); ok && again.Status == refused.Status {
		d.Restrict()
	}
	return err
}

// ModelOf returns the model in a name such as "anthropic/claude-sonnet-4-6". The provider must
// match. The key, from the given environment variable, is required unless the server has another
// address than the provider's, which must be one then.
func ModelOf(name, provider, address, key, variable string) (string, error) {
	prefix, model, _ := strings.Cut(name, "/")
	var err error
	switch {
	case prefix != provider:
		err = fmt.Errorf("unknown provider %q; known is %s", prefix, provider)
	case model == "":
		err = fmt.Errorf("no model named: write %s/NAME", provider)
	case address == "":
		err = NeedKey(key, variable)
	default:
		err = CheckURL(address)
	}
	if err != nil {
		return "", fmt.Errorf("model %q: %w", name, err)
	}
	return model, nil
}

// NeedKey returns an error if key, from the given environment variable, is empty.
func NeedKey(key, variable string) error {
	if strings.TrimSpace(key) == "" {
		return fmt.Errorf("%s is not set", variable)
	}
	return nil
}

// CheckURL returns an error if an address is not an HTTP URL.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("%q is not an http or https address", address)
	}
	return nil
}

// HostOf returns the host of an address, with its port if it names one, or "" if it is no address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
