package bedrock

import (
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
)

// family is what is known of a model. Thinking of the zero kind means never, or as it likes.
type family struct{ catalog.Model }

// familyOf finds a model by its id: behind a region (us., eu., global.), or as the last part of an
// ARN.
func familyOf(id string) family {
	name := strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	for {
		if f, ok := catalog.Find(catalog.Bedrock, name); ok {
			return family{f}
		}
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return family{}
		}
		name = rest
	}
}

func (f family) info(id string) llm.Info {
	return llm.Info{
		Provider: "bedrock", Model: id, ContextWindow: f.Window,
		Tools: !f.NoTools, ParallelTools: !f.NoTools, Images: f.Images, PDF: f.reads(),
		Reasoning: f.Thinking != "", StrictTools: f.Strict,
	}
}

// maker is who made the model: its thoughts go back to no other maker's.
func (f family) maker() string {
	maker, _, _ := strings.Cut(f.Prefix, ".")
	return maker
}
