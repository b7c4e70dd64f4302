package page

import (
	"strings"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Place is where the user is in the host application. Page, Tab and Subtab may be empty from the
// right.
type Place struct {
	Page   string            `json:"page,omitempty"`
	Tab    string            `json:"tab,omitempty"`
	Subtab string            `json:"subtab,omitempty"`
	Scope  map[string]string `json:"scope,omitempty"` // what the place is about: {"stream": "42"}
}

// ParsePlace reads a place's path: page, page/tab or page/tab/subtab. What goes deeper is ignored.
func ParsePlace(s string) Place {
	segments := append(strings.SplitN(strings.Trim(s, "/"), "/", 4), "", "")
	return Place{Page: segments[0], Tab: segments[1], Subtab: segments[2]}
}

// String returns the path, without the scope.
func (p Place) String() string {
	s := p.Page
	for _, segment := range []string{p.Tab, p.Subtab} {
		if segment == "" {
			break
		}
		s += "/" + segment
	}
	return s
}

// Page configures the assistant for one page of the host application. It names the tools it uses.
type Page struct {
	Name  string // a path segment: edit_research_stream
	Title string // for people
	// the fixed part of the prompt for this page; the same for every user and run
	Instructions string
	// Context, where set, writes what the prompt says about what the page shows, from the page's
	// context items. Its output stands with the page context at the prompt's tail and is data. An
	// error is logged, and the run goes on with the items alone.
	Context     ContextBuilder
	Tools       []string
	Payloads    []string
	Actions     []Action     // what the page can do when a suggested action is clicked
	Suggestions []Suggestion // offered where the model suggests nothing
	Tabs        []Tab
}

// ContextBuilder turns what the page sent into text for the model. The keys of values are the
// labels, ids or descriptions of the context items, the values decoded JSON where they are JSON,
// else strings.
type ContextBuilder func(at Place, values map[string]any) (string, error)

// The handlers of an Action.
const (
	HandlerClient = "client" // the page does it
	HandlerServer = "server" // POST /v1/actions/{name} does it, by the tool that Action.Tool names
)

// Action is something a suggested action may trigger on a page.
type Action struct {
	Name        string
	Description string // for the model
	Handler     string // HandlerClient or HandlerServer
	Tool        string // for HandlerServer: the backend tool that carries it out
}

// Suggestion is a suggested value: a chip that sends its value as the user's next message.
type Suggestion struct {
	Label string `json:"label"` // at most 40 characters
	Value string `json:"value"`
}

// Tab adds to its page.
type Tab struct {
	Name         string
	Instructions string
	Tools        []string
	Payloads     []string
	Actions      []Action
	Suggestions  []Suggestion
	Subtabs      []Subtab
}

// Subtab adds to its tab.
type Subtab struct {
	Name         string
	Instructions string
	Tools        []string
	Payloads     []string
	Actions      []Action
	Suggestions  []Suggestion
}

// View is what holds at one place: global + page + tab + subtab.
type View struct {
	Place        Place
	Tools        []*tool.Tool    // sorted by name, each once
	Instructions []string        // page, tab, subtab: those that are not empty
	Payloads     []*payload.Type // sorted by name, each once
	Actions      []Action        // of page, tab and subtab, each name once: the narrower place wins
	Suggestions  []Suggestion    // of the narrowest place that has some
	Context      ContextBuilder  // the page's; nil where it has none

	sources []string // the names of the areas Instructions come from, by position
}

// ContextDetail describes one entry of a run's context by position, as
// forwardedProps.pageside.context carries it.
type ContextDetail struct {
	ID     string `json:"id,omitempty"`
	Label  string `json:"label,omitempty"`
	Kind   string `json:"kind,omitempty"` // page, dynamic, selection or mention
	Source string `json:"source,omitempty"`
}

// Forwarded is forwardedProps.pageside: where the user is, and what each context item is.
type Forwarded struct {
	Place
	Context []ContextDetail `json:"context,omitempty"`
	// Replaces is the id of the user message that this run's user message stands in for: the thread
	// branches before it.
	Replaces string `json:"replaces,omitempty"`
}
