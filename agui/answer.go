package agui

import (
	"encoding/json"
	"slices"
)

// AnswerForm is what an interrupt takes as an answer, as far as its schema tells: an approval,
// {"approved": true}, or an answer to a question, {"answer": …}. Agents of others may want any
// form: then all of it may be zero.
type AnswerForm struct {
	Approval bool
	Text     bool     // the answer is a text: one of OneOf, unless that is empty
	OneOf    []string // what the answer is chosen from
	SomeOf   []string // what the answer is a list from
}

// AnswerForm reads the interrupt's ResponseSchema.
func (i *Interrupt) AnswerForm() AnswerForm {
	var schema struct {
		Properties struct {
			Approved json.RawMessage
			Answer   struct {
				Type  string
				Enum  []string
				Items struct{ Enum []string }
			}
		}
	}
	err := json.Unmarshal(i.ResponseSchema, &schema)
	answer := schema.Properties.Answer
	return AnswerForm{
		Approval: schema.Properties.Approved != nil, Text: err == nil && answer.Type == "string",
		OneOf: answer.Enum, SomeOf: answer.Items.Enum,
	}
}

// TakesText reports whether a text is an answer.
func (f AnswerForm) TakesText(text string) bool {
	return f.Text && (len(f.OneOf) == 0 || slices.Contains(f.OneOf, text))
}

// Cancelled returns the answers that leave interrupts without one.
func Cancelled(list []Interrupt) (answers []ResumeEntry) {
	for _, i := range list {
		answers = append(answers, ResumeEntry{InterruptID: i.ID, Status: ResumeCancelled})
	}
	return answers
}

// Tokens counts the tokens of model calls. What no call tells is zero, and so is Total unless all
// tell theirs.
type Tokens struct{ Input, Output, Total, Reasoning, CachedInput int64 }

// CountTokens adds up what calls of any model used.
func CountTokens(list []TokenUsage) (sum Tokens) {
	total := len(list) > 0
	for _, u := range list {
		total = total && u.TotalTokens != nil
		for _, count := range [...]struct{ to, told *int64 }{
			{&sum.Input, u.InputTokens}, {&sum.Output, u.OutputTokens}, {&sum.Total, u.TotalTokens},
			{&sum.Reasoning, u.ReasoningTokens}, {&sum.CachedInput, u.CachedInputTokens},
		} {
			if count.told != nil {
				*count.to += *count.told
			}
		}
	}
	if !total {
		sum.Total = 0
	}
	return sum
}
