package jsonx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
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

// Error says what is wrong with a document and where.
type Error struct {
	Path   string // such as messages[3].content; empty at the top
	Offset int    // in bytes
	Reason string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
	}
	return fmt.Sprintf("%s: %s at byte %d", e.Path, e.Reason, e.Offset)
}

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
// no duplicate key in an object. It makes one pass without recursion, and its memory does not
// depend on the depth of data.
func Validate(data []byte, limits Limits) error {
	most := limits.MaxBytes
	if most <= 0 || most > math.MaxInt32 {
		most = math.MaxInt32
	}
	if len(data) > most {
		return &Error{Reason: fmt.Sprintf("longer than %d bytes", most), Offset: most}
	}
	depth := limits.MaxDepth
	if depth <= 0 {
		depth = DefaultMaxDepth
	}
	s := scanners.Get().(*scanner)
	defer s.release()
	s.data, s.maxDepth, s.forbid = data, depth, limits.Keys
	s.document()
	if s.reason == "" {
		return nil
	}
	return &Error{Path: pathAt(data, s.failed), Offset: s.failed, Reason: s.reason}
}

// Valid reports whether Validate accepts data under the zero Limits.
func Valid(data []byte) bool { return Validate(data, Limits{}) == nil }

// frame is one open array or object: its closing bracket and its keys.
type frame struct {
	object bool
	keys   int // index of the object's first key in scanner.keys
}

// scanner is the state of Validate. It stops at the first failure, kept in failed and reason.
type scanner struct {
	data     []byte
	pos      int
	maxDepth int
	forbid   bool
	frames   []frame
	keys     keySet
	failed   int
	reason   string
}

// scanners are pooled for their buffers, so that ordinary documents allocate nothing.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) release() {
	const most = 1024 // keys; larger buffers are dropped
	room := scanner{frames: s.frames[:0], keys: keySet{spans: s.keys.spans[:0]}}
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

func (s *scanner) document() {
	s.space()
	if !s.values() {
		return
	}
	s.space()
	if s.pos < len(s.data) {
		s.fail(s.pos, "unexpected "+s.what()+" after the end")
	}
}

// values reads one value with everything in it.
func (s *scanner) values() bool {
	for {
		opened, ok := s.value()
		if !ok {
			return false
		}
		if opened {
			continue
		}
		more, ok := s.after()
		if !ok || !more {
			return ok
		}
	}
}

// value reads a scalar, or opens an array or object up to its first value.
func (s *scanner) value() (opened, ok bool) {
	if s.pos >= len(s.data) {
		return false, s.fail(s.pos, "unexpected end, a value is missing")
	}
	switch c := s.data[s.pos]; c {
	case '"':
		return false, s.str()
	case '{', '[':
		return s.open(c)
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

func (s *scanner) open(c byte) (opened, ok bool) {
	if len(s.frames) >= s.maxDepth {
		return false, s.fail(s.pos, "nested deeper than "+strconv.Itoa(s.maxDepth)+" levels")
	}
	s.frames = append(s.frames, frame{c == '{', len(s.keys.spans)})
	s.pos++
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == c+2 { // '[' and ']', '{' and '}' are two apart
		s.close()
		return false, true
	}
	if c == '{' {
		return true, s.key()
	}
	return true, true
}

func (s *scanner) close() {
	top := len(s.frames) - 1
	s.keys.drop(s.frames[top].keys)
	s.frames = s.frames[:top]
	s.pos++
}

// after reads what follows a value: closing brackets, and the comma (with the key) before the next
// value. It reports whether there is one.
func (s *scanner) after() (more, ok bool) {
	for len(s.frames) > 0 {
		s.space()
		if s.pos >= len(s.data) {
			return false, s.fail(s.pos, "unexpected end, an array or object is not closed")
		}
		f := s.frames[len(s.frames)-1]
		switch c := s.data[s.pos]; {
		case c == ',':
			s.pos++
			s.space()
			return true, !f.object || s.key()
		case f.object && c == '}', !f.object && c == ']':
			s.close()
		default:
			return false, s.fail(s.pos, "unexpected "+s.what()+", expected a comma or the end of the "+kindName(f.object))
		}
	}
	return false, true
}

func kindName(object bool) string {
	if object {
		return "object"
	}
	return "array"
}

// key reads a key and its colon up to the start of the value.
func (s *scanner) key() bool {
	start := s.pos
	if start >= len(s.data) || s.data[start] != '"' {
		return s.fail(start, "unexpected "+s.what()+", expected a key in quotes")
	}
	if !s.str() {
		return false
	}
	name := s.data[start+1 : s.pos-1]
	if s.forbid && forbidden(name) {
		// after the key, so that the path ends with it
		return s.fail(s.pos, "this key is not allowed")
	}
	if !s.keys.add(s.data, start+1, len(name), s.frames[len(s.frames)-1].keys) {
		return s.fail(s.pos, "stands twice in one object")
	}
	s.space()
	if s.pos >= len(s.data) || s.data[s.pos] != ':' {
		return s.fail(s.pos, "unexpected "+s.what()+", expected a colon")
	}
	s.pos++
	s.space()
	return true
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

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// skipPlain returns the first index from i on that is not a plain byte: a quote, a backslash, a
// control character, or part of a character beyond ASCII. It checks eight bytes at a time: a
// subtraction borrows into the high bit exactly if a byte was below the subtrahend; bytes with
// their own high bit are special anyway. A borrow can only continue from a special byte, so the
// lowest marked byte is always correct.
func skipPlain(data []byte, i int) int {
	for i+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(lows*'"'), w^(lows*'\\')
		special := ((w - lows*0x20) | (quote - lows) | (slash - lows) | w) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(data) && plain[data[i]] {
		i++
	}
	return i
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
