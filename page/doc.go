// Package page knows the places of the host application and what the assistant is there: pages, their tabs and subtabs, the tools
// each of them names, and what is added to the prompt.
//
//	pages, err := page.NewRegistry(tools, payloads, page.Page{
//		Name:         "discover",
//		Instructions: "The user explores a web server's access log.",
//		Tools:        []string{"describe_fields", "top_values"},
//		Tabs:         []page.Tab{{Name: "patterns", Tools: []string{"cluster_messages"}}},
//	})
//	view := pages.Resolve(page.ParsePlace("discover/patterns"))
//
// A View is the union of what is global and what the page, the tab and the subtab name. RenderContext puts what the page
// shows into the prompt as data, within a budget and where nothing in it can pass for instructions.
//
// Which tools the person asking may use, and how the prompt is put together, is left to others.
package page
