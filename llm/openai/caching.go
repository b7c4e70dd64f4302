package openai

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Claude caches only what ends at a breakpoint, of which a request may have four: two in the system
// prompt and two in the conversation. OpenRouter passes them on in Chat Completions, but refuses
// them in results of tools. Source: its page on prompt caching, and Anthropic's.
const (
	breakpoint          = `,"cache_control":{"type":"ephemeral"}`
	systemBreakpoints   = 2
	messagesBreakpoints = 2
)

// marks reports whether the server wants to be told what to cache.
func (m *Model) marks() bool {
	return m.cfg.Provider == "openrouter" && strings.Contains(strings.ToLower(m.cfg.Model), "claude")
}

// markedMessages returns the indices of the messages that get a breakpoint: the newest that take
// one.
func (m *Model) markedMessages(messages []llm.Message) (at []int) {
	if !m.marks() {
		return nil
	}
	for i, msg := range slices.Backward(messages) {
		if len(at) == messagesBreakpoints {
			break
		}
		if msg.Role != llm.RoleTool && slices.ContainsFunc(msg.Content, isSaid) {
			at = append(at, i)
		}
	}
	return at
}

// isSaid reports whether a piece of content is text that is not blank.
func isSaid(c llm.Content) bool {
	t, ok := c.(llm.Text)
	return ok && !httpmodel.Blank(t)
}

// lastSaid returns the index of the last piece of content that takes a breakpoint, -1 if none does.
func lastSaid(content []llm.Content) int {
	for i, c := range slices.Backward(content) {
		if isSaid(c) {
			return i
		}
	}
	return -1
}

// markedSystem writes the system prompt as parts, and ends those that are worth caching at a
// breakpoint.
func (e *encoder) markedSystem(blocks []llm.Block) {
	if len(blocks) == 0 {
		return
	}
	e.Add(`{"role":"system","content":[`)
	for i, b := range httpmodel.CacheLast(blocks, systemBreakpoints) {
		text := b.Text
		if i > 0 { // as one message would have it
			text = "\n\n" + text
		}
		e.Next(`{"type":"text","text":"`)
		e.addBody(text)
		e.Add(`"`)
		if b.Cache {
			e.Add(breakpoint)
		}
		e.Add(`}`)
	}
	e.Add(`]}`)
}
