package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

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
	retryFor time.Duration
	out      *emitter
	trace    *trace
	meter    meter
	usage    ledger // of all calls
}

// ask makes a model call and retries it if that can help. It only retries while the step has
// emitted nothing: what the client has seen is never replaced. input is the estimated size of the
// prompt in tokens.
func (a *asker) ask(ctx context.Context, l *listener, req *llm.Request, input int) (*step, error) {
	start := time.Now()
	for attempt := 1; ; attempt++ {
		s := &step{listener: l}
		if err := a.meter.hold(ctx, input); err != nil {
			return s, err
		}
		err := s.listen(a.trace.stream(req, attempt, a.model.Stream(ctx, req)))
		a.usage.add(s.usage)
		a.meter.settle(ctx, input, s.usage, s.size, err)
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
	b := append([]byte(nil), `{"attempt":`...)
	b = strconv.AppendInt(b, int64(attempt), 10)
	b = append(b, `,"waitSeconds":`...)
	b = strconv.AppendFloat(b, wait.Round(100*time.Millisecond).Seconds(), 'f', -1, 64)
	b = append(b, `,"reason":`...)
	b = jsonx.AppendString(b, string(kind))
	if err := a.out.Emit(&agui.Custom{Name: "retrying", Value: append(b, '}')}); err != nil {
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

// silently makes a model call without showing its text to the user.
func silently(ctx context.Context, model llm.Model, req *llm.Request) (text string, used ledger, err error) {
	var b strings.Builder
	finished := false
	for p, err := range model.Stream(ctx, req) {
		if err != nil {
			return "", used, err
		}
		switch p.Kind {
		case llm.TextDelta:
			if b.Len() < maxStepBytes {
				b.WriteString(p.Delta)
			}
		case llm.UsagePart:
			used.take(&p)
		case llm.FinishPart:
			finished = true
		}
	}
	if !finished {
		return "", used, errors.New("the model's answer ended without saying that it was complete")
	}
	return strings.TrimSpace(b.String()), used, nil
}
