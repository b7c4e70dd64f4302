// Package journal is what is kept of a call of a backend tool: package agent says how far a call
// got, package store stores it, and after a crash the next process knows which calls may run again.
//
//	call := journal.ToolCall{ID: "call_1", Tool: "search", Args: args, State: journal.Planned}
//
// It imports nothing, so that agent and store need not know each other.
package journal

import (
	"encoding/json"
	"time"
)

// State is how far a tool call got.
type State string

// The states of a tool call.
const (
	Planned  State = "planned"  // judged and about to run
	Started  State = "started"  // its handler may have begun: committed before it does
	Finished State = "finished" // its result is known
)

// ByUser in ToolCall.AllowedBy stands for the person who approved the call.
const ByUser = "user"

// ToolCall is one entry of the journal: a call of a backend tool.
type ToolCall struct {
	ID, Tool string
	RunID    string // the run that planned it
	Effect   string // the tool's tool.Effect
	Args     json.RawMessage
	State    State
	// Definition is the tool's tool.Definition when the call was judged. Earlier versions did not
	// store it: "".
	Definition string
	// AllowedBy is ByUser if a person approved the call, the id of the allowance under which it
	// runs, or "" if nobody had to agree.
	AllowedBy string
	// Origin is the tool's tool.Origin as JSON where the call was made by an earlier run, at
	// another place perhaps, and then approved. nil means that of the run.
	Origin json.RawMessage
	// Result is the whole text of the result, once finished.
	Result    string
	Payload   json.RawMessage // nil where there is none
	Sources   json.RawMessage // what the result rests on, as JSON; nil where it names nothing
	IsError   bool
	CreatedAt time.Time // the store's: zero in a call that is about to be stored
	EndedAt   time.Time // zero until finished
}
