package config

import (
	"fmt"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// reachable refuses unreachable tools and model-written cards of the file: those neither global nor
// on a page. Single tools of MCP servers are not in the file, and a page may name just a few.
func (b *builder) reachable(pages []page.Page) {
	tools, payloads := map[string]bool{}, map[string]bool{}
	named := func(areaTools, areaPayloads []string, actions []page.Action) {
		for _, name := range areaTools {
			tools[name] = true
		}
		for _, name := range areaPayloads {
			payloads[name] = true
		}
		for _, a := range actions {
			tools[a.Tool] = true
		}
	}
	for _, p := range pages {
		named(p.Tools, p.Payloads, p.Actions)
		for _, t := range p.Tabs {
			named(t.Tools, t.Payloads, t.Actions)
			for _, sub := range t.Subtabs {
				named(sub.Tools, sub.Payloads, sub.Actions)
			}
		}
	}
	const nowhere = "%s %q is neither global nor on a page: name it under pages, or write global: true"
	for i, t := range b.File.Tools {
		if !t.Global && !tools[t.Name] {
			b.fail(fmt.Sprintf("tools[%d]", i), nowhere, "tool", t.Name)
		}
	}
	for i, p := range b.File.Payloads {
		if payload.Source(p.Source) == payload.FromLLM && !p.Global && !payloads[p.Name] {
			b.fail(fmt.Sprintf("payloads[%d]", i), nowhere, "payload", p.Name)
		}
	}
}
