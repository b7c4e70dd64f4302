package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
)

// showSources numbers and shows what a tool's result rests on. The prompt tells the model the
// numbers together with the result.
func (x *executor) showSources(c *call) error {
	if len(c.result.Sources) == 0 || c.result.IsError {
		return nil
	}
	numbered := x.numbers.Number(c.result.Sources)
	if len(numbered) == 0 {
		return nil
	}
	s := agui.Sources{Sources: numbered, ToolCallID: c.id}
	c.sources = s.Message(x.newID("sources_"))
	return x.out.Emit(s.Event(c.sources.ID))
}

// showPageSources does the same for results of the page's tools, which come with their sources in
// their metadata. It returns the history with those that it has shown.
func (x *executor) showPageSources(history []agui.Message) ([]agui.Message, error) {
	shown := map[string]bool{}
	for i := range history {
		if s, ok := agui.ReadSources(&history[i]); ok {
			shown[s.ToolCallID] = true
		}
	}
	for i := range history {
		m := &history[i]
		sources := agui.ResultSources(m)
		if len(sources) == 0 || shown[m.ToolCallID] {
			continue
		}
		s := agui.Sources{Sources: x.numbers.Number(sources), ToolCallID: m.ToolCallID}
		if len(s.Sources) == 0 {
			continue
		}
		shown[m.ToolCallID] = true
		told := s.Message(x.newID("sources_"))
		if err := x.out.Emit(s.Event(told.ID)); err != nil {
			return nil, err
		}
		history = append(history[:len(history):len(history)], told)
	}
	return history, nil
}

// sources sends what a guest's answer rests on. It may number them itself, since it writes the marks.
func (g *guestRun) sources(e *agui.ActivitySnapshot) error {
	given, ok := agui.ReadSources(&agui.Message{Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: e.Content})
	if !ok {
		g.drop(e, `its content is not {"sources":[{"number","title","url","snippet"}]}`)
		return nil
	}
	told := agui.Sources{Sources: g.executor.numbers.Take(given.Sources)}
	if len(told.Sources) == 0 {
		g.drop(e, "none of its sources has a title or an address that may be followed")
		return nil
	}
	e.MessageID = g.ids.message(e.MessageID)
	return g.send(&agui.ActivitySnapshot{Base: e.Base, MessageID: e.MessageID, ActivityType: e.ActivityType, Content: told.Content()})
}

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
