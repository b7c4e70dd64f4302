package agent

import (
	"cmp"
	"encoding/json"

	"github.com/pageside/pageside/tool"
)

// originOf returns where the user of a run is, and what is shown there.
func originOf(in *Input, shown *shown) tool.Origin {
	from := tool.Origin{Place: in.Place.ToolPlace(), Scope: in.Place.Scope}
	if built := shown.built.Data; built != "" {
		from.Context = append(from.Context, tool.ContextItem{Description: "what the page shows", Value: built})
	}
	for i, it := range shown.client() {
		item := tool.ContextItem{Label: it.Label, Source: it.Source, Description: it.Description, Value: it.Value}
		if i < len(in.Details) {
			item.ID, item.Source = in.Details[i].ID, cmp.Or(it.Source, in.Details[i].Source)
		}
		from.Context = append(from.Context, item)
	}
	return from
}

// originJSON returns the origin of a call for the journal: nil for that of the run.
func (c *call) originJSON() json.RawMessage {
	if c.origin == nil {
		return nil
	}
	raw, _ := json.Marshal(c.origin) // strings: cannot fail
	return raw
}

// readOrigin reads what originJSON wrote.
func readOrigin(raw json.RawMessage) *tool.Origin {
	var from tool.Origin
	if len(raw) == 0 || json.Unmarshal(raw, &from) != nil {
		return nil
	}
	return &from
}
