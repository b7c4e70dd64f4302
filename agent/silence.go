package agent

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// NoAnswerError ends a run whose model went on calling tools where it had to answer. Code is that
// of RUN_ERROR.
type NoAnswerError struct {
	Code    string
	Message string // can be shown to the user
}

func (e *NoAnswerError) Error() string { return e.Message }

// The codes of a NoAnswerError.
const (
	CodeStepsExhausted = "steps_exhausted" // the run made as many model calls as it may
	// the same calls brought the same results, or failed, again and again
	CodeToolLoop = "tool_loop"
)

func noAnswer(code string) *NoAnswerError {
	if code == CodeToolLoop {
		return &NoAnswerError{code, "the assistant repeated the same tool calls and did not answer"}
	}
	return &NoAnswerError{code, "the assistant took as many steps as it may and did not answer"}
}

// readable reports whether the turn has something for the user: visible text, or a card, be it one
// that says that it cannot be shown.
func (t *turn) readable() bool {
	return len(t.cards) > 0 || slices.ContainsFunc(t.spoken, func(m *spoken) bool {
		return m.role == agui.RoleAssistant && m.text.Len() > 0
	})
}

// urgingInstruction asks a model that ended its turn without a word to go on. It stays for the rest
// of the run, as closingInstruction does.
const urgingInstruction = "A turn of yours ended with nothing that the user can see. Do not end without a word: answer, " +
	"or say what you did and what is missing. A tool call needs the name of one of the tools."

// urge is for a turn that left the user with nothing. Once in a run the model is asked again where
// that can help; otherwise the run ends with the error.
func (r *run) urge(t *turn) error {
	if r.urged || cutShort(t.finish) {
		return r.silent(t)
	}
	r.urged = true
	r.system = append(r.system, llm.Block{Text: urgingInstruction})
	return nil
}

// silent is the error of a turn that left the user with nothing.
func (r *run) silent(t *turn) error {
	switch t.finish {
	case llm.FinishFilter:
		return r.modelError(llm.KindFiltered, "the provider's filter withheld the answer")
	case llm.FinishLength:
		return r.modelError(llm.KindOutputLimit, "the model reached the limit on the length of its answer before it said anything")
	}
	return r.modelError(llm.KindEmpty, "the model ended its turn without an answer")
}

// unanswered is silent for the last turn of a run, in which the model could not call tools any
// more.
func (r *run) unanswered(t *turn) error {
	if cutShort(t.finish) || r.stuck == "" && len(r.said) == 0 {
		return r.silent(t)
	}
	return noAnswer(cmp.Or(r.stuck, CodeStepsExhausted))
}

// giveUp has the model answer without tools from here on. The first reason stays.
func (r *run) giveUp(code string) { r.stuck = cmp.Or(r.stuck, code) }

// cutShort reports whether the provider ended the turn, and not the model.
func cutShort(f llm.Finish) bool { return f == llm.FinishLength || f == llm.FinishFilter }

// trimBlank cuts off what nobody sees at the beginning of a text.
func trimBlank(text string) string { return strings.TrimLeftFunc(text, isBlank) }

// isBlank reports whether a character leaves no mark on the screen: blanks, controls, and what only
// shapes the characters around it.
func isBlank(c rune) bool {
	const brailleBlank = '\u2800'
	return c == brailleBlank || unicode.IsSpace(c) || unicode.IsControl(c) ||
		unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
