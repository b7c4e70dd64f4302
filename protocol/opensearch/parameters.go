package opensearch

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/server"
)

// aguiMembers are the members of an AG-UI input, by the parameters that ml-commons makes of them.
// Those that are JSON come as text.
var aguiMembers = map[string]string{
	"agui_thread_id": "threadId", "agui_run_id": "runId", "agui_messages": "messages", "agui_tools": "tools",
	"agui_context": "context", "agui_state": "state",
	"agui_forwarded_props": "forwardedProps",
}

const (
	loadHistory = "agui_load_chat_history"
	toolResults = "agui_tool_call_results"
)

// toolResult is a result of a tool of the client.
type toolResult struct {
	ToolCallID string `json:"tool_call_id"`
	Content    string `json:"content"`
}

// aguiInput returns the AG-UI input that the parameters were made of.
func (r *request) aguiInput(x *server.Exchange) (*agui.RunAgentInput, error) {
	if !absent(r.Input) {
		return nil, server.BadField("input", "must be absent if there are agui_ parameters")
	}
	p := parameters{members: object{
		"runId": "run-" + rand.Text(), "messages": []any{}, "tools": []any{}, "context": []any{},
	}}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		if err := p.take(name, r.Parameters[name]); err != nil {
			return nil, err
		}
	}
	var sent []json.RawMessage
	if p.question != "" && json.Unmarshal(jsonx.Marshal(p.members["messages"]), &sent) == nil && len(sent) == 0 {
		p.members["messages"] = []object{{"role": agui.RoleUser, "content": p.question}}
	}
	in, err := x.Input(jsonx.Marshal(p.members))
	if e, ok := errors.AsType[*agui.FieldError](err); ok {
		return nil, server.BadField(parameterOf(e.Path), e.Reason)
	}
	if err != nil {
		return nil, err
	}
	if p.load {
		in.Messages = nil
		return in, nil
	}
	for _, result := range p.results {
		in.Messages = append(in.Messages, agui.Message{
			Role: agui.RoleTool, ToolCallID: result.ToolCallID, Content: agui.TextContent(result.Content),
		})
	}
	return in, nil
}

// parameterOf returns the parameter that a field of the input comes from.
func parameterOf(field string) string {
	for name, member := range aguiMembers {
		if parameter, is := server.Renamed(field, member, "parameters."+name); is {
			return parameter
		}
	}
	return "parameters." + field
}

// parameters is what the parameters say.
type parameters struct {
	members  object
	question string
	load     bool
	results  []toolResult
}

func (p *parameters) take(name string, raw json.RawMessage) error {
	field := "parameters." + name
	text, err := textOf(field, raw)
	if err != nil {
		return err
	}
	switch member := aguiMembers[name]; {
	case member != "" && text == "": // as ml-commons' own interface leaves out what is empty
	case name == "agui_thread_id", name == "agui_run_id":
		p.members[member] = text
	case member != "":
		if err := server.DecodeField(field, []byte(text), new(json.RawMessage)); err != nil {
			return err
		}
		p.members[member] = json.RawMessage(text)
		if context := withValues(json.RawMessage(text)); context != nil && member == "context" {
			p.members[member] = context
		}
	case name == "question":
		p.question = text
	case name == loadHistory:
		p.load = text == "true"
	case name == toolResults:
		return p.takeResults(field, text)
	default:
		return server.BadField(field, "is not supported")
	}
	return nil
}

func (p *parameters) takeResults(field, text string) error {
	if err := server.DecodeField(field, []byte(text), &p.results); err != nil {
		return err
	}
	for i, result := range p.results {
		if result.ToolCallID == "" {
			return server.BadField(fmt.Sprintf("%s[%d].tool_call_id", field, i), "must not be empty")
		}
	}
	return nil
}
