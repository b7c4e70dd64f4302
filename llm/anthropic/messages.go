package anthropic

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// messages writes the history. The API wants all results of a step's calls at the beginning of the
// user message that follows them. Consecutive messages of one role are merged.
func (e *encoder) messages(messages []llm.Message) {
	e.Add(`,"messages":[`)
	for _, m := range messages {
		for _, c := range m.Content {
			e.content(m.Role, c)
		}
	}
	e.Close()
	e.breakpoints()
	e.Add(`]`)
}

// breakpoints marks the last two messages: the last for the next step of this run, the one before
// for the next run, whose history no longer holds what stood around this run's question.
func (e *encoder) breakpoints() {
	for _, at := range slices.Backward(e.marks[max(0, len(e.marks)-2):]) {
		if at >= 0 && e.left > 0 {
			e.Buf = slices.Insert(e.Buf, at, []byte(breakpoint)...)
			e.left--
		}
	}
}

func (e *encoder) content(role string, c llm.Content) {
	if role == llm.RoleTool {
		role = llm.RoleUser
	}
	switch c := c.(type) {
	case llm.Text:
		e.text(role, c)
	case llm.Media:
		e.media(role, c)
	case llm.Reasoning:
		e.thought(role, c)
	case llm.ToolCall:
		e.call(role, c)
	case llm.ToolResult:
		e.result(role, c)
	}
}

// textBlock begins a block of text.
const textBlock = `{"type":"text","text":`

// open begins a message of this role.
func (e *encoder) open(role string) {
	e.marks = append(e.marks, -1)
	e.Add(`{"role":"` + role + `","content":[`)
}

// end closes a block that takes a breakpoint.
func (e *encoder) end() {
	e.marks[len(e.marks)-1] = len(e.Buf)
	e.Add(`}`)
}

// text writes a text, unless it is blank: the API refuses those.
func (e *encoder) text(role string, t llm.Text) {
	if httpmodel.Blank(t) {
		return
	}
	e.Block(role, textBlock)
	e.Text(t)
	e.end()
}

// What an Opaque value holds: the signature of a thought, or a thought that is a secret altogether.
const (
	tag      = "anthropic:"
	signed   = "thinking:"
	redacted = "redacted:"
)

// thoughtOf reads an Opaque value; ok is false where it is another adapter's.
func thoughtOf(opaque string) (kind, data string, ok bool) {
	value, ok := strings.CutPrefix(opaque, tag)
	if !ok {
		return "", "", false
	}
	for _, kind := range []string{signed, redacted} {
		if data, ok := strings.CutPrefix(value, kind); ok && httpmodel.IsSignature(data) {
			return kind, data, true
		}
	}
	return "", "", false
}

// thought sends back a thought with its signature. One without, cut off or another maker's, is left
// out.
func (e *encoder) thought(role string, r llm.Reasoning) {
	kind, data, ok := thoughtOf(r.Opaque)
	if !ok || role != llm.RoleAssistant {
		return
	}
	if kind == redacted {
		e.Block(role, `{"type":"redacted_thinking","data":`)
		e.String(data)
		e.Add(`}`)
		return
	}
	e.Block(role, `{"type":"thinking","thinking":`)
	e.String(r.Text)
	e.AddString(`,"signature":`, data)
	e.Add(`}`)
}

func (e *encoder) call(role string, c llm.ToolCall) {
	e.Block(role, `{"type":"tool_use","id":`)
	e.String(c.ID)
	e.AddString(`,"name":`, c.Name)
	e.Add(`,"input":`)
	e.Add(httpmodel.Arguments(c.Args))
	e.end()
}

func (e *encoder) result(role string, r llm.ToolResult) {
	e.Block(role, `{"type":"tool_result","tool_use_id":`)
	e.String(r.ID)
	if !httpmodel.Blank(r.Content) {
		e.Add(`,"content":`)
		e.Text(r.Content)
	}
	if r.IsError {
		e.Add(`,"is_error":true`)
	}
	e.end()
}

// media writes an image or a document.
func (e *encoder) media(role string, m llm.Media) {
	kind := "document"
	if m.Kind == "image" {
		kind = "image"
	}
	e.Block(role, `{"type":"`+kind+`","source":`)
	e.source(m)
	if kind == "document" && m.Name != "" {
		e.AddString(`,"title":`, m.Name)
	}
	e.end()
}

func (e *encoder) source(m llm.Media) {
	if m.Data == "" {
		e.AddString(`{"type":"url","url":`, m.URL)
		e.Add(`}`)
		return
	}
	e.AddString(`{"type":"base64","media_type":`, m.MimeType)
	e.AddString(`,"data":`, m.Data)
	e.Add(`}`)
}
