package suggest

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/pageside/pageside/internal/schema"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// maxValue is how long the message of a suggestion may be, in characters.
const maxValue = 500

// parse reads a model's answer: the first array in it, repaired where it is broken. It leaves out
// what is no suggestion.
func parse(text string, most int) ([]page.Suggestion, error) {
	start, end := strings.IndexByte(text, '['), strings.LastIndexByte(text, ']')
	if start < 0 {
		return nil, errors.New("the model suggested nothing that can be read")
	}
	if end < start { // it was cut off: what is whole counts
		end = max(strings.LastIndexByte(text, '}'), start)
	}
	var list []json.RawMessage
	raw, err := schema.Parse(text[start : end+1])
	if err != nil || json.Unmarshal(raw, &list) != nil {
		return nil, errors.New("the model suggested nothing that can be read")
	}
	suggestions := []page.Suggestion{}
	for _, raw := range list {
		if s, ok := suggestion(raw); ok && len(suggestions) < most {
			suggestions = append(suggestions, s)
		}
	}
	if len(suggestions) == 0 {
		return nil, errors.New("the model suggested nothing that can be read")
	}
	return suggestions, nil
}

// suggestion reads one entry: an object, or a text that is label and value at once.
func suggestion(raw json.RawMessage) (s page.Suggestion, ok bool) {
	var into any = &s
	if raw[0] == '"' {
		into = &s.Value
	}
	if json.Unmarshal(raw, into) != nil {
		return s, false
	}
	s.Value = plain(s.Value, maxValue)
	s.Label = plain(s.Label, payload.MaxLabel)
	if s.Label == "" {
		s.Label = plain(s.Value, payload.MaxLabel)
	}
	if s.Value == "" {
		s.Value = s.Label
	}
	return s, s.Value != ""
}

// plain is text on one line without control characters, cut at a word to at most n characters.
func plain(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), invisible(r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// invisible are the characters that could make a label read otherwise than it is sent: marks of
// direction and of no width, and tags. Those that join what stands beside them stay: scripts and
// emoji need them.
func invisible(r rune) bool {
	const nonJoiner, joiner = 0x200c, 0x200d
	return unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner
}
