package config

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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
	isKnown := func(name string) func(*tool.Tool) bool {
		return func(t *tool.Tool) bool { return t.Name == name }
	}
	for _, name := range b.namedTools() {
		server, _, ofServer := strings.Cut(name, "__")
		if _, described := b.MCP[server]; !ofServer || !described || slices.ContainsFunc(known, isKnown(name)) || slices.ContainsFunc(tools, isKnown(name)) {
			continue
		}
		tools = append(tools, &tool.Tool{
			Name: name, Description: "Not known: its MCP server was not started.", InputSchema: json.RawMessage(`{"type":"object"}`),
			Handler: func(context.Context, *tool.Call) (tool.Result, error) {
				return tool.Result{}, errors.New("its MCP server was not started")
			},
		})
	}
	return tools
}

// namedTools are the names of tools on pages.
func (b *builder) namedTools() (names []string) {
	add := func(a Area) {
		names = append(names, a.Tools...)
		for _, action := range a.Actions {
			if action.Tool != "" {
				names = append(names, action.Tool)
			}
		}
	}
	for _, p := range b.File.Pages {
		add(p.Area)
		for _, t := range p.Tabs {
			add(t.Area)
			for _, sub := range t.Subtabs {
				add(sub)
			}
		}
	}
	return names
}
