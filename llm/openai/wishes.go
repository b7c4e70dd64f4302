package openai

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
)

// wishes are what a request asks for beyond an answer. Whether a provider grants them depends on
// the model and the account, and no list of that stays true: a refused request is made again
// without them.
type wishes uint32

const (
	// to be told what the model thinks: OpenAI wants the organisation verified
	wishSummary   wishes = 1 << iota
	wishEncrypted        // to get thoughts in a form that can be sent back
	// that the thoughts sent back are taken: not where they are another account's
	wishThoughts
	// how hard to think: many servers and models know no such thing, and some know other words for
	// it
	wishEffort
)

// wishes are those of a first attempt.
func (m *Model) wishes(req *llm.Request) wishes {
	var w wishes
	// OpenRouter tells those that can
	if req.Effort != "" && (m.info.Reasoning || m.cfg.Provider == "openrouter" && !m.cfg.Responses) {
		w |= wishEffort
	}
	if !m.cfg.Responses {
		return w &^ wishes(m.unwilling.Load())
	}
	if m.info.Reasoning {
		w |= wishEncrypted
		if m.cfg.ReasoningSummary != "none" {
			w |= wishSummary
		}
	}
	if slices.ContainsFunc(req.Messages, m.hasThoughts) {
		w |= wishThoughts
	}
	return w &^ wishes(m.unwilling.Load())
}

// hasThoughts reports whether a message holds thoughts to send back.
func (m *Model) hasThoughts(msg llm.Message) bool {
	return slices.ContainsFunc(msg.Content, func(c llm.Content) bool {
		opaque := ""
		switch c := c.(type) {
		case llm.Reasoning:
			opaque = c.Opaque
		case llm.ToolCall:
			opaque = c.Opaque
		}
		return strings.HasPrefix(opaque, m.tag(sealItems))
	})
}

// without returns what is left to wish for after a failure. What depends on the model or the
// account is not wished for again.
func (m *Model) without(refused, wish wishes) wishes {
	m.unwilling.Or(uint32(refused & wish & (wishSummary | wishEncrypted | wishEffort)))
	return wish &^ refused
}

// refusedWishes reads which wish an error is about.
func refusedWishes(a *apiError) wishes {
	text := strings.ToLower(a.message)
	switch {
	case a.code == "invalid_encrypted_content", strings.Contains(text, "encrypted") && strings.Contains(text, "could not"):
		return wishThoughts
	case strings.Contains(a.param, "reasoning.summary"), strings.Contains(text, "reasoning summar"), strings.Contains(text, "reasoning.summary"):
		return wishSummary
	case a.param == "include", strings.Contains(text, "encrypted content is not supported"):
		return wishEncrypted
	case refusesEffort(a.param), refusesEffort(text), strings.Contains(text, "does not support thinking"), strings.Contains(text, "does not support reasoning"):
		return wishEffort
	}
	return 0
}

// refusesEffort reports whether a field's name or an error's words are about how hard to think.
func refusesEffort(text string) bool {
	for _, name := range []string{"reasoning_effort", "reasoning.effort", "reasoning effort", "argument supplied: reasoning", "body.reasoning"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return text == "reasoning"
}
