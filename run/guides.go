package run

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// guideTitles begin the descriptions of the context items in which AG-UI's A2UI middleware, and
// CopilotKit in front of it, tell the model how to draw surfaces. They are instructions of the
// page's code that have no other field.
var guideTitles = []string{
	"A2UI catalog capabilities", "A2UI Component Schema", "A2UI generation guidelines",
	"A2UI design guidelines", "A2UI render tool usage guide",
}

// maxGuides is the most bytes that guides may have together. The rest is page context, which is
// cut.
const maxGuides = 64 << 10

// surroundings is what a request says beside its messages and tools.
type surroundings struct {
	context  []agui.ContextItem
	details  []page.ContextDetail // of context, by position
	guidance []string             // the page's instructions, as far as the model is to follow them
}

// surroundingsOf tells the page's instructions from its data, as ClientInstructions says.
func (x *execution) surroundingsOf() surroundings {
	all := surroundings{context: slices.Clip(x.Input.Context), details: x.Place.Context}
	switch x.m.cfg.ClientInstructions {
	case InstructionsGuidance:
		all.guidance = x.merged.Told
		if !x.answers.own { // agents elsewhere look for guides in the context
			return all.guided()
		}
	case InstructionsData:
		for _, text := range x.merged.Told {
			all.context = append(all.context, agui.ContextItem{
				Description: "what the page says about itself", Value: text,
			})
		}
	}
	return all
}

// guided moves guides from the context to the instructions.
func (s surroundings) guided() surroundings {
	if !slices.ContainsFunc(s.context, isGuide) {
		return s
	}
	rest, size := surroundings{guidance: slices.Clip(s.guidance)}, 0
	for i, item := range s.context {
		var detail page.ContextDetail
		if i < len(s.details) {
			detail = s.details[i]
		}
		if isGuide(item) && detail == (page.ContextDetail{}) && size+len(item.Value) <= maxGuides {
			size += len(item.Value)
			rest.guidance = append(rest.guidance, item.Description+"\n"+item.Value)
			continue
		}
		rest.context, rest.details = append(rest.context, item), append(rest.details, detail)
	}
	return rest
}

func isGuide(item agui.ContextItem) bool {
	return slices.ContainsFunc(guideTitles, func(title string) bool {
		return strings.HasPrefix(item.Description, title)
	})
}
