package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// A server is told who asks and where as far as the configuration says so, and its arguments can be
// bound to it.
func TestAServerIsToldWhoAsks(t *testing.T) {
	type input struct {
		Folder string `json:"folder"`
	}
	r := newRemote(t, nil)
	r.extend = func(s *mcp.Server) {
		mcp.AddTool(s, &mcp.Tool{Name: "who", Description: "Who asks?"}, func(_ context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			caller, _ := json.Marshal(req.Params.Meta[mcptool.MetaKey])
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Folder + " " + string(caller)}}}, nil, nil
		})
	}
	r.handle(nil)
	for _, c := range []struct {
		meta []string
		want string
	}{
		{nil, `7 null`},
		{[]string{"principal.subject", "scope"}, `7 {"principal":{"subject":"ada"},"scope":{"folder":"7"}}`},
	} {
		server := r.server()
		server.Meta, server.Bind = c.meta, map[string]map[string]tool.Source{"who": {"folder": "scope.folder"}}
		ready, ok := connect(t, server).registry.Get("f__who")
		if !ok {
			t.Fatal("there is no such tool")
		}
		call := tool.Call{ID: "c1", Principal: auth.Principal{Tenant: "acme", Subject: "ada"}, Origin: tool.Origin{Scope: map[string]string{"folder": "7"}}}
		args := must.Get(ready.ParseArgs(`{}`, call.Principal, call.Origin))(t)
		call.Args = args
		want(t, tool.Execute(t.Context(), ready, call, nil), false, c.want)
	}
}

// A misspelt tool in Bind is no silent hole: its arguments would be the model's to choose.
func TestBindNamesATool(t *testing.T) {
	server := newRemote(t, nil).server()
	server.Bind = map[string]map[string]tool.Source{"ehco": {"text": "scope.folder"}}
	_, _, err := mcptool.Connect(t.Context(), server)
	must.Fail(t, err, `bind names "ehco", and it lists no such tool (it has `, "Connect says")
}
