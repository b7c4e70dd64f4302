package suggest

import (
	"context"
	"strings"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

// usualOutput is what an answer uses, as an estimate: a few suggestions, and some thought.
const usualOutput = 400

// price returns the amount of a call of the model.
func (s *Suggester) price(u llm.Usage) (a limit.Amount) {
	for _, n := range []*int64{u.Input, u.Output} {
		if n != nil {
			a.Tokens += *n
		}
	}
	dollars, _ := llm.Cost(u, s.cfg.Model.Info().Prices)
	a.MicroDollars = limit.MicroDollars(dollars)
	return a
}

// estimate is the amount of a call with a prompt and an answer of so many bytes.
func (s *Suggester) estimate(prompt int, output int64) limit.Amount {
	input := int64(prompt/4) + 1
	return s.price(llm.Usage{Input: &input, Output: &output})
}

// paid makes one model call on a budget. What the provider did not report is estimated: a call that
// is cut off is not free.
func (s *Suggester) paid(ctx context.Context, b limit.Budget, req *llm.Request) (text string, err error) {
	size := 0
	for _, block := range req.System {
		size += len(block.Text)
	}
	for _, c := range req.Messages[0].Content {
		if t, ok := c.(llm.Text); ok {
			size += len(t.Text)
		}
	}
	if b != nil {
		if err := b.Hold(ctx, s.estimate(size, usualOutput)); err != nil {
			return "", err
		}
	}
	var used llm.Usage
	text, err = s.stream(ctx, req, &used)
	if b != nil {
		amount := s.price(used)
		if used.Input == nil || used.Output == nil {
			amount = s.estimate(size, int64(len(text)/4)+1)
		}
		b.Settle(ctx, amount)
	}
	return text, err
}

// stream returns the text of a model's answer, and adds up what it reports of its usage.
func (s *Suggester) stream(ctx context.Context, req *llm.Request, used *llm.Usage) (string, error) {
	var text strings.Builder
	for p, err := range s.cfg.Model.Stream(ctx, req) {
		if err != nil {
			return text.String(), err
		}
		switch p.Kind {
		case llm.TextDelta:
			text.WriteString(p.Delta)
		case llm.UsagePart:
			used.Take(&p)
		}
		if text.Len() > maxAnswer {
			break
		}
	}
	return text.String(), nil
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
