package gemini

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Opaque values say what the signature belongs to: a call, a text or a thought.
const (
	tag         = "gemini:"
	ofText      = "text:"
	ofThought   = "thought:"
	madeUp      = "gemini_" // begins the ids the API did not give
	noSignature = "skip_thought_signature_validator"
)

// contents writes the history. The API wants as many results as there were calls, in the one
// content after them; messages of one role that follow each other become one content.
func (e *encoder) contents(messages []llm.Message) {
	e.Add(`,"contents":[`)
	current := lastQuestion(messages)
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		switch m.Role {
		case llm.RoleTool:
			n := i
			for n < len(messages) && messages[n].Role == llm.RoleTool {
				n++
			}
			e.results(messages[i:n])
			i = n - 1
		case llm.RoleAssistant:
			e.unsigned = i > current && e.model.family.Thinking == catalog.Level
			e.assistant(m.Content)
		default:
			e.user(m.Content)
		}
	}
	e.Close()
	e.Add(`]`)
}

// lastQuestion returns the index of the last message of the user, -1 where there is none.
func lastQuestion(messages []llm.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == llm.RoleUser {
			return i
		}
	}
	return -1
}

// textPart begins a part of text.
const textPart = `{"text":`

// open begins a content. Results of tools have one of their own.
func (e *encoder) open(role string) {
	name := "user"
	if role == llm.RoleAssistant {
		name = "model"
	}
	e.Add(`{"role":"` + name + `","parts":[`)
}

func (e *encoder) user(content []llm.Content) {
	for _, c := range content {
		switch c := c.(type) {
		case llm.Text:
			e.text(llm.RoleUser, c)
		case llm.Media:
			e.media(c)
		}
	}
}

// text writes a text, unless it is blank: the API refuses empty parts.
func (e *encoder) text(role string, t llm.Text) {
	if httpmodel.Blank(t) {
		return
	}
	e.Block(role, textPart)
	e.Text(t)
	e.Add(`}`)
}

func (e *encoder) media(m llm.Media) {
	if m.Data == "" {
		e.Block(llm.RoleUser, `{"fileData":{"fileUri":`)
		e.String(m.URL)
	} else {
		e.Block(llm.RoleUser, `{"inlineData":{"data":`)
		e.String(m.Data)
	}
	if m.MimeType != "" {
		e.AddString(`,"mimeType":`, m.MimeType)
	}
	e.Add(`}}`)
}

func (e *encoder) assistant(content []llm.Content) {
	for _, c := range content {
		switch c := c.(type) {
		case llm.Text:
			e.text(llm.RoleAssistant, c)
			e.sign()
		case llm.Reasoning:
			e.reasoning(c)
		case llm.ToolCall:
			e.sign()
			e.call(c)
		}
	}
	e.sign()
}

// reasoning sends back a thought that has a signature; a text's signature waits for its text.
func (e *encoder) reasoning(r llm.Reasoning) {
	value, _ := strings.CutPrefix(r.Opaque, tag)
	if signature, ok := strings.CutPrefix(value, ofText); ok && isSignature(signature) {
		e.sign()
		e.signature = signature
	}
	signature, ok := strings.CutPrefix(value, ofThought)
	if !ok || !isSignature(signature) {
		return
	}
	e.Block(llm.RoleAssistant, textPart)
	e.String(r.Text)
	e.AddString(`,"thought":true,"thoughtSignature":`, signature)
	e.Add(`}`)
}

// isSignature reports whether a text can be decoded: the API refuses a whole request otherwise.
func isSignature(s string) bool {
	return httpmodel.IsSignature(s) && len(strings.TrimRight(s, "="))%4 != 1
}

// sign writes the signature of a text as the API streams it: in a part of its own behind the text.
func (e *encoder) sign() {
	if e.signature == "" {
		return
	}
	e.Block(llm.RoleAssistant, `{"text":"","thoughtSignature":`)
	e.String(e.signature)
	e.Add(`}`)
	e.signature = ""
}

// call writes a call with its signature. The API refuses a step whose first call has none. Where
// another maker's model made the call, noSignature tells the API so.
func (e *encoder) call(c llm.ToolCall) {
	e.names[c.ID], e.order[c.ID] = c.Name, len(e.order)
	e.Block(llm.RoleAssistant, `{"functionCall":{"name":`)
	e.String(c.Name)
	e.Add(`,"args":`)
	e.Add(httpmodel.Arguments(c.Args))
	e.id(c.ID)
	e.Add(`}`)
	signature, own := strings.CutPrefix(c.Opaque, tag)
	switch {
	case own && isSignature(signature):
	case e.unsigned:
		signature = noSignature
	default:
		signature = ""
	}
	e.unsigned = false
	if signature != "" {
		e.AddString(`,"thoughtSignature":`, signature)
	}
	e.Add(`}`)
}

// id writes the id the API gave a call.
func (e *encoder) id(id string) {
	if !strings.HasPrefix(id, madeUp) {
		e.AddString(`,"id":`, id)
	}
}

// results writes the results of a step's calls in the order of the calls: that pairs those that
// have no id.
func (e *encoder) results(messages []llm.Message) {
	var results []llm.ToolResult
	for _, m := range messages {
		results = slices.AppendSeq(results, llm.Only[llm.ToolResult](m.Content))
	}
	slices.SortStableFunc(results, func(a, b llm.ToolResult) int { return cmp.Compare(e.order[a.ID], e.order[b.ID]) })
	for _, r := range results {
		e.Block(llm.RoleTool, `{"functionResponse":{"name":`)
		e.String(e.names[r.ID])
		if r.IsError {
			e.Add(`,"response":{"error":`)
		} else {
			e.Add(`,"response":{"output":`)
		}
		e.Text(r.Content)
		e.Add(`}`)
		e.id(r.ID)
		e.Add(`}}`)
	}
}
