package agent

import (
	"github.com/pageside/pageside/page"
)

// retrieveItems is the name of the tool that returns what was left out of the page context. The SDK declares it for pages that keep the full
// items, and answers it in the browser; a host may have a backend tool of that name.
const retrieveItems = "retrieve_items"

const (
	retrieveHint = "\nSome of it was left out. The tool " + retrieveItems + " returns what is missing: use it before you say that something is not there."
	unlimited    = 1 << 30 // tokens
)

// withRetrieval says behind the page context that something was left out of it, where there is a tool to get it.
func (r *run) withRetrieval(tail string, items []page.Item, id string) string {
	if tail == "" || r.tools.offers[retrieveItems] == nil || !r.model.Tools {
		return tail
	}
	if page.RenderContext(items, id, unlimited) == tail {
		return tail
	}
	return tail + retrieveHint
}
