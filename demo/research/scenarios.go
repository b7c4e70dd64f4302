package research

import (
	_ "embed"
	"encoding/json"
)

// scenarios are things to try with the assistant: where to be, what is set there, and what to say.
// They are the rows of the table "guide or enhance", and more, and work with any library on the
// subject, the generated one included.
//
//go:embed scenarios.json
var scenarios []byte

// Scenarios returns the scenarios as a list of JSON; web/apps/demo has its type.
func Scenarios() json.RawMessage { return scenarios }
