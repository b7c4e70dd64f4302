package hostile

import (
	"encoding/json"
	"strings"
)

// pageEffects are tools of the page that do something, with the effects that the page declares.
var pageEffects = map[string]string{"wipe": "write", "mark": "idempotent", "post": "exfil", "erase": "destructive"}

// pageTool is a page's tool in the hands of a client that knows nothing of approvals: it runs each
// call that it is given in whole and without a result, whatever the end of the run says.
type pageTool struct {
	name, effect string
	ran          int
}

// declare offers the tool with a request. The text of a source that declares tools stays.
func (p *pageTool) declare(in input) {
	if p == nil {
		return
	}
	declared := map[string]any{"name": p.name, "description": "Does it."}
	if p.effect != "" {
		declared["metadata"] = map[string]any{"pageside": map[string]any{"effect": p.effect}}
	}
	in["tools"] = append(in["tools"].([]any), declared)
}

// run does what the client would.
func (p *pageTool) run(stream string) {
	if p == nil {
		return
	}
	given := map[string]bool{}
	var mine = map[string]bool{}
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct{ Type, ToolCallID, ToolCallName string }
		if json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		switch e.Type {
		case "TOOL_CALL_START":
			mine[e.ToolCallID] = e.ToolCallName == p.name
		case "TOOL_CALL_END":
			given[e.ToolCallID] = mine[e.ToolCallID]
		case "TOOL_CALL_RESULT":
			delete(given, e.ToolCallID)
		}
	}
	for id := range given {
		if given[id] {
			p.ran++
		}
	}
}
