package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// citable returns the sources of a result as they may be kept and shown.
func citable(sources []tool.CitableSource) []agui.CitableSource {
	given := make([]agui.CitableSource, len(sources))
	for i, s := range sources {
		given[i] = agui.CitableSource(s)
	}
	return agui.CleanSources(given)
}

// sourcesJSON returns what the journal keeps of the sources of a result; nil for none.
func sourcesJSON(sources []tool.CitableSource) json.RawMessage {
	if len(sources) == 0 {
		return nil
	}
	kept, _ := json.Marshal(citable(sources)) // strings: cannot fail
	return kept
}

// readSources reads what sourcesJSON wrote. Anything else is none.
func readSources(kept json.RawMessage) (sources []tool.CitableSource) {
	if len(kept) == 0 || json.Unmarshal(kept, &sources) != nil {
		return nil
	}
	return sources
}
