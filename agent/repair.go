package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// maxRepairs is how many payloads a run may ask the model to rewrite. Each payload is asked for
// once.
const maxRepairs = 3

// repairer has the model rewrite unreadable payloads.
type repairer struct {
	input   *modelInput
	asker   *asker
	out     *emitter
	runID   string
	log     *slog.Logger
	repairs int // rewrites asked for so far
}

// settlePayloads handles the payloads of a finished step that could not be read.
func (r *repairer) settlePayloads(ctx context.Context, s *step) error {
	for _, p := range s.payloads {
		if p.settled() {
			continue
		}
		if s.finish != llm.FinishStop && s.finish != llm.FinishTools {
			// A repair would close a cut payload, and show half a query as a whole one.
			if err := p.fail(payloadCutOff,
				"the answer was cut off before the card was complete"); err != nil {
				return err
			}
			continue
		}
		if err := r.settlePayload(ctx, s, p); err != nil {
			return err
		}
	}
	return nil
}

// settlePayload reads a payload that lacks its last brackets, or else asks the model to rewrite it.
func (r *repairer) settlePayload(ctx context.Context, s *step, p *outPayload) error {
	data, problem := p.typ.Read(p.json())
	if problem == nil {
		return p.complete(data)
	}
	if p.readOnly { // not worth a model call: nobody asked for it here
		return p.fail(payloadInvalid, problem.Error())
	}
	written, err := r.askAgain(ctx, s, p, problem)
	if err != nil {
		return err
	}
	if data, err = p.typ.Read(written); written != "" && err == nil {
		return p.complete(data)
	}
	return p.fail(payloadInvalid, problem.Error())
}

const repairRequest = "The card %s in your answer could not be shown: %s. Write its JSON again, corrected so that it matches the schema. " +
	"Send only the JSON, nothing before or behind it."

// askAgain makes a model call out of the user's sight and returns the JSON in its answer, or "" if
// it has none. The call is not part of the thread. It returns an error only if the run is over.
func (r *repairer) askAgain(ctx context.Context, s *step, p *outPayload, problem error) (string, error) {
	if r.repairs == maxRepairs {
		return "", nil
	}
	r.repairs++
	if err := r.out.Flush(); err != nil {
		return "", err
	}
	messages := append(slices.Clip(r.input.prompt.Messages()),
		llm.Message{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: s.asWritten()}}},
		prompt.UserText(fmt.Sprintf(repairRequest, p.typ.Name, problem)))
	var text strings.Builder
	var used usage.Ledger
	input := r.input.tokens() + r.input.estimates.Tokens(s.size)
	if err := r.asker.meter.Hold(ctx, input); err != nil {
		return "", nil // the next step says so
	}
	err := collect(r.asker.model.Stream(ctx, r.input.request(messages, llm.ChoiceNone)), &text, &used)
	r.asker.count(ctx, input, used, text.Len(), err)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		r.log.WarnContext(ctx, "a card could not be repaired", "payload", p.typ.Name,
			"model", r.input.view.Model.Name(), "runId", r.runID, "error", err)
		return "", nil
	}
	return objectIn(text.String()), nil
}

// objectIn returns what looks like a JSON object in a text.
func objectIn(text string) string {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return ""
	}
	return text[start : end+1]
}

// collect gathers the text of an answer.
func collect(parts func(func(llm.Part, error) bool), text *strings.Builder, used *usage.Ledger) error {
	for p, err := range parts {
		switch {
		case err != nil:
			return err
		case p.Kind == llm.UsagePart:
			used.Take(&p)
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
