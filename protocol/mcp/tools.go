package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/tool"
)

// offered is one tool of the MCP server: a backend tool of an agent, or the agent.
type offered struct {
	name  string
	agent string
	tool  *tool.Tool // nil: the agent is asked
}

// offers returns what the caller may use now. Names are unique: agents come first.
func (o *offering) offers(x *server.Exchange) []offered {
	var asks, tools []offered
	for _, id := range x.Agents() {
		if o.only != "" && id != o.only {
			continue
		}
		asks = append(asks, offered{name: askName(id), agent: id})
		for _, t := range x.Tools(id) {
			tools = append(tools, offered{t.Name, id, t})
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(append(asks, tools...), func(t offered) bool {
		twice := seen[t.name]
		seen[t.name] = true
		return twice
	})
}

// askName is the name of the tool that asks an agent. Not all clients take the dots of an id.
func askName(agentID string) string { return "ask_" + strings.ReplaceAll(agentID, ".", "_") }

func (o *offering) list(ctx context.Context, req *sdk.ListToolsRequest) (sdk.Result, error) {
	list := []*sdk.Tool{}
	err := o.as(ctx, req.Extra, func(x *server.Exchange) error {
		for _, t := range o.offers(x) {
			list = append(list, t.describe(x))
		}
		return nil
	})
	if err != nil {
		return nil, rpcError(err)
	}
	return &sdk.ListToolsResult{Tools: list}, nil
}

// Schemas of the tools that ask agents.
var (
	askInput = json.RawMessage(`{"type":"object","properties":{` +
		`"question":{"type":"string","minLength":1,"description":"What to ask or tell the agent, with all that it needs to know."},` +
		`"threadId":{"type":"string","description":"The conversation to go on with: the threadId of an earlier answer. Leave it out to begin a new one."}},` +
		`"required":["question"],"additionalProperties":false}`)
	askOutput = json.RawMessage(`{"type":"object","properties":{` +
		`"text":{"type":"string"},"threadId":{"type":"string"},"runId":{"type":"string"},` +
		`"payloads":{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"},"data":{}},"required":["type","data"]}}},` +
		`"required":["text","threadId","runId","payloads"]}`)
)

// describe returns a tool as clients are told of it.
func (t *offered) describe(x *server.Exchange) *sdk.Tool {
	if t.tool == nil {
		about := cmp.Or(x.Description(t.agent), "The agent "+t.agent+".")
		return &sdk.Tool{
			Name: t.name, Title: t.agent, InputSchema: askInput, OutputSchema: askOutput,
			Description: "Asks an agent, which may use tools of its own. " + about,
		}
	}
	schema := t.tool.Declaration()
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	return &sdk.Tool{
		Name: t.name, Description: t.tool.Description, InputSchema: schema, Annotations: hints(t.tool.Effect),
	}
}

// hints says what a tool's effect is, in the protocol's words.
func hints(e tool.Effect) *sdk.ToolAnnotations {
	destroys := e == tool.Destructive
	a := &sdk.ToolAnnotations{
		ReadOnlyHint: e == tool.Read, IdempotentHint: e == tool.Read || e == tool.Idempotent,
		DestructiveHint: &destroys,
	}
	if e == tool.Exfil {
		a.OpenWorldHint = new(true)
	}
	return a
}

// call answers a call of a tool.
func (o *offering) call(ctx context.Context, req *sdk.CallToolRequest) (sdk.Result, error) {
	var result *sdk.CallToolResult
	p := newProgress(req)
	err := o.as(ctx, req.Extra, func(x *server.Exchange) error {
		all := o.offers(x)
		i := slices.IndexFunc(all, func(t offered) bool { return t.name == req.Params.Name })
		if i < 0 {
			return &jsonrpc.Error{
				Code:    jsonrpc.CodeInvalidParams,
				Message: fmt.Sprintf("name: there is no tool %q", req.Params.Name),
			}
		}
		// who has left is not asked any more
		stays, leave := context.WithCancel(ctx)
		defer leave()
		defer context.AfterFunc(x.Context(), leave)()
		c := &caller{x, req.Session, p, ctx, stays}
		var err error
		if all[i].tool == nil {
			result, err = c.askAgent(all[i].agent, req.Params.Arguments)
		} else {
			result, err = c.callTool(&all[i], req.Params.Arguments)
		}
		return err
	})
	if e, ok := errors.AsType[*server.Error](err); ok {
		return failure(e.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// failure is a result that the client's model reads.
func failure(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}
}

// caller is the client behind one call, with the ways to report progress and to ask the user.
type caller struct {
	x       *server.Exchange
	session *sdk.ServerSession
	*progress
	ctx   context.Context // ends when the call is cancelled
	stays context.Context // and when the client leaves
}

// callTool carries out a backend tool.
func (c *caller) callTool(t *offered, args json.RawMessage) (*sdk.CallToolResult, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	r, err := c.x.Call(c.ctx, server.ToolCall{
		Agent: t.agent, Tool: t.tool.Name, Args: args,
		Report:  func(p tool.Progress) { c.say(c.ctx, cmp.Or(p.Message, p.Stage)) },
		Approve: func(ctx context.Context, a run.CallQuestion) (bool, error) { return c.approve(ctx, a) },
	})
	if err != nil {
		return nil, err
	}
	result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, IsError: r.IsError}
	if bytes.HasPrefix(r.Payload, []byte("{")) { // the protocol wants objects
		result.StructuredContent = r.Payload
	}
	return result, nil
}
