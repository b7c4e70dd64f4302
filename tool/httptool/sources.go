package httptool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

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

// sourcePointers is Sources, parsed.
type sourcePointers struct{ list, title, url, snippet pointer }

func (e *endpoint) checkSources() error {
	if e.Sources == nil {
		return nil
	}
	for _, p := range []struct {
		name, text string
		to         *pointer
	}{
		{"list", e.Sources.List, &e.sourcesAt.list},
		{"title", cmp.Or(e.Sources.Title, "/title"), &e.sourcesAt.title},
		{"url", cmp.Or(e.Sources.URL, "/url"), &e.sourcesAt.url},
		{"snippet", cmp.Or(e.Sources.Snippet, "/snippet"), &e.sourcesAt.snippet},
	} {
		if err := p.to.parse(p.text); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// sources returns what the result rests on. The result does without what cannot be read.
func (e *endpoint) sources(ctx context.Context, a *answer) []tool.CitableSource {
	found, ok := a.at(e.sourcesAt.list)
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
		sources = append(sources, e.sourcesAt.read(entry))
	}
	return sources
}

// read reads one source.
func (p *sourcePointers) read(entry json.RawMessage) tool.CitableSource {
	if text, ok := textOf(entry); ok {
		return tool.CitableSource{Title: text, URL: text} // no address is left out later
	}
	at := func(to pointer) string {
		found, _ := to.find(entry)
		text, _ := textOf(found)
		return text
	}
	return tool.CitableSource{Title: at(p.title), URL: at(p.url), Snippet: at(p.snippet)}
}

// textOf reads a JSON string.
func textOf(raw json.RawMessage) (text string, ok bool) {
	return text, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
}
