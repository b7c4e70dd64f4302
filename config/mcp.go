package config

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// mcpTools connects to the MCP servers of the file and returns their tools.
func (b *builder) mcpTools(ctx context.Context) []*tool.Tool {
	if len(b.MCP) == 0 {
		return nil
	}
	var servers []mcptool.Server
	for _, name := range slices.Sorted(maps.Keys(b.MCP)) {
		servers = append(servers, b.mcpServer(name, b.MCP[name]))
	}
	if len(b.problems) > 0 {
		return nil
	}
	tools, manager, err := mcptool.Connect(ctx, servers...)
	if err != nil {
		b.fail("mcp", "%v", err)
		return nil
	}
	b.site.close = append(b.site.close, manager.Close)
	b.site.MCP = manager
	return tools
}

func (b *builder) mcpServer(name string, m MCPServer) mcptool.Server {
	at := jsonPath("mcp", name)
	s := mcptool.Server{
		Name: name, Command: m.Command, Args: m.Args, Env: b.secretsAt(at+".env", m.Env),
		URL: m.URL, Headers: b.secretsAt(at+".headers", m.Headers), Egress: b.egress(),
		Allow: m.Allow, Pins: m.Pins, Required: m.Required, Timeout: time.Duration(m.Timeout),
		Default: mcptool.Options{Effect: tool.Effect(m.Effect), Policy: policy(m.Approval, false), Global: m.Global},
		Tools:   map[string]mcptool.Options{},
	}
	if m.Command != "" {
		s.Dir = b.besideFile(m.Dir)
	}
	if len(m.Pins) == 0 {
		s.PinFile = b.besideFile(cmp.Or(m.PinFile, "pageside.pins.json"))
	}
	for name, effect := range m.Effects {
		o := s.Default
		o.Effect = tool.Effect(effect)
		s.Tools[name] = o
	}
	return s
}
