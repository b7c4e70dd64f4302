package payload

import (
	"errors"
	"strings"
)

// EventKind is the kind of an Event.
type EventKind uint8

// Kinds of events. A payload is Started, any number of Grew, then Complete or Bad.
const (
	Text    EventKind = iota + 1 // Text is for the user
	Started                      // a payload of the Type begins
	Grew                         // Text is the next piece of its JSON
	// Text is all of its JSON as written: Type.Read returns the data
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

// Reasons for Bad before the JSON is read.
var (
	ErrUnfinished = errors.New("it ends in the middle")
	ErrTooLarge   = errTooLarge
)

// Scanner finds payloads in the text of an answer while it streams. A payload is a marker at the
// start of a line, after blanks and bullets at most, and then JSON, optionally in a code fence:
//
//	SCHEMA_PROPOSAL: {"stream_name": "…"}
//
// The result does not depend on how the answer is cut into pieces. Ordinary text is emitted in the
// call that brings it; at most the beginning of one line that may become a marker is held back. In
// a code fence with other content, markers have no meaning. The JSON of a payload is never emitted
// as text, even if it is broken, too large or cut off. JSON after what looks like a marker but
// belongs to no type is a payload too: see Type.IsUnknown.
//
// Not safe for concurrent use.
type Scanner struct {
	types  []*Type
	starts [256]bool // bytes at the start of a line that need a closer look
	known  [256]bool // first bytes of the types' markers

	state scanState
	held  string // undecided beginning of a line, or text after a payload
	fence fence  // the current code fence, in which markers have no meaning
	// length of a fence whose beginning was dropped with a payload: its end is dropped too
	owed int

	typ  *Type
	json jsonEnd
	raw  []byte
}

type scanState uint8

const (
	lineStart scanState = iota
	midLine
	inJSON
	afterJSON
)

// fence is an open code fence.
type fence struct {
	char byte // 0 if none is open
	n    int
}

// NewScanner returns a scanner for payloads written by the model. Types must come from a Registry
// or be built in; no marker may be a prefix of another.
func NewScanner(types []*Type) *Scanner {
	s := &Scanner{}
	for _, t := range types {
		if t.Source == FromLLM {
			s.types = append(s.types, t)
			s.starts[t.Marker[0]], s.known[t.Marker[0]] = true, true
		}
	}
	for _, c := range []byte(" \t*->`~") {
		s.starts[c] = true
	}
	for c := 'A'; c <= 'Z'; c++ { // markers of unknown types
		s.starts[c] = true
	}
	return s
}

// Feed scans the next piece of the answer and emits the events. It returns an error of emit
// immediately; the scanner must not be used after that.
func (s *Scanner) Feed(text string, emit func(Event) error) error {
	if s.held != "" && text != "" {
		if s.onlyPrefix() && !s.starts[text[0]] || s.onlyCapital() && !isMarkerByte(text[0], 1) {
			// The usual bullet, indentation or capital needs no closer look.
			held := s.held
			s.held, s.state = "", midLine
			if err := emit(Event{Kind: Text, Text: held}); err != nil {
				return err
			}
		} else {
			text, s.held = s.held+text, ""
		}
	}
	from, i := 0, 0 // text[from:i] is ordinary text not yet emitted
	for i < len(text) {
		switch s.state {
		case midLine:
			n := strings.IndexByte(text[i:], '\n') + 1
			if n == 0 {
				return say(text[from:], emit)
			}
			i += n
			s.state = lineStart
			continue
		case inJSON:
			n, err := s.takeJSON(text[i:], emit)
			if err != nil {
				return err
			}
			i += n
			from = i
			continue
		}
		if s.state == lineStart && !s.starts[text[i]] {
			s.state = midLine
			continue
		}
		v := s.look(text[i:])
		if v.wait {
			s.held = text[i:]
			return say(text[from:i], emit)
		}
		i += v.text
		if v.skip > 0 {
			if err := say(text[from:i], emit); err != nil {
				return err
			}
			i += v.skip
			from = i
		}
		s.state = v.next
		if v.typ != nil {
			if err := s.start(v.typ, emit); err != nil {
				return err
			}
		}
	}
	return say(text[from:], emit)
}

func say(text string, emit func(Event) error) error {
	if text == "" {
		return nil
	}
	return emit(Event{Kind: Text, Text: text})
}

// onlyPrefix reports whether the held text is only blanks and bullets at the start of a line.
func (s *Scanner) onlyPrefix() bool {
	return s.state == lineStart && prefixLen(s.held, linePrefix) == len(s.held)
}

// onlyCapital reports whether the held text is the first letter of a sentence, or of an unknown
// marker. Markers have at least two.
func (s *Scanner) onlyCapital() bool {
	return s.state == lineStart && len(s.held) == 1 && isMarkerByte(s.held[0], 0) && !s.known[s.held[0]]
}

// Close ends the answer, or this part of it: held text is emitted, and an unfinished payload is
// Bad. The scanner can then be reused.
func (s *Scanner) Close(emit func(Event) error) error {
	held, state, typ, raw := s.held, s.state, s.typ, string(s.raw)
	endsFence := s.owed > 0 && s.isEnd(held)
	over := s.json.over
	*s = Scanner{types: s.types, starts: s.starts, known: s.known, raw: s.raw[:0]}
	switch {
	case state == inJSON && !over:
		return emit(Event{Kind: Bad, Type: typ, Text: raw, Err: ErrUnfinished})
	case state == inJSON, endsFence, state == afterJSON && strings.Trim(held, blanks) == "":
		return nil
	}
	return say(held, emit)
}

// isEnd reports whether a line is the end of the dropped fence.
func (s *Scanner) isEnd(line string) bool {
	line = strings.Trim(line, blanks)
	return len(line) >= s.owed && strings.Trim(line, "`") == "" || len(line) >= s.owed && strings.Trim(line, "~") == ""
}

func (s *Scanner) start(t *Type, emit func(Event) error) error {
	s.typ, s.raw, s.json = t, s.raw[:0], jsonEnd{}
	return emit(Event{Kind: Started, Type: t})
}

// takeJSON consumes the JSON of the payload and returns its length in text.
func (s *Scanner) takeJSON(text string, emit func(Event) error) (int, error) {
	n, done := s.json.find(text)
	if !s.json.over && len(s.raw)+n > MaxBytes {
		s.json.over = true
		if err := emit(Event{Kind: Bad, Type: s.typ, Err: ErrTooLarge}); err != nil {
			return 0, err
		}
	}
	if !s.json.over {
		s.raw = append(s.raw, text[:n]...)
		if err := emit(Event{Kind: Grew, Type: s.typ, Text: text[:n]}); err != nil {
			return 0, err
		}
	}
	if done {
		s.state = afterJSON
		if !s.json.over {
			return n, emit(Event{Kind: Complete, Type: s.typ, Text: string(s.raw)})
		}
	}
	return n, nil
}

// jsonEnd finds the end of a possibly broken object or array: where the brackets balance, not
// counting those in strings. Line ends in strings are allowed.
type jsonEnd struct {
	depth             int
	inString, escaped bool
	over              bool // too large: skip the rest
}

func (j *jsonEnd) find(text string) (n int, done bool) {
	for i := range len(text) {
		c := text[i]
		switch {
		case j.escaped:
			j.escaped = false
		case j.inString:
			j.escaped = c == '\\'
			j.inString = c != '"'
		case c == '"':
			j.inString = true
		case c == '{', c == '[':
			j.depth++
		case c == '}', c == ']':
			if j.depth--; j.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
