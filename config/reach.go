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
	for _, a := range areasOf(pages...) {
		for _, name := range a.Tools {
			tools[name] = true
		}
		for _, name := range a.Payloads {
			payloads[name] = true
		}
		for _, action := range a.Actions {
			tools[action.Tool] = true
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

// areasOf returns pages, their tabs and subtabs, each as a subtab without what is below it.
func areasOf(pages ...page.Page) (all []page.Subtab) {
	for _, p := range pages {
		all = append(all, page.Subtab{Tools: p.Tools, Payloads: p.Payloads, Actions: p.Actions})
		for _, t := range p.Tabs {
			all = append(all, page.Subtab{Tools: t.Tools, Payloads: t.Payloads, Actions: t.Actions})
			all = append(all, t.Subtabs...)
		}
	}
	return all
}
