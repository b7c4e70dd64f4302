// Package mcp is a drop-in for clients of the Model Context Protocol: agents and backend tools are
// offered as tools of an MCP server, over streamable HTTP and over a process's standard input and
// output. What a call of a tool does, asks and costs is the server's: see server.Exchange. Requests
// are in http.go and stdio.go, tools in tools.go, answers of agents in ask.go, and questions to
// people in elicit.go. See docs/reference/mcp.md.
package mcp
