package tool

import (
	"context"
	"strings"
	"time"
)

// summaryTimeout bounds how long a run looks for what it should ask; maxSummary how much it asks, in code points.
const (
	summaryTimeout = 30 * time.Second
	maxSummary     = 2000
)

// Summarize says what a call of a tool that came from a Registry would do, "" where its policy has no Summary. The error is why the call
// cannot be done. A Summary that takes longer than thirty seconds or panics says nothing: the question is asked all the same.
func Summarize(ctx context.Context, t *Tool, call Call) (string, *Error) {
	if t.Policy.Summary == nil {
		return "", nil
	}
	type answer struct {
		text    string
		refused *Error
	}
	answers := make(chan answer, 1)
	asks := &Tool{Name: t.Name, running: t.running, Policy: Policy{Timeout: summaryTimeout}}
	asks.Handler = func(ctx context.Context, call *Call) (Result, error) {
		text, err := t.Policy.Summary(ctx, call)
		switch {
		case err == nil:
			answers <- answer{text: shortened(text)}
		case ctx.Err() == nil:
			answers <- answer{refused: asError(err)}
		}
		return Result{}, nil
	}
	Execute(ctx, asks, call, nil)
	select {
	case a := <-answers:
		return a.text, a.refused
	default:
		return "", nil
	}
}

func shortened(text string) string {
	runes := []rune(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if len(runes) > maxSummary {
		return string(runes[:maxSummary]) + "…"
	}
	return string(runes)
}
