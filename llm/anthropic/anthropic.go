package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

// apiVersion is the version of the Messages API spoken here.
const apiVersion = "2023-06-01"

// Config says which model to call and how. Model is needed, and APIKey unless the server at BaseURL
// wants none.
type Config struct {
	// the first half of the model's name in Info and errors; default "anthropic"
	Provider string
	BaseURL  string      // with or without the /v1 at its end; default https://api.anthropic.com
	APIKey   string      // sent as x-api-key unless empty
	Model    string      // such as "claude-sonnet-4-6"
	Headers  http.Header // sent with every request; "anthropic-beta" belongs here

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	// How long to wait. The time the consumer takes does not count as waiting.
	HeaderTimeout       time.Duration // for the response headers; 0 means 1 min
	FirstContentTimeout time.Duration // from there for the first content block; 0 means 2 min
	IdleTimeout         time.Duration // from one event to the next; 0 means 1 min
	// while pings alone arrive, as during long tool arguments; 0 means 5 min
	SilenceTimeout time.Duration

	MaxLine  int   // longest line of the stream in bytes; 0 means 1 MiB
	MaxStep  int   // text, reasoning and arguments of one answer in bytes; 0 means 4 MiB
	MaxBody  int64 // all of one answer's stream in bytes; 0 means 64 MiB
	MaxCalls int   // tool calls of one answer; 0 means 128

	// of an answer whose request sets no limit; 0 goes by the model: 16,384, 32,768 where it may
	// think, or what it can at most
	MaxTokens int

	// What Info says, where it is not what is known of the model's family.
	ContextWindow                                 int // tokens
	Images, Reasoning, ParallelTools, StrictTools *bool
	Payloads                                      llm.PayloadTransport
	Prices                                        llm.Prices
}

// Model is one model behind a Messages endpoint. It is safe for concurrent use.
type Model struct {
	cfg    Config
	family family
	info   llm.Info
	url    string

	dialect *llm.Dialect
}

var _ llm.Model = (*Model)(nil)

// New returns the model cfg describes. A wrong address or key shows with the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "anthropic")
	cfg.BaseURL = strings.TrimSuffix(strings.TrimRight(cmp.Or(cfg.BaseURL, "https://api.anthropic.com"), "/"), "/v1")
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	cfg.HeaderTimeout = cmp.Or(cfg.HeaderTimeout, time.Minute)
	cfg.FirstContentTimeout = cmp.Or(cfg.FirstContentTimeout, 2*time.Minute)
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, time.Minute)
	cfg.SilenceTimeout = cmp.Or(cfg.SilenceTimeout, 5*time.Minute)
	cfg.MaxLine = cmp.Or(cfg.MaxLine, 1<<20)
	cfg.MaxStep = cmp.Or(cfg.MaxStep, 4<<20)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 64<<20)
	cfg.MaxCalls = cmp.Or(cfg.MaxCalls, 128)
	client := *cmp.Or(cfg.HTTPClient, sharedClient)
	if client.CheckRedirect == nil { // a call with a key goes where it was sent and nowhere else
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	cfg.HTTPClient = &client
	m := &Model{cfg: cfg, family: familyOf(cfg.Model), url: cfg.BaseURL + "/v1/messages"}
	m.info = m.describe()
	m.dialect = newDialect(m.info)
	return m
}

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
		Tools: true, ParallelTools: or(m.cfg.ParallelTools, true), Images: or(m.cfg.Images, true), PDF: or(m.cfg.Images, true),
		Reasoning: or(m.cfg.Reasoning, f.thinking != thinksNever), StrictTools: or(m.cfg.StrictTools, f.strict),
		Payloads: m.cfg.Payloads, Prices: m.cfg.Prices,
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
		err = m.failure(ctx, w, err)
		s.drain(body)
		return err
	}
	s.drain(body)
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
	for name, value := range map[string]string{"User-Agent": "pageside", "Anthropic-Version": apiVersion} {
		if post.Header.Get(name) == "" {
			post.Header.Set(name, value)
		}
	}
	if m.cfg.APIKey != "" {
		post.Header.Set("X-Api-Key", m.cfg.APIKey)
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
