package aisdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

// request is the body of POST /v1/ai-sdk/{agent}: what useChat sends, what assistant-ui adds, and
// what Pageside has room for besides.
type request struct {
	ID        string            `json:"id"`
	Messages  []json.RawMessage `json:"messages"` // UIMessages
	Trigger   string            `json:"trigger"`
	MessageID string            `json:"messageId"`

	Tools  map[string]clientTool `json:"tools"`
	System string                `json:"system"`

	Pageside json.RawMessage `json:"pageside"` // as in forwardedProps
	Context  []contextItem   `json:"context"`
	Resume   []answer        `json:"resume"`

	// of assistant-ui, for servers that leave the choice of a model to the page: must be empty
	CallSettings json.RawMessage `json:"callSettings"`
	Config       json.RawMessage `json:"config"`
	Metadata     json.RawMessage `json:"metadata"`

	chat   []uiMessage
	origin []int // run's message → index in chat
}

type clientTool struct {
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type contextItem struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}

// answer answers a question that was shown as data.
type answer struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status"`
	Payload     json.RawMessage `json:"payload"`
}

const (
	triggerSubmit     = "submit-message"
	triggerRegenerate = "regenerate-message"
)

// bad returns the error for a field.
func bad(field, reason string) error { return server.BadField(field, reason) }

// input returns the run that the request asks for, without its messages and its id.
func (r *request) input() (*agui.RunAgentInput, error) {
	if r.ID == "" {
		return nil, bad("id", "must not be empty")
	}
	if r.Trigger != "" && r.Trigger != triggerSubmit && r.Trigger != triggerRegenerate {
		return nil, bad("trigger", "must be "+triggerSubmit+" or "+triggerRegenerate)
	}
	for name, raw := range map[string]json.RawMessage{
		"callSettings": r.CallSettings, "config": r.Config, "metadata": r.Metadata,
	} {
		if s := strings.Join(strings.Fields(string(raw)), ""); s != "" && s != "null" && s != "{}" {
			return nil, bad(name, "is not supported: the server's configuration decides")
		}
	}
	if err := r.decode(); err != nil {
		return nil, err
	}
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion, ThreadID: r.ID}
	for _, name := range slices.Sorted(maps.Keys(r.Tools)) {
		in.Tools = append(in.Tools, agui.Tool{
			Name: name, Description: r.Tools[name].Description, Parameters: r.Tools[name].Parameters,
		})
	}
	for _, c := range r.Context {
		in.Context = append(in.Context, agui.ContextItem{Description: c.Description, Value: c.Value})
	}
	if len(r.Pageside) > 0 {
		if r.Pageside[0] != '{' {
			return nil, bad("pageside", "must be an object")
		}
		in.ForwardedProps = jsonx.Marshal(map[string]json.RawMessage{"pageside": r.Pageside})
	}
	return in, r.answers(in)
}

// decode reads the messages. It ignores fields that only the client uses.
func (r *request) decode() error {
	if len(r.Messages) == 0 {
		return bad("messages", "must not be empty")
	}
	for i, raw := range r.Messages {
		var m struct {
			ID    string `json:"id"`
			Role  string `json:"role"`
			Parts []part `json:"parts"`
		}
		at := fmt.Sprintf("messages[%d]", i)
		if err := json.Unmarshal(raw, &m); err != nil {
			if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
				return bad(at+"."+e.Field, "must not be of the type "+e.Value)
			}
			return bad(at, "must be a UIMessage")
		}
		switch {
		case m.ID == "":
			return bad(at+".id", "must not be empty")
		case m.Role != agui.RoleUser && m.Role != agui.RoleAssistant && m.Role != agui.RoleSystem:
			return bad(at+".role", "must be system, user or assistant")
		case m.Parts == nil:
			return bad(at+".parts", "must be an array")
		}
		r.chat = append(r.chat, uiMessage{ID: m.ID, Role: m.Role, Parts: m.Parts})
	}
	if last := r.chat[len(r.chat)-1]; r.Trigger == triggerRegenerate && last.Role != agui.RoleUser {
		return bad("messages", "must end with the user's message that is answered again")
	}
	return nil
}

// continued returns the answer that the run continues, or nil. The client appends to the message
// that it names, else to the last one, if that is the assistant's.
func (r *request) continued() *uiMessage {
	if r.Trigger == triggerRegenerate {
		return nil
	}
	i := slices.IndexFunc(r.chat, func(m uiMessage) bool { return m.ID == r.MessageID })
	if i < 0 {
		i = len(r.chat) - 1
	}
	if r.chat[i].Role != agui.RoleAssistant {
		return nil
	}
	return &r.chat[i]
}

// answers takes the answers to approvals and questions.
func (r *request) answers(in *agui.RunAgentInput) error {
	for i, a := range r.Resume {
		if a.InterruptID == "" {
			return bad(fmt.Sprintf("resume[%d].interruptId", i), "must not be empty")
		}
		if a.Status != agui.ResumeResolved && a.Status != agui.ResumeCancelled {
			return bad(fmt.Sprintf("resume[%d].status", i), "must be resolved or cancelled")
		}
		in.Resume = append(in.Resume, agui.ResumeEntry{
			InterruptID: a.InterruptID, Status: a.Status, Payload: a.Payload,
		})
	}
	m := r.continued()
	if m == nil {
		return nil
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.answered() {
			in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: p.Approval.ID, Status: agui.ResumeResolved, Payload: jsonx.Marshal(struct {
				Approved bool   `json:"approved"`
				Reason   string `json:"reason,omitzero"`
			}{*p.Approval.Approved, p.Approval.Reason})})
		}
	}
	return nil
}

// answered reports whether a person has answered a call's approval and the call has not run since.
func (p *part) answered() bool {
	return p.isTool() && p.State == approvalResponded && p.Approval != nil && p.Approval.ID != "" &&
		p.Approval.Approved != nil
}

// convert adds the messages to the run. On a known thread the server has the assistant's messages,
// and only their ids count: they say where the client is. A new thread begins with all of them.
func (r *request) convert(x *server.Exchange, in *agui.RunAgentInput) error {
	_, err := x.Threads().Get(r.ID)
	isNew := refusal.CodeOf(err) == refusal.NotFound
	if err != nil && !isNew {
		return err
	}
	if r.System != "" {
		r.add(in, 0, agui.Message{ID: "system", Role: agui.RoleSystem, Content: agui.TextContent(r.System)})
	}
	seen := map[string]bool{}
	for i := range r.chat {
		m := &r.chat[i]
		switch {
		case m.Role != agui.RoleAssistant:
			content, err := contentOf(fmt.Sprintf("messages[%d]", i), m)
			if err != nil {
				return err
			}
			r.add(in, i, agui.Message{ID: m.ID, Role: m.Role, Content: content})
		case isNew:
			for _, msg := range imported(m) {
				r.add(in, i, msg)
			}
		default:
			for _, msg := range echo(m, seen) {
				r.add(in, i, msg)
			}
		}
	}
	return nil
}

func (r *request) add(in *agui.RunAgentInput, index int, m agui.Message) {
	in.Messages, r.origin = append(in.Messages, m), append(r.origin, index)
}

// named returns an error of the run with the client's index of the message that it names.
func (r *request) named(err error) error {
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		named := *e
		named.Field = r.field(e.Field)
		return &named
	}
	if e, ok := errors.AsType[*server.Error](err); ok {
		if field, ok := e.Details["field"].(string); ok {
			e.Details["field"] = r.field(field)
		}
	}
	return err
}

func (r *request) field(name string) string {
	inside, is := strings.CutPrefix(name, "messages[")
	index, rest, ok := strings.Cut(inside, "]")
	n, err := strconv.Atoi(index)
	if !is || !ok || err != nil || n < 0 || n >= len(r.origin) {
		return name
	}
	return fmt.Sprintf("messages[%d]%s", r.origin[n], rest)
}

// contentOf returns what the user, or a system message, says.
func contentOf(at string, m *uiMessage) (agui.Content, error) {
	var parts []agui.ContentPart
	for i, p := range m.Parts {
		field := fmt.Sprintf("%s.parts[%d]", at, i)
		switch {
		case p.Type == typeText:
			parts = append(parts, agui.ContentPart{Type: typeText, Text: p.Text})
		case p.Type == typeFile && m.Role == agui.RoleUser:
			file, err := fileOf(field, &p)
			if err != nil {
				return agui.Content{}, err
			}
			parts = append(parts, file)
		default:
			return agui.Content{}, bad(field+".type", "is not supported in a message of the role "+m.Role)
		}
	}
	if len(parts) == 0 {
		return agui.Content{}, bad(at+".parts", "must not be empty")
	}
	return agui.ContentOf(parts), nil
}

func fileOf(field string, p *part) (agui.ContentPart, error) {
	kind, _, err := mime.ParseMediaType(p.MediaType)
	if err != nil {
		return agui.ContentPart{}, bad(field+".mediaType", "must be a media type")
	}
	family, _, _ := strings.Cut(kind, "/")
	if family != "image" && family != "audio" && family != "video" {
		family = "document"
	}
	source, ok := agui.SourceAt(p.URL)
	if !ok {
		return agui.ContentPart{}, bad(field+".url", "must be a URL, or a data: URL in base64")
	}
	source.MimeType = p.MediaType
	return agui.ContentPart{Type: family, Source: &source}, nil
}

// echo returns what the server needs of an answer: the ids of its messages, which say where the
// client is, and the results of the client's tools.
func echo(m *uiMessage, seen map[string]bool) (out []agui.Message) {
	add := func(id, role string) {
		if id != "" && !seen[id] {
			seen[id] = true
			m := agui.Message{ID: id, Role: role}
			if role == agui.RoleReasoning {
				m.Content = agui.TextContent("") // it must have some
			}
			out = append(out, m)
		}
	}
	var results []agui.Message
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Type == typeReasoning:
			add(p.message(), agui.RoleReasoning)
		case p.Type == typeText, p.isTool():
			add(p.message(), agui.RoleAssistant)
		}
		if p.isTool() && !p.ProviderExecuted {
			results = append(results, p.results(m.ID)...)
		}
	}
	if len(out) == 0 && len(results) == 0 {
		// the client does not keep what the server has said of the parts
		add(m.ID, agui.RoleAssistant)
	}
	return append(out, results...)
}

// results returns a tool part's result as the client has it, if there is one.
func (p *part) results(messageID string) []agui.Message {
	if id := p.message(); id != "" {
		messageID = id
	}
	m := agui.Message{ID: "result-" + messageID + "-" + p.ToolCallID, Role: agui.RoleTool, ToolCallID: p.ToolCallID}
	switch p.State {
	case outputAvailable:
		var text string
		if len(p.Output) == 0 || json.Unmarshal(p.Output, &text) != nil {
			text = string(p.Output)
		}
		m.Content = agui.TextContent(text)
	case outputError:
		m.Error = p.ErrorText
		m.Content = agui.TextContent(string(jsonx.Marshal(map[string]any{"error": map[string]string{
			"code": "failed", "message": p.ErrorText,
		}})))
	default:
		return nil
	}
	return []agui.Message{m}
}

// imported returns an answer that the thread does not have.
func imported(m *uiMessage) (out []agui.Message) {
	var results []agui.Message
	add := func(role string) *agui.Message {
		out, results = append(out, results...), nil
		id := m.ID
		if len(out) > 0 {
			id += "-" + strconv.Itoa(len(out))
		}
		out = append(out, agui.Message{ID: id, Role: role})
		return &out[len(out)-1]
	}
	says := false // the last message out can take more
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Type == typeStepStart:
			says = false
		case p.Type == typeReasoning:
			add(agui.RoleReasoning).Content = agui.TextContent(p.Text)
			says = false
		case p.Type == typeText && p.Text != "":
			add(agui.RoleAssistant).Content = agui.TextContent(p.Text)
			says = true
		case p.isTool() && p.ToolCallID != "" && p.tool() != "":
			if !says {
				add(agui.RoleAssistant)
				says = true
			}
			last := &out[len(out)-1]
			last.ToolCalls = append(last.ToolCalls, agui.ToolCall{
				ID: p.ToolCallID, Name: p.tool(), Arguments: string(p.Input),
			})
			results = append(results, p.results(m.ID)...)
		}
	}
	return append(out, results...)
}
