// Package suggest asks a model what a user might want to ask next.
//
//	s := suggest.New(suggest.Config{Model: small})
//	answer, err := s.Suggest(ctx, owner, suggest.Request{Context: items})
//
// The same question about the same context is asked once: answers are cached, and requests that
// arrive meanwhile wait for the answer. The rate at which an owner has answers made is limited.
// What a model says is untrusted: suggestions are cut down to short plain text, and only a user's
// click sends one.
package suggest

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run/refusal"
)

// Config is what a Suggester works with. Zero values mean the defaults.
type Config struct {
	Model    llm.Model
	Timeout  time.Duration // of a model call; default 10 s
	KeepFor  time.Duration // how long an answer is cached; default 10 min
	Keep     int           // answers that are cached; default 1,000
	Every    time.Duration // an owner may have one more answer made after this time; default 2 s
	Burst    int           // and so many at once; default 10
	Contexts int           // budget of the context in tokens, estimated; default 1,500
	Logger   *slog.Logger  // default slog.Default()
}

// Request says what to suggest.
type Request struct {
	Instructions string
	Context      []page.Item
	Max          int          // how many, 1 to MaxSuggestions; 0 means 3
	Budget       limit.Budget // of the model call, if one is needed; may be nil
}

// MaxSuggestions is how many suggestions a request may ask for.
const MaxSuggestions = 8

// Where an answer came from.
const (
	FromModel = "model"
	FromCache = "cache"
)

// Answer is what was suggested.
type Answer struct {
	Suggestions []page.Suggestion
	Source      string // FromModel or FromCache
}

// Suggester makes suggestions. It is safe for concurrent use.
type Suggester struct {
	cfg       Config
	estimates usage.Estimates

	mu      sync.Mutex
	answers *lru.LRU[key, *entry]
	made    *lru.LRU[key, string]  // what was suggested, with its owner: see Made
	buckets *limit.Buckets[string] // by owner
}

type key [sha256.Size]byte

// entry is one answer, perhaps still being made.
type entry struct {
	ready       chan struct{}
	owner       string
	forgotten   bool // by Forget
	suggestions []page.Suggestion
	err         error
	until       time.Time
}

// New returns a suggester. Config.Model is required.
func New(cfg Config) *Suggester {
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	cfg.KeepFor = cmp.Or(cfg.KeepFor, 10*time.Minute)
	cfg.Keep = cmp.Or(cfg.Keep, 1000)
	cfg.Every = cmp.Or(cfg.Every, 2*time.Second)
	cfg.Burst = cmp.Or(cfg.Burst, 10)
	cfg.Contexts = cmp.Or(cfg.Contexts, 1500)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	s := &Suggester{cfg: cfg, buckets: limit.NewBuckets[string](maxBuckets)}
	s.answers, _ = lru.NewLRU[key, *entry](cfg.Keep, nil) // fails for no size only
	s.made, _ = lru.NewLRU[key, string](10*cfg.Keep, nil)
	return s
}

// Suggest answers a request of an owner. It fails with a *refusal.Error if the owner
// has had too many made, with ctx's error, or with what the model failed with.
func (s *Suggester) Suggest(ctx context.Context, owner string, req Request) (Answer, error) {
	req.Max = min(cmp.Or(max(req.Max, 0), 3), MaxSuggestions)
	e, mine, err := s.claim(keyOf(owner, req), owner)
	if err != nil {
		return Answer{}, err
	}
	source := FromCache
	if mine {
		source = FromModel
		// Others may wait for it: it is made whether this request stays or not.
		go s.make(context.WithoutCancel(ctx), e, req)
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	return Answer{e.suggestions, source}, e.err
}

// claim returns the entry of a key. mine is true for the one who has to make it.
func (s *Suggester) claim(k key, owner string) (e *entry, mine bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if e, known := s.answers.Peek(k); known && (e.until.IsZero() || now.Before(e.until)) {
		return e, false, nil
	}
	if wait := s.buckets.Take(owner, limit.Rate{
		PerSecond: 1 / s.cfg.Every.Seconds(), Burst: s.cfg.Burst,
	}, now); wait > 0 {
		return nil, false, &refusal.Error{
			Code: refusal.RateLimited, Retry: wait,
			Message: "too many suggestions were asked for: try again in a moment",
		}
	}
	e = &entry{ready: make(chan struct{}), owner: owner}
	s.answers.Add(k, e)
	return e, true, nil
}

// maxBuckets bounds how many owners are told apart at a time.
const maxBuckets = 10_000

func (s *Suggester) make(ctx context.Context, e *entry, req Request) {
	ctx, stop := context.WithTimeout(ctx, s.cfg.Timeout)
	defer stop()
	suggestions, err := []page.Suggestion(nil), errPanic // where the model panics
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		e.suggestions, e.err, e.until = suggestions, err, time.Now().Add(s.cfg.KeepFor)
		if err != nil {
			e.until = time.Now() // the next request asks again
		}
		close(e.ready)
	}()
	defer guard.Log(s.cfg.Logger, "a model panicked while it was asked for suggestions")
	suggestions, err = s.ask(ctx, req)
	s.remember(e, suggestions)
}

// remember notes what an entry suggests to its owner, for ten times as many suggestions as answers
// are kept.
func (s *Suggester) remember(e *entry, suggestions []page.Suggestion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.forgotten {
		return
	}
	for _, each := range suggestions {
		s.made.Add(madeKey(e.owner, each.Value), e.owner)
	}
}

// Made reports whether this text was suggested to an owner. It forgets the oldest suggestions, and
// all of them at a restart. Blanks do not count.
func (s *Suggester) Made(owner, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made.Len() > 0 && s.made.Contains(madeKey(owner, text))
}

func madeKey(owner, text string) key {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q", owner, strings.Join(strings.Fields(text), " ")))
}

var errPanic = errors.New("the model failed unexpectedly")

// keyOf hashes what an answer depends on. Owners do not share answers, because an answer reveals
// what its owner has on screen.
func keyOf(owner string, req Request) (k key) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %q\n", owner, req.Max, req.Instructions)
	for _, it := range req.Context {
		fmt.Fprintf(h, "%q %q\n", it.Description, it.Value)
	}
	h.Sum(k[:0])
	return k
}

const instructions = "You suggest what the user of a web application might want to ask its assistant next. " +
	"Answer with a JSON array only: [{\"label\": \"at most 40 characters, shown on a button\", \"value\": \"the message it sends, as the user would write it\"}]. " +
	"Write in the language of the instructions."

// ask makes one model call.
func (s *Suggester) ask(ctx context.Context, req Request) ([]page.Suggestion, error) {
	question := fmt.Sprintf("Suggest %d messages.\n%s", req.Max, req.Instructions)
	content := []llm.Content{llm.Text{Text: question}}
	if block := page.RenderContext(req.Context, strings.ToLower(rand.Text()), s.cfg.Contexts); block != "" {
		content = append([]llm.Content{llm.Text{Text: block}}, content...)
	}
	text, err := s.paid(ctx, req.Budget, &llm.Request{
		System:   []llm.Block{{Text: instructions}, {Text: page.ContextNotice, Cache: true}},
		Messages: []llm.Message{{Role: llm.RoleUser, Content: content}},
		Choice:   llm.ChoiceNone, MaxTokens: maxTokens, Effort: "low",
	})
	if err != nil {
		return nil, fmt.Errorf("ask for suggestions: %w", err)
	}
	return parse(text, req.Max)
}

// maxTokens limits an answer. Most of it is for models that reason: their thoughts count.
const maxTokens = 4096

// maxAnswer is how much of a model's answer is read, in bytes.
const maxAnswer = 16 << 10
