package httptool

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Sources says where the body of a response lists what the result rests on. All are JSON pointers.
type Sources struct {
	// List leads to a list of sources, or to a single one. "" is the whole body. A source is an
	// object, or a text: its address or its title.
	List string
	// Where a source has its parts; "" is /title, /url and /snippet.
	Title, URL, Snippet string
}

func (e *endpoint) checkSources() error {
	if e.Sources == nil {
		return nil
	}
	at := *e.Sources
	e.Sources = &Sources{
		at.List, cmp.Or(at.Title, "/title"), cmp.Or(at.URL, "/url"), cmp.Or(at.Snippet, "/snippet"),
	}
	return (jsonx.Checks{
		{"list", func() error { return checkPointer(at.List) }},
		{"title", func() error { return checkPointer(at.Title) }},
		{"url", func() error { return checkPointer(at.URL) }},
		{"snippet", func() error { return checkPointer(at.Snippet) }},
	}).First()
}

// sources returns what the result rests on. The result does without what cannot be read.
func (e *endpoint) sources(ctx context.Context, a *answer) []tool.CitableSource {
	found, ok := a.at(e.Sources.List)
	if !ok {
		return nil
	}
	list := []json.RawMessage{found}
	if found[0] == '[' {
		_ = json.Unmarshal(found, &list) // a part of valid JSON: cannot fail
	} else if found[0] != '{' {
		a.log.WarnContext(ctx, "what the pointer to an HTTP tool's sources leads to is no list", "tool", e.Name,
			"list", e.Sources.List)
		return nil
	}
	var sources []tool.CitableSource
	for _, entry := range list[:min(len(list), tool.MaxSources)] {
		sources = append(sources, e.Sources.read(entry))
	}
	return sources
}

// read reads one source.
func (s *Sources) read(entry json.RawMessage) tool.CitableSource {
	if text, ok := textOf(entry); ok {
		return tool.CitableSource{Title: text, URL: text} // no address is left out later
	}
	at := func(pointer string) string {
		found, _ := find(entry, pointer)
		text, _ := textOf(found)
		return text
	}
	return tool.CitableSource{Title: at(s.Title), URL: at(s.URL), Snippet: at(s.Snippet)}
}

// textOf reads a JSON string.
func textOf(raw json.RawMessage) (text string, ok bool) {
	return text, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
}
