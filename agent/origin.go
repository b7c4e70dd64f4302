package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// originOf returns where the user of a run is. items are the page context that the model is shown:
// the place, if there is one, the output of the page's context builder, and the run's context.
func originOf(in *Input, items []page.Item) tool.Origin {
	from := tool.Origin{Place: in.Place.ToolPlace(), Scope: in.Place.Scope}
	if in.Place.Page != "" && len(items) > len(in.Context) {
		items = items[1:]
	}
	described := len(items) - len(in.Context)
	for i, it := range items {
		item := tool.ContextItem{Description: it.Description, Value: it.Value}
		if n := i - described; n >= 0 && n < len(in.Details) {
			item.ID, item.Label, item.Source = in.Details[n].ID, in.Details[n].Label, in.Details[n].Source
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
