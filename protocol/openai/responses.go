package openai

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// responseRequest is the body of POST /v1/responses.
type responseRequest struct {
	Model         string          `json:"model"`
	Input         json.RawMessage `json:"input"` // a text or items
	Instructions  string          `json:"instructions"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeObfuscation *bool `json:"include_obfuscation"`
	} `json:"stream_options"`
	Tools []struct {
		Type string `json:"type"`
		function
	} `json:"tools"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
	Text       json.RawMessage   `json:"text"` // {format, verbosity}
	Previous   string            `json:"previous_response_id"`
	Store      *bool             `json:"store"` // default true
	Metadata   map[string]string `json:"metadata"`
	Others     others            `json:",embed"`
}

// item is one of the input.
type item struct {
	// message (the default), function_call or function_call_output
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

func (r *responseRequest) stored() bool { return r.Store == nil || *r.Store }

// input returns the run that the request asks for.
func (r *responseRequest) input() (in *agui.RunAgentInput, p promise, err error) {
	switch {
	case r.Model == "":
		return nil, p, bad("model", "must not be empty")
	case r.StreamOptions != nil && !r.Stream:
		return nil, p, bad("stream_options", "is only allowed when stream is true")
	case r.Previous != "" && !r.stored():
		return nil, p, bad("store",
			"must not be false with previous_response_id: the response is part of the same conversation")
	}
	in = &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion, ParentRunID: r.Previous}
	if r.Instructions != "" {
		in.Messages = []agui.Message{{Role: agui.RoleSystem, Content: agui.TextContent(r.Instructions)}}
	}
	if err := r.messages(in); err != nil {
		return nil, p, err
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if err := t.offer(in, t.Type, fmt.Sprintf("tools[%d]", i), ""); err != nil {
			return nil, p, err
		}
	}
	if p.form, err = r.form(); err != nil {
		return nil, p, err
	}
	p.calls, err = chosen(r.ToolChoice, in)
	return in, p, err
}

// form reads text. Its verbosity is the agent's model's.
func (r *responseRequest) form() (*form, error) {
	var text struct {
		Format    json.RawMessage `json:"format"`
		Verbosity json.RawMessage `json:"verbosity"`
	}
	if err := server.DecodeField("text", given(r.Text, "{}"), &text); err != nil {
		return nil, err
	}
	return formOf("text.format", text.Format)
}

// messages adds the input.
func (r *responseRequest) messages(in *agui.RunAgentInput) error {
	input := given(r.Input, "")
	switch {
	case len(input) == 0:
		return bad("input", "must not be empty")
	case input[0] == '"':
		content, err := contentOf("input", input)
		in.Messages = append(in.Messages, agui.Message{Role: agui.RoleUser, Content: content})
		return err
	}
	var items []item
	if err := server.DecodeField("input", input, &items); err != nil {
		return err
	}
	guidance := len(in.Messages)
	for i := range items {
		if err := items[i].add(fmt.Sprintf("input[%d]", i), in, r.Previous != ""); err != nil {
			return err
		}
	}
	return checkCalls("input", in.Messages[guidance:], r.Previous != "")
}

// add adds an item to the messages. Calls belong to the assistant's message before them.
func (it *item) add(param string, in *agui.RunAgentInput, earlier bool) error {
	m := agui.Message{Role: it.Role}
	var err error
	switch it.Type {
	case "", "message":
		if m.Content, err = contentOf(param+".content", it.Content); err != nil {
			return err
		}
		switch {
		case it.Role == agui.RoleAssistant && earlier:
			return bad(param, "is known: with previous_response_id the input is what is new")
		case it.Role == agui.RoleAssistant, it.Role == agui.RoleUser, isGuidance(&m):
		default:
			return bad(param+".role", "must be system, developer, user or assistant")
		}
		if m.Content.IsZero() {
			return bad(param+".content", "must not be empty")
		}
	case "function_call":
		if earlier {
			return bad(param, "is known: with previous_response_id the input is what is new")
		}
		if it.CallID == "" {
			return bad(param+".call_id", "must not be empty")
		}
		if n := len(in.Messages); n == 0 || in.Messages[n-1].Role != agui.RoleAssistant {
			in.Messages = append(in.Messages, agui.Message{Role: agui.RoleAssistant})
		}
		last := &in.Messages[len(in.Messages)-1]
		last.ToolCalls = append(last.ToolCalls, agui.ToolCall{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
		return nil
	case "function_call_output":
		if it.CallID == "" {
			return bad(param+".call_id", "must not be empty")
		}
		m.Role, m.ToolCallID = agui.RoleTool, it.CallID
		if m.Content, err = contentOf(param+".output", it.Output); err != nil {
			return err
		}
	default:
		return unsupported(param + ".type")
	}
	in.Messages = append(in.Messages, m)
	return nil
}

// postResponses answers, and keeps the conversation unless the request says otherwise.
func postResponses(x *server.Exchange) error {
	var req responseRequest
	in, p, err := read(x, &req)
	if err != nil {
		return err
	}
	if in.ThreadID, err = req.thread(x); err != nil {
		return err
	}
	in.RunID = "resp_" + rand.Text()
	if req.Previous != "" { // new messages get random ids; those of a history get ids by position
		for i := range in.Messages {
			in.Messages[i].ID = fmt.Sprintf("%s-%d", in.RunID, i)
		}
	}
	r, err := x.Start(req.Model, in)
	if err != nil {
		return err
	}
	out := &response{answer: answer{promise: p}, req: req, id: in.RunID, created: time.Now().Unix()}
	if !req.stored() {
		defer forget(x, r, &out.answer)
	}
	return send(x, r, req.Stream, out.translate, &out.answer, func() any { return out.whole(out.status()) })
}

func (r *responseRequest) model() string  { return r.Model }
func (r *responseRequest) others() others { return r.Others }

// thread returns the thread of the response before, or a new one.
func (r *responseRequest) thread(x *server.Exchange) (string, error) {
	if r.Previous == "" {
		return "conv_" + rand.Text(), nil
	}
	id, err := x.Threads().Of(r.Previous)
	if err != nil {
		return "", &server.Error{Status: http.StatusNotFound, Code: "previous_response_not_found", Message: "Previous response with id '" + r.Previous + "' not found.",
			Details: map[string]any{"field": "previous_response_id"}, Err: err}
	}
	return id, nil
}

// response is one answer of POST /v1/responses.
type response struct {
	answer
	req      responseRequest
	id       string
	created  int64
	sequence int
	began    bool // the message
	out      []byte
}

// object is any JSON object.
type object map[string]any

func (r *response) status() string {
	switch {
	case r.failure != nil:
		return "failed"
	case r.finish == "":
		return "in_progress"
	case r.finish == "length", r.finish == "content_filter":
		return "incomplete"
	}
	return "completed"
}

// whole returns the response as an object.
func (r *response) whole(status string) object {
	out := object{
		"id": r.id, "object": "response", "created_at": r.created, "status": status, "error": nil,
		"incomplete_details": nil, "instructions": nil, "model": r.req.Model,
		"output": r.output(status != "in_progress"), "parallel_tool_calls": true, "previous_response_id": nil,
		"store": r.req.stored(), "temperature": 1, "top_p": 1,
		"tool_choice": given(r.req.ToolChoice, `"auto"`), "tools": r.tools(),
		"text":       given(r.req.Text, `{"format":{"type":"text"}}`),
		"truncation": "disabled", "max_output_tokens": nil,
		"reasoning": object{"effort": nil, "summary": nil}, "user": nil, "metadata": r.req.Metadata, "usage": nil,
	}
	if r.req.Metadata == nil {
		out["metadata"] = object{}
	}
	if r.req.Previous != "" {
		out["previous_response_id"] = r.req.Previous
	}
	if r.req.Instructions != "" {
		out["instructions"] = r.req.Instructions
	}
	if r.over() {
		u := agui.CountTokens(r.usage)
		out["usage"] = object{
			"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.CachedInput},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
			"total_tokens": u.Input + u.Output,
		}
	}
	switch {
	case r.failure != nil:
		out["error"] = object{"code": r.failure.Code, "message": r.failure.Message}
	case status == "incomplete":
		reason := map[string]string{"length": "max_output_tokens"}[r.finish]
		out["incomplete_details"] = object{"reason": cmp.Or(reason, r.finish)}
	}
	return out
}

func (r *response) tools() []object {
	list := []object{}
	for _, t := range r.req.Tools {
		list = append(list, object{
			"type": "function", "name": t.Name, "description": t.Description, "parameters": t.Parameters,
			"strict": t.Strict != nil && *t.Strict,
		})
	}
	return list
}

// output returns the items so far, if they are to be shown.
func (r *response) output(shown bool) []object {
	list := []object{}
	if shown && r.text.Len() > 0 {
		list = append(list, r.item("completed"))
	}
	if shown {
		for _, c := range r.calls {
			list = append(list, callItem(c, "completed", c.Arguments))
		}
	}
	return list
}

// item returns the message.
func (r *response) item(status string) object {
	content := []object{}
	if status == "completed" {
		content = append(content, r.part(r.text.String(), r.annotations()))
	}
	return object{"id": r.itemID(), "type": "message", "status": status, "role": agui.RoleAssistant, "content": content}
}

func (r *response) itemID() string { return "msg_" + r.id }

func (r *response) part(text string, annotations []object) object {
	return object{"type": "output_text", "text": text, "annotations": annotations, "logprobs": []any{}}
}

// annotations returns what the text cites.
func (r *response) annotations() []object {
	list := []object{}
	for _, c := range r.citations() {
		list = append(list, object{
			"type": "url_citation", "start_index": c.Start, "end_index": c.End, "url": c.URL, "title": c.Title,
		})
	}
	return list
}

func callItem(c agui.ToolCall, status, args string) object {
	return object{
		"id": "fc_" + c.ID, "type": "function_call", "status": status, "call_id": c.ID, "name": c.Name,
		"arguments": args,
	}
}

// translate is a server.Translate.
func (r *response) translate(e run.Event) []byte {
	r.out = nil
	if !r.begun {
		r.send("response.created", object{"response": r.whole("in_progress")})
		r.send("response.in_progress", object{"response": r.whole("in_progress")})
	}
	delta := r.event(e.Event)
	if delta != "" {
		r.begin()
		r.send("response.output_text.delta", object{
			"item_id": r.itemID(), "output_index": 0, "content_index": 0, "delta": delta, "logprobs": []any{},
		})
	}
	if r.over() {
		r.end()
	}
	return r.out
}

// begin announces the message.
func (r *response) begin() {
	if r.began {
		return
	}
	r.began = true
	r.send("response.output_item.added", object{"output_index": 0, "item": r.item("in_progress")})
	r.send("response.content_part.added", object{
		"item_id": r.itemID(), "output_index": 0, "content_index": 0, "part": r.part("", []object{}),
	})
}

// end ends the message, hands out the calls and sums up.
func (r *response) end() {
	index := 0
	if r.began {
		text, annotations := r.text.String(), r.annotations()
		for i, a := range annotations {
			r.send("response.output_text.annotation.added", object{
				"item_id": r.itemID(), "output_index": 0, "content_index": 0, "annotation_index": i,
				"annotation": a,
			})
		}
		r.send("response.output_text.done", object{
			"item_id": r.itemID(), "output_index": 0, "content_index": 0, "text": text, "logprobs": []any{},
		})
		r.send("response.content_part.done", object{
			"item_id": r.itemID(), "output_index": 0, "content_index": 0, "part": r.part(text, annotations),
		})
		r.send("response.output_item.done", object{"output_index": 0, "item": r.item("completed")})
		index++
	}
	for _, c := range r.calls {
		r.send("response.output_item.added", object{"output_index": index, "item": callItem(c, "in_progress", "")})
		r.send("response.function_call_arguments.delta", object{
			"item_id": "fc_" + c.ID, "output_index": index, "delta": c.Arguments,
		})
		r.send("response.function_call_arguments.done", object{
			"item_id": "fc_" + c.ID, "output_index": index, "name": c.Name, "arguments": c.Arguments,
		})
		r.send("response.output_item.done", object{
			"output_index": index, "item": callItem(c, "completed", c.Arguments),
		})
		index++
	}
	status := r.status()
	r.send("response."+status, object{"response": r.whole(status)})
}

// send writes an event.
func (r *response) send(kind string, event object) {
	event["type"], event["sequence_number"] = kind, r.sequence
	r.sequence++
	r.out = append(append(append(r.out, "event: "...), kind...), '\n')
	r.out = sse.AppendFrame(r.out, "", jsonx.Marshal(event))
}
