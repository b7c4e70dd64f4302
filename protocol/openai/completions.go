package openai

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// completionRequest is the body of POST /v1/chat/completions.
type completionRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions *struct {
		IncludeUsage       bool  `json:"include_usage"`
		IncludeObfuscation *bool `json:"include_obfuscation"`
	} `json:"stream_options"`
	Tools []struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Format     json.RawMessage `json:"response_format"`
	Others     others          `json:",embed"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	// on messages that the server has sent
	Refusal     *string           `json:"refusal"`
	Annotations []json.RawMessage `json:"annotations"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // function
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Index *int `json:"index,omitempty"` // in chunks
}

// input returns the run that the request asks for.
func (r *completionRequest) input() (in *agui.RunAgentInput, p promise, err error) {
	switch {
	case r.Model == "":
		return nil, p, bad("model", "must not be empty")
	case r.StreamOptions != nil && !r.Stream:
		return nil, p, bad("stream_options", "is only allowed when stream is true")
	}
	in = &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion}
	for i := range r.Messages {
		m, err := r.Messages[i].convert(fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return nil, p, err
		}
		in.Messages = append(in.Messages, m)
	}
	if err := checkCalls("messages", in.Messages, false); err != nil {
		return nil, p, err
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if err := t.Function.offer(in, t.Type, fmt.Sprintf("tools[%d]", i), ".function"); err != nil {
			return nil, p, err
		}
	}
	if p.form, err = formOf("response_format", r.Format); err != nil {
		return nil, p, err
	}
	p.calls, err = chosen(r.ToolChoice, in)
	return in, p, err
}

// convert returns the message as one of AG-UI.
func (m *message) convert(param string) (out agui.Message, err error) {
	out = agui.Message{Role: m.Role, Name: m.Name, ToolCallID: m.ToolCallID}
	if out.Content, err = contentOf(param+".content", m.Content); err != nil {
		return out, err
	}
	switch m.Role {
	case agui.RoleSystem, agui.RoleDeveloper, agui.RoleUser:
		if out.Content.IsZero() {
			return out, bad(param+".content", "must not be empty")
		}
	case agui.RoleAssistant:
	case agui.RoleTool:
		if m.ToolCallID == "" {
			return out, bad(param+".tool_call_id", "must not be empty")
		}
	default:
		return out, bad(param+".role", "must be system, developer, user, assistant or tool")
	}
	if m.Role != agui.RoleAssistant && len(m.ToolCalls) > 0 {
		return out, bad(param+".tool_calls", "is for the assistant's messages")
	}
	for i, c := range m.ToolCalls {
		if c.Type != "function" || c.ID == "" {
			return out, bad(fmt.Sprintf("%s.tool_calls[%d]", param, i), "must be a function with an id")
		}
		out.ToolCalls = append(out.ToolCalls, agui.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments,
		})
	}
	return out, nil
}

// postCompletions answers a conversation that the client keeps.
func postCompletions(x *server.Exchange) error {
	var req completionRequest
	in, p, err := read(x, &req)
	if err != nil {
		return err
	}
	in.RunID, in.ThreadID = runPrefix+rand.Text(), runPrefix+rand.Text()
	resume(x, in)
	r, err := x.Start(req.Model, in)
	if err != nil {
		return err
	}
	out := &completion{
		answer: answer{promise: p}, id: in.RunID, model: req.Model, created: time.Now().Unix(),
		usage: req.StreamOptions != nil && req.StreamOptions.IncludeUsage,
	}
	defer out.leave(x, r)
	return send(x, r, req.Stream, out.translate, &out.answer, out.whole)
}

// read reads a request, for a model that the caller may ask, and returns the input of its run and
// what its answer must be.
func read(x *server.Exchange, req interface {
	input() (*agui.RunAgentInput, promise, error)
	model() string
	others() others
}) (*agui.RunAgentInput, promise, error) {
	if err := x.Decode(req); err != nil {
		return nil, promise{}, err
	}
	ignored, err := req.others().check()
	if err != nil {
		return nil, promise{}, err
	}
	x.Ignore(ignored)
	in, p, err := req.input()
	if err != nil {
		return nil, p, err
	}
	p.ask = func(q run.Query) (json.RawMessage, run.Spending, error) { return x.Query(req.model(), q) }
	if p.form != nil {
		in.Messages = slices.Insert(in.Messages, 0, p.form.instruction())
	}
	return in, p, allow(x, req.model(), in)
}

func (r *completionRequest) model() string  { return r.Model }
func (r *completionRequest) others() others { return r.Others }

// send answers with a run: as a stream, or with all of it at its end.
func send(x *server.Exchange, r *run.Run, stream bool, translate server.Translate, a *answer, whole func() any) error {
	if stream {
		return x.Stream(r.Read(false), translate)
	}
	if err := x.Wait(r.Read(false), func(e agui.Event) { a.event(e) }); err != nil {
		return err
	}
	if a.failure != nil {
		return a.failure
	}
	x.JSON(whole())
	return nil
}

// forget ends a run and deletes its thread: the client keeps the conversation itself and cannot
// come back to it.
func forget(x *server.Exchange, r *run.Run, a *answer) {
	if !a.over() {
		_ = x.Cancel(r.ID) // it may have ended by now
	}
	// The answer is sent; what is left is deleted with its owner's data.
	_ = x.Threads().Delete(r.ThreadID)
}

// runPrefix begins the ids of runs. The id of a call ends with that of its run: call_1~chatcmpl-X.
const runPrefix = "chatcmpl-"

// resume continues the thread of the calls if the request ends with their results. That thread has
// what the client's history cannot express: results of the server's tools, and reasoning. If the
// thread is gone, the client's history has to do.
func resume(x *server.Exchange, in *agui.RunAgentInput) {
	first := len(in.Messages)
	for first > 0 && in.Messages[first-1].Role == agui.RoleTool {
		first--
	}
	results := slices.Clone(in.Messages[first:])
	if len(results) == 0 {
		return
	}
	_, run, _ := strings.Cut(results[0].ToolCallID, "~")
	for i := range results {
		call, of, ok := strings.Cut(results[i].ToolCallID, "~")
		if !ok || of != run || !strings.HasPrefix(of, runPrefix) {
			return
		}
		results[i].ToolCallID, results[i].ID = call, fmt.Sprintf("%s-%d", in.RunID, i)
	}
	thread, err := x.Threads().Of(run)
	if err != nil {
		return
	}
	guidance := slices.DeleteFunc(slices.Clone(in.Messages), func(m agui.Message) bool { return !isGuidance(&m) })
	for i := range guidance {
		guidance[i].ID = fmt.Sprintf("%s-g%d", in.RunID, i)
	}
	in.ThreadID, in.ParentRunID, in.Messages = thread, run, append(guidance, results...)
}

// leave forgets the run, unless its client must come back with results. Until then the thread is
// archived, so that no list shows it.
func (c *completion) leave(x *server.Exchange, r *run.Run) {
	if len(c.calls) == 0 {
		forget(x, r, &c.answer)
		return
	}
	// best effort: else it is in the list
	_, _ = x.Threads().Update(r.ThreadID, run.ThreadChange{Archived: new(true)})
}

// completion is one answer of POST /v1/chat/completions.
type completion struct {
	answer
	id, model string
	created   int64
	usage     bool // the stream ends with it
}

type completionUsage struct {
	Prompt        int64 `json:"prompt_tokens"`
	Completion    int64 `json:"completion_tokens"`
	Total         int64 `json:"total_tokens"`
	PromptDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (c *completion) used() completionUsage {
	used := agui.CountTokens(c.answer.usage)
	u := completionUsage{Prompt: used.Input, Completion: used.Output, Total: used.Input + used.Output}
	u.PromptDetails.Cached, u.CompletionDetails.Reasoning = used.CachedInput, used.Reasoning
	return u
}

// toolCalls returns the calls that the client is to run, numbered if they go into a chunk.
func (c *completion) toolCalls(numbered bool) (list []toolCall) {
	for i, call := range c.calls {
		out := toolCall{ID: call.ID + "~" + c.id, Type: "function"}
		out.Function.Name, out.Function.Arguments = call.Name, call.Arguments
		if numbered {
			out.Index = &i
		}
		list = append(list, out)
	}
	return list
}

// annotations returns what the text cites.
func (c *completion) annotations() []any {
	list := []any{}
	for _, found := range c.citations() {
		list = append(list, map[string]any{"type": "url_citation", "url_citation": found})
	}
	return list
}

// whole returns the answer as one object.
func (c *completion) whole() any {
	m := map[string]any{
		"role": agui.RoleAssistant, "content": c.text.String(), "refusal": nil, "annotations": c.annotations(),
	}
	if len(c.calls) > 0 {
		m["tool_calls"] = c.toolCalls(false)
	}
	if c.text.Len() == 0 {
		m["content"] = nil
	}
	return map[string]any{
		"id": c.id, "object": "chat.completion", "created": c.created, "model": c.model, "usage": c.used(),
		"choices": []any{map[string]any{"index": 0, "message": m, "logprobs": nil, "finish_reason": c.finish}},
	}
}

// translate is a server.Translate.
func (c *completion) translate(e run.Event) (out []byte) {
	if !c.begun {
		out = c.chunk(out, []byte(`{"role":"assistant","content":""}`), "")
	}
	delta := c.event(e.Event)
	if delta != "" {
		out = c.chunk(out, append(jsonx.AppendString([]byte(`{"content":`), delta), '}'), "")
	}
	switch {
	case c.failure != nil:
		return sse.AppendFrame(out, "", jsonx.Marshal(errorOf(c.failure)))
	case c.finish == "":
		return out
	}
	if len(c.calls) > 0 {
		out = c.chunk(out, jsonx.Marshal(map[string]any{"tool_calls": c.toolCalls(true)}), "")
	}
	if list := c.annotations(); len(list) > 0 {
		out = c.chunk(out, jsonx.Marshal(map[string]any{"annotations": list}), "")
	}
	out = c.chunk(out, []byte("{}"), c.finish)
	if c.usage {
		out = sse.AppendFrame(out, "",
			append(append(c.head(), `"choices":[],"usage":`...), append(jsonx.Marshal(c.used()), '}')...))
	}
	return sse.AppendFrame(out, "", []byte("[DONE]"))
}

// chunk appends an event with a delta.
func (c *completion) chunk(dst, delta []byte, finish string) []byte {
	end := "null"
	if finish != "" {
		end = strconv.Quote(finish)
	}
	chunk := append(c.head(), `"choices":[{"index":0,"delta":`...)
	chunk = append(append(append(chunk, delta...), `,"logprobs":null,"finish_reason":`...), end...)
	chunk = append(chunk, "}]"...)
	if c.usage {
		chunk = append(chunk, `,"usage":null`...)
	}
	return sse.AppendFrame(dst, "", append(chunk, '}'))
}

// head begins a chunk.
func (c *completion) head() []byte {
	head := jsonx.AppendString([]byte(`{"id":`), c.id)
	head = strconv.AppendInt(append(head, `,"object":"chat.completion.chunk","created":`...), c.created, 10)
	return append(jsonx.AppendString(append(head, `,"model":`...), c.model), ',')
}
