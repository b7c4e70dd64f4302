package httpmodel

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient are the options with which providers' documents are read: many servers speak each format,
// and what they write is judged by whoever needs it.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Read decodes a provider's document into a struct with tags. Its fields should be of the types
// below, which take any value, so that one that nobody needs never fails an answer.
func Read(data []byte, into any) error { return json.Unmarshal(data, into, lenient) }

// Piece is a field that should be a text, and where it stands in its document.
type Piece struct {
	Said   string // the text; "" if there is none
	Number string // the number in its place; "" if there is none
	at     span
	err    error // it is neither a string nor null
}

// UnmarshalJSONFrom takes any value.
func (p *Piece) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	end := int(dec.InputOffset())
	*p = Piece{at: span{end - len(raw), end}}
	if raw.Kind() == '0' {
		p.Number = string(raw)
	}
	p.Said, p.err = Text(raw)
	return nil
}

// Text returns the text. Its error says that the field is something else.
func (p *Piece) Text() (string, error) { return p.Said, p.err }

// Missing reports whether the document has no such field.
func (p *Piece) Missing() bool { return p.at.to == 0 }

// Tokens is a count of tokens, nil where there is none: usage never fails an answer.
type Tokens struct{ N *int64 }

// UnmarshalJSONFrom takes any value.
func (t *Tokens) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	t.N = Count(raw)
	return err
}

// Take replaces the count by a later one, if that is known.
func (t *Tokens) Take(later Tokens) {
	if later.N != nil {
		*t = later
	}
}

// Sum adds the counts that are known; it is nil if none is.
func Sum(counts ...*int64) (sum *int64) {
	for _, n := range counts {
		if n != nil && sum != nil {
			sum = new(*sum + *n)
		} else if n != nil {
			sum = n
		}
	}
	return sum
}

// Number is the number of a block or call, -1 where it is none.
type Number int

// UnmarshalJSONFrom takes any value.
func (n *Number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*n = Number(Index(raw))
	return err
}

// Flag is true where a field is.
type Flag bool

// UnmarshalJSONFrom takes any value.
func (f *Flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*f = string(raw) == "true"
	return err
}

// Object is a field that should be an object; Is is nil where it is none.
type Object[T any] struct{ Is *T }

// UnmarshalJSONFrom takes any value.
func (o *Object[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if o.Is = nil; dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	o.Is = new(T)
	return json.UnmarshalDecode(dec, o.Is)
}

// Or returns the object, or an empty one.
func (o *Object[T]) Or() *T {
	if o.Is == nil {
		return new(T)
	}
	return o.Is
}

// List is a field that should be an array.
type List[T any] struct {
	Items []T
	Other bool // it is something else, and not null
}

// UnmarshalJSONFrom takes any value.
func (l *List[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch kind := dec.PeekKind(); kind {
	case '[':
		*l = List[T]{}
		return json.UnmarshalDecode(dec, &l.Items)
	default:
		*l = List[T]{Other: kind != 'n'}
		return dec.SkipValue()
	}
}
