package prompt

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// ReadPayload returns the metadata of a payload written by the model. It returns false for any
// other message.
func ReadPayload(m *agui.Message) (p agui.Metadata, ok bool) {
	if m.Role != agui.RoleActivity {
		return p, false
	}
	p, ok = agui.ReadMetadata(m.Metadata)
	return p, ok && p.Source == agui.SourceLLM
}

// lost reports whether the user never saw a payload's data. One still streaming in a stored thread
// was cut off by a crash.
func lost(p *agui.Metadata) bool { return p.Status == agui.StatusFailed || p.Streaming }

// payloadsInside returns the payloads that began after the calls of a message, by its id: in a
// thread the results of the calls come between them.
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

// stepLength returns how many messages at the beginning of the thread belong to one step of the
// assistant, or 1 if it begins with a user message or a result, and whether they include payloads
// written by the model.
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

// step appends a step of the assistant that has payloads. Texts and payloads come first, in order,
// then all calls: text after the results would begin the next answer.
func (w *transcript) step(messages []agui.Message) {
	var calls []llm.Content
	var results []llm.Message // of payloads written as calls
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
		case isPayload: // part of its step
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

// sayText appends the text of a message, with the thought sealed in it.
func (w *transcript) sayText(m *agui.Message) {
	if m.EncryptedValue != "" {
		w.thoughts = append(w.thoughts, llm.Reasoning{Opaque: m.EncryptedValue})
	}
	if text, ok := textOf(m.Content); ok {
		w.saySoFar(text)
	}
}

// saySoFar appends content after the thoughts that led to it.
func (w *transcript) saySoFar(content ...llm.Content) {
	content = append(w.thoughts, content...)
	w.thoughts = nil
	w.say(content)
}

// payloadText returns a payload as the model wrote it.
func (w *transcript) payloadText(m *agui.Message, p agui.Metadata) string {
	if p.ReadOnly && !lost(&p) {
		return readOnlyText(m)
	}
	if m.ActivityType == payload.UnknownType {
		return "[Your card could not be shown here; the user saw an error in its place.]"
	}
	marker := payload.DefaultMarker(m.ActivityType)
	if t, ok := w.view.Payloads.Get(m.ActivityType); ok {
		marker = cmp.Or(t.Marker, marker)
	}
	if lost(&p) {
		return "[Your card " + marker + " could not be shown here; the user saw an error in its place.]"
	}
	return marker + " " + string(m.Activity)
}

// readOnlyText describes a card that the place did not offer. Without its marker, so that the model
// does not write another one.
func readOnlyText(m *agui.Message) string {
	name, data := m.ActivityType, m.Activity
	if name == payload.UnknownType {
		json.Unmarshal(jsonx.Find(data, "name"), &name) // on failure it keeps the general name
		data = jsonx.Find(data, "data")
	}
	return fmt.Sprintf("[You wrote data of a card %q, which this page does not offer: the user could only read it. Its data: %s]",
		name, data)
}

// payloadShown is the result of a call that shows a payload.
const payloadShown = "The card is shown to the user."

// payloadCall returns a payload as a call and its result.
func payloadCall(m *agui.Message, p agui.Metadata) (llm.ToolCall, llm.Message) {
	t := payload.Type{Name: m.ActivityType}
	call := llm.ToolCall{ID: p.ToolCallID, Name: t.ToolName(), Args: string(m.Activity), Opaque: p.EncryptedValue}
	result := llm.ToolResult{ID: p.ToolCallID, Content: llm.Text{Text: payloadShown}}
	if lost(&p) {
		call.Args = "{}"
		result.Content = llm.Text{Text: (&tool.Error{
			Code:    tool.CodeInvalidArgs,
			Message: "the card could not be shown; the user saw an error in its place",
		}).JSON()}
		result.IsError = true
	}
	return call, llm.Message{Role: llm.RoleTool, Content: []llm.Content{result}}
}
