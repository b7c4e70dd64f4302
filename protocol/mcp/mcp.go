package mcp

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/server"
)

// versions are those of the protocol that have sessions, in which a server can ask the user. Newer
// clients fall back to them.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// entry gives do the exchange with which the caller of a request acts.
type entry func(ctx context.Context, extra *sdk.RequestExtra, do func(*server.Exchange) error) error

// offering is what the clients of one MCP server are offered.
type offering struct {
	enter entry
	only  string // the agent; "" is all that the caller may ask
}

// newServer returns an MCP server. It keeps no list of tools: what a caller may use is looked up
// for each request.
func newServer(version string, o *offering) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "pageside", Title: "Pageside", Version: version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, SupportedProtocolVersions: versions,
	})
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch req := req.(type) {
			case *sdk.ListToolsRequest:
				return o.list(ctx, req)
			case *sdk.CallToolRequest:
				return o.call(ctx, req)
			}
			return next(ctx, method, req)
		}
	})
	return s
}

// as calls do with the exchange of a request's caller. Its errors are safe to show: a
// *server.Error, a *jsonrpc.Error, or a cancellation.
func (o *offering) as(ctx context.Context, extra *sdk.RequestExtra, do func(*server.Exchange) error) error {
	return o.enter(ctx, extra, func(x *server.Exchange) (err error) {
		defer func() {
			_, said := errors.AsType[*jsonrpc.Error](err)
			if err != nil && !said && !errors.Is(err, context.Canceled) {
				err = x.Explain(err)
			}
		}()
		defer guard.Error(&err)
		return do(x)
	})
}

// codeRefused is the JSON-RPC code of requests that are not answered.
const codeRefused = -32000

// rpcError returns an error as JSON-RPC has it.
func rpcError(err error) error {
	if e, ok := errors.AsType[*server.Error](err); ok {
		return &jsonrpc.Error{Code: codeRefused, Message: e.Error()}
	}
	return err
}
