package script

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/llm"
)

// errStopped means that the consumer has left the loop.
var errStopped = errors.New("stopped")

const argsPiece = 24 // default characters of arguments per delta

// player streams one step.
type player struct {
	ctx        context.Context
	model      string
	pace       time.Duration
	yield      func(llm.Part, error) bool
	callPrefix string

	timer *time.Timer
	begun bool // something was streamed: the next delta waits
	index int  // the next content block
}

// step plays a step from its reasoning to its finish.
func (p *player) step(s *step, d *data) error {
	if s.Delay != nil {
		p.pace = time.Duration(*s.Delay)
	}
	if s.Error != nil && !s.Error.AfterText {
		return p.fail(s.Error)
	}
	if err := p.block(llm.ReasoningDelta, s.Reasoning, int(s.Chunk), d); err != nil {
		return err
	}
	if err := p.block(llm.TextDelta, s.Text, int(s.Chunk), d); err != nil {
		return err
	}
	if s.Error != nil {
		return p.fail(s.Error)
	}
	made, err := p.calls(s, d)
	if err != nil {
		return err
	}
	return p.finish(s, made)
}

// block streams one template's text.
func (p *player) block(kind llm.PartKind, t *text, chunk int, d *data) error {
	rendered, err := t.render(d)
	if err != nil {
		return err
	}
	rendered = strings.ToValidUTF8(strings.TrimSpace(rendered), "\uFFFD")
	if rendered == "" {
		return nil
	}
	parts := slices.Values(word.FindAllString(rendered, -1))
	if chunk > 0 {
		parts = pieces(rendered, chunk)
	}
	err = p.deltas(kind, parts)
	p.index++
	return err
}

// word is one as a model streams it: with the space that follows.
var word = regexp.MustCompile(`\s*\S+\s*`)

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

func (p *player) deltas(kind llm.PartKind, parts iter.Seq[string]) error {
	for delta := range parts {
		if err := p.wait(); err != nil {
			return err
		}
		if err := p.emit(llm.Part{Kind: kind, Index: p.index, Delta: delta}); err != nil {
			return err
		}
	}
	return nil
}

// calls streams the step's tool calls and returns how many it made.
func (p *player) calls(s *step, d *data) (made int, err error) {
	for _, c := range s.Calls {
		items, err := c.items(d)
		if err != nil {
			return made, err
		}
		for _, d.Each = range items {
			if err := p.call(c, s, d); err != nil {
				return made, err
			}
			made++
		}
	}
	return made, nil
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

func (p *player) call(c *call, s *step, d *data) error {
	args, err := c.arguments(d)
	if err != nil {
		return err
	}
	id := p.callPrefix + strings.ToLower(rand.Text()[:10])
	if err := p.emit(llm.Part{Kind: llm.ToolStart, Index: p.index, ID: id, Name: c.Tool}); err != nil {
		return err
	}
	chunk := argsPiece
	if s.Chunk > 0 {
		chunk = int(s.Chunk)
	}
	if err := p.deltas(llm.ToolArgs, pieces(args, chunk)); err != nil {
		return err
	}
	if s.Finish != llm.FinishLength {
		if err := p.emit(llm.Part{Kind: llm.ToolEnd, Index: p.index}); err != nil {
			return err
		}
	}
	p.index++
	return nil
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

func (p *player) finish(s *step, calls int) error {
	if s.Usage != nil {
		if err := p.emit(llm.Part{Kind: llm.UsagePart, Usage: s.Usage}); err != nil {
			return err
		}
	}
	finish := s.Finish
	if finish == "" {
		finish = llm.FinishStop
		if calls > 0 {
			finish = llm.FinishTools
		}
	}
	return p.emit(llm.Part{Kind: llm.FinishPart, Finish: finish})
}

func (p *player) emit(part llm.Part) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if !p.yield(part, nil) {
		return errStopped
	}
	p.begun = true
	return nil
}

// wait waits for the pace before the next delta, after a Pause.
func (p *player) wait() error {
	if p.pace <= 0 || !p.begun {
		return nil
	}
	if err := p.emit(llm.Part{Kind: llm.Pause}); err != nil {
		return err
	}
	if p.timer == nil {
		p.timer = time.NewTimer(p.pace)
	} else {
		p.timer.Reset(p.pace)
	}
	select {
	case <-p.timer.C:
		return nil
	case <-p.ctx.Done():
		p.timer.Stop()
		return p.ctx.Err()
	}
}

func (p *player) fail(f *failure) error {
	if f.Code != "" {
		return &llm.PublicError{Code: f.Code, Message: f.Message}
	}
	return &llm.Error{Kind: f.Kind, Model: p.model, Message: f.Message, Status: f.Status, RetryAfter: time.Duration(f.RetryAfter)}
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
