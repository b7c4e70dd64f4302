package jsonx

import (
	"bytes"
	"math"
	"strconv"
)

// Kind is the kind of a JSON value.
type Kind byte

// Kinds of values.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

var kinds = func() (t [256]Kind) {
	t['n'], t['t'], t['f'], t['"'], t['['], t['{'], t['-'] = Null, Bool, Bool, String, Array, Object, Number
	for c := '0'; c <= '9'; c++ {
		t[c] = Number
	}
	return t
}()

// KindOf returns the kind of the value at the beginning of raw, after white space.
func KindOf(raw []byte) Kind {
	d := Decoder{Data: raw}
	return d.Kind()
}

// Decoder walks a document that Validate has accepted. On any other it may return nonsense, but it
// terminates without a panic. It only allocates the strings it returns.
type Decoder struct {
	Data []byte
	Pos  int
}

// Kind returns the kind of the next value.
func (d *Decoder) Kind() Kind {
	if d.space(); d.Pos < len(d.Data) {
		return kinds[d.Data[d.Pos]]
	}
	return Invalid
}

func (d *Decoder) space() {
	for d.Pos < len(d.Data) {
		switch d.Data[d.Pos] {
		case ' ', '\n', '\r', '\t':
			d.Pos++
		default:
			return
		}
	}
}

// Enter enters the next array or object.
func (d *Decoder) Enter() {
	d.space()
	d.Pos = min(d.Pos+1, len(d.Data))
}

// More advances to the next value of the array, or to the next key of the object. At the end it
// leaves the array or object and returns false.
func (d *Decoder) More() bool {
	d.space()
	if d.Pos >= len(d.Data) {
		return false
	}
	switch d.Data[d.Pos] {
	case ']', '}':
		d.Pos++
		return false
	case ',':
		d.Pos++
		d.space()
	}
	return d.Pos < len(d.Data)
}

// Key reads the next key and its colon. It returns the key without quotes and escapes; the caller
// must not change it. It uses scratch for keys with escapes.
func (d *Decoder) Key(scratch []byte) []byte {
	raw := d.Raw()
	d.space()
	d.Pos = min(d.Pos+1, len(d.Data))
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if body := raw[1 : len(raw)-1]; !hasEscape(body) {
		return body
	}
	key, _ := AppendUnquoted(scratch[:0], raw)
	return key
}

// Raw returns the next value as written and skips it. The result is part of Data.
func (d *Decoder) Raw() []byte {
	kind := d.Kind()
	start := d.Pos
	switch kind {
	case String:
		d.skipString()
	case Array, Object:
		d.skipNested()
	default:
		d.skipScalar()
	}
	return d.Data[start:d.Pos:d.Pos]
}

// Skip skips the next value.
func (d *Decoder) Skip() { d.Raw() }

func (d *Decoder) skipString() {
	i := d.Pos + 1
	for i < len(d.Data) {
		n := bytes.IndexByte(d.Data[i:], '"')
		if n < 0 {
			break
		}
		end := i + n
		escapes := 0
		for end-escapes > i && d.Data[end-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			d.Pos = end + 1
			return
		}
		i = end + 1
	}
	d.Pos = len(d.Data)
}

func (d *Decoder) skipNested() {
	depth := 0
	for d.Pos < len(d.Data) {
		switch d.Data[d.Pos] {
		case '"':
			d.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		d.Pos++
		if depth == 0 {
			return
		}
	}
}

func (d *Decoder) skipScalar() {
	for ; d.Pos < len(d.Data); d.Pos++ {
		switch d.Data[d.Pos] {
		case ',', ']', '}', ' ', '\n', '\r', '\t':
			return
		}
	}
}

// Find returns the value of a key of the object raw, or nil.
func Find(raw []byte, name string) []byte {
	d := Decoder{Data: raw}
	if d.Kind() != Object {
		return nil
	}
	var room [32]byte
	for d.Enter(); d.More(); {
		if string(d.Key(room[:])) == name {
			return d.Raw()
		}
		d.Skip()
	}
	return nil
}

// ParseInt reads an integer within ±(2^53−1), the range that every JSON reader represents exactly.
// 1.0 and 1e3 are integers.
func ParseInt(raw []byte) (int64, bool) {
	const most = 1<<53 - 1
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > most {
			return 0, false
		}
		n = int64(f)
	}
	return n, -most <= n && n <= most
}
