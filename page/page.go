package page

import "github.com/pageside/pageside/tool"

// Place is where the user is in the host application. Page, Tab and Subtab may be empty from the right.
type Place struct {
	Page   string            `json:"page,omitempty"`
	Tab    string            `json:"tab,omitempty"`
	Subtab string            `json:"subtab,omitempty"`
	Scope  map[string]string `json:"scope,omitempty"` // what the place is about: {"stream": "42"}
}

// Page configures the assistant for one page of the host application. It names the tools it uses.
type Page struct {
	Name         string // a path segment: edit_research_stream
	Title        string // for people
	Instructions string // the fixed part of the prompt for this page; the same for every user and run
	Tools        []string
	Tabs         []Tab
}

// Tab adds to its page.
type Tab struct {
	Name         string
	Instructions string
	Tools        []string
	Subtabs      []Subtab
}

// Subtab adds to its tab.
type Subtab struct {
	Name         string
	Instructions string
	Tools        []string
}

// View is what holds at one place: global + page + tab + subtab.
type View struct {
	Place        Place
	Tools        []*tool.Tool // sorted by name, each once
	Instructions []string     // page, tab, subtab: those that are not empty
}

// ContextDetail describes one entry of a run's context by position, as forwardedProps.pageside.context carries it.
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
}
