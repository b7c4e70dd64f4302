package mcptool

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// maxExcerpt bounds how much of a resource's text is looked at for its snippet.
const maxExcerpt = 4 << 10

// sources returns the resources of a result that are meant for the user.
func (l *link) sources(parts []mcp.Content) (list []tool.CitableSource) {
	for _, part := range parts {
		if s, ok := sourceOf(part); ok {
			s.Title, s.URL, s.Snippet = l.server.scrub(s.Title), webAddress(l.server.scrub(s.URL)), visible.Cut(l.server.scrub(s.Snippet), maxExcerpt)
			list = append(list, s)
		}
	}
	return list
}

// sourceOf returns a resource, linked or embedded, as a source. Its URL may be of any scheme.
func sourceOf(part mcp.Content) (s tool.CitableSource, ok bool) {
	switch c := part.(type) {
	case *mcp.ResourceLink:
		return tool.CitableSource{
			Title: cmp.Or(c.Title, c.Name, c.URI), URL: c.URI, Snippet: c.Description,
		}, forUser(c.Annotations)
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return s, false
		}
		return tool.CitableSource{
			Title: c.Resource.URI, URL: c.Resource.URI, Snippet: c.Resource.Text,
		}, forUser(c.Annotations)
	}
	return s, false
}

// forUser reports whether content is meant for the user, which it is where nothing is said.
func forUser(a *mcp.Annotations) bool {
	return a == nil || len(a.Audience) == 0 || slices.Contains(a.Audience, "user")
}

// webAddress returns a URI that a user may follow, or "". A path would lead into the application,
// of which a server elsewhere knows nothing.
func webAddress(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	if strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
		return uri
	}
	return ""
}
