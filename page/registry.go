package page

import "github.com/pageside/pageside/tool"

// Registry holds the pages and tools and resolves places.
type Registry struct{ tools []*tool.Tool }
