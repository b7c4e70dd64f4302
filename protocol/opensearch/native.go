package opensearch

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// request is the body of _execute in ml-commons' own format.
type request struct {
	Parameters map[string]json.RawMessage `json:"parameters"`
	Input      json.RawMessage            `json:"input"` // a text, blocks or messages
}

// read returns the run that the request asks for, and whether its answer is in ml-commons' own
// format. It is not if the parameters are those that ml-commons makes of an AG-UI input.
func (r *request) read(x *server.Exchange) (in *agui.RunAgentInput, native bool, err error) {
	for name := range r.Parameters {
		if strings.HasPrefix(name, "agui_") {
			in, err = r.aguiInput(x)
			return in, false, err
		}
	}
	in = &agui.RunAgentInput{
		ProtocolVersion: agui.ProtocolVersion, RunID: "interaction-" + rand.Text(),
		ThreadID: "memory-" + rand.Text(),
	}
	if err := r.native(x, in); err != nil {
		return nil, true, err
	}
	if !absent(r.Input) {
		if len(in.Messages) > 0 {
			return nil, true, server.BadField("input", "must be absent if there is a question")
		}
		if in.Messages, err = messagesOf(r.Input); err != nil {
			return nil, true, err
		}
	}
	if len(in.Messages) == 0 {
		return nil, true, server.BadField("parameters.question", "must not be empty")
	}
	for i := range in.Messages { // what is new has a name of its own
		in.Messages[i].ID = fmt.Sprintf("%s-%d", in.RunID, i)
	}
	return in, true, nil
}

// native takes the parameters.
func (r *request) native(x *server.Exchange, in *agui.RunAgentInput) error {
	var p struct {
		Question  *string         `json:"question"`
		Memory    *string         `json:"memory_id"`
		Container *string         `json:"memory_container_id"`
		Verbose   json.RawMessage `json:"verbose"` // false, or "false"
	}
	if err := server.DecodeField("parameters", jsonx.Marshal(r.Parameters), &p); err != nil {
		return err
	}
	if verbose := strings.Trim(string(p.Verbose), `"`); verbose != "" && verbose != "false" {
		return server.BadField("parameters.verbose",
			"must be false: the steps of an answer are shown to AG-UI clients only")
	}
	if p.Container != nil && *p.Container != container {
		return server.BadField("parameters.memory_container_id", "must be "+container)
	}
	if p.Question != nil && strings.TrimSpace(*p.Question) != "" {
		in.Messages = []agui.Message{{Role: agui.RoleUser, Content: agui.TextContent(*p.Question)}}
	}
	if p.Memory == nil {
		return nil
	}
	t, err := threadOf(x, *p.Memory)
	in.ThreadID = t.ID
	return err
}

// textOf reads a string, or a bool as one: ml-commons' parameters are texts.
func textOf(field string, raw json.RawMessage) (string, error) {
	var text string
	var flag bool
	if json.Unmarshal(raw, &flag) == nil && string(raw) != "null" {
		return fmt.Sprint(flag), nil
	}
	if json.Unmarshal(raw, &text) != nil || string(raw) == "null" {
		return "", server.BadField(field, "must be a string")
	}
	return text, nil
}

// block is a block of content, or a message of blocks.
type block struct {
	Type   string `json:"type"` // text or image
	Text   string `json:"text"`
	Source *struct {
		Type   string `json:"type"` // base64 or url
		Format string `json:"format"`
		Data   string `json:"data"`
	} `json:"source"`
	Role    string  `json:"role"` // user or assistant
	Content []block `json:"content"`
}

// messagesOf reads the standardized input.
func messagesOf(raw json.RawMessage) ([]agui.Message, error) {
	if raw[0] == '"' {
		text, err := textOf("input", raw)
		if err == nil && strings.TrimSpace(text) == "" {
			err = server.BadField("input", "must not be empty")
		}
		return []agui.Message{{Role: agui.RoleUser, Content: agui.TextContent(text)}}, err
	}
	var list []block
	if err := server.DecodeField("input", raw, &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, server.BadField("input", "must not be empty")
	}
	if list[0].Role == "" {
		content, err := contentOf("input", list)
		return []agui.Message{{Role: agui.RoleUser, Content: content}}, err
	}
	var out []agui.Message
	for i, b := range list {
		at := fmt.Sprintf("input[%d]", i)
		if b.Role != agui.RoleUser && b.Role != agui.RoleAssistant || b.Type != "" {
			return nil, server.BadField(at+".role", "must be user or assistant, without a type")
		}
		content, err := contentOf(at+".content", b.Content)
		if err != nil {
			return nil, err
		}
		m := agui.Message{Role: b.Role, Content: content}
		if b.Role == agui.RoleAssistant {
			m.Content = agui.TextContent(content.Text())
		}
		out = append(out, m)
	}
	if out[len(out)-1].Role != agui.RoleUser {
		return nil, server.BadField("input", "Last message must be from role 'user'")
	}
	return out, nil
}

func contentOf(field string, blocks []block) (agui.Content, error) {
	if len(blocks) == 0 {
		return agui.Content{}, server.BadField(field, "must not be empty")
	}
	var parts []agui.ContentPart
	for i, b := range blocks {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case b.Role != "":
			return agui.Content{}, server.BadField(at+".role", "must be absent from a block")
		case b.Type == "text" && b.Text != "":
			parts = append(parts, agui.ContentPart{Type: agui.PartText, Text: b.Text})
		case b.Type == "text":
			return agui.Content{}, server.BadField(at+".text", "Text content block cannot have null or empty text")
		case b.Type != "image":
			return agui.Content{}, server.BadField(at+".type", "must be text or image")
		case b.Source == nil || b.Source.Data == "":
			return agui.Content{}, server.BadField(at+".source.data", "must not be empty")
		case b.Source.Type == "url":
			parts = append(parts, agui.ContentPart{
				Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: b.Source.Data},
			})
		case b.Source.Type != "base64" || b.Source.Format == "":
			return agui.Content{}, server.BadField(at+".source", "must be of the type url, or base64 with a format")
		default:
			parts = append(parts, agui.ContentPart{
				Type:   agui.PartImage,
				Source: &agui.Source{Type: agui.SourceData, Value: b.Source.Data, MimeType: "image/" + b.Source.Format},
			})
		}
	}
	return agui.PartsContent(parts), nil
}

// reply is the answer to a question, in ml-commons' own format.
type reply struct {
	thread, run string
	text        strings.Builder
	steps       server.Steps
	over        bool
	failure     *server.Error
}

// event takes an event and returns the text that it adds.
func (a *reply) event(e agui.Event) (delta string) {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		delta = a.steps.Delta(e)
		a.text.WriteString(delta)
	case *agui.RunFinished, *agui.RunError:
		a.over, a.failure = true, server.FailureOf(e, "who can be asked in the AG-UI format only")
	}
	return delta
}

// whole returns the answer as one object.
func (a *reply) whole() object {
	return a.output(object{"name": "response", "result": a.text.String()})
}

func (a *reply) output(response object) object {
	return object{"inference_results": []object{{"output": []object{
		{"name": "memory_id", "result": a.thread}, {"name": "parent_interaction_id", "result": a.run}, response,
	}}}}
}

// translate is a server.Translate.
func (a *reply) translate(e run.Event) (out []byte) {
	if delta := a.event(e.Event); delta != "" {
		out = a.chunk(out, delta, false)
	}
	switch {
	case a.failure != nil:
		return appendJSON(out, object{"error": a.failure.Message})
	case a.over:
		return a.chunk(out, "", true)
	}
	return out
}

func (a *reply) chunk(dst []byte, content string, last bool) []byte {
	return appendJSON(dst, a.output(object{
		"name": "response", "dataAsMap": object{"content": content, "is_last": last},
	}))
}

func appendJSON(dst []byte, v any) []byte {
	return appendData(dst, jsonx.Marshal(v))
}
