package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// maxRepairs is how often in a run the model is asked to write a card again. Each card is asked for
// once.
const maxRepairs = 3

// settleCards decides, once the turn is over, about the cards that could not be read while it came.
func (t *turn) settleCards(ctx context.Context) error {
	for _, c := range t.cards {
		if c.settled() {
			continue
		}
		if t.finish != llm.FinishStop && t.finish != llm.FinishTools {
			// Repairing would close what was cut, and show half a query as a whole one.
			if err := t.failCard(c, cardCutOff, "the answer was cut off before the card was complete"); err != nil {
				return err
			}
			continue
		}
		if err := t.settleCard(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// settleCard reads a card that ended without its last brackets, or else has the model write it
// again.
func (t *turn) settleCard(ctx context.Context, c *card) error {
	data, problem := c.typ.Read(c.json())
	if problem == nil {
		return t.completeCard(c, data)
	}
	written, err := t.run.askAgain(ctx, t, c, problem)
	if err != nil {
		return err
	}
	if data, err = c.typ.Read(written); written != "" && err == nil {
		return t.completeCard(c, data)
	}
	return t.failCard(c, cardInvalid, problem.Error())
}

const repairRequest = "The card %s in your answer could not be shown: %s. Write its JSON again, corrected so that it matches the schema. " +
	"Send only the JSON, nothing before or behind it."

// askAgain makes a model call that nobody sees and returns the JSON in its answer, or "" where it
// brought none. It is no part of the thread. An error is only that the run is over.
func (r *run) askAgain(ctx context.Context, t *turn, c *card, problem error) (string, error) {
	if r.payloads.repairs == maxRepairs {
		return "", nil
	}
	r.payloads.repairs++
	if err := r.out.Flush(); err != nil {
		return "", err
	}
	messages := append(slices.Clip(r.prompt.Messages()),
		llm.Message{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: t.asWritten()}}},
		prompt.UserText(fmt.Sprintf(repairRequest, c.typ.Name, problem)))
	var text strings.Builder
	var used ledger
	err := collect(r.agent.Model.Stream(ctx, r.request(messages, llm.ChoiceNone)), &text, &used)
	r.usage.add(used)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		slog.WarnContext(ctx, "a card could not be repaired", "payload", c.typ.Name, "model", r.model.Name(), "runId", r.in.RunID, "error", err)
		return "", nil
	}
	return objectIn(text.String()), nil
}

// collect gathers the text of an answer.
func collect(parts func(func(llm.Part, error) bool), text *strings.Builder, used *ledger) error {
	for p, err := range parts {
		switch {
		case err != nil:
			return err
		case p.Kind == llm.UsagePart:
			used.merge(p.Model, p.Usage)
		case p.Kind == llm.TextDelta && text.Len()+len(p.Delta) > 2*payload.MaxBytes:
			return payload.ErrTooLarge
		case p.Kind == llm.TextDelta:
			text.WriteString(p.Delta)
		case p.Kind == llm.FinishPart && p.Finish != llm.FinishStop:
			return fmt.Errorf("the answer ended with %q", p.Finish)
		}
	}
	return nil
}

// objectIn returns what looks like the JSON object in a text.
func objectIn(text string) string {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return ""
	}
	return text[start : end+1]
}

// asWritten is the turn so far as the model wrote it, cards behind their markers.
func (t *turn) asWritten() string {
	var texts []string
	for _, m := range t.spoken {
		switch {
		case m.card != nil:
			texts = append(texts, m.card.typ.Marker+" "+m.card.json())
		case m.role == agui.RoleAssistant && m.text.Len() > 0:
			texts = append(texts, m.text.String())
		}
	}
	return strings.Join(texts, "\n\n")
}
