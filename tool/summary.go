package tool

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/pageside/pageside/internal/lazy"
)

// summaryTimeout bounds how long a Summary may take, maxSummary how long its text may be, in code
// points.
const (
	summaryTimeout = 30 * time.Second
	maxSummary     = 2000
)

// Summarize returns what a call of a tool that came from a Registry would do, or "" where its
// policy has no Summary. The error says why the call cannot be done. Where Summary panics or takes
// longer than thirty seconds, the text is empty and the log says so: the user is asked all the
// same.
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
	if result := Execute(ctx, asks, call, nil); HasErrorCode(result.Text, CodeTimeout) {
		call.Logger().WarnContext(ctx, "a tool did not say in time what its call would do: who is asked sees the arguments alone",
			"tool", t.Name, "toolCallId", call.ID)
	}
	select {
	case a := <-answers:
		return a.text, a.refused
	default:
		return "", nil
	}
}

// Purpose returns the first sentence of the description, for the person who decides about a call
// where the tool has no Summary. It is "" where somebody wrote it whom nobody has approved: it
// would speak for its own call.
func (t *Tool) Purpose() string {
	if t.Foreign {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
	if sentence := firstSentence().FindStringSubmatch(line); sentence != nil {
		line = sentence[1]
	}
	return shortened(line)
}

// firstSentence ends where no small letter follows: "e.g. orders" goes on.
var firstSentence = lazy.Regexp(`^(.+?[.!?])\s+\P{Ll}`)

func shortened(text string) string {
	runes := []rune(strings.TrimSpace(strings.Map(plain, strings.ToValidUTF8(text, "\uFFFD"))))
	if len(runes) > maxSummary {
		return string(runes[:maxSummary]) + "…"
	}
	return string(runes)
}

// plain returns what is shown of a character. Names in a summary come from models and pages, and
// must not reverse, hide or break the text around them. Line breaks are kept.
func plain(r rune) rune {
	const nonJoiner, joiner = '\u200C', '\u200D' // of words and emoji
	switch {
	case r == '\n', r == nonJoiner, r == joiner:
		return r
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
