// Package mcptool offers the tools of MCP servers, over stdio and streamable HTTP.
//
//	tools, servers, err := mcptool.Connect(ctx,
//		mcptool.Server{
//			Name: "files", Command: "mcp-server-filesystem", Args: []string{"/srv/reports"},
//			Allow:   []string{"read_*", "list_*"},
//			Default: mcptool.Options{Effect: tool.Read},
//			PinFile: "mcp-pins.json",
//		},
//		mcptool.Server{
//			Name: "tickets", URL: "https://mcp.example.com/mcp",
//			Headers: map[string]string{"Authorization": "Bearer " + key},
//			Tools: map[string]mcptool.Options{
//				"search_*":     {Effect: tool.Read},
//				"close_ticket": {Effect: tool.Destructive},
//			},
//		})
//	if err != nil {
//		return err
//	}
//	defer servers.Close()
//	registry, err := tool.NewRegistry(append(tools, own...)...)
//
// A server is somebody else's program, and what it says about its tools goes into the model's
// prompt. So each tool's name, description and schema are pinned by hash, by the configuration or
// when they are first seen. A tool that changes later is not called until a person approves it, and
// a tool that appears later is not offered. Descriptions lose their invisible characters. What a
// server says about how harmless its tools are is ignored: a tool has the effect write unless the
// configuration says otherwise.
//
// A server is also a process that can die, hang or flood us. Calls under way then fail within
// seconds and say that their outcome is unknown. The next call builds a new session, with growing
// pauses where that fails. A server that is down at start does not keep this one from starting
// unless it is required: its tools are offered from the pin file, and work once it is up.
//
// Processes get an environment of their own, not ours. They end with their children when the
// Manager is closed.
package mcptool
