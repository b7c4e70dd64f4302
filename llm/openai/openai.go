package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

// Config says which model to call and how. BaseURL and Model are needed, for the provider "openai"
// Model alone.
type Config struct {
	// "openai" (default), "ollama", "vllm", "openrouter", or any name for another server
	Provider string
	BaseURL  string // up to and including /v1; default https://api.openai.com/v1
	APIKey   string // sent as bearer token unless empty
	Model    string
	Headers  http.Header // sent with every request

	// default: one that all models share; follows no redirect unless CheckRedirect is set
	HTTPClient *http.Client

	// How long to wait. Comments do not count as progress, and the time the consumer takes does not
	// count as waiting.
	// for the response headers; 0 means 30 s, 5 min for ollama and vllm, which load models
	HeaderTimeout time.Duration
	// from there for the first part; 0 means 60 s, 5 min for ollama and vllm
	FirstContentTimeout time.Duration
	IdleTimeout         time.Duration // from one chunk to the next; 0 means 30 s

	MaxLine  int   // longest line of the stream in bytes; 0 means 1 MiB
	MaxStep  int   // text, reasoning and arguments of one answer in bytes; 0 means 4 MiB
	MaxBody  int64 // all of one answer's stream in bytes; 0 means 64 MiB
	MaxCalls int   // tool calls of one answer; 0 means 128

	// Responses uses the Responses API in place of Chat Completions. Calls are stateless: nothing
	// is stored at the provider, and what a model thought travels encrypted in the history.
	Responses bool
	// of Responses: "auto" (default), "concise", "detailed", or "none". Left out by itself where
	// the provider refuses it
	ReasoningSummary string

	// ReturnReasoning is the field of an assistant message in which a Chat Completions server wants
	// its reasoning back: AutoField, NoField, or the field's name.
	ReturnReasoning string

	// What Info says of the model. Families of models are known by name; what is set here counts
	// more. Info's fields that are not zero count before all.
	ContextWindow int // tokens; 0 is what is known of the family
	Images        bool
	Reasoning     bool
	Info          llm.Info
}

// Model is one model behind an endpoint for Chat Completions or Responses. It is safe for
// concurrent use.
type Model struct {
	cfg    Config
	info   llm.Info
	family family
	url    string
	host   string // whose opaque values are sent back

	dialect *llm.Dialect

	unwilling atomic.Uint32 // the wishes the provider has refused once and for all
}

var _ llm.Model = (*Model)(nil)

// New returns the model cfg describes. A wrong address or key shows with the first call.
func New(cfg Config) *Model {
	cfg.Provider = cmp.Or(cfg.Provider, "openai")
	cfg.BaseURL = strings.TrimRight(cmp.Or(cfg.BaseURL, "https://api.openai.com/v1"), "/")
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	family, known := familyOf(cfg.Model)
	info := cfg.info(family, known)
	first := [2]time.Duration{30 * time.Second, time.Minute}
	if info.Reasoning && cfg.BaseURL == official {
		first[1] = 5 * time.Minute // nothing comes while it thinks
	}
	if cfg.Provider == "ollama" || cfg.Provider == "vllm" {
		first = [2]time.Duration{5 * time.Minute, 5 * time.Minute}
	}
	cfg.HeaderTimeout = cmp.Or(cfg.HeaderTimeout, first[0])
	cfg.FirstContentTimeout = cmp.Or(cfg.FirstContentTimeout, first[1])
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, 30*time.Second)
	cfg.MaxLine = cmp.Or(cfg.MaxLine, 1<<20)
	cfg.MaxStep = cmp.Or(cfg.MaxStep, 4<<20)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 64<<20)
	cfg.MaxCalls = cmp.Or(cfg.MaxCalls, 128)
	client := *cmp.Or(cfg.HTTPClient, sharedClient)
	if client.CheckRedirect == nil { // a call with a key goes where it was sent and nowhere else
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	cfg.HTTPClient = &client
	cfg.ReturnReasoning = cfg.returnField()
	cfg.ReasoningSummary = cmp.Or(cfg.ReasoningSummary, "auto")
	path := "/chat/completions"
	if cfg.Responses {
		path = "/responses"
	}
	return &Model{cfg: cfg, info: info, family: family, url: cfg.BaseURL + path, host: hostOf(cfg.BaseURL), dialect: cfg.dialect(info)}
}

// sharedClient keeps connections to a provider open between steps.
var sharedClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.DisableCompression = true
	return &http.Client{Transport: transport}
}()

// Info returns what is known of the model.
func (m *Model) Info() llm.Info { return m.info }

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

// stream makes the call, a second time where the provider refused something that is not needed. Its
// error is errLeft or an *llm.Error.
func (m *Model) stream(ctx context.Context, req *llm.Fitted, yield func(llm.Part, error) bool) error {
	wish := m.wishes(req.Request)
	for {
		began, err := m.attempt(ctx, req, wish, yield)
		less := m.withoutRefused(wish, err)
		if began || less == wish {
			return err
		}
		wish = less
	}
}

// attempt makes one request. It reports whether parts of it were emitted.
func (m *Model) attempt(ctx context.Context, req *llm.Fitted, wish wishes, yield func(llm.Part, error) bool) (began bool, err error) {
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := watchdog.New(cancel)
	defer w.Stop()

	resp, err := m.send(callCtx, w, m.body(req.Request, wish))
	if err != nil {
		return false, m.failure(ctx, w, err)
	}
	defer resp.Body.Close()
	body := &guardedBody{body: resp.Body, dog: w, left: m.cfg.MaxBody}
	if resp.StatusCode != http.StatusOK {
		w.Phase(watchdog.ErrorText, min(m.cfg.IdleTimeout, errorBodyTimeout))
		return false, m.statusError(resp, body, req)
	}
	w.Phase(watchdog.First, m.cfg.FirstContentTimeout)
	s := m.newStream(ctx, req, w, yield)
	if err := s.run(resp.Header, body); err != nil {
		err = m.failure(ctx, w, err)
		s.drain(body)
		return s.began, err
	}
	s.drain(body)
	return s.began, nil
}

func (m *Model) newStream(ctx context.Context, req *llm.Fitted, w *watchdog.Watchdog, yield func(llm.Part, error) bool) *stream {
	s := &stream{ctx: ctx, model: m, req: req, dog: w, yield: yield}
	if m.cfg.Responses {
		s.answer = &responses{stream: s}
		return s
	}
	c := &chat{stream: s}
	c.chunk.keepDetails = m.cfg.Provider == "openrouter"
	s.answer = c
	return s
}

// body is the request's.
func (m *Model) body(req *llm.Request, wish wishes) []byte {
	if m.cfg.Responses {
		return m.encodeResponses(req, wish)
	}
	return m.encode(req, wish)
}

// send posts the request and waits for the headers of the response.
func (m *Model) send(ctx context.Context, w *watchdog.Watchdog, body []byte) (*http.Response, error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
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
		post.Header.Set("Authorization", "Bearer "+m.cfg.APIKey)
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
