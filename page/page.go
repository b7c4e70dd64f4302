package page

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Place is the user's place in the host application. Page, Tab and Subtab may be empty from the
// right.
type Place struct {
	Page   string            `json:"page,omitempty"`
	Tab    string            `json:"tab,omitempty"`
	Subtab string            `json:"subtab,omitempty"`
	Scope  map[string]string `json:"scope,omitempty"` // what it is about: {"stream": "42"}
}

// ParsePlace parses the path of a place: page, page/tab or page/tab/subtab. It ignores deeper
// levels.
func ParsePlace(s string) Place {
	segments := append(strings.SplitN(strings.Trim(s, "/"), "/", 4), "", "")
	return Place{Page: segments[0], Tab: segments[1], Subtab: segments[2]}
}

// String returns the path, without the scope.
func (p Place) String() string {
	names := p.path()
	n := 1
	for n < len(names) && names[n] != "" {
		n++
	}
	return strings.Join(names[:n], "/")
}

func (p Place) path() path { return path{p.Page, p.Tab, p.Subtab} }

// ToolPlace returns the place, without the scope, as tools know it.
func (p Place) ToolPlace() tool.Place { return tool.Place{Page: p.Page, Tab: p.Tab, Subtab: p.Subtab} }

// Page configures the assistant for one page of the host application.
type Page struct {
	Name  string // a path segment: edit_research_stream
	Title string // for people
	// the fixed part of the prompt for this page; the same for every user and run
	Instructions string
	// Context, if set, writes text about the page from its context items. An error is logged, and
	// the run continues with the items alone.
	Context     ContextBuilder
	Tools       []string
	Payloads    []string
	Actions     []Action     // available as suggested actions
	Suggestions []Suggestion // shown if the model makes none
	Tabs        []Tab
}

// ContextBuilder turns the page's context into text for the model. The keys of values are the
// labels, ids or descriptions of the context items; the values are decoded JSON if possible, else
// strings. They are the client's: what a builder takes over from them belongs in Built.Data.
type ContextBuilder func(at Place, values map[string]any) (Built, error)

// Built is what a context builder writes about a page.
type Built struct {
	// Instructions are the operator's words, chosen by what the page shows: "The user edits a
	// filter: propose values for it." They go into the system prompt, behind all that changes less.
	// At most MaxBuiltInstructions bytes.
	Instructions string
	// Data is what the page shows, in words or as JSON. It goes with the page context.
	Data string
}

// MaxBuiltInstructions is the longest Built.Instructions, in bytes.
const MaxBuiltInstructions = 16 << 10

// Handlers of an Action.
const (
	HandlerClient = "client" // run by the page
	HandlerServer = "server" // run by POST /v1/actions/{name}, with Action.Tool
)

// Action is an action that a suggestion may trigger on a page.
type Action struct {
	Name        string
	Description string // for the model
	Handler     string // HandlerClient or HandlerServer
	Tool        string // for HandlerServer: the backend tool to run
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

// View is what applies at one place: global + page + tab + subtab.
type View struct {
	Place        Place
	Tools        []*tool.Tool    // sorted by name, unique
	Instructions []string        // of page, tab and subtab, if not empty
	Payloads     []*payload.Type // sorted by name, unique
	Actions      []Action        // of page, tab and subtab, unique by name: the narrower place wins
	Suggestions  []Suggestion    // of the narrowest place that has any
	Context      ContextBuilder  // the page's; may be nil

	sources []string // areas of Instructions, by position
}

// ContextDetail describes one entry of a run's context by position, as
// forwardedProps.pageside.context carries it.
type ContextDetail struct {
	ID     string `json:"id,omitempty"`
	Label  string `json:"label,omitempty"`
	Kind   string `json:"kind,omitempty"` // page, dynamic, selection or KindMention
	Source string `json:"source,omitempty"`
}

// KindMention is the kind of a context item that the user's message mentions.
const KindMention = "mention"

// Forwarded is forwardedProps.pageside: the user's place, descriptions of the context items,
// and what else a run's input has no field for.
type Forwarded struct {
	Place
	Context []ContextDetail `json:"context,omitempty"`
	// Replaces is the id of the user message that this run's user message replaces: the thread
	// branches before it.
	Replaces string `json:"replaces,omitempty"`
	// Continues is the id of the cut answer that this run continues, in the same message. It is
	// the thread's last answer.
	Continues string `json:"continues,omitempty"`
	// Withdraw leaves without an answer what waits on the branch for a person or for the page, and
	// ends the run there, cancelled.
	Withdraw bool `json:"withdraw,omitempty"`
	// MustCall names tools of the page, of which the run's first step must call one.
	MustCall []string `json:"mustCall,omitempty"`
	// History is how many of the newest messages a snapshot of the thread shows, in whole turns; 0
	// means all.
	History int `json:"history,omitempty"`
	// Model and Effort are what the user has chosen of what the agent offers; "" leaves it.
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// StateBase is the shared state as the client was last given it: what its state has other than
	// this is what it has changed. null is none.
	StateBase json.RawMessage `json:"stateBase,omitempty"`

	IsGiven bool `json:"-"` // whether the client has sent it: the SDK has
}
