package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// The codes of errors that only these tools have.
const (
	CodeUnreachable = "unreachable" // the server is not there
	CodeStarting    = "starting"    // the server is not there yet
	CodeLost        = "lost"        // the session ended while the call was under way
	CodeChanged     = "changed"     // the tool is not the one that was approved
)

// tool makes the tool that calls d on the link's server.
func (l *link) tool(d definition) *tool.Tool {
	o := l.server.options(d.Name)
	schema := d.InputSchema
	if closed, err := tool.ClosedSchema(schema); err == nil && declares(schema) {
		schema = closed
	}
	return &tool.Tool{
		Name: toolName(l.server.Name, d.Name), Description: l.server.scrub(d.Description),
		InputSchema: json.RawMessage(l.server.scrub(string(schema))), Foreign: l.server.Pins == nil,
		Category: o.Category, Global: o.Global, PayloadType: o.PayloadType, Effect: o.Effect, Policy: o.Policy,
		Target: l.server.target(d.Name), Host: l.server.host(),
		Bind: l.server.Bind[d.Name], MaxResult: l.server.MaxBytes, Bundled: true,
		Handler: func(ctx context.Context, call *tool.Call) (tool.Result, error) {
			return l.call(ctx, call, d.Name, o)
		},
	}
}

// declares reports whether a schema lists the arguments of its tool: then others are refused.
func declares(schema json.RawMessage) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(schema, &s) == nil && len(s.Properties) > 0
}

// call runs a call in the live session, or in a new one. It is sent a second time only if it
// certainly did not arrive: the server had forgotten the session, or was gone before anything was
// written.
func (l *link) call(ctx context.Context, call *tool.Call, name string, o Options) (tool.Result, error) {
	var err error
	for range 2 {
		var s *session
		waits := func() { call.Progress(l.server.Name, "The MCP server is being started", -1) }
		if s, err = l.acquireSoon(ctx, waits); err != nil {
			break
		}
		var res *mcp.CallToolResult
		if res, err = s.call(ctx, call, name); err == nil {
			return l.result(ctx, res, o)
		}
		if ctx.Err() != nil || !s.over(ctx, err) {
			break
		}
		s.wire.fail()
		<-s.ctx.Done()
		l.lost(s)
		if !unsent(err) {
			break
		}
	}
	return tool.Result{}, l.explain(ctx, err, o)
}

// over reports whether the session ended with a call that failed with err. The library fails a call
// before it tells watch, and the next call must not use a session that is breaking.
func (s *session) over(ctx context.Context, err error) bool {
	if unsent(err) || s.ctx.Err() != nil {
		return true
	}
	if _, own := errors.AsType[*tool.Error](err); own || saidByServer(err) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.link.server.answerTimeout())
	defer cancel()
	return s.client.Ping(ctx, nil) != nil && ctx.Err() == nil
}

// errUnsent is why a call certainly did not reach the server.
var errUnsent = errors.New("the session was over before the call was sent")

// unsent reports whether a call that failed with err never reached the server. ErrConnectionClosed
// is what the library answers where it did not even try.
func unsent(err error) bool {
	return errors.Is(err, errUnsent) || errors.Is(err, mcp.ErrConnectionClosed)
}

// call runs a call in this session, if the tool is still the one that was approved.
func (s *session) call(ctx context.Context, call *tool.Call, name string) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if err := s.ready(ctx, name); err != nil {
		return nil, err
	}
	ctx, sent := withDelivery(ctx)
	token, done := s.follow(call)
	defer done()
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	if meta := s.link.server.Meta; len(meta) > 0 {
		params.Meta = mcp.Meta{MetaKey: call.Disclosed(meta...)}
	}
	params.SetProgressToken(token)
	res, err := s.client.CallTool(ctx, params)
	switch {
	case err == nil:
		return res, nil
	case sent.refused():
		return nil, errUnsent
	case s.ctx.Err() != nil && !unsent(err):
		return nil, errLost
	}
	return nil, err
}

var errLost = errors.New("the session ended")

// ready reports why a tool must not be called now. Nothing has been sent yet.
func (s *session) ready(ctx context.Context, name string) error {
	if s.ctx.Err() != nil {
		return errUnsent
	}
	if err := s.current(ctx); err != nil {
		return fmt.Errorf("%w: %w", errUnsent, err)
	}
	return s.link.approved(name)
}

// approved reports why a tool must not be called.
func (l *link) approved(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state, reason := l.state(name); state {
	case ToolReady:
		return nil
	case ToolChanged:
		return &tool.Error{
			Code: CodeChanged,
			Message: fmt.Sprintf("the tool %q of the MCP server %q changed since it was approved and is not called: its definition now has the hash %s, approved was %s",
				name, l.server.Name, l.seen[name].Hash, l.pins[name].Hash),
			Hint: "Go on without it. An operator can look at the change and approve it: " + l.remedy("the pin file") + ".",
		}
	default:
		return &tool.Error{
			Code:    tool.CodeUnavailable,
			Message: fmt.Sprintf("the tool %q of the MCP server %q is not available: %s", name, l.server.Name, reason),
			Hint:    "Go on without it.",
		}
	}
}

// The codes of JSON-RPC errors that the library itself makes when a connection breaks.
var ownCodes = map[int64]bool{-32001: true, -32003: true, -32004: true, -32005: true}

// saidByServer reports whether the server answered a call with an error, and did not just break
// off.
func saidByServer(err error) bool {
	said, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && !ownCodes[said.Code]
}

// maxError bounds what a server may say to the model about a failure.
const maxError = 4 << 10

// explain returns what a model may know about a failure. The log has the rest.
func (l *link) explain(ctx context.Context, err error, o Options) error {
	if own, ok := errors.AsType[*tool.Error](err); ok {
		return own
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok && saidByServer(err) {
		e := &tool.Error{Code: tool.CodeFailed, Message: visible.Brief(l.server.scrub(said.Message), maxError)}
		if said.Code == jsonrpc.CodeInvalidParams {
			e.Code, e.Retryable = tool.CodeInvalidArgs, true
		}
		return e
	}
	l.log.Warn("a call of an MCP server's tool failed", "error", l.server.scrub(err.Error()))
	server := fmt.Sprintf("the MCP server %q", l.server.Name)
	switch {
	case errors.Is(err, errStarting):
		return &tool.Error{
			Code: CodeStarting, Message: server + " is still being started, which may take a minute the first time",
			Retryable: true,
			Hint:      "Nothing was called. Call it again, or tell the user to ask again in a minute.",
		}
	case errors.Is(err, errUnreachable), errors.Is(err, errPinFile), unsent(err):
		return &tool.Error{
			Code: CodeUnreachable, Message: server + " cannot be reached at the moment", Retryable: true,
			Hint: "Go on without it, or try again later.",
		}
	}
	lost := &tool.Error{Code: CodeLost, Message: server + " broke off while the call was running"}
	return lost.InDoubt(o.Effect)
}
