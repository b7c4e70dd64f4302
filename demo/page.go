package demo

import (
	_ "embed"
	"strings"

	"github.com/pageside/pageside/page"
)

const agentInstructions = `You are the assistant of a web application. You sit beside the page that the user has open: you see what is on it, you answer from it, and you change it with tools.
Answer in the user's language, briefly, in Markdown; small tables are welcome. Take every number from the page's context or from the result of a tool of this conversation, never from memory or by guessing; if you have none, call a tool or say so.
Say plainly what you cannot do. Do not claim to have changed the page unless a tool's result says that it happened.`

// discoverInstructions are the same for every user and run: variable data is page context.
//
//go:embed discover.txt
var discoverInstructions string

func discoverPage() page.Page {
	return page.Page{
		Name:         "discover",
		Title:        "Discover",
		Instructions: strings.TrimSpace(discoverInstructions),
		Tools:        []string{"describe_fields", "top_values", "look_up_client", "make_chart", "create_alert", "list_alerts", "delete_alert"},
		Payloads:     []string{"chart"},
		Actions: []page.Action{
			{Name: "open_alerts", Description: "opens the list of alerts", Handler: page.HandlerClient},
			{Name: "show_whole_log", Description: "takes the time range and all filters away", Handler: page.HandlerClient},
		},
	}
}
