package httpmodel

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
)

// Encoder writes the body of a request. Texts that are already JSON are copied.
type Encoder struct {
	Buf   []byte
	extra map[string]json.RawMessage
}

// NewEncoder returns an encoder with room for req. Call.Do takes its memory back.
func NewEncoder(req *llm.Request) Encoder {
	return Encoder{Buf: room(sizeOf(req)), extra: req.Extra}
}

// sizeOf estimates the length of the body, so that it is allocated once.
func sizeOf(req *llm.Request) int {
	n := 1024
	for _, b := range req.System {
		n += len(b.Text)*9/8 + 96
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters) + 128
	}
	for _, m := range req.Messages {
		n += 96
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				n += max(len(c.Quoted), len(c.Text)*9/8) + 32
			case llm.ToolResult:
				n += max(len(c.Content.Quoted), len(c.Content.Text)*9/8) + 160
			case llm.ToolCall:
				n += len(c.Args)*9/8 + len(c.Opaque) + 128
			case llm.Reasoning:
				n += len(c.Text)*9/8 + len(c.Opaque) + 64
			case llm.Media:
				n += len(c.Data) + len(c.URL) + 128
			}
		}
	}
	return n
}

// Add writes JSON.
func (e *Encoder) Add(json string) { e.Buf = append(e.Buf, json...) }

// AddString writes JSON and, behind it, a string.
func (e *Encoder) AddString(json, s string) {
	e.Add(json)
	e.String(s)
}

// String writes a string.
func (e *Encoder) String(s string) { e.Buf = jsonx.AppendString(e.Buf, s) }

// Next begins another element of a list, or another member of an object.
func (e *Encoder) Next(json string) {
	if last := e.Buf[len(e.Buf)-1]; last != '[' && last != '{' {
		e.Add(`,`)
	}
	e.Add(json)
}

// Float writes a number.
func (e *Encoder) Float(f float64) { e.Buf = strconv.AppendFloat(e.Buf, f, 'g', -1, 64) }

// Text writes a text.
func (e *Encoder) Text(t llm.Text) {
	if len(t.Quoted) >= 2 {
		e.Buf = append(e.Buf, t.Quoted...)
		return
	}
	e.String(t.Text)
}

// Owns reports whether the adapter writes a field: Extra overrides all but the core.
func (e *Encoder) Owns(name string) bool {
	_, set := e.extra[name]
	return !set
}

// Extra returns the value of a field in the request's Extra, or nil.
func (e *Encoder) Extra(name string) json.RawMessage { return e.extra[name] }

// Extras writes the request's Extra as further members, except those in core.
func (e *Encoder) Extras(core []string) {
	for _, name := range slices.Sorted(maps.Keys(e.extra)) {
		if slices.Contains(core, name) || len(e.extra[name]) == 0 {
			continue
		}
		e.AddString(`,`, name)
		e.Add(`:`)
		e.Buf = append(e.Buf, e.extra[name]...)
	}
}

// Blank reports whether a text is nothing but white space.
func Blank(t llm.Text) bool {
	if len(t.Quoted) < 2 {
		return strings.TrimSpace(t.Text) == ""
	}
	for body := t.Quoted[1 : len(t.Quoted)-1]; len(body) > 0; {
		switch {
		case body[0] == '\\' && len(body) > 1 && strings.IndexByte("ntrf", body[1]) >= 0:
			body = body[2:]
		case body[0] == '\\':
			return strings.TrimSpace(t.String()) == "" // escapes that nobody needs
		default:
			r, size := utf8.DecodeRune(body)
			if !unicode.IsSpace(r) {
				return false
			}
			body = body[size:]
		}
	}
	return true
}

// NoParameters is the schema of a tool without arguments.
const NoParameters = `{"type":"object","properties":{}}`

// Arguments returns the arguments of a call as an object. Text that is not one is wrapped in an
// object.
func Arguments(args string) string {
	switch {
	case strings.TrimSpace(args) == "":
		return `{}`
	case IsObject(args):
		return args
	}
	return InvalidArguments(args)
}

// IsObject reports whether a text is a JSON object that every provider can read.
func IsObject(text string) bool {
	return jsonx.KindOf([]byte(text)) == jsonx.Object && json.Valid([]byte(text)) &&
		jsonx.Depth([]byte(text)) <= maxDepth && !tooLarge(text)
}

// longNumber matches what may be a number that no float64 holds.
var longNumber = lazy.Regexp(`[0-9][eE]\+?[0-9]{3}|[0-9]{309}`)

// tooLarge reports whether JSON holds a number that most parsers refuse.
func tooLarge(text string) bool {
	var value any
	return longNumber().MatchString(text) && json.Unmarshal([]byte(text), &value) != nil
}

// maxDepth limits how deep arguments are nested. Google's parsers stop at 100, of a whole request.
const maxDepth = 64

// IsSignature reports whether a text can be a signature, which is base64 in either alphabet.
// Providers refuse a whole request for any other.
func IsSignature(text string) bool {
	body := strings.TrimRight(text, "=")
	odd := strings.ContainsFunc(body, func(r rune) bool {
		return r > 'z' ||
			!('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+/-_", r))
	})
	return body != "" && !odd && len(text)-len(body) <= 2
}

// InvalidArguments wraps arguments that are not an object in one.
func InvalidArguments(args string) string {
	return string(append(jsonx.AppendString([]byte(`{"invalid_arguments":`), args), '}'))
}

// Text returns the value of a JSON string, or "" for null or nothing.
func Text(raw []byte) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if raw[0] != '"' {
		return "", errors.New("a field that should be text is not")
	}
	text, err := jsonx.Unquote(raw)
	return ValidText(text), err
}

// ValidText replaces invalid UTF-8.
func ValidText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Count reads a token count, or nil: usage never fails an answer.
func Count(raw []byte) *int64 {
	if n, ok := jsonx.ParseInt(raw); ok && n >= 0 {
		return &n
	}
	return nil
}

// Index reads the number of a block or call, at most six digits, or -1.
func Index(raw []byte) (n int) {
	if len(raw) == 0 || len(raw) > 6 {
		return -1
	}
	for _, b := range raw {
		if b < '0' || b > '9' {
			return -1
		}
		n = n*10 + int(b-'0')
	}
	return n
}
