package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// transcript is the thread as a model is given it. The same messages always make the same bytes,
// and what is appended later changes nothing before it, so that a provider's cache serves the whole
// history.
//
// What follows from that: the text of a message is handed on as the JSON it is stored in; the
// results of an assistant message's calls stand right behind it, in the order of the calls,
// wherever they are in the thread; thoughts belong to the assistant message after them and are sent
// back only where the provider signed them; cards that the model wrote stand in its text as it
// wrote them; notes stand in front of the next question. System and developer messages and all
// other activities are left out.
type transcript struct {
	messages []llm.Message
	model    llm.Info
	types    *payload.Registry
	// cards that belong to the turn of an assistant message, by its id
	inside map[string][]*agui.Message
	notes  []string // that wait for the next user message
	noted  bool     // the last user message begins with notes
	// attachments are told in words: the provider has refused them
	unseen bool
	// blocks of the page context, by the notes in whose place they stand
	shown    map[string]string
	screen   string                     // a block that waits for its place
	limit    int                        // bytes of a result that are shown; 0 shows all
	results  map[string][]*agui.Message // by tool call id, those not used yet
	thoughts []llm.Content              // that wait for their assistant message
}

// append takes in messages of the thread: at first those there are, then those of each turn.
func (w *transcript) append(thread []agui.Message) {
	w.results, w.inside = map[string][]*agui.Message{}, cardsInside(thread)
	for i := range thread {
		if m := &thread[i]; m.Role == agui.RoleTool {
			w.results[m.ToolCallID] = append(w.results[m.ToolCallID], m)
		}
	}
	for len(thread) > 0 {
		n, cards := w.turnLength(thread)
		if cards {
			w.turn(thread[:n])
		} else {
			for i := range n {
				w.message(&thread[i])
			}
		}
		thread = thread[n:]
	}
}

func (w *transcript) message(m *agui.Message) {
	switch m.Role {
	case agui.RoleUser:
		w.user(m)
	case agui.RoleReasoning:
		if m.EncryptedValue != "" {
			w.thoughts = append(w.thoughts, llm.Reasoning{Text: m.Content.Text(), Opaque: m.EncryptedValue})
		}
	case agui.RoleAssistant:
		w.assistant(m)
	case agui.RoleActivity:
		if line := noteLine(m); line != "" {
			w.notes = append(w.notes, line)
		}
		if block := w.shown[m.ID]; block != "" {
			w.show()
			w.screen = block
		}
	}
}

// user appends a question, behind the notes of what happened before it.
func (w *transcript) user(m *agui.Message) {
	w.thoughts = nil
	content := w.userContent(m.Content)
	if len(content) == 0 {
		return
	}
	if w.noted = len(w.notes) > 0; w.noted {
		content = append([]llm.Content{llm.Text{Text: strings.Join(w.notes, "\n")}}, content...)
		w.notes = nil
	}
	w.messages = append(w.messages, llm.Message{Role: llm.RoleUser, Content: content})
	w.show()
}

// show puts a block of the page context before the question, in the same message, behind the notes
// that begin it. Where the run goes on after frontend calls there is no new question: then what the
// page shows follows the results in a message of its own.
func (w *transcript) show() {
	block := w.screen
	if w.screen = ""; block == "" {
		return
	}
	last := len(w.messages) - 1
	if last < 0 || w.messages[last].Role != llm.RoleUser {
		w.messages = append(w.messages, userText(block))
		return
	}
	at := 0
	if w.noted {
		at = 1
	}
	w.messages[last].Content = slices.Insert(w.messages[last].Content, at, llm.Content(llm.Text{Text: block}))
}

func (w *transcript) assistant(m *agui.Message) {
	var content []llm.Content
	if text, ok := textOf(m.Content); ok {
		content = append(content, text)
	}
	for i := range m.ToolCalls {
		content = append(content, w.toolCall(&m.ToolCalls[i]))
	}
	if len(content) == 0 {
		return // an answer that never came; its thoughts go to the next
	}
	if m.EncryptedValue != "" {
		w.thoughts = append(w.thoughts, llm.Reasoning{Opaque: m.EncryptedValue})
	}
	content = append(w.thoughts, content...)
	w.thoughts = nil
	w.say(content)
	for i := range m.ToolCalls {
		w.result(m.ToolCalls[i].ID)
	}
}

// say appends what the assistant said, to its last message where nobody has spoken since.
func (w *transcript) say(content []llm.Content) {
	w.show()
	last := len(w.messages) - 1
	if last < 0 || w.messages[last].Role != llm.RoleAssistant {
		w.messages = append(w.messages, llm.Message{Role: llm.RoleAssistant, Content: content})
		return
	}
	w.messages[last].Content = append(slices.Clip(w.messages[last].Content), content...)
}

// result appends the result of a call. Where there is none nothing is made up: the balance check
// finds it.
func (w *transcript) result(callID string) {
	waiting := w.results[callID]
	if len(waiting) == 0 {
		return
	}
	w.results[callID] = waiting[1:]
	m := waiting[0]
	text, _ := textOf(m.Content)
	failed := m.Error != "" || m.Content.IsText() && tool.IsErrorJSON(m.Content.Raw())
	if m.Error != "" && text.Quoted == nil && text.Text == "" {
		text = llm.Text{Text: (&tool.Error{Code: tool.CodeFailed, Message: m.Error}).JSON()}
	}
	text = w.shortened(callID, text)
	if notice := changedNotice(m); notice != "" {
		text = llm.Text{Text: notice + text.String()}
	}
	w.messages = append(w.messages, llm.Message{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: callID, Content: text, IsError: failed}}})
}

// toolCall hands on what the model wrote where that is JSON. Where it had to be repaired, it is
// what the tool was given; and where that was not possible, what the model wrote as text in an
// object, beside the result that says what was wrong with it: several servers refuse a whole
// history for the sake of one call whose arguments are none.
func (w *transcript) toolCall(c *agui.ToolCall) llm.ToolCall {
	args := c.Arguments
	if !json.Valid([]byte(args)) {
		args = ""
		if len(c.Arguments) <= maxRepairedArgs && !w.refused(c.ID) {
			args = tool.RepairArgs(c.Arguments)
		}
		if args == "" {
			args = string(append(jsonx.AppendString([]byte(`{"invalid_arguments":`), headOf(c.Arguments, maxInvalidArgs)), '}'))
		}
	}
	return llm.ToolCall{ID: c.ID, Name: c.Name, Args: args, Opaque: c.EncryptedValue}
}

// The bounds of arguments that are no JSON, in bytes: to be repaired anew for each prompt, and to
// be shown.
const (
	maxRepairedArgs = 4 << 10
	maxInvalidArgs  = 1 << 10
)

// refused reports whether a call was answered with what is wrong with its arguments.
func (w *transcript) refused(callID string) bool {
	waiting := w.results[callID]
	return len(waiting) > 0 && tool.HasErrorCode(waiting[0].Content.Text(), tool.CodeInvalidArgs)
}

// textOf returns a content as text; ok is false where there is none.
func textOf(c agui.Content) (text llm.Text, ok bool) {
	if c.IsText() {
		return llm.Text{Quoted: c.Raw()}, len(c.Raw()) > len(`""`)
	}
	s := c.Text()
	return llm.Text{Text: s}, s != ""
}

func userText(s string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: s}}}
}

func (w *transcript) userContent(c agui.Content) []llm.Content {
	if c.IsText() || c.IsZero() {
		if text, ok := textOf(c); ok {
			return []llm.Content{text}
		}
		return nil
	}
	parts, _ := c.Parts() // what cannot be read was refused when the run was accepted
	var content []llm.Content
	for i := range parts {
		p := userPart(&parts[i], w.model)
		if m, ok := p.(llm.Media); ok && w.unseen {
			p, _ = m.Unsent(refusedMedia)
		}
		if p != nil {
			content = append(content, p)
		}
	}
	return content
}

// refusedMedia is what the model is told of attachments for whose sake a provider may have refused
// the prompt.
const refusedMedia = "since the provider refused the request with it"

// holdsMedia reports whether there are attachments that are sent as what they are.
func (w *transcript) holdsMedia() bool {
	return slices.ContainsFunc(w.messages, func(m llm.Message) bool {
		return slices.ContainsFunc(m.Content, func(c llm.Content) bool {
			media, ok := c.(llm.Media)
			if ok {
				_, ok = media.Unsent("")
			}
			return ok
		})
	})
}

// userPart hands on a part, or says that there was one which the model cannot be shown.
func userPart(p *agui.ContentPart, model llm.Info) llm.Content {
	switch {
	case p.Type == agui.PartText && p.Text == "":
		return nil
	case p.Type == agui.PartText:
		return llm.Text{Text: p.Text}
	case p.Source == nil:
		return llm.Text{Text: llm.NotShown(llm.Media{Kind: p.Type, Name: nameOf(p)}, "")}
	}
	m := llm.Media{Kind: p.Type, MimeType: p.Source.MimeType, Name: nameOf(p)}
	switch {
	case p.Source.Type == agui.SourceFile, p.Type == agui.PartImage && !model.Images && !m.IsText():
		return llm.Text{Text: llm.NotShown(m, "")}
	case p.Source.Type == agui.SourceURL:
		m.URL = p.Source.Value
	default:
		m.Data = p.Source.Value
	}
	return m
}

// nameOf is what the user calls the file of a part: clients of 1.0 say so in metadata.name, and
// what 0.x called filename is kept as that.
func nameOf(p *agui.ContentPart) string {
	var about struct{ Name, Filename any }
	if json.Unmarshal(p.Metadata, &about) != nil {
		return ""
	}
	for _, name := range []any{about.Name, about.Filename} {
		if name, ok := name.(string); ok && name != "" {
			return name
		}
	}
	return ""
}
