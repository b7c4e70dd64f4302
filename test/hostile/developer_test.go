package hostile

import (
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// developersWord is what the application's own code says through an admitted client.
var developersWord = map[string]source{
	"a page's tool": {bring: func(in input) { in["tools"] = []any{map[string]any{"name": "paint", "description": order}} }},
	"its schema": {bring: func(in input) {
		in["tools"] = []any{map[string]any{"name": "paint", "description": "Paints.", "parameters": map[string]any{"type": "object", "description": order}}}
	}},
	"guidance":            {bring: before(message("pageside:a", "system", order))},
	"a system message":    {bring: before(message("s0", "system", order))},
	"a developer message": {bring: before(message("d0", "developer", order))},
}

// TestTheDevelopersWordDoesNotTaint: what changes something runs, in the page too, and what tells
// others something or destroys asks as on every branch.
func TestTheDevelopersWordDoesNotTaint(t *testing.T) {
	st := newStage(t)
	for from, src := range developersWord {
		for _, when := range []string{"same turn", "next turn"} {
			for effect, grave := range map[string]bool{"save": false, "stamp": false, "leak": true, "drop": true, "wipe": false, "post": true, "erase": true} {
				ran, stream := st.play(t, &src, effect, positions[when], true)
				must.Be(t, ran == 0, grave, "%s, %s: %s asks, and ran %d times: %s", from, when, effect, ran, stream)
				must.Be(t, interrupts.MatchString(stream), grave, "%s, %s: %s asks: %s", from, when, effect, stream)
			}
		}
	}
}

// TestToolsOfThePageRunUnasked: a tool that declares nothing acts in the user's browser with the
// user's rights, whatever the model has read.
func TestToolsOfThePageRunUnasked(t *testing.T) {
	st := newStage(t)
	for name, effect := range map[string]tool.Effect{"plain": "", "scroll": tool.Page, "peek": tool.Read} {
		pageEffects[name] = string(effect)
		for from, src := range sources {
			if src.through != nil {
				continue
			}
			if ran, stream := st.play(t, &src, name, positions["same turn"], true); ran != 1 || interrupts.MatchString(stream) {
				t.Errorf("%s: %s ran %d times: %s", from, name, ran, stream)
			}
		}
		delete(pageEffects, name)
	}
}
