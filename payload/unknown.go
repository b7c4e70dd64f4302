package payload

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// UnknownType is the type name of payloads whose marker belongs to no registered type. Their data
// is {"name": "SCHEMA_X", "data": …}, and they are shown as a labelled block.
const UnknownType = agui.ReservedPrefix + "block"

// Bounds of the name in an unknown marker.
const (
	minUnknown = 2
	maxUnknown = 64
)

// unknownType returns the type of what a model writes after a marker that nobody registered: a
// model may have read it in another application, or made it up.
func unknownType(marker string) *Type {
	name := strings.TrimSuffix(marker, ":")
	return &Type{Name: UnknownType, Source: FromLLM, Marker: marker, Parse: func(data json.RawMessage) (json.RawMessage, error) {
		wrapped := jsonx.AppendString([]byte(`{"name":`), name)
		wrapped = append(append(wrapped, `,"data":`...), data...)
		return append(wrapped, '}'), nil
	}}
}

// unknownMarker checks whether w begins with what looks like a marker: two or more capitals, digits
// and underscores, the first a capital, and a colon.
func unknownMarker(w string) (n int, found answer) {
	for n < len(w) && n <= maxUnknown && isMarkerByte(w[n], n) {
		n++
	}
	switch {
	case n > maxUnknown:
		return 0, no
	case n == len(w):
		return 0, maybe
	case w[n] != ':' || n < minUnknown:
		return 0, no
	}
	return n + 1, yes
}

func isMarkerByte(c byte, at int) bool {
	return c >= 'A' && c <= 'Z' || at > 0 && (c >= '0' && c <= '9' || c == '_')
}

// lookUnknown classifies a line whose bytes at w[at:] may look like a marker. Only what is plainly
// JSON makes it a payload: an object with a member, or an array of such. "NOTE: [link](…)" and
// "TODO: []" are text. A name without an underscore in front of a code fence is a heading: that
// JSON was asked for.
func (s *Scanner) lookUnknown(w string, at int, in place) verdict {
	n, found := unknownMarker(w[at:])
	o := opening{separator: ":"}
	if found == yes {
		found = o.rest(w[at:], n)
	}
	if found == yes {
		found = plainlyJSON(w[at+o.n:])
	}
	marker := w[at : at+n]
	switch {
	case found == maybe:
		return undecided
	case found == no, o.around > 0, (o.fence.n > 0 || in.inFence) && strings.IndexByte(marker, '_') < 0:
		return ordinary
	}
	s.owe(o)
	return verdict{skip: at + o.n, next: inJSON, typ: unknownType(marker)}
}

// plainlyJSON reports whether text begins with an object that has a member, or an array of them.
func plainlyJSON(text string) answer {
	if strings.HasPrefix(text, "[") {
		if text = behindBracket(text); text == "" {
			return maybe
		}
	}
	if !strings.HasPrefix(text, "{") {
		return no
	}
	if text = behindBracket(text); text == "" {
		return maybe
	}
	return is(text[0] == '"')
}

// Strip returns a text without the payloads in it, whatever their type.
func Strip(text string, types []*Type) string {
	var b strings.Builder
	keep := func(e Event) error {
		if e.Kind == Text {
			b.WriteString(e.Text)
		}
		return nil
	}
	s := NewScanner(types)
	_ = s.Feed(text, keep) // keep never fails
	_ = s.Close(keep)
	return b.String()
}
