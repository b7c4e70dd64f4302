package payload

import "strings"

// Limits of what is held back. Beyond them a line is ordinary text.
const (
	maxPrefix  = 16 // blanks and bullets at the start of a line
	maxRun     = 16 // characters of a fence
	maxInfo    = 32 // text after an opening fence
	maxOpening = 64 // characters between a marker and its JSON
	maxTail    = 16 // blanks between JSON and the end of its line
)

const (
	blanks      = " \t\r"
	linePrefix  = " \t*->"
	innerPrefix = " \t*->\r\n" // blank lines may come first inside a fence
	openings    = " \t\r\n*"
)

// verdict classifies the beginning of a line: its length as text, then the length to drop.
type verdict struct {
	wait       bool // undecided
	text, skip int
	next       scanState
	typ        *Type // the payload that begins after it
}

var (
	undecided = verdict{wait: true}
	ordinary  = verdict{next: midLine}
)

// look classifies the text at w. It depends only on w and the lines before it, so the result does
// not depend on how the text is cut.
func (s *Scanner) look(w string) verdict {
	if s.state == afterJSON {
		return s.lookBehind(w)
	}
	p := prefixLen(w, linePrefix)
	switch {
	case p > maxPrefix:
		return ordinary
	case p == len(w):
		return undecided
	case w[p] == '`', w[p] == '~':
		return s.lookFence(w, p)
	case s.fence.char != 0:
		return ordinary
	}
	return s.lookMarker(w, p, false)
}

// prefixLen returns how many bytes at the start of w are in the set, at most maxPrefix+1.
func prefixLen(w, set string) int {
	n := 0
	for n < len(w) && n <= maxPrefix && strings.IndexByte(set, w[n]) >= 0 {
		n++
	}
	return n
}

// lookMarker checks for a marker and an opening bracket at w[at:]. insideFence means that a code
// fence has just begun.
func (s *Scanner) lookMarker(w string, at int, insideFence bool) verdict {
	t, partial := s.markerAt(w[at:])
	if t == nil {
		n, found := unknownMarker(w[at:])
		switch {
		case partial, found == maybe:
			return undecided
		case found == yes:
			return s.lookUnknown(w, at, n, insideFence)
		}
		return ordinary
	}
	at += len(t.Marker)
	n, fenced, found := opening(w[at:])
	switch found {
	case maybe:
		return undecided
	case no:
		return ordinary
	}
	if fenced > 0 {
		s.owed = fenced
	}
	return verdict{skip: at + n, next: inJSON, typ: t}
}

// markerAt returns the type whose marker w begins with; partial is true if more text may complete
// one.
func (s *Scanner) markerAt(w string) (t *Type, partial bool) {
	for _, t := range s.types {
		if strings.HasPrefix(w, t.Marker) {
			return t, false
		}
		partial = partial || strings.HasPrefix(t.Marker, w)
	}
	return nil, partial
}

type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// opening looks for the opening bracket of a payload, after at most blanks, line ends, the end of
// bold type, and a fence. It returns the length before it and of the fence.
func opening(w string) (n, fenced int, found answer) {
	skip := func(set string) {
		for n < len(w) && n < maxOpening && strings.IndexByte(set, w[n]) >= 0 {
			n++
		}
	}
	skip(openings)
	if n < len(w) && w[n] == '`' {
		start := n
		skip("`")
		fenced = n - start
		if n < len(w) && fenced < 3 {
			return 0, 0, no
		}
		skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
		if n < len(w) && strings.IndexByte(" \t\r\n{[", w[n]) < 0 {
			return 0, 0, no
		}
		skip(" \t\r\n")
	}
	switch {
	case n >= maxOpening:
		return 0, 0, no
	case n == len(w):
		return 0, 0, maybe
	case w[n] == '{' || w[n] == '[':
		return n, fenced, yes
	}
	return 0, 0, no
}

// lookFence classifies a line with backticks or tildes at w[p:]: the end of a literal or dropped
// fence, the beginning of one that holds a payload, the beginning of a literal one, or none.
func (s *Scanner) lookFence(w string, p int) verdict {
	char := w[p]
	n := 0
	for p+n < len(w) && w[p+n] == char && n <= maxRun {
		n++
	}
	info := w[p+n:]
	switch {
	case n > maxRun:
		return ordinary
	case info == "":
		return undecided
	case n < 3:
		return ordinary
	}
	end := strings.IndexByte(info, '\n')
	if end < 0 || end > maxInfo {
		return s.lookInfo(info[:min(len(info), maxInfo+1)], fence{char, n})
	}
	line := p + n + end + 1
	info = info[:end]
	bare := strings.Trim(info, blanks) == ""
	switch {
	case s.fence.char != 0:
		if bare && char == s.fence.char && n >= s.fence.n {
			s.fence = fence{}
			return verdict{text: line, next: lineStart}
		}
		return ordinary
	case bare && s.owed > 0 && n >= s.owed:
		s.owed = 0
		return verdict{skip: line, next: lineStart}
	case isCode(info, char):
		return ordinary
	}
	return s.lookInside(w, line, fence{char, n})
}

// isCode reports whether text after backticks shows that they are inline code, not a fence.
func isCode(info string, char byte) bool { return char == '`' && strings.IndexByte(info, '`') >= 0 }

// lookInfo classifies a fence whose line is unfinished or too long.
func (s *Scanner) lookInfo(info string, f fence) verdict {
	switch {
	case isCode(info, f.char):
		return ordinary
	case len(info) <= maxInfo:
		return undecided
	case s.fence.char == 0:
		s.fence = f
	}
	return ordinary
}

// lookInside checks whether a fence whose first line ends at line begins with a payload.
func (s *Scanner) lookInside(w string, line int, f fence) verdict {
	literal := verdict{text: line, next: lineStart}
	inside := w[line:]
	p := prefixLen(inside, innerPrefix)
	v := ordinary
	switch {
	case p > maxPrefix:
	case p == len(inside):
		return undecided
	default:
		v = s.lookMarker(w, line+p, true)
	}
	switch {
	case v.wait:
		return undecided
	case v.typ != nil:
		s.owed = f.n
		return v
	}
	s.fence = f
	return literal
}

// lookBehind classifies what follows the JSON of a payload: the rest of its line is dropped if
// blank.
func (s *Scanner) lookBehind(w string) verdict {
	n := 0
	for n < len(w) && n < maxTail && strings.IndexByte(blanks, w[n]) >= 0 {
		n++
	}
	switch {
	case n == maxTail:
		return ordinary
	case n == len(w):
		return undecided
	case w[n] == '\n':
		return verdict{skip: n + 1, next: lineStart}
	case s.owed > 0 && (w[n] == '`' || w[n] == '~'):
		return s.lookEnd(w, n)
	}
	return ordinary
}

// lookEnd checks for the end of a fence on the last line of the JSON.
func (s *Scanner) lookEnd(w string, at int) verdict {
	n := at
	for n < len(w) && n-at <= maxRun && w[n] == w[at] {
		n++
	}
	if n-at < s.owed && n < len(w) || n-at > maxRun {
		return ordinary
	}
	rest := w[n:]
	i := prefixLen(rest, blanks)
	switch {
	case i == len(rest) && i <= maxPrefix:
		return undecided
	case i <= maxPrefix && rest[i] == '\n':
		n += i + 1
		s.owed = 0
		return verdict{skip: n, next: lineStart}
	}
	s.owed = 0
	return verdict{skip: n, next: midLine}
}
