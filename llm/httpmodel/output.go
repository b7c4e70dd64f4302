package httpmodel

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/llm"
)

var (
	// ErrLeft means that the consumer has left the loop. It is never shown.
	ErrLeft = errors.New("the consumer has left")
	// ErrCut means that a stream ended too early.
	ErrCut = errors.New("the stream ended before the answer was finished")
	// ErrBodyTooLong means that a stream exceeds MaxBody.
	ErrBodyTooLong = errors.New("the stream is too long")
)

// Output emits the parts of one answer, marks the pauses between them, enforces limits, and makes
// the call's errors. An answer that has failed stays failed: after an error of Emit, Pause, Grow,
// Text, Malformed, TooManyCalls or TooManyParts nothing is emitted, and Err returns the first one.
// A reader may therefore ignore what they return, and return Err where it is done with an event.
type Output struct {
	Request *llm.Fitted // what is answered
	Model   string      // provider/model, for errors
	Limits  Limits
	Yield   Yield
	Began   bool // a part was emitted

	said  said
	ready bool            // parts were emitted since the last Pause
	size  int             // bytes of text, reasoning and arguments
	used  map[string]bool // ids of calls
	err   error           // why nothing more is emitted
}

// Err returns why the answer has failed, or nil.
func (o *Output) Err() error { return o.err }

// fail keeps the first error of the answer, and returns it.
func (o *Output) fail(err error) error {
	if o.err == nil {
		o.err = err
	}
	return o.err
}

// Emit emits a part.
func (o *Output) Emit(p llm.Part) error {
	if o.err == nil {
		o.err = o.emit(p)
	}
	return o.err
}

func (o *Output) emit(p llm.Part) error {
	o.Began = true
	before := p.Delta
	if left := o.said.take(&p); left.Delta != "" && !o.Yield(left, nil) {
		return ErrLeft
	}
	if p.Delta == "" && before != "" {
		return nil // the rest of a character is to come, or there is nothing to be seen
	}
	o.ready = true
	if !o.Yield(p, nil) {
		return ErrLeft
	}
	return nil
}

// Pause announces that the next read may block, if a part was emitted since the last Pause.
func (o *Output) Pause() error {
	if !o.ready || o.err != nil {
		return o.err
	}
	o.ready = false
	if !o.Yield(llm.Part{Kind: llm.Pause}, nil) {
		return o.fail(ErrLeft)
	}
	return nil
}

// Finish emits the last parts of an answer. usage may be nil.
func (o *Output) Finish(usage *llm.Usage, finish llm.Finish) error {
	if usage != nil {
		o.Emit(llm.Part{Kind: llm.UsagePart, Usage: usage})
	}
	return o.Emit(llm.Part{Kind: llm.FinishPart, Finish: finish})
}

// FinishWith corrects a finish by whether the answer called tools, which not every provider
// reports.
func FinishWith(finish llm.Finish, called bool) llm.Finish {
	switch {
	case finish == llm.FinishStop && called:
		return llm.FinishTools
	case finish == llm.FinishTools && !called:
		return llm.FinishOther
	}
	return finish
}

// CutOff reports whether a finish means an incomplete answer, whose calls must stay open.
func CutOff(finish llm.Finish) bool { return finish == llm.FinishLength || finish == llm.FinishFilter }

// Grow counts n bytes more of the answer.
func (o *Output) Grow(n int) error {
	if o.size += n; o.size > o.Limits.MaxStep {
		return o.fail(o.Errorf(llm.KindOutputLimit, nil, "the answer is longer than allowed"))
	}
	return o.err
}

// Text returns the text of a field. One that is something else is Malformed.
func (o *Output) Text(p *Piece) string {
	text, err := p.Text()
	if err != nil {
		o.Malformed(err)
	}
	return text
}

// ID returns the provider's id of a tool call, or a new one if it is missing or already used in the
// thread.
func (o *Output) ID(id, prefix string) string {
	if o.used == nil {
		o.used = map[string]bool{}
		for _, m := range o.Request.Messages {
			for old := range llm.Only[llm.ToolCall](m.Content) {
				o.used[old.ID] = true
			}
		}
	}
	for id == "" || o.used[id] {
		id = newID(prefix)
	}
	o.used[id] = true
	return id
}

func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()[:20]) }

// Errorf returns an error of the model. The text is shown: it must contain nothing the provider
// sent.
func (o *Output) Errorf(kind llm.ErrorKind, cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Model: o.Model, Message: fmt.Sprintf(format, args...), Err: cause}
}

// Malformed fails an answer that violates the provider's format.
func (o *Output) Malformed(cause error) error {
	return o.fail(o.Errorf(llm.KindProtocol, cause, "the provider's stream was not what its format promises"))
}

// TooManyCalls fails an answer with more tool calls than MaxCalls.
func (o *Output) TooManyCalls() error {
	return o.fail(o.Errorf(llm.KindOutputLimit, nil, "the answer calls more tools than allowed"))
}

// TooManyParts fails an answer with too many content blocks.
func (o *Output) TooManyParts() error {
	return o.fail(o.Errorf(llm.KindOutputLimit, nil, "the answer has more parts than allowed"))
}

// Stalled is the error of a call that waited too long.
func (o *Output) Stalled(s *Stall) error {
	return o.Errorf(llm.KindStalled, ErrStalled, "%s within %v", s.Phase, s.Limit)
}

// Cut is the error of an answer that broke off.
func (o *Output) Cut(cause error) error {
	return o.Errorf(llm.KindNetwork, cause, "the provider's answer was cut off")
}

// Unreachable is the error of a network that failed.
func (o *Output) Unreachable(cause error) error {
	return o.Errorf(llm.KindNetwork, cause, "the provider could not be reached or the connection broke")
}

// Interrupted returns the error of a call stopped on this side: by the consumer, the caller's ctx,
// the watchdog (which cancels callCtx), or a limit. An *llm.Error is returned as it is. It returns
// nil if the provider or the network failed.
func (o *Output) Interrupted(ctx, callCtx context.Context, err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	stall, stalled := errors.AsType[*Stall](err)
	if !stalled {
		stall, stalled = errors.AsType[*Stall](context.Cause(callCtx))
	}
	switch {
	case err == ErrLeft:
		return err
	case ctx.Err() != nil:
		return o.Errorf(llm.KindCancelled, context.Cause(ctx), "the call was cancelled")
	case stalled:
		return o.Stalled(stall)
	}
	for _, limit := range []error{sse.ErrTooLong, ErrBodyTooLong} {
		if errors.Is(err, limit) {
			return o.Errorf(llm.KindOutputLimit, limit, "the provider sent more than allowed")
		}
	}
	return nil
}
