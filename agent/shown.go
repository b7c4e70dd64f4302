package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// client returns the client's items.
func (s *shown) client() []page.Item { return s.items[len(s.items)-s.given:] }

// Look finds what a run's page shows. in.History has to hold the user's last message, which may
// mention items of the context; nothing else of the history counts.
func (a *Agent) Look(ctx context.Context, in Input) *Look {
	view := a.Pages.Resolve(in.Place)
	return &Look{view, a.shown(ctx, view, in)}
}

// look returns what has been found already, or looks.
func (a *Agent) look(ctx context.Context, in *Input) *Look {
	if in.Look != nil {
		return in.Look
	}
	return a.Look(ctx, *in)
}

// shown returns what the page shows. If its context builder fails, the run continues without its
// part.
func (a *Agent) shown(ctx context.Context, view page.View, in Input) shown {
	state := in.State
	if !a.State.Shows(state) {
		state = nil
	}
	given := prompt.GivenItems(in.Context, in.Details, questionOf(in.History))
	built, err := view.Describe(given, in.Details)
	if err != nil {
		a.log().ErrorContext(ctx, "the page could not be described", "page", in.Place.Page, "runId", in.RunID,
			"error", err)
	}
	items := prompt.ContextItems(in.Place, state, built, given)
	return shown{built, items, prompt.ContextKeys(items), len(given)}
}

// questionOf returns the text of the user's last message.
func questionOf(history []agui.Message) string {
	for i := range slices.Backward(history) {
		if history[i].Role == agui.RoleUser {
			return history[i].Content.Text()
		}
	}
	return ""
}

// Keys has a key for each item of the page context: the user's place, the data of the page's
// context builder, and the context itself. Equal items have equal keys in every run. When they
// differ from those of the last note of kind NoteContext in the thread, the caller stores a new
// note before the user's message.
func (l *Look) Keys() []string { return l.shown.keys }

// Mentioned names the items that the user's last message mentions, for a note of kind NoteMention.
func (l *Look) Mentioned() (names []string) {
	for _, it := range l.shown.client() {
		if name := it.Name(); it.Mentioned && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

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
