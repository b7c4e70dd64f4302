package aisdk

import (
	"strconv"

	"github.com/pageside/pageside/agui"
)

// Types of the parts of sources. One that has no address is a document.
const (
	typeSourceURL      = "source-url"
	typeSourceDocument = "source-document"
)

// cited has the ids of the sources that an answer has shown: each is a part of it once, also if
// several results rest on it.
type cited map[string]bool

// parts returns the sources of a message that the answer has not shown. Their ids are the numbers
// under which its text cites them.
func (c *cited) parts(m *agui.Message) (parts []part) {
	list, _ := agui.ReadSources(m)
	for _, s := range list.Sources {
		id := strconv.Itoa(s.Number)
		if (*c)[id] {
			continue
		}
		if *c == nil {
			*c = cited{}
		}
		(*c)[id] = true
		p := part{Type: typeSourceURL, SourceID: id, URL: s.URL, Title: s.Title, ProviderMetadata: from(m.ID)}
		if p.ProviderMetadata.Pageside.Snippet = s.Snippet; s.URL == "" {
			p.Type, p.MediaType = typeSourceDocument, "text/plain"
		}
		parts = append(parts, p)
	}
	return parts
}

// cite sends the sources of a message.
func (s *stream) cite(m *agui.Message) {
	parts := s.parts(m)
	if len(parts) == 0 {
		return
	}
	s.beside(m.ID)
	for _, p := range parts {
		s.send(chunk{
			Type: p.Type, SourceID: p.SourceID, URL: p.URL, Title: p.Title, MediaType: p.MediaType,
			ProviderMetadata: p.ProviderMetadata,
		})
	}
}
