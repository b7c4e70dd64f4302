package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// messages writes the history. The API wants the results of a turn's calls together in the one user
// message after them, and before anything else in it; messages of one role that follow each other
// become one.
func (e *encoder) messages(messages []llm.Message) {
	e.add(`,"messages":[`)
	for _, m := range messages {
		for _, c := range m.Content {
			e.content(m.Role, c)
		}
	}
	if e.role != "" {
		e.add(`]}`)
	}
	e.breakpoints()
	e.add(`]`)
}

// breakpoints marks the last two messages: the last for the next call of this turn, the one before
// for the next turn, whose history no longer holds what was said around this turn's question.
func (e *encoder) breakpoints() {
	for _, at := range slices.Backward(e.marks[max(0, len(e.marks)-2):]) {
		if at >= 0 && e.left > 0 {
			e.buf = slices.Insert(e.buf, at, []byte(breakpoint)...)
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

// begin opens a block of a message of this role.
func (e *encoder) begin(role, block string) {
	switch e.role {
	case role:
		e.add(`,`)
	case "":
		e.open(role)
	default:
		e.add(`]},`)
		e.open(role)
	}
	e.add(block)
}

func (e *encoder) open(role string) {
	e.role = role
	e.marks = append(e.marks, -1)
	e.add(`{"role":"` + role + `","content":[`)
}

// end closes a block that takes a breakpoint.
func (e *encoder) end() {
	e.marks[len(e.marks)-1] = len(e.buf)
	e.add(`}`)
}

// text writes a text, unless it is blank: the API refuses those.
func (e *encoder) text(role string, t llm.Text) {
	if blank(t) {
		return
	}
	e.begin(role, `{"type":"text","text":`)
	e.quoted(t)
	e.end()
}

func (e *encoder) quoted(t llm.Text) {
	if len(t.Quoted) >= 2 {
		e.buf = append(e.buf, t.Quoted...)
		return
	}
	e.str(t.Text)
}

// blank reports whether a text is nothing but white space.
func blank(t llm.Text) bool {
	if len(t.Quoted) < 2 {
		return strings.TrimSpace(t.Text) == ""
	}
	body := t.Quoted[1 : len(t.Quoted)-1]
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == ' ':
		case body[i] == '\\' && i+1 < len(body) && strings.IndexByte("ntrf", body[i+1]) >= 0:
			i++
		default:
			return false
		}
	}
	return true
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
		if data, ok := strings.CutPrefix(value, kind); ok && data != "" {
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
		e.begin(role, `{"type":"redacted_thinking","data":`)
		e.str(data)
		e.add(`}`)
		return
	}
	e.begin(role, `{"type":"thinking","thinking":`)
	e.str(r.Text)
	e.add(`,"signature":`)
	e.str(data)
	e.add(`}`)
}

func (e *encoder) call(role string, c llm.ToolCall) {
	e.begin(role, `{"type":"tool_use","id":`)
	e.str(c.ID)
	e.add(`,"name":`)
	e.str(c.Name)
	e.add(`,"input":`)
	e.input(c.Args)
	e.end()
}

// input writes the arguments, which must be an object. What the model wrote and is none goes in as
// text.
func (e *encoder) input(args string) {
	switch {
	case strings.TrimSpace(args) == "":
		e.add(`{}`)
	case jsonx.KindOf([]byte(args)) == jsonx.Object && json.Valid([]byte(args)):
		e.add(args)
	default:
		e.add(`{"invalid_arguments":`)
		e.str(args)
		e.add(`}`)
	}
}

func (e *encoder) result(role string, r llm.ToolResult) {
	e.begin(role, `{"type":"tool_result","tool_use_id":`)
	e.str(r.ID)
	if !blank(r.Content) {
		e.add(`,"content":`)
		e.quoted(r.Content)
	}
	if r.IsError {
		e.add(`,"is_error":true`)
	}
	e.end()
}

// media writes an image or a document.
func (e *encoder) media(role string, m llm.Media) {
	kind := "document"
	if m.Kind == "image" {
		kind = "image"
	}
	e.begin(role, `{"type":"`+kind+`","source":`)
	e.source(m)
	if kind == "document" && m.Name != "" {
		e.add(`,"title":`)
		e.str(m.Name)
	}
	e.end()
}

func (e *encoder) source(m llm.Media) {
	if m.Data == "" {
		e.add(`{"type":"url","url":`)
		e.str(m.URL)
		e.add(`}`)
		return
	}
	e.add(`{"type":"base64","media_type":`)
	e.str(m.MimeType)
	e.add(`,"data":`)
	e.str(m.Data)
	e.add(`}`)
}
