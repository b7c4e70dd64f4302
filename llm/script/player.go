package script

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
)

// errStopped means that the consumer has left the loop.
var errStopped = errors.New("stopped")

const argsPiece = 24 // default characters of arguments per delta

// player streams one step. Once something has failed, nothing more is streamed.
type player struct {
	ctx        context.Context
	model      string
	pace       time.Duration
	yield      func(llm.Part, error) bool
	callPrefix string

	timer *time.Timer
	begun bool // something was streamed: the next delta waits
	index int  // the next content block
	err   error
}

// step plays a step from its reasoning to its finish.
func (p *player) step(s *step, d *data) {
	if s.Delay != nil {
		p.pace = time.Duration(*s.Delay)
	}
	if s.Error != nil && !s.Error.AfterText {
		p.fail(s.Error.of(p.model))
	}
	p.block(llm.ReasoningDelta, s.Reasoning, int(s.Chunk), d)
	p.block(llm.TextDelta, s.Text, int(s.Chunk), d)
	if s.Error != nil {
		p.fail(s.Error.of(p.model))
	}
	p.finish(s, p.calls(s, d))
}

// block streams one template's text.
func (p *player) block(kind llm.PartKind, t *text, chunk int, d *data) {
	rendered, err := t.render(d)
	p.fail(err)
	rendered = strings.ToValidUTF8(strings.TrimSpace(rendered), "\uFFFD")
	if rendered == "" {
		return
	}
	parts := slices.Values(word().FindAllString(rendered, -1))
	if chunk > 0 {
		parts = pieces(rendered, chunk)
	}
	p.deltas(kind, parts)
	p.index++
}

// word is one as a model streams it: with the space that follows.
var word = lazy.Regexp(`\s*\S+\s*`)

// pieces cuts text into pieces of n characters.
func pieces(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for piece := range slices.Chunk([]rune(text), n) {
			if !yield(string(piece)) {
				return
			}
		}
	}
}

func (p *player) deltas(kind llm.PartKind, parts iter.Seq[string]) {
	for delta := range parts {
		p.wait()
		p.emit(llm.Part{Kind: kind, Index: p.index, Delta: delta})
	}
}

// calls streams the step's tool calls and returns how many it made.
func (p *player) calls(s *step, d *data) (made int) {
	for _, c := range s.Calls {
		items, err := c.items(d)
		p.fail(err)
		for _, d.Each = range items {
			p.call(c, s, d)
			made++
		}
	}
	return made
}

// items are what a call is made for: one, nil, where it has no each.
func (c *call) items(d *data) ([]any, error) {
	wanted, err := c.When.renderTrue(d)
	if err != nil || !wanted {
		return nil, err
	}
	if c.Each == nil {
		return []any{nil}, nil
	}
	list, err := c.Each.render(d)
	if err != nil {
		return nil, err
	}
	items, ok := decode(list).([]any)
	if !ok {
		return nil, fmt.Errorf("each of the tool %s is no list in JSON: %s", c.Tool, list)
	}
	return items, nil
}

func (p *player) call(c *call, s *step, d *data) {
	args, err := c.arguments(d)
	p.fail(err)
	id := p.callPrefix + strings.ToLower(rand.Text()[:10])
	p.emit(llm.Part{Kind: llm.ToolStart, Index: p.index, ID: id, Name: c.Tool})
	p.deltas(llm.ToolArgs, pieces(args, cmp.Or(int(s.Chunk), argsPiece)))
	if s.Finish != llm.FinishLength {
		p.emit(llm.Part{Kind: llm.ToolEnd, Index: p.index})
	}
	p.index++
}

// arguments renders a call's arguments as a model would write them.
func (c *call) arguments(d *data) (string, error) {
	if c.RawArgs != nil {
		return c.RawArgs.render(d)
	}
	if c.Args.argument == nil {
		return "{}", nil
	}
	args, err := c.Args.appendJSON(nil, d)
	return string(args), err
}

func (p *player) finish(s *step, calls int) {
	if s.Usage != nil {
		p.emit(llm.Part{Kind: llm.UsagePart, Usage: s.Usage})
	}
	finish := llm.FinishStop
	if calls > 0 {
		finish = llm.FinishTools
	}
	p.emit(llm.Part{Kind: llm.FinishPart, Finish: cmp.Or(s.Finish, finish)})
}

func (p *player) emit(part llm.Part) {
	p.fail(p.ctx.Err())
	if p.err == nil && !p.yield(part, nil) {
		p.err = errStopped
	}
	p.begun = true
}

// wait waits for the pace before the next delta, after a Pause.
func (p *player) wait() {
	if p.pace <= 0 || !p.begun {
		return
	}
	p.emit(llm.Part{Kind: llm.Pause})
	if p.err != nil {
		return
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.pace)
	} else {
		p.timer.Reset(p.pace)
	}
	select {
	case <-p.timer.C:
	case <-p.ctx.Done():
		p.timer.Stop()
	}
}

// fail notes why the step cannot go on. The first reason counts.
func (p *player) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// of returns the error of a model.
func (f *failure) of(model string) error {
	if f.Code != "" {
		return &llm.PublicError{Code: f.Code, Message: f.Message}
	}
	return &llm.Error{
		Kind: f.Kind, Model: model, Message: f.Message, Status: f.Status, RetryAfter: time.Duration(f.RetryAfter),
	}
}

// asError wraps every error in an *llm.Error, unless it is for the user.
func (p *player) asError(err error) error {
	if e, ok := errors.AsType[*llm.PublicError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	if p.ctx.Err() != nil {
		return &llm.Error{
			Kind: llm.KindCancelled, Model: p.model, Message: "the call was cancelled",
			Err: context.Cause(p.ctx),
		}
	}
	return &llm.Error{
		Kind: llm.KindProtocol, Model: p.model, Message: "the script cannot go on: " + err.Error(), Err: err,
	}
}
