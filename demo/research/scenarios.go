package research

import (
	_ "embed"
	"encoding/json"

	"github.com/pageside/pageside/demo/research/library"
)

// Scenario is something to try with the assistant: where to be, what is set there, and what to say.
type Scenario struct {
	ID string `json:"id"`
	// guide: a proposal or steps; enhance: an answer from what is loaded
	Mode    string            `json:"mode"`
	Title   string            `json:"title"`
	Text    string            `json:"text"`            // what the user says
	Place   string            `json:"place"`           // page, page/tab or page/tab/subtab
	Scope   map[string]string `json:"scope,omitempty"` // {"stream": "1"}
	State   *State            `json:"state,omitempty"` // what is set on the page before
	Does    string            `json:"does"`            // what to expect
	Payload string            `json:"card,omitempty"`  // the payload type that is shown
}

// State is what is set on a page: the article search of the workbench, the trial form, or which
// reports are selected.
type State struct {
	Query    *string            `json:"query,omitempty"`
	Filters  *library.Filters   `json:"filters,omitempty"`
	Form     *library.TrialForm `json:"form,omitempty"`
	PageSize int                `json:"pageSize,omitempty"`
	Selected []string           `json:"selected,omitempty"`
}

//go:embed scenarios.json
var scenarios []byte

// Scenarios are the rows of the table "guide or enhance", and more. They work with any library on
// the subject, the generated one included.
func Scenarios() (list []Scenario) {
	if err := json.Unmarshal(scenarios, &list); err != nil {
		panic(err) // it is built in
	}
	return list
}
