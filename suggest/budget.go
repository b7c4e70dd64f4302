package suggest

import (
	"context"
	"errors"
	"strings"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

var errTooLong = errors.New("the model says more than is read of it")

// paid returns the text of a model's answer, which its budget pays for.
func (s *Suggester) paid(ctx context.Context, budget limit.Budget, req *llm.Request) (string, error) {
	meter := usage.Meter{Budget: budget, Model: s.cfg.Model, Estimates: &s.estimates}
	input := s.estimates.Tokens(size(req))
	if err := meter.Hold(ctx, input); err != nil {
		return "", err
	}
	var text strings.Builder
	var used usage.Ledger
	err := s.read(ctx, req, &text, &used)
	meter.Settle(ctx, input, used, text.Len(), err)
	if err != nil && err != errTooLong {
		return "", err
	}
	return text.String(), nil
}

func (s *Suggester) read(ctx context.Context, req *llm.Request, text *strings.Builder, used *usage.Ledger) error {
	for p, err := range s.cfg.Model.Stream(ctx, req) {
		switch {
		case err != nil:
			return err
		case p.Kind == llm.TextDelta:
			text.WriteString(p.Delta)
		case p.Kind == llm.UsagePart:
			used.Take(&p)
		}
		if text.Len() > maxAnswer {
			return errTooLong
		}
	}
	return nil
}

// size returns the bytes of a request's texts.
func size(req *llm.Request) (n int) {
	for _, block := range req.System {
		n += len(block.Text)
	}
	for _, c := range req.Messages[0].Content {
		n += len(c.(llm.Text).Text)
	}
	return n
}

// Forget drops what was suggested to an owner.
func (s *Suggester) Forget(owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.answers.Keys() {
		if e, _ := s.answers.Peek(k); e.owner == owner {
			e.forgotten = true
			s.answers.Remove(k)
		}
	}
	for _, k := range s.made.Keys() {
		if of, _ := s.made.Peek(k); of == owner {
			s.made.Remove(k)
		}
	}
}
