package anthropic

import (
	"strings"

	"github.com/pageside/pageside/llm/catalog"
)

// familyOf returns what is known of a model. Of other makers' models nothing is.
func familyOf(model string) catalog.Model {
	name := strings.ToLower(model)
	if i := strings.Index(name, "claude-"); i > 0 { // with a region or a maker before it
		name = name[i:]
	}
	name = strings.NewReplacer(".", "-", "@", "-").Replace(name)
	if f, ok := catalog.Find(catalog.Anthropic, name); ok {
		return f
	}
	return catalog.Model{Output: 16_384}
}
