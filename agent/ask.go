package agent

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// Waits between attempts if the provider does not give one: doubling from the first to the longest,
// with jitter.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// asker makes the model calls of a run.
type asker struct {
	model    llm.Model
	effort   string // as of usage.Spending
	retryFor time.Duration
	out      *emitter
	trace    *trace
	meter    usage.Meter
	usage    usage.Ledger         // of all calls
	spent    func(usage.Spending) // Input.Spent; may be nil
}

// ask makes a model call and retries it if that can help. It only retries while the step has
// emitted nothing: what the client has seen is never replaced. input is the estimated size of the
// prompt in tokens.
func (a *asker) ask(ctx context.Context, l *listener, req *llm.Request, input int) (*step, error) {
	start := time.Now()
	for attempt := 1; ; attempt++ {
		s := newStep(l)
		if err := a.meter.Hold(ctx, input); err != nil {
			return s, err
		}
		err := s.listen(a.trace.ask(ctx, a.model, ModelTrace{Request: req, Attempt: attempt}))
		a.count(ctx, input, s.usage, s.size, err)
		if err == nil || s.begun() || ctx.Err() != nil {
			return s, err
		}
		failure, ok := errors.AsType[*llm.Error](err)
		if !ok || !failure.Retryable() {
			return s, err
		}
		wait := waitBefore(attempt, failure.RetryAfter)
		if time.Since(start)+wait > a.retryFor {
			return s, err
		}
		if err := a.announceRetry(attempt, failure.Kind, wait); err != nil {
			return s, err
		}
		if err := sleep(ctx, wait); err != nil {
			return s, err
		}
	}
}

// count records what a call used, or an estimate of it, and tells the caller of the run before the
// events that end the step: whoever has those has what it used.
func (a *asker) count(ctx context.Context, input int, used usage.Ledger, heard int, err error) {
	a.usage.Add(used)
	a.meter.Settle(ctx, input, used, heard, err)
	if a.spent != nil && !used.IsEmpty() {
		a.spent(a.spending())
	}
}

// spending returns what all calls have used so far.
func (a *asker) spending() usage.Spending {
	s := a.usage.Total(a.model)
	s.Effort = a.effort
	return s
}

// waitBefore returns how long to wait after a failed attempt: exactly what the provider asks for,
// if it does.
func waitBefore(attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	wait := min(firstWait<<min(attempt-1, 10), longestWait)
	return wait/2 + rand.N(wait/2+1)
}

// announceRetry tells the client about a wait as {attempt, waitSeconds, reason}: the attempt that
// failed and its llm.ErrorKind. It is not part of the answer.
func (a *asker) announceRetry(attempt int, kind llm.ErrorKind, wait time.Duration) error {
	value := jsonx.Marshal(struct {
		Attempt     int     `json:"attempt"`
		WaitSeconds float64 `json:"waitSeconds"`
		Reason      string  `json:"reason"`
	}{attempt, wait.Round(100 * time.Millisecond).Seconds(), string(kind)})
	if err := a.out.Emit(&agui.Custom{Name: "retrying", Value: value}); err != nil {
		return err
	}
	return a.out.Flush()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// silently reads a model's answer without showing its text to the user. An answer that calls a tool
// is an error.
func silently(parts iter.Seq2[llm.Part, error]) (text string, used usage.Ledger, err error) {
	var b strings.Builder
	finished, called := false, false
	for p, err := range parts {
		if err != nil {
			return "", used, err
		}
		switch p.Kind {
		case llm.TextDelta:
			if b.Len() < maxStepBytes {
				b.WriteString(p.Delta)
			}
		case llm.ToolStart:
			called = true
		case llm.UsagePart:
			used.Take(&p)
		case llm.FinishPart:
			finished = true
		}
	}
	switch {
	case !finished:
		return "", used, errors.New("the model's answer ended without saying that it was complete")
	case called: // what it wrote before is no answer
		return "", used, errors.New("the model called a tool instead of answering")
	}
	return strings.TrimSpace(b.String()), used, nil
}
