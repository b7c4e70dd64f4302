package agent

import (
	"cmp"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// turnLength returns how many messages at the beginning of the thread are one turn of the model, or 1 where it begins with a question or
// a result, and whether there are cards among them that the model wrote.
func turnLength(thread []agui.Message) (n int, cards bool) {
	for n < len(thread) {
		m := &thread[n]
		if m.Role == agui.RoleUser || m.Role == agui.RoleTool {
			break
		}
		if _, ok := parseCard(m); ok {
			cards = true
		}
		n++
	}
	return max(n, 1), cards
}

// turn appends a turn with cards. Texts and cards come first, in their order, and all calls after them: cards and what was said after them
// must not come to stand behind the results, where they would be the beginning of the next turn.
func (w *transcript) turn(messages []agui.Message) {
	var calls []llm.Content
	var results []llm.Message // of cards that came as calls
	for i := range messages {
		m := &messages[i]
		c, isCard := parseCard(m)
		switch {
		case isCard && c.ToolCallID != "" && w.model.Tools:
			call, result := w.cardCall(m, c)
			calls, results = append(calls, call), append(results, result)
		case isCard:
			w.saySoFar(llm.Text{Text: w.cardText(m, c)})
		case m.Role == agui.RoleAssistant:
			if m.EncryptedValue != "" {
				w.thoughts = append(w.thoughts, llm.Reasoning{Opaque: m.EncryptedValue})
			}
			if text, ok := textOf(m.Content); ok {
				w.saySoFar(text)
			}
			for j := range m.ToolCalls {
				calls = append(calls, toolCall(&m.ToolCalls[j]))
			}
		default:
			w.message(m)
		}
	}
	if len(calls) == 0 {
		return
	}
	w.saySoFar(calls...)
	for i := range messages {
		for j := range messages[i].ToolCalls {
			w.result(messages[i].ToolCalls[j].ID)
		}
	}
	w.messages = append(w.messages, results...)
}

// saySoFar appends content behind the thoughts that led to it.
func (w *transcript) saySoFar(content ...llm.Content) {
	content = append(w.thoughts, content...)
	w.thoughts = nil
	w.say(content)
}

// cardShown is the result of a call that shows a card.
const cardShown = "The card is shown to the user."

// cardText is a card as the model wrote it.
func (w *transcript) cardText(m *agui.Message, c cardMetadata) string {
	marker := payload.DefaultMarker(m.ActivityType)
	if t, ok := w.types.Get(m.ActivityType); ok {
		marker = cmp.Or(t.Marker, marker)
	}
	if c.lost() {
		return "[You began a card here, " + marker + " that could not be shown: the user saw an error in its place.]"
	}
	return marker + " " + string(m.Activity)
}

// lost reports whether the user never saw the card's data. One that is still streaming in the thread was cut off by a crash.
func (c cardMetadata) lost() bool { return c.Status == statusFailed || c.Streaming }

// cardCall is a card as the call that it came as, with its result.
func (w *transcript) cardCall(m *agui.Message, c cardMetadata) (llm.ToolCall, llm.Message) {
	t := payload.Type{Name: m.ActivityType}
	call := llm.ToolCall{ID: c.ToolCallID, Name: t.ToolName(), Args: string(m.Activity), Opaque: c.EncryptedValue}
	result := llm.ToolResult{ID: c.ToolCallID, Content: llm.Text{Text: cardShown}}
	if c.lost() {
		call.Args = "{}"
		result.Content = llm.Text{Text: (&tool.Error{Code: tool.CodeInvalidArgs, Message: "the card could not be shown; the user saw an error in its place"}).JSON()}
		result.IsError = true
	}
	return call, llm.Message{Role: llm.RoleTool, Content: []llm.Content{result}}
}
