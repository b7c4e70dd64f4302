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

// cite sends the sources of a message, each once in an answer, also if several results rest on it.
// Their ids are the numbers under which its text cites them.
func (s *stream) cite(m *agui.Message) {
	list, _ := agui.ReadSources(m)
	for _, source := range list.Sources {
		id := strconv.Itoa(source.Number)
		if s.cited[id] {
			continue
		}
		s.cited[id] = true
		c := chunk{
			Type: typeSourceURL, SourceID: id, URL: source.URL, Title: source.Title, ProviderMetadata: from(m.ID),
		}
		if c.ProviderMetadata.Pageside.Snippet = source.Snippet; source.URL == "" {
			c.Type, c.MediaType = typeSourceDocument, "text/plain"
		}
		s.beside(m.ID)
		s.send(c)
	}
}
