package config

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/visible"
)

// In a template whose output is instructions, the page's texts must not become instructions
// themselves: somebody else may have written them. They print quoted, short and on one line,
// whatever the template does with them, but compare as the plain texts.

// quoted is a text that prints as a JSON string.
type quoted string

// maxQuoted is how much of a text is shown, in characters.
const maxQuoted = 200

// String returns the text in quotation marks.
func (q quoted) String() string {
	text := []rune(visible.Text(string(q)))
	if len(text) > maxQuoted {
		text = append(text[:maxQuoted], '…')
	}
	raw, err := json.Marshal(strings.Join(strings.Fields(string(text)), " "))
	if err != nil {
		return `""`
	}
	return string(raw)
}

// MarshalJSON returns what String does.
func (q quoted) MarshalJSON() ([]byte, error) { return []byte(q.String()), nil }

// quotedObject and quotedList print as JSON.
type (
	quotedObject map[string]any
	quotedList   []any
)

// String returns the object as JSON.
func (o quotedObject) String() string { return asJSON(map[string]any(o)) }

// String returns the list as JSON.
func (l quotedList) String() string { return asJSON([]any(l)) }

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// plainKey matches names that cannot say anything.
var plainKey = lazy.Regexp(`^[A-Za-z0-9_.-]{1,64}$`)

// quotedMap quotes the texts of the page's values. The keys at the top are the operator's to know:
// a template names the items it shows.
func quotedMap(values map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for name, v := range values {
		out[name] = quote(v)
	}
	return out
}

func quote(v any) any {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case []any:
		out := make(quotedList, len(v))
		for i := range v {
			out[i] = quote(v[i])
		}
		return out
	case map[string]any:
		out := make(quotedObject, len(v))
		for key, member := range v {
			if !plainKey().MatchString(key) {
				key = quoted(key).String()
			}
			out[key] = quote(member)
		}
		return out
	}
	return v
}
