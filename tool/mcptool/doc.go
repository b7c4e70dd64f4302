// Package mcptool makes tools of what MCP servers offer, over stdio and streamable HTTP.
//
//	tools, servers, err := mcptool.Connect(ctx,
//		mcptool.Server{
//			Name: "files", Command: "mcp-server-filesystem", Args: []string{"/srv/reports"},
//			Allow:   []string{"read_*", "list_*"},
//			Default: mcptool.Options{Effect: tool.Read},
//			PinFile: "mcp-pins.json",
//		},
//		mcptool.Server{
//			Name: "tickets", URL: "https://mcp.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer " + key},
//			Tools: map[string]mcptool.Options{"search_*": {Effect: tool.Read}, "close_ticket": {Effect: tool.Destructive}},
//		})
//	if err != nil {
//		return err
//	}
//	defer servers.Close()
//	registry, err := tool.NewRegistry(append(tools, own...)...)
//
// A server is somebody else's program, and what it says of its tools goes into the model's prompt.
// So each tool's name, description and schema are pinned by hash when they are first seen, or by
// the configuration: a tool that says something else later is not called any more until a person
// approves it, and a tool that was not there is not offered. Descriptions lose their invisible
// characters. What a server says about the harmlessness of its tools is a hint that nothing here
// relies on: a tool is of effect write unless the configuration says otherwise.
//
// A server is also a process that dies, hangs and floods. Calls that were under way then fail
// within seconds, and say that their outcome is unknown; the next call builds a new session, with
// growing pauses where that fails. A server that is down at start does not keep this one from
// starting unless it is required: its tools are offered from the pin file, and work once it is
// there.
//
// Processes get an environment of their own, not ours, and end with their children when the Manager
// is closed.
package mcptool
