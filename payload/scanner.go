package payload

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// EventKind is the kind of an Event.
type EventKind uint8

// Kinds of events. A payload is Started, any number of Grew, then Complete or Bad.
const (
	Text    EventKind = iota + 1 // Text is for the user
	Started                      // a payload of the Type begins
	Grew                         // Text is the next piece of its JSON
	// Text is all of its JSON as written, which may be broken: Type.Read returns the data
	Complete
	// invalid, Err says why: Text is what was written of it, "" if that is too long
	Bad
)

// Event is what a Scanner found.
type Event struct {
	Kind EventKind
	Type *Type
	Text string
	Err  error
}

// Reasons for Bad before the JSON is read. Type.Read and Encode return ErrTooLarge too.
var (
	ErrUnfinished = errors.New("it ends in the middle")
	ErrTooLarge   = fmt.Errorf("it is too large: at most %d KiB", MaxBytes>>10)
)

// Scanner finds payloads in the text of an answer while it streams. A payload is a marker and then
// JSON, optionally in a code fence:
//
//	SCHEMA_PROPOSAL: {"stream_name": "…"}
//
// The package's documentation lists the spellings. The decoration of a marker is dropped with it.
//
// The result does not depend on how the answer is cut into pieces. Ordinary text is emitted in the
// call that brings it; at most the beginning of one line, or of one word, that may become a marker
// is held back. The JSON of a payload is never emitted as text, even if it is broken, too large or
// cut off. JSON after what looks like a marker but belongs to no type is a payload too, of the
// UnknownType.
//
// Not safe for concurrent use.
type Scanner struct {
	markers

	state scanState
	held  string // undecided beginning of a line, or text after a payload
	prev  byte   // before held, or else before what comes next
	fence fence  // the current code fence, in which markers have no meaning
	span  int    // backticks that opened the code span on this line; 0 outside of one
	run   int    // backticks just read, which may be followed by more
	owed  owed

	typ   *Type
	json  jsonEnd
	raw   []byte
	grown int // raw[:grown] has been emitted
	doubt int // raw[doubt:] may not belong to the JSON, but to the answer after it; 0 if none
}

type scanState uint8

const (
	lineStart scanState = iota
	midLine
	plainLine // the rest of a line in which markers have no meaning
	inJSON
	afterJSON
)

// fence is an open code fence.
type fence struct {
	char byte // 0 if none is open
	n    int
}

// ends reports whether n characters in a line of their own end the fence.
func (f fence) ends(char byte, n int) bool { return f.n > 0 && char == f.char && n >= f.n }

// owed is what was opened before the JSON and dropped: its end is dropped too.
type owed struct {
	fence        fence
	ticks, stars int
	open, tail   string // wrappers of the marker, and what closes them
}

// NewScanner returns a scanner for payloads written by the model. Types must come from a Registry
// or be built in; no marker may be a prefix of another.
func NewScanner(types []*Type) *Scanner { return &Scanner{markers: newMarkers(types)} }

// Feed scans the next piece of the answer and emits the events. It returns an error of emit
// immediately; the scanner must not be used after that.
func (s *Scanner) Feed(text string, emit func(Event) error) error {
	text, err := s.release(text, emit)
	if err != nil {
		return err
	}
	from, i := 0, 0 // text[from:i] is ordinary text not yet emitted
	for i < len(text) {
		switch s.state {
		case plainLine:
			i = s.skipLine(text, i)
			continue
		case midLine:
			var candidate bool
			if i, candidate = s.skipWords(text, i); !candidate {
				continue
			}
		case lineStart:
			if !s.starts[text[i]] {
				s.state = s.rest()
				continue
			}
		case inJSON:
			if text, err = s.takeJSON(text[i:], emit); err != nil {
				return err
			}
			from, i = 0, 0
			continue
		}
		v := s.look(text[i:])
		if v.wait {
			s.held, s.prev = text[i:], before(text, i, s.prev)
			return say(text[from:i], emit)
		}
		if v == ordinary {
			i = s.pass(text, i)
			continue
		}
		s.state = v.next
		if i += v.text; v.skip > 0 {
			if err := s.begin(v.typ, text[from:i], emit); err != nil {
				return err
			}
			i += v.skip
			from = i
		}
	}
	s.prev = before(text, len(text), s.prev)
	return say(text[from:], emit)
}

// before returns the byte before text[i:].
func before(text string, i int, prev byte) byte {
	if i == 0 {
		return prev
	}
	return text[i-1]
}

func say(text string, emit func(Event) error) error {
	if text == "" {
		return nil
	}
	return emit(Event{Kind: Text, Text: text})
}

// release joins the held text and the next piece. The usual bullet, indentation or capital needs no
// closer look: it is emitted at once, which saves joining them.
func (s *Scanner) release(text string, emit func(Event) error) (string, error) {
	if s.held == "" || text == "" {
		return text, nil
	}
	held := s.held
	s.held = ""
	if s.onlyPrefix(held) && !s.starts[text[0]] || s.onlyCapital(held) && !isMarkerByte(text[0], 1) {
		s.state, s.prev = s.rest(), held[len(held)-1]
		return text, say(held, emit)
	}
	return held + text, nil
}

// onlyPrefix reports whether held text is only blanks and bullets at the start of a line.
func (s *Scanner) onlyPrefix(held string) bool {
	return s.state == lineStart && prefixLen(held, plainPrefix) == len(held)
}

// onlyCapital reports whether held text is the first letter of a sentence, or of an unknown marker.
// Markers have at least two.
func (s *Scanner) onlyCapital(held string) bool {
	return s.state == lineStart && len(held) == 1 && isMarkerByte(held[0], 0) && !s.known[held[0]]
}

// rest returns the state for the rest of a line that does not begin with a marker.
func (s *Scanner) rest() scanState {
	if s.fence.char != 0 {
		return plainLine
	}
	return midLine
}

// pass goes past a position at which nothing was found. At the start of a line it only changes the
// state: the first word may still be a marker of those found after words.
func (s *Scanner) pass(text string, i int) int {
	switch {
	case s.state != midLine:
		s.state = s.rest()
		return i
	case text[i] == '`':
		return s.ticks(text, i)
	}
	return i + 1
}

func (s *Scanner) skipLine(text string, i int) int {
	n := strings.IndexByte(text[i:], '\n') + 1
	if n == 0 {
		return len(text)
	}
	s.state = lineStart
	return i + n
}

// skipWords returns where in the middle of a line a marker may begin, or else the end of the line
// or text.
func (s *Scanner) skipWords(text string, i int) (at int, candidate bool) {
	if s.run > 0 && text[i] != '`' {
		s.endRun()
	}
	for ; i < len(text); i++ {
		c := text[i]
		if !s.stops[c] {
			continue
		}
		switch {
		case c == '\n':
			s.state, s.span, s.run = lineStart, 0, 0
			return i + 1, false
		case s.span == 0 && s.run == 0 && isBoundary(before(text, i, s.prev)) && s.mayBegin(text[i:]):
			return i, true
		case c == '`':
			i = s.ticks(text, i) - 1
		}
	}
	return i, false
}

// mayBegin reports whether a marker may begin text, after the beginning of bold type or backticks.
func (s *Scanner) mayBegin(text string) bool {
	n := 0
	for n < len(text) && n <= maxStars+maxTicks && (text[n] == '*' || text[n] == '`') {
		n++
	}
	return n == len(text) || s.names[text[n]]
}

// isBoundary reports whether a marker can follow a byte: blanks, the punctuation before a card, and
// whatever is not ASCII.
func isBoundary(c byte) bool {
	return c >= utf8.RuneSelf || boundary[c]
}

// ticks goes past backticks, which begin or end a code span.
func (s *Scanner) ticks(text string, i int) int {
	for i < len(text) && text[i] == '`' {
		s.run++
		i++
	}
	if i < len(text) {
		s.endRun()
	}
	return i
}

func (s *Scanner) endRun() {
	switch s.span {
	case 0:
		s.span = s.run
	case s.run:
		s.span = 0
	}
	s.run = 0
}

// Close ends the answer, or this part of it: held text is emitted, and an unfinished payload is
// Bad, without the text that follows its last line. The scanner can then be reused.
func (s *Scanner) Close(emit func(Event) error) error {
	for s.state == inJSON && s.doubt > 0 && s.json.inString {
		rest, err := s.split(s.held, emit)
		if err != nil {
			return err
		}
		if err := s.Feed(rest, emit); err != nil {
			return err
		}
	}
	held, dropped := s.held, s.isEnd(s.held)
	if s.state == inJSON {
		if dropped {
			held = ""
		}
		return s.cutOff(held, emit)
	}
	s.reset()
	if dropped {
		return nil
	}
	return say(held, emit)
}

func (s *Scanner) reset() { *s = Scanner{markers: s.markers, raw: s.raw[:0]} }

// isEnd reports whether the rest of the answer ends what was dropped with the last payload.
func (s *Scanner) isEnd(rest string) bool {
	rest = strings.Trim(rest, blanks)
	f := s.owed.fence
	endsFence := rest != "" && f.ends(rest[0], len(rest)) && strings.Trim(rest, rest[:1]) == ""
	if s.state != afterJSON {
		return endsFence
	}
	return rest == "" || endsFence || rest == strings.Repeat("*", s.owed.stars) ||
		rest == strings.Repeat("`", s.owed.ticks)
}
