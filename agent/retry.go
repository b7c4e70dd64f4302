package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// The waits between attempts where the provider does not say how long: doubling from the first to
// the longest, with jitter.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
)

// ask makes a model call, again where that can help. It is only repeated while nothing of the turn
// was emitted: what the client has seen is never silently said anew.
func (r *run) ask(ctx context.Context, req *llm.Request) (*turn, error) {
	start := time.Now()
	for attempt := 1; ; attempt++ {
		t := &turn{run: r}
		err := t.listen(r.traced(req, attempt, r.agent.Model.Stream(ctx, req)))
		r.usage.add(t.usage)
		if err == nil || t.begun() || ctx.Err() != nil {
			return t, err
		}
		failure, ok := errors.AsType[*llm.Error](err)
		if !ok || !failure.Retryable() {
			return t, err
		}
		wait := waitBefore(attempt, failure.RetryAfter)
		if time.Since(start)+wait > r.agent.retryFor() {
			return t, err
		}
		if err := r.announceRetry(attempt, failure.Kind, wait); err != nil {
			return t, err
		}
		if err := sleep(ctx, wait); err != nil {
			return t, err
		}
	}
}

// waitBefore returns how long to wait after a failed attempt. What the provider asks for is kept to
// the letter.
func waitBefore(attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	wait := min(firstWait<<min(attempt-1, 10), longestWait)
	return wait/2 + rand.N(wait/2+1)
}

// announceRetry tells the user that there is a wait, and why: {attempt, waitSeconds, reason}, the
// attempt being the one that failed and the reason an llm.ErrorKind. It is not part of the answer.
func (r *run) announceRetry(attempt int, kind llm.ErrorKind, wait time.Duration) error {
	b := append([]byte(nil), `{"attempt":`...)
	b = strconv.AppendInt(b, int64(attempt), 10)
	b = append(b, `,"waitSeconds":`...)
	b = strconv.AppendFloat(b, wait.Round(100*time.Millisecond).Seconds(), 'f', -1, 64)
	b = append(b, `,"reason":`...)
	b = jsonx.AppendString(b, string(kind))
	if err := r.out.Emit(&agui.Custom{Name: "retrying", Value: append(b, '}')}); err != nil {
		return err
	}
	return r.out.Flush()
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

// modelError is for what the model's stream got wrong.
func (r *run) modelError(kind llm.ErrorKind, message string) error {
	return &llm.Error{Kind: kind, Model: r.model.Name(), Message: message}
}
