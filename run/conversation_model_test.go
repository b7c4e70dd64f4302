package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// A step of a model, as a conversation tells it, is made of parts with "; " between them.
//
//	says one |two        text, of which each piece is flushed
//	drawls one two       each word after a second, or just before it
//	calls pay {} look {}  with the ids c1, c2; those of the next step are d1 …
//	uses 1000 100        tokens of input and output
//	waits 2s             unless it is cancelled
//	ignores 2s           the same, whatever its context says
//	hangs                until it is cancelled
//	fails overloaded it broke
//	fails with account_suspended Your account is suspended.
//	panics; dies         the latter with its process
//	fenced run1          when all is said, another process takes the run over
//	ends cut|filtered    its last part; else it ends as it should
type part func(ctx context.Context, yield func(llm.Part, error) bool) (goesOn bool)

// step reads a step.
func (c *conversation) step(text string) step {
	var parts, last []part
	finish := llm.FinishStop
	for words := range strings.SplitSeq(text, "; ") {
		verb, rest, _ := strings.Cut(words, " ")
		if verb == "ends" {
			finish = cmp.Or(map[string]llm.Finish{"cut": llm.FinishLength, "filtered": llm.FinishFilter}[rest], finish)
			continue
		}
		switch verb {
		case "calls":
			finish = llm.FinishTools
		case "fenced":
			last = append(last, c.part(verb, rest))
			continue
		}
		parts = append(parts, c.part(verb, rest))
	}
	return stepOf(slices.Concat(parts, []part{ends(finish)}, last)...)
}

// stepOf is a step of parts, until one of them does not go on.
func stepOf(parts ...part) step {
	return func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		for _, p := range parts {
			if !p(ctx, yield) {
				return
			}
		}
	}
}

// drawl is less than a second, so that no word comes in the instant in which something else is due:
// which of the two would be first is chance.
const drawl = 990 * time.Millisecond

func (c *conversation) part(verb, rest string) part {
	switch verb {
	case "says":
		return spoken(strings.SplitAfter(rest, "|"), 0)
	case "drawls":
		return spoken(strings.SplitAfter(rest, " "), drawl)
	case "calls":
		return c.called(rest)
	case "uses":
		input, output, _ := strings.Cut(rest, " ")
		return sent(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: number(input), Output: number(output)}})
	case "waits":
		return idle(must.Get(time.ParseDuration(rest))(c.t), true)
	case "ignores":
		return idle(must.Get(time.ParseDuration(rest))(c.t), false)
	case "hangs":
		return idle(1000*time.Hour, true)
	case "fails":
		return failed(rest)
	case "fenced":
		return func(ctx context.Context, _ func(llm.Part, error) bool) bool {
			_, err := c.disk.TakeOver(ctx, ada, rest)
			return err == nil
		}
	case "panics":
		return func(context.Context, func(llm.Part, error) bool) bool { panic("the model is broken") }
	case "dies":
		return func(context.Context, func(llm.Part, error) bool) bool { c.process.Die(); return false }
	}
	c.t.Fatalf("a model cannot %q", verb)
	return nil
}

func number(s string) *int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return &n
}

func sent(parts ...llm.Part) part {
	return func(_ context.Context, yield func(llm.Part, error) bool) bool {
		for _, p := range parts {
			if !yield(p, nil) {
				return false
			}
		}
		return true
	}
}

func ends(finish llm.Finish) part { return sent(llm.Part{Kind: llm.FinishPart, Finish: finish}) }

// toolCall is the nth call of a step, whose id begins with letters.
func toolCall(letters string, n int, name, args string) []llm.Part {
	return []llm.Part{
		{Kind: llm.ToolStart, Index: n, ID: fmt.Sprint(letters, n), Name: name},
		{Kind: llm.ToolArgs, Index: n, Delta: args}, {Kind: llm.ToolEnd, Index: n},
	}
}

func spoken(pieces []string, each time.Duration) part {
	return func(ctx context.Context, yield func(llm.Part, error) bool) bool {
		for _, piece := range pieces {
			text := llm.Part{Kind: llm.TextDelta, Delta: strings.ReplaceAll(strings.TrimSuffix(piece, "|"), `\n`, "\n")}
			if !idle(each, true)(ctx, yield) || !sent(text, llm.Part{Kind: llm.Pause})(ctx, yield) {
				return false
			}
		}
		return true
	}
}

// called reads names and arguments in turn.
func (c *conversation) called(rest string) part {
	var parts []llm.Part
	letter := string(rune('c' + c.callStep))
	c.callStep++
	for n := 1; rest != ""; n++ {
		name, args, _ := strings.Cut(rest, " ")
		dec := json.NewDecoder(strings.NewReader(args))
		var raw json.RawMessage
		must.Do(c.t, dec.Decode(&raw))
		rest = strings.TrimSpace(args[dec.InputOffset():])
		parts = append(parts, toolCall(letter, n, name, string(raw))...)
	}
	return sent(parts...)
}

func idle(d time.Duration, heeds bool) part {
	return func(ctx context.Context, yield func(llm.Part, error) bool) bool {
		if !heeds {
			time.Sleep(d)
			return true
		}
		if d == 0 {
			return true
		}
		select {
		case <-time.After(d):
			return true
		case <-ctx.Done():
			yield(llm.Part{}, &llm.Error{Kind: llm.KindCancelled, Model: "fake/model", Message: "cancelled", Err: context.Cause(ctx)})
			return false
		}
	}
}

// publicError is an error whose words are for the user.
func publicError(code, words string) error {
	return fmt.Errorf("ask the service at 10.0.0.7: %w", &llm.PublicError{Code: code, Message: words})
}

func failed(rest string) part {
	kind, message, _ := strings.Cut(strings.ReplaceAll(rest, `\n`, "\n"), " ")
	err := error(&llm.Error{Kind: llm.ErrorKind(kind), Model: "fake/model", Message: message})
	switch kind {
	case "plainly":
		err = errors.New(message)
	case "with":
		code, words, _ := strings.Cut(message, " ")
		err = publicError(code, words)
	}
	return func(_ context.Context, yield func(llm.Part, error) bool) bool { yield(llm.Part{}, err); return false }
}
