package openai

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
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
	// that tools may be called: not every local model can
	wishTools
	// that tools are declared which must not be called: see catalog.Provider.IgnoresNone
	wishForbidden
	// that a tool must be called: some models that think do not take that. The request says it in
	// words, too
	wishRequired
)

// lasting are those that depend on the model, its server or the account.
const lasting = wishSummary | wishEncrypted | wishEffort | wishTools | wishForbidden | wishRequired

// wishes are those of a first attempt.
func (m *Model) wishes(req *llm.Request) wishes {
	var w wishes
	if len(req.Tools) > 0 {
		w |= wishTools | wishForbidden
	}
	if req.Choice == llm.ChoiceRequired {
		w |= wishRequired
	}
	// OpenRouter tells those that can
	if req.Effort != "" && (m.info.Reasoning || m.cfg.Provider == "openrouter" && !m.cfg.Responses) {
		w |= wishEffort
	}
	if !m.cfg.Responses {
		return w &^ wishes(m.unwilling.Load())
	}
	if m.info.Reasoning {
		w |= wishEncrypted | wishSummary
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
	m.unwilling.Or(uint32(refused & wish & lasting))
	return wish &^ refused
}

// tools reports whether a request declares its tools.
func (w wishes) tools(req *llm.Request) bool {
	return w&wishTools != 0 && (req.Choice != llm.ChoiceNone || w&wishForbidden != 0)
}

// called notes that the model calls a tool. If it must not, its server does not know that choice:
// from now on such requests declare no tools.
func (s *stream) called() {
	if s.Request.Choice == llm.ChoiceNone {
		s.model.unwilling.Or(uint32(wishForbidden))
	}
}

// refusedWishes reads which wish an error is about, by its field or its words.
func refusedWishes(a *apiError) wishes {
	about := strings.ToLower(a.param + "\n" + a.message)
	says := func(words ...string) bool { return httpmodel.ContainsAny(about, words) }
	switch {
	case a.code == "invalid_encrypted_content", says("encrypted") && says("could not"):
		return wishThoughts
	case says("reasoning.summary", "reasoning summar"):
		return wishSummary
	case a.param == "include", says("encrypted content is not supported"):
		return wishEncrypted
	case a.param == "reasoning", strings.EqualFold(a.message, "reasoning"),
		says("reasoning_effort", "reasoning.effort", "reasoning effort", "argument supplied: reasoning",
			"body.reasoning", "does not support thinking", "does not support reasoning"):
		return wishEffort
	// Ollama, LM Studio, llama.cpp and vLLM, whose model takes no tools or which are not set up for
	// them
	case says("does not support tools", "does not support function calling", "tools are not supported",
		"requires --jinja", "--enable-auto-tool-choice"):
		return wishTools
	case says("tool_choice", "tool choice"):
		return wishRequired
	}
	return 0
}
