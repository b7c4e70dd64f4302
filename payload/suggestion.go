package payload

import (
	"encoding/json"
	"iter"
	"strings"
	"unicode"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/schema"
)

// Built-in types for suggestions at the end of an answer. They are never shown as text and have no
// card.
var (
	SuggestedValues  = &Type{Name: "suggested_values", Source: FromLLM, Marker: "SUGGESTED_VALUES:"}
	SuggestedActions = &Type{Name: "suggested_actions", Source: FromLLM, Marker: "SUGGESTED_ACTIONS:"}
)

var builtIns = []*Type{SuggestedValues, SuggestedActions}

func builtIn(name string) bool { return name == SuggestedValues.Name || name == SuggestedActions.Name }

// IsSuggestion reports whether the type is one of the built-in types.
func (t *Type) IsSuggestion() bool { return t == SuggestedValues || t == SuggestedActions }

// Limits of suggestions.
const (
	MaxSuggestions = 4
	MaxLabel       = 40   // characters of a label
	maxValue       = 2000 // characters sent by a click
)

// ReadValues reads the model's JSON after SUGGESTED_VALUES:. It drops invalid and excess entries: a
// suggestion is not worth an error. An entry may be a plain string.
func ReadValues(written string) []agui.SuggestedValue {
	var values []agui.SuggestedValue
	for raw := range entries(written) {
		var v agui.SuggestedValue
		if jsonx.KindOf(raw) == jsonx.String {
			v.Value = text(raw)
		} else {
			v.Label, v.Value = text(jsonx.Find(raw, "label")), text(jsonx.Find(raw, "value"))
		}
		if v.Value = clean(v.Value); v.Value == "" {
			v.Value = clean(v.Label)
		}
		if v.Label = clean(v.Label); v.Label == "" {
			v.Label = v.Value
		}
		if fits(v.Label, MaxLabel) && fits(v.Value, maxValue) && len(values) < MaxSuggestions {
			values = append(values, v)
		}
	}
	return values
}

// ReadActions reads the model's JSON after SUGGESTED_ACTIONS:. handler returns the handler of an
// action, or "" if the page has not declared it; such entries are dropped.
func ReadActions(written string, handler func(action string) string) []agui.SuggestedAction {
	var actions []agui.SuggestedAction
	for raw := range entries(written) {
		a := agui.SuggestedAction{Label: clean(text(jsonx.Find(raw, "label"))), Action: text(jsonx.Find(raw, "action"))}
		if a.Handler = handler(a.Action); a.Handler == "" || !fits(a.Label, MaxLabel) ||
			len(actions) == MaxSuggestions {
			continue
		}
		if args := jsonx.Find(raw, "args"); jsonx.KindOf(args) == jsonx.Object {
			if schema.Check(args, maxDepth) != nil {
				continue // its event could not be read
			}
			a.Args = args
		}
		actions = append(actions, a)
	}
	return actions
}

// entries yields the elements of a JSON array, or nothing for other JSON.
func entries(written string) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(written) > MaxBytes {
			return
		}
		data, err := schema.Parse(written)
		d := jsonx.Decoder{Data: data}
		if err != nil || d.Kind() != jsonx.Array {
			return
		}
		for d.Enter(); d.More(); {
			if !yield(d.Raw()) {
				return
			}
		}
	}
}

func text(raw []byte) string {
	if jsonx.KindOf(raw) != jsonx.String {
		return ""
	}
	s, err := jsonx.Unquote(raw)
	if err != nil {
		return ""
	}
	return s
}

// clean removes invisible characters: a button must say what it does.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d':
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// fits reports whether the text is neither empty nor too long.
func fits(s string, limit int) bool {
	return s != "" && len([]rune(s)) <= limit
}
