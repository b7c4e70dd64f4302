package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
)

// sourcesJSON returns what the journal keeps of sources; nil for none.
func sourcesJSON(sources []agui.CitableSource) json.RawMessage {
	if len(sources) == 0 {
		return nil
	}
	kept, _ := json.Marshal(sources) // strings: cannot fail
	return kept
}

// readSources reads what sourcesJSON wrote. Anything else is none.
func readSources(kept json.RawMessage) (sources []agui.CitableSource) {
	if len(kept) == 0 || json.Unmarshal(kept, &sources) != nil {
		return nil
	}
	return sources
}
