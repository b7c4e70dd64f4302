package payload

import "encoding/json"

// Source says who makes payloads of a type.
type Source string

// The sources. A type whose Source is empty comes from tools.
const (
	FromTool Source = "tool" // a tool returns it beside its text
	FromLLM  Source = "llm"  // the model writes it, behind a marker or as the arguments of a generated tool
)

// Type defines one kind of payload: typed data that is shown as a card. It knows no pages: pages refer to it by name.
type Type struct {
	Name         string // ^[a-zA-Z0-9_-]{1,64}$; the AG-UI activityType of its cards
	Description  string // one sentence, for the model and for people
	Source       Source
	Global       bool            // available on every page
	Marker       string          // what the model writes before the JSON; default: the name in capitals and a colon
	Schema       json.RawMessage // a JSON Schema of the data; nil takes any object
	Instructions string          // for the model: when to use it, with an example

	// Parse, where set, turns what was written into the card's data, after the JSON was parsed and before the schema is checked.
	Parse func(json.RawMessage) (json.RawMessage, error)
}
