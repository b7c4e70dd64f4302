// Package page knows the places of the host application and what the assistant is there: pages,
// their tabs and subtabs, the tools each of them names, and what is added to the prompt.
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
// A View is the union of what is global and what the page, the tab and the subtab name. Sections
// writes the system prompt of a place; RenderContext (RenderItems, ContextBlock) puts what the page
// shows into the prompt as data, within a budget and where nothing in it can pass for instructions.
//
// The package decides neither which tools the person asking may use nor how a run's prompt is put
// together.
package page
