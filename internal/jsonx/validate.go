package jsonx

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// DefaultMaxDepth is the maximum nesting of arrays and objects if Limits.MaxDepth is zero.
const DefaultMaxDepth = 64

// Limits are restrictions beyond RFC 8259 and RFC 7493 (I-JSON). The zero value means only
// DefaultMaxDepth.
type Limits struct {
	MaxBytes int  // longest document; 0 means 2 GiB
	MaxDepth int  // deepest nesting; 0 means DefaultMaxDepth
	Keys     bool // refuse the object keys that ForbiddenKey names
}

// Error is a FieldError that says where in the document's text it is.
type Error struct {
	FieldError
	Offset int // in bytes
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", &e.FieldError, e.Offset) }

// ForbiddenKey reports whether a key could reach an object's prototype in a JavaScript program that
// copies or merges it.
func ForbiddenKey[S ~string | ~[]byte](key S) bool {
	switch string(key) {
	case "__proto__", "constructor", "prototype":
		return true
	}
	return false
}

// Validate returns an *Error unless data is exactly one JSON value, with optional white space
// around it, that every JSON reader understands alike: valid UTF-8, no lone surrogate, no U+0000,
// no duplicate key in an object. It makes one pass, and its memory does not depend on the depth of
// data: it goes no deeper than the limit.
func Validate(data []byte, limits Limits) error {
	most := limits.MaxBytes
	if most <= 0 || most > math.MaxInt32 {
		most = math.MaxInt32
	}
	if len(data) > most {
		return &Error{FieldError{Reason: fmt.Sprintf("longer than %d bytes", most)}, most}
	}
	s := scanners.Get().(*scanner)
	defer s.release()
	s.data, s.left, s.forbid = data, limits.depth(), limits.Keys
	s.limit = s.left
	s.document()
	if s.reason == "" {
		return nil
	}
	return &Error{FieldError{s.path, s.reason}, s.failed}
}

func (l Limits) depth() int {
	if l.MaxDepth <= 0 {
		return DefaultMaxDepth
	}
	return l.MaxDepth
}

// Valid reports whether Validate accepts data under the zero Limits.
func Valid(data []byte) bool { return Validate(data, Limits{}) == nil }

// scanner is the state of Validate. It stops at the first failure, kept in failed, path and reason.
type scanner struct {
	data        []byte
	pos         int
	limit, left int // levels of nesting: all that are allowed, and those that remain
	forbid      bool
	keys        keySet
	failed      int
	path        string // within the value that is being read
	reason      string
}

// scanners are pooled for their buffers, so that ordinary documents allocate nothing.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) release() {
	const most = 1024 // keys; larger buffers are dropped
	room := scanner{keys: keySet{spans: s.keys.spans[:0]}}
	if cap(room.keys.spans) > most {
		room.keys.spans = nil
	}
	*s = room
	scanners.Put(s)
}

func (s *scanner) fail(at int, reason string) bool {
	s.failed, s.reason = at, reason
	return false
}

// under prefixes the path of a failure with the element or member in which it is.
func (s *scanner) under(parent string) bool {
	s.path = Join(parent, s.path)
	return false
}

func (s *scanner) document() {
	s.space()
	if !s.value() {
		return
	}
	s.space()
	if s.pos < len(s.data) {
		s.fail(s.pos, "unexpected "+s.what()+" after the end")
	}
}

// value reads one value with everything in it.
func (s *scanner) value() bool {
	if s.pos >= len(s.data) {
		return s.fail(s.pos, "unexpected end, a value is missing")
	}
	switch c := s.data[s.pos]; c {
	case '"':
		return s.str()
	case '{', '[':
		return s.nested(c == '{')
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		return s.number()
	}
}

// nested reads an array or object.
func (s *scanner) nested(object bool) bool {
	if s.left == 0 {
		return s.fail(s.pos, "nested deeper than "+strconv.Itoa(s.limit)+" levels")
	}
	s.left--
	s.pos++
	keys := len(s.keys.spans)
	ok := false
	if object {
		ok = s.members(keys)
	} else {
		ok = s.elements()
	}
	s.keys.drop(keys)
	s.left++
	return ok
}

func (s *scanner) elements() bool {
	if s.space(); s.at(']') {
		s.pos++
		return true
	}
	for i := 0; ; i++ {
		if !s.value() {
			return s.under(Index(i))
		}
		if more, ok := s.more(']', "array"); !ok {
			return s.under(Index(i))
		} else if !more {
			return true
		}
	}
}

// members reads the members of an object whose keys begin at first in the set.
func (s *scanner) members(first int) bool {
	if s.space(); s.at('}') {
		s.pos++
		return true
	}
	for {
		key := s.pos
		if !s.key() {
			return false
		}
		end := s.pos
		if !s.colon(key, end, first) || !s.value() {
			return s.under(keyPath(s.data[key:end]))
		}
		if more, ok := s.more('}', "object"); !ok {
			return s.under(keyPath(s.data[key:end]))
		} else if !more {
			return true
		}
	}
}

// more reads the comma before the next value, or the closing bracket. It reports whether there is a
// next one.
func (s *scanner) more(end byte, of string) (more, ok bool) {
	s.space()
	switch {
	case s.pos >= len(s.data):
		return false, s.fail(s.pos, "unexpected end, an array or object is not closed")
	case s.data[s.pos] == ',':
		s.pos++
		s.space()
		return true, true
	case s.data[s.pos] == end:
		s.pos++
		return false, true
	}
	return false, s.fail(s.pos, "unexpected "+s.what()+", expected a comma or the end of the "+of)
}

// key reads a key.
func (s *scanner) key() bool {
	if !s.at('"') {
		return s.fail(s.pos, "unexpected "+s.what()+", expected a key in quotes")
	}
	return s.str()
}

// colon checks the key from start to end, which is read, and reads up to the start of its value.
func (s *scanner) colon(start, end, first int) bool {
	name := s.data[start+1 : end-1]
	if s.forbid && forbidden(name) {
		return s.fail(end, "this key is not allowed")
	}
	if !s.keys.add(s.data, start+1, len(name), first) {
		return s.fail(end, "stands twice in one object")
	}
	if s.space(); !s.at(':') {
		return s.fail(s.pos, "unexpected "+s.what()+", expected a colon")
	}
	s.pos++
	s.space()
	return true
}

// keyPath is KeyPath of a key as it is written, with its quotes.
func keyPath(raw []byte) string {
	key, _ := AppendUnquoted(nil, raw)
	return KeyPath(key)
}

// forbidden is ForbiddenKey for a key that may hold escapes.
func forbidden(name []byte) bool {
	if len(name) < len("__proto__") {
		return false
	}
	if !hasEscape(name) {
		return ForbiddenKey(name)
	}
	var room [64]byte
	plain, err := appendUnquoted(room[:0], name)
	return err == nil && ForbiddenKey(plain)
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) literal(word string) bool {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.fail(s.pos, "unexpected "+s.what()+", expected "+word)
	}
	s.pos += len(word)
	return true
}

// number reads -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func (s *scanner) number() bool {
	start := s.pos
	if s.at('-') {
		s.pos++
	}
	switch {
	case s.at('0'):
		s.pos++
	case !s.digits():
		if s.pos == start {
			return s.fail(start, "unexpected "+s.what()+", expected a value")
		}
		return s.fail(start, "malformed number")
	}
	if s.at('.') {
		s.pos++
		if !s.digits() {
			return s.fail(start, "malformed number")
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if !s.digits() {
			return s.fail(start, "malformed number")
		}
	}
	return true
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

// str reads a string from quote to quote.
func (s *scanner) str() bool {
	data, i := s.data, s.pos+1
	for {
		i = skipPlain(data, i)
		if i >= len(data) {
			return s.fail(len(data), "unexpected end inside a string")
		}
		switch c := data[i]; {
		case c == '"':
			s.pos = i + 1
			return true
		case c == '\\':
			n := s.escape(i)
			if n == 0 {
				return false
			}
			i += n
		case c < 0x20:
			return s.fail(i, "a control character inside a string is not escaped")
		default:
			if i = skipRunes(data, i); i < len(data) && data[i] >= utf8.RuneSelf {
				return s.fail(i, "invalid UTF-8")
			}
		}
	}
}

// skipRunes returns the first index from i on without a character beyond ASCII. It has a fast path
// for the two most common ranges.
func skipRunes(data []byte, i int) int {
	for i < len(data) && data[i] >= utf8.RuneSelf {
		c := data[i]
		switch {
		case c >= 0xC2 && c <= 0xDF && i+1 < len(data) && data[i+1]>>6 == 2:
			i += 2
		case c >= 0xE1 && c <= 0xEC && i+2 < len(data) && data[i+1]>>6 == 2 && data[i+2]>>6 == 2:
			i += 3
		default:
			n := utf8Len(data[i:])
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return i
}

// utf8Len returns the length of the first character of p, or 0 if it is not valid UTF-8.
func utf8Len(p []byte) int {
	r, n := utf8.DecodeRune(p)
	if r == utf8.RuneError && n <= 1 {
		return 0
	}
	return n
}

// escape checks the escape at i and returns its length, or 0 if invalid.
func (s *scanner) escape(i int) int {
	if i+1 >= len(s.data) {
		s.fail(len(s.data), "unexpected end inside a string")
		return 0
	}
	if s.data[i+1] != 'u' {
		if unescape[s.data[i+1]] == 0 {
			s.fail(i, "unknown escape in a string")
			return 0
		}
		return 2
	}
	switch r := hex4(s.data[i:]); {
	case r < 0:
		s.fail(i, "malformed \\u escape in a string")
	case r == 0:
		s.fail(i, "the character U+0000 is not allowed")
	case !utf16.IsSurrogate(r):
		return 6
	case utf16.DecodeRune(r, hex4(s.data[i+6:])) == utf8.RuneError:
		s.fail(i, "a surrogate stands alone")
	default:
		return 12
	}
	return 0
}

// what names the byte at the position, for messages.
func (s *scanner) what() string {
	if s.pos >= len(s.data) {
		return "end"
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	return strconv.QuoteRune(r)
}
