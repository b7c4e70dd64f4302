package prompt

import (
	"cmp"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// ReadPayload reads the metadata of a payload that the model wrote. It reports false for any other
// message.
func ReadPayload(m *agui.Message) (p agui.Metadata, ok bool) {
	if m.Role != agui.RoleActivity {
		return p, false
	}
	p, ok = agui.ReadMetadata(m.Metadata)
	return p, ok && p.Source == agui.SourceLLM
}

// lost reports whether the user never saw a payload's data. One that is still streaming in the
// thread was cut off by a crash.
func lost(p *agui.Metadata) bool { return p.Status == agui.StatusFailed || p.Streaming }

// payloadsInside finds the payloads that began behind the calls of a message, by its id: a thread
// has the results of the calls between the two.
func payloadsInside(thread []agui.Message) map[string][]*agui.Message {
	var inside map[string][]*agui.Message
	for i := range thread {
		p, ok := ReadPayload(&thread[i])
		if !ok || p.ParentMessageID == "" {
			continue
		}
		if inside == nil {
			inside = map[string][]*agui.Message{}
		}
		inside[p.ParentMessageID] = append(inside[p.ParentMessageID], &thread[i])
	}
	return inside
}

// stepLength returns how many messages at the beginning of the thread are what the assistant said
// at one go, or 1 where it begins with a question or a result, and whether payloads that the model
// wrote are among them.
func (w *transcript) stepLength(thread []agui.Message) (n int, payloads bool) {
	for n < len(thread) {
		m := &thread[n]
		if m.Role == agui.RoleUser || m.Role == agui.RoleTool {
			break
		}
		_, isPayload := ReadPayload(m)
		payloads = payloads || isPayload || len(w.inside[m.ID]) > 0
		n++
	}
	return max(n, 1), payloads
}

// step appends what the assistant said, with payloads. Texts and payloads come first, in their
// order, and all calls after them: what was said must not come to stand behind the results, where
// it would be the beginning of the next answer.
func (w *transcript) step(messages []agui.Message) {
	var calls []llm.Content
	var results []llm.Message // of payloads that came as calls
	add := func(m *agui.Message, p agui.Metadata) {
		if p.ToolCallID == "" || !w.view.Model.Tools {
			w.saySoFar(llm.Text{Text: w.payloadText(m, p)})
			return
		}
		call, result := payloadCall(m, p)
		calls, results = append(calls, call), append(results, result)
	}
	for i := range messages {
		m := &messages[i]
		p, isPayload := ReadPayload(m)
		switch {
		case isPayload && p.ParentMessageID == "":
			add(m, p)
		case isPayload: // its step has it
		case m.Role == agui.RoleAssistant:
			w.sayText(m)
			for j := range m.ToolCalls {
				calls = append(calls, w.toolCall(&m.ToolCalls[j]))
			}
			for _, inside := range w.inside[m.ID] {
				p, _ := ReadPayload(inside)
				add(inside, p)
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

// sayText appends the text of a message, with the thought that is sealed in it.
func (w *transcript) sayText(m *agui.Message) {
	if m.EncryptedValue != "" {
		w.thoughts = append(w.thoughts, llm.Reasoning{Opaque: m.EncryptedValue})
	}
	if text, ok := textOf(m.Content); ok {
		w.saySoFar(text)
	}
}

// saySoFar appends content behind the thoughts that led to it.
func (w *transcript) saySoFar(content ...llm.Content) {
	content = append(w.thoughts, content...)
	w.thoughts = nil
	w.say(content)
}

// payloadText is a payload as the model wrote it.
func (w *transcript) payloadText(m *agui.Message, p agui.Metadata) string {
	marker := payload.DefaultMarker(m.ActivityType)
	if t, ok := w.view.Payloads.Get(m.ActivityType); ok {
		marker = cmp.Or(t.Marker, marker)
	}
	if lost(&p) {
		return "[Your card " + marker + " could not be shown here; the user saw an error in its place.]"
	}
	return marker + " " + string(m.Activity)
}

// payloadShown is the result of a call that shows a payload.
const payloadShown = "The card is shown to the user."

// payloadCall is a payload as the call that it came as, with its result.
func payloadCall(m *agui.Message, p agui.Metadata) (llm.ToolCall, llm.Message) {
	t := payload.Type{Name: m.ActivityType}
	call := llm.ToolCall{ID: p.ToolCallID, Name: t.ToolName(), Args: string(m.Activity), Opaque: p.EncryptedValue}
	result := llm.ToolResult{ID: p.ToolCallID, Content: llm.Text{Text: payloadShown}}
	if lost(&p) {
		call.Args = "{}"
		result.Content = llm.Text{Text: (&tool.Error{Code: tool.CodeInvalidArgs, Message: "the card could not be shown; the user saw an error in its place"}).JSON()}
		result.IsError = true
	}
	return call, llm.Message{Role: llm.RoleTool, Content: []llm.Content{result}}
}
