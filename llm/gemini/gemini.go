package gemini

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

// Config says which model to call and how. Model is needed, and APIKey unless the server at BaseURL
// wants none.
type Config struct {
	Provider string // the first half of the model's name in Info and errors; default "gemini"
	// with or without the /v1beta at its end; default https://generativelanguage.googleapis.com
	BaseURL string
	APIKey  string      // sent as x-goog-api-key unless empty
	Model   string      // such as "gemini-2.5-flash"
	Headers http.Header // sent with every request

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	// How long to wait. The time the consumer takes does not count as waiting.
	// for the response headers, which the API may hold back while it thinks; 0 means 2 min
	HeaderTimeout       time.Duration
	FirstContentTimeout time.Duration // from there for the first part; 0 means 2 min
	IdleTimeout         time.Duration // from one chunk to the next; 0 means 1 min

	MaxLine  int   // longest line of the stream in bytes; 0 means 4 MiB
	MaxStep  int   // text, reasoning and arguments of one answer in bytes; 0 means 4 MiB
	MaxBody  int64 // all of one answer's stream in bytes; 0 means 64 MiB
	MaxCalls int   // tool calls of one answer; 0 means 128

	// What Info says, where it is not what is known of the model's family.
	ContextWindow                    int // tokens
	Images, Reasoning, ParallelTools *bool
	Payloads                         llm.PayloadTransport
	Prices                           llm.Prices
}

// Model is one model of the Gemini API. It is safe for concurrent use.
type Model struct {
	cfg     Config
	family  family
	info    llm.Info
	url     string
	schemas schemas
	dialect *llm.Dialect
}

var _ llm.Model = (*Model)(nil)

// New returns the model cfg describes. A wrong address or key shows with the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "gemini")
	cfg.BaseURL = strings.TrimRight(cmp.Or(cfg.BaseURL, "https://generativelanguage.googleapis.com"), "/")
	if !versioned.MatchString(cfg.BaseURL) {
		cfg.BaseURL += "/v1beta"
	}
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	cfg.HeaderTimeout = cmp.Or(cfg.HeaderTimeout, 2*time.Minute)
	cfg.FirstContentTimeout = cmp.Or(cfg.FirstContentTimeout, 2*time.Minute)
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, time.Minute)
	cfg.MaxLine = cmp.Or(cfg.MaxLine, 4<<20)
	cfg.MaxStep = cmp.Or(cfg.MaxStep, 4<<20)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 64<<20)
	cfg.MaxCalls = cmp.Or(cfg.MaxCalls, 128)
	client := *cmp.Or(cfg.HTTPClient, sharedClient)
	if client.CheckRedirect == nil { // a call with a key goes where it was sent and nowhere else
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	cfg.HTTPClient = &client
	m := &Model{cfg: cfg, family: familyOf(cfg.Model)}
	m.url = cfg.BaseURL + "/models/" + url.PathEscape(strings.TrimPrefix(cfg.Model, "models/")) + ":streamGenerateContent?alt=sse"
	m.info = m.describe()
	m.dialect = newDialect(m.info)
	return m
}

// versioned matches addresses that end in a version of the API.
var versioned = regexp.MustCompile(`/v1[a-z0-9]*$`)

// sharedClient keeps connections open between steps.
var sharedClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.DisableCompression = true
	return &http.Client{Transport: transport}
}()

// Info returns what is known of the model, and what the configuration says of it.
func (m *Model) Info() llm.Info { return m.info }

func (m *Model) describe() llm.Info {
	f := m.family
	return llm.Info{
		Provider: m.cfg.Provider, Model: m.cfg.Model, ContextWindow: cmp.Or(m.cfg.ContextWindow, f.window),
		Tools: true, ParallelTools: or(m.cfg.ParallelTools, true), Images: or(m.cfg.Images, true),
		PDF: or(m.cfg.Images, true), Audio: or(m.cfg.Images, true), Video: or(m.cfg.Images, true),
		Reasoning: or(m.cfg.Reasoning, f.thinking != thinksNever), Payloads: m.cfg.Payloads, Prices: m.cfg.Prices,
	}
}

func or(set *bool, usual bool) bool {
	if set != nil {
		return *set
	}
	return usual
}

// Stream makes one call. Range to its end to let the connection be used again.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		fit := m.dialect.Fit(req)
		if err := m.stream(ctx, fit, fit.Restore(yield)); err != nil && err != errLeft {
			yield(llm.Part{}, err)
		}
	}
}

// errLeft says that the consumer has left the loop.
var errLeft = errors.New("the consumer has left")

// stream makes the call; its error is errLeft or an *llm.Error.
func (m *Model) stream(ctx context.Context, req *llm.Fitted, yield func(llm.Part, error) bool) error {
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := watchdog.New(cancel)
	defer w.Stop()

	resp, err := m.send(callCtx, w, req.Request)
	if err != nil {
		return m.failure(ctx, w, err)
	}
	defer resp.Body.Close()
	body := &guardedBody{body: resp.Body, dog: w, left: m.cfg.MaxBody}
	if resp.StatusCode != http.StatusOK {
		w.Phase(watchdog.ErrorText, min(m.cfg.IdleTimeout, errorBodyTimeout))
		return m.statusError(resp, body, req)
	}
	w.Phase(watchdog.First, m.cfg.FirstContentTimeout)
	s := &stream{ctx: ctx, model: m, req: req, dog: w, yield: yield}
	if err := s.run(resp.Header, body); err != nil {
		return m.failure(ctx, w, err)
	}
	return nil
}

// send posts the request and waits for the headers of the response.
func (m *Model) send(ctx context.Context, w *watchdog.Watchdog, req *llm.Request) (*http.Response, error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.encode(req)))
	if err != nil {
		return nil, m.errorf(llm.KindBadRequest, nil, "the provider's address is not a valid URL")
	}
	for name, values := range m.cfg.Headers {
		post.Header[http.CanonicalHeaderKey(name)] = values
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "text/event-stream")
	post.Header.Set("Accept-Encoding", "identity") // compression delays a stream and hides its size
	if post.Header.Get("User-Agent") == "" {
		post.Header.Set("User-Agent", "pageside")
	}
	if m.cfg.APIKey != "" {
		post.Header.Set("X-Goog-Api-Key", m.cfg.APIKey)
	}
	w.Phase(watchdog.Headers, m.cfg.HeaderTimeout)
	w.Wait()
	defer w.Done()
	return m.cfg.HTTPClient.Do(post)
}

// guardedBody reads a response under the watchdog's eye and up to a limit.
type guardedBody struct {
	body io.Reader
	dog  *watchdog.Watchdog
	left int64
}

func (b *guardedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBodyTooLong
	}
	b.dog.Wait()
	n, err := b.body.Read(p[:min(int64(len(p)), b.left)])
	b.dog.Done()
	b.left -= int64(n)
	return n, err
}
