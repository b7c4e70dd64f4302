package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// How long a failed model goes to the end of the order, unless the provider says how long to leave
// it alone.
const (
	restAfterFailure = 30 * time.Second
	restAfterRefusal = 5 * time.Minute // a refused key usually stays refused
	longestRest      = 15 * time.Minute
)

// Fallback returns a model that asks the first model and, if that fails before it has emitted
// anything, the next in order, without waiting. The call fails only when all have failed;
// RetryAfter is then the shortest requested.
//
// It asks another model after auth, rate_limited, overloaded, stalled, network, protocol and
// bad_request (a retired model, a schema that one provider refuses). After context_full it only
// asks models with a larger or unknown window. output_limit and cancelled end the call, as does any
// failure after the first part: what a user has seen is not repeated.
//
// A model with a lasting failure goes to the end of the order for a while (30 s; 5 min for a
// refused key), so that not every call waits for it. If a provider asks to wait (RetryAfter, at
// most 15 min), it is not asked before that time is over.
//
// Info is the first model's, with only the abilities that all share and the smallest known context
// window. A UsagePart of a model other than the first names it in Part.Model; Answerers has its
// prices. Every switch is logged to log as a warning; a nil log means slog.Default(). A scripted
// model in rest is an error: it cannot replace a real one.
func Fallback(log *slog.Logger, first Model, rest ...Model) (Model, error) {
	if first == nil {
		return nil, errors.New("llm: fallback: the first model is nil")
	}
	for i, m := range rest {
		if m == nil {
			return nil, fmt.Errorf("llm: fallback of %s: model %d is nil", first.Info().Name(), i+1)
		}
		if m.Info().Scripted {
			return nil, fmt.Errorf("llm: fallback of %s: %s plays a script and can't stand in for a model",
				first.Info().Name(), m.Info().Name())
		}
	}
	if len(rest) == 0 {
		return first, nil
	}
	f := &fallback{log: cmp.Or(log, slog.Default())}
	for _, m := range append([]Model{first}, rest...) {
		f.members = append(f.members, &member{model: m, info: m.Info()})
	}
	return f, nil
}

// shared returns the Info that holds whichever of two models answers: the first one's, with only
// the abilities that both have.
func (i Info) shared(other Info) Info {
	// What a model in reserve refuses is left out when it is asked.
	i.Tools = i.Tools && (other.Tools || other.ToolsRefused)
	i.ParallelTools = i.ParallelTools && other.ParallelTools
	i.Images = i.Images && other.Images
	i.PDF = i.PDF && other.PDF
	i.Audio = i.Audio && other.Audio
	i.Video = i.Video && other.Video
	i.Reasoning = i.Reasoning && other.Reasoning
	i.StrictTools = i.StrictTools && other.StrictTools
	if other.ContextWindow > 0 && (i.ContextWindow == 0 || other.ContextWindow < i.ContextWindow) {
		i.ContextWindow, i.WindowAssumed = other.ContextWindow, other.WindowAssumed
	}
	if i.Payloads != other.Payloads {
		i.Payloads = PayloadMarker // every model can write text
	}
	return i
}

type fallback struct {
	members []*member
	log     *slog.Logger
}

// member is one model of a fallback and the outcome of its last call.
type member struct {
	model Model
	info  Info

	mu     sync.Mutex
	until  time.Time // end of the order until then
	asked  bool      // by request of the provider: not asked before until
	failed *Error    // why it rests
}

func (f *fallback) Info() Info {
	info := f.members[0].model.Info()
	for _, m := range f.members[1:] {
		info = info.shared(m.model.Info())
	}
	return info
}

// Learn implements Learner.
func (f *fallback) Learn(ctx context.Context) {
	for _, m := range f.members {
		if m.model.Info().WindowAssumed {
			Learn(ctx, m.model)
		}
	}
}

func (f *fallback) answerers() (infos []Info) {
	for _, m := range f.members {
		infos = append(infos, Answerers(m.model)...)
	}
	return infos
}

// Stream asks the models one after another until one begins to answer.
func (f *fallback) Stream(ctx context.Context, req *Request) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		c := &fallbackCall{of: f, yield: yield}
		if err := c.run(ctx, req); err != nil {
			yield(Part{}, err)
		}
	}
}

// fallbackCall is one call of a fallback.
type fallbackCall struct {
	of       *fallback
	yield    func(Part, error) bool
	failures []*Error
	overflow int // the window that was too small; 0 if none
}

// run returns the error that ends the stream, or nil.
func (c *fallbackCall) run(ctx context.Context, req *Request) error {
	var previous *member
	var failure *Error
	for _, m := range c.of.order() {
		if wait, why := m.resting(); why != nil {
			c.failures = append(c.failures, stillResting(why, wait))
			continue
		}
		if !c.fits(m) {
			continue
		}
		if previous != nil {
			c.of.logSwitch(ctx, previous, m, failure)
		}
		var err error
		if failure, err = c.ask(ctx, m, req); failure == nil {
			return err
		}
		c.failures = append(c.failures, failure)
		if failure.Kind == KindContextFull {
			c.overflow = max(c.overflow, m.window())
		}
		previous = m
	}
	return c.allFailed()
}

// order returns the members as configured, the resting ones last.
func (f *fallback) order() []*member {
	var ready, resting []*member
	now := time.Now()
	for _, m := range f.members {
		m.mu.Lock()
		rests := now.Before(m.until)
		m.mu.Unlock()
		if rests {
			resting = append(resting, m)
		} else {
			ready = append(ready, m)
		}
	}
	return append(ready, resting...)
}

// fits reports whether m may take a request that was too long for another model.
func (c *fallbackCall) fits(m *member) bool {
	return c.overflow == 0 || m.window() == 0 || m.window() > c.overflow
}

// window returns the current context window: a local model's is known only after its first call.
func (m *member) window() int { return m.model.Info().ContextWindow }

// ask makes one call of m. It returns a failure if another model may be asked, and otherwise the
// stream's error, if any.
func (c *fallbackCall) ask(ctx context.Context, m *member, req *Request) (failure *Error, err error) {
	began := false
	for part, err := range m.model.Stream(ctx, req) {
		if err != nil {
			return c.judge(ctx, m, began, err)
		}
		switch part.Kind {
		case Pause:
		case UsagePart:
			if part.Model = cmp.Or(part.Model, m.info.Name()); part.Model == c.of.members[0].info.Name() {
				part.Model = ""
			}
		default:
			if !began {
				m.recovered()
			}
			began = true
		}
		if !c.yield(part, nil) {
			return nil, nil
		}
	}
	return nil, nil
}

// judge reports whether another model may be asked after a failure, and rests the model.
func (c *fallbackCall) judge(ctx context.Context, m *member, began bool, err error) (*Error, error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || ctx.Err() != nil {
		return nil, err
	}
	switch e.Kind {
	case KindAuth, KindRateLimited, KindOverloaded, KindStalled, KindNetwork, KindProtocol:
		m.rest(e)
	case KindBadRequest, KindContextFull: // the fault of this request
	default:
		return nil, err
	}
	if began {
		return nil, err
	}
	return e, nil
}

// rest leaves the model alone for a while.
func (m *member) rest(why *Error) {
	d := restAfterFailure
	if why.Kind == KindAuth {
		d = restAfterRefusal
	}
	if why.RetryAfter > 0 {
		d = min(why.RetryAfter, longestRest)
	}
	m.mu.Lock()
	m.until, m.asked, m.failed = time.Now().Add(d), why.RetryAfter > 0, why
	m.mu.Unlock()
}

func (m *member) recovered() {
	m.mu.Lock()
	m.until, m.failed = time.Time{}, nil
	m.mu.Unlock()
}

// resting returns why and how long a model may not be asked, or nil if it may.
func (m *member) resting() (time.Duration, *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wait := time.Until(m.until)
	if !m.asked || wait <= 0 {
		return 0, nil
	}
	return wait, m.failed
}

// stillResting returns the failure of a resting model.
func stillResting(why *Error, wait time.Duration) *Error {
	again := *why
	again.RetryAfter = wait
	return &again
}

func (f *fallback) logSwitch(ctx context.Context, from, to *member, why *Error) {
	f.log.WarnContext(ctx, "a model failed before it answered: another is asked", "from", from.info.Name(), "to", to.info.Name(),
		"kind", string(why.Kind), "status", why.Status, "reason", why.Message, "detail", why.Err)
}

// allFailed returns the error of a call that no model answered. It picks the most useful kind: a
// shorter conversation helps immediately, waiting helps later.
func (c *fallbackCall) allFailed() *Error {
	best := c.failures[0]
	for _, e := range c.failures[1:] {
		if better(e, best) {
			best = e
		}
	}
	out := &Error{Kind: best.Kind, Model: c.of.members[0].info.Name(), Status: best.Status, RetryAfter: best.RetryAfter}
	var words []string
	var causes []error
	for _, e := range c.failures {
		words = append(words, e.Error())
		causes = append(causes, e)
	}
	out.Message = "no model answered: " + strings.Join(words, "; ")
	out.Err = errors.Join(causes...)
	return out
}

func better(a, b *Error) bool {
	if a.Kind == KindContextFull || b.Kind == KindContextFull {
		return b.Kind != KindContextFull
	}
	if a.Retryable() != b.Retryable() {
		return a.Retryable()
	}
	return a.Retryable() && a.RetryAfter < b.RetryAfter
}
