// Package page describes the places of the host application (pages, tabs and subtabs) and what the
// assistant is at each: its tools, payload types, actions and additions to the prompt.
//
//	pages, err := page.NewRegistry(tools, payloads, page.Page{
//		Name:         "discover",
//		Instructions: "The user explores a web server's access log.",
//		Tools:        []string{"describe_fields", "top_values"},
//		Payloads:     []string{"query_suggestion"},
//		Actions:      []page.Action{{Name: "open_event", Description: "shows one event"}},
//		Tabs:         []page.Tab{{Name: "patterns", Tools: []string{"cluster_messages"}}},
//	})
//	view := pages.Resolve(page.ParsePlace("discover/patterns"))
//
// A View combines the global definitions with those of the page, the tab and the subtab. Sections
// renders the system prompt of a place; RenderContext (RenderItems, ContextBlock) puts the page
// context into the prompt as data, within a budget and unable to pass for instructions.
//
// Other packages decide which tools the caller may use and how a run's prompt is assembled.
package page
