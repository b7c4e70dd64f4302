package config

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pageside/pageside/tool"
)

// unlisted stands in for the tools that pages name of MCP servers that were not asked, be it for
// Options.Offline or for a problem found before, and that no pin file describes: a page may name
// them, but nothing is known of them.
func (b *builder) unlisted(known []*tool.Tool) (tools []*tool.Tool) {
	if !b.Offline && b.site.MCP != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range known {
		seen[t.Name] = true
	}
	for _, name := range b.File.namedTools() {
		server, _, ofServer := strings.Cut(name, "__")
		if _, described := b.MCP[server]; !ofServer || !described || seen[name] {
			continue
		}
		seen[name] = true
		tools = append(tools, &tool.Tool{
			Name: name, Description: "Not known: its MCP server was not started.",
			InputSchema: json.RawMessage(`{"type":"object"}`),
			Handler: func(context.Context, *tool.Call) (tool.Result, error) {
				return tool.Result{}, errors.New("its MCP server was not started")
			},
		})
	}
	return tools
}

// namedTools are the names of tools on pages.
func (f *File) namedTools() (names []string) {
	for _, a := range f.areas() {
		names = append(names, a.Tools...)
		for _, action := range a.Actions {
			if action.Tool != "" {
				names = append(names, action.Tool)
			}
		}
	}
	return names
}
