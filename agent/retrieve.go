package agent

// retrieveItems is the name of the tool that returns what was left out of the page context. The SDK
// declares it for pages that keep the full items, and answers it in the browser; a host may have a
// backend tool of that name.
const retrieveItems = "retrieve_items"

// retrieveHint stands behind a block from which something was left out, where there is a tool to
// get it.
const retrieveHint = "\nSome of it was left out. The tool " + retrieveItems + " returns what is missing: use it before you say that something is not there."

const unlimited = 1 << 30 // tokens

// canRetrieve reports whether the model can have what was left out.
func (r *run) canRetrieve() bool { return r.tools.offers[retrieveItems] != nil && r.model.Tools }
