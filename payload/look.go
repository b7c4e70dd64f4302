package payload

import (
	"strings"
	"unicode/utf8"
)

// Limits of what is held back. Beyond them a line is ordinary text.
const (
	maxPrefix  = 16 // blanks and bullets at the start of a line
	maxRun     = 16 // characters of a fence
	maxInfo    = 32 // text after an opening fence
	maxOpening = 64 // characters between a marker and its JSON
	maxDigits  = 4  // digits of a number in front of a marker
	maxStars   = 3  // of bold or italic type, after words
	maxTicks   = 2  // around a marker
	maxTail    = 16 // blanks between JSON and the end of its line
)

const (
	blanks     = " \t\r"
	linePrefix = " \t*->"
)

// byteSet is a set of bytes that is quick to look into.
type byteSet [256]bool

func setOf(bytes string) *byteSet {
	s := &byteSet{}
	for i := range len(bytes) {
		s[bytes[i]] = true
	}
	return s
}

var (
	blank       = setOf(blanks)
	star        = setOf("*")
	plainPrefix = setOf(linePrefix)
	innerPrefix = setOf(linePrefix + "\r\n") // blank lines may come first inside a fence
	boundary    = setOf("\x00\t\n\r .,;:!?)]}")
	decorations = setOf("#+0123456789\xc2\xe2\xe3\xef")
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
	ordinary  = verdict{} // nothing begins here
)

type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// look classifies the text at w. It depends only on w and what is before it, so the result does not
// depend on how the text is cut.
func (s *Scanner) look(w string) verdict {
	switch {
	case s.state == afterJSON:
		return s.lookBehind(w)
	case s.state == midLine:
		return s.lookMidLine(w)
	case s.fence.char != 0:
		return s.lookInFence(w)
	}
	p, plain, found := s.prefix(w)
	switch {
	case p > maxPrefix:
		return ordinary
	case found == maybe:
		return undecided
	}
	switch c := w[p]; {
	case c == '|' && !s.known[c]: // a table
		return verdict{next: plainLine}
	case c == '<' && !s.known[c]: // HTML, or a marker as a tag
		if v := s.lookMarker(w, p, place{plain: plain}); v != ordinary {
			return v
		}
		return verdict{next: plainLine}
	case (c == '`' || c == '~') && strings.IndexByte(w[:p], '#') < 0:
		if v := s.lookFence(w, p); v != ordinary || c == '~' || s.fence.char != 0 {
			return v
		}
	}
	return s.lookMarker(w, p, place{plain: plain})
}

// lookInFence classifies a line in a literal fence: it may be its end.
func (s *Scanner) lookInFence(w string) verdict {
	p := prefixLen(w, plainPrefix)
	switch {
	case p > maxPrefix:
		return ordinary
	case p == len(w):
		return undecided
	case w[p] == '`', w[p] == '~':
		return s.lookFence(w, p)
	}
	return ordinary
}

// lookMidLine checks for a marker after words. Its JSON must be on the same line.
func (s *Scanner) lookMidLine(w string) verdict {
	stars := prefixLen(w, star)
	switch {
	case stars > maxStars:
		return ordinary
	case stars == len(w):
		return undecided
	}
	return s.lookMarker(w, stars, place{midLine: true})
}

// prefix returns the length of the bullets, numbers, headings and blanks at the start of a line,
// and whether they are only the usual ones.
func (s *Scanner) prefix(w string) (p int, plain bool, found answer) {
	plain = true
	for p < len(w) && p <= maxPrefix {
		if plainPrefix[w[p]] {
			p++
			continue
		}
		if !decorations[w[p]] {
			return p, plain, yes
		}
		n, found := s.decoration(w[p:])
		if found != yes {
			return p, plain, found
		}
		p, plain = p+n, false
	}
	return p, plain, maybe
}

// decoration returns the length of a number, of a part of a heading, or of an unusual blank.
func (s *Scanner) decoration(w string) (n int, found answer) {
	switch {
	case s.known[w[0]]:
		return 0, no
	case w[0] == '#', w[0] == '+':
		return 1, yes
	case w[0] >= utf8.RuneSelf:
		return blankRune(w)
	}
	for n < len(w) && n < maxDigits && isDigit(w[n]) {
		n++
	}
	switch {
	case n == len(w):
		return 0, maybe
	case n > 0 && (w[n] == '.' || w[n] == ')'):
		return n + 1, yes
	}
	return 0, no
}

// blankRune returns the length of an invisible character at the beginning of w, which is not ASCII.
func blankRune(w string) (n int, found answer) {
	if !utf8.FullRuneInString(w) {
		return 0, maybe
	}
	r, n := utf8.DecodeRuneInString(w)
	return n, is(isBlankRune(r))
}

func isBlankRune(r rune) bool {
	switch {
	case r == '\u00a0', r >= '\u2000' && r <= '\u200f', r == '\u202f', r == '\u2060', r == '\u3000', r == '\ufeff':
		return true
	}
	return false
}

// prefixLen returns how many bytes at the start of w are in the set, at most maxPrefix+1.
func prefixLen(w string, set *byteSet) int {
	n := 0
	for n < len(w) && n <= maxPrefix && set[w[n]] {
		n++
	}
	return n
}

// runLen returns how often the first byte of w stands at its beginning, at most maxRun+1 times.
func runLen(w string) int {
	n := 0
	for n < len(w) && n <= maxRun && w[n] == w[0] {
		n++
	}
	return n
}

// lookFence classifies a line with backticks or tildes at w[p:]: the end of a literal or dropped
// fence, the beginning of one that holds a payload, the beginning of a literal one, or none.
func (s *Scanner) lookFence(w string, p int) verdict {
	char := w[p]
	n := runLen(w[p:])
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
		if bare && s.fence.ends(char, n) {
			s.fence = fence{}
			return verdict{text: line, next: lineStart}
		}
		return ordinary
	case bare && s.owed.fence.ends(char, n) && prefixLen(w, plainPrefix) == p:
		s.owed.fence = fence{}
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
		v = s.lookMarker(w, line+p, place{plain: true, inFence: true})
	}
	switch {
	case v.wait:
		return undecided
	case v.typ != nil:
		s.owed.fence = f
		return v
	}
	s.fence = f
	return literal
}

// lookBehind classifies what follows the JSON of a payload: the end of bold type or of a code span
// around it is dropped, and the rest of its line if blank.
func (s *Scanner) lookBehind(w string) verdict {
	if s.owed.tail != "" {
		return s.lookTail(w)
	}
	n := 0
	for n < len(w) && n < maxTail && blank[w[n]] {
		n++
	}
	switch {
	case n == maxTail:
		return ordinary
	case n == len(w):
		return undecided
	case w[n] == '\n':
		return verdict{skip: n + 1, next: lineStart}
	case s.owed.fence.n > 0 && w[n] == s.owed.fence.char:
		return s.lookEnd(w, n)
	case n == 0 && w[0] == '*' && s.owed.stars > 0:
		return lookClosing(w, &s.owed.stars)
	case n == 0 && w[0] == '`' && s.owed.ticks > 0:
		return lookClosing(w, &s.owed.ticks)
	}
	return ordinary
}

// lookTail drops what closes a wrapped marker, wherever blanks and line ends stand in it. If
// something else comes, nothing is owed any more.
func (s *Scanner) lookTail(w string) verdict {
	left := s.owed.tail
	for n := range maxOpening {
		switch {
		case n == len(w):
			return undecided
		case blank[w[n]], w[n] == '\n':
			continue
		case w[n] == ',':
			if v := s.lookNext(w, n+1, len(left)); v != ordinary {
				return v
			}
		case w[n] == left[0]:
			if left = left[1:]; left != "" {
				continue
			}
			s.owed.tail = ""
			return verdict{skip: n + 1, next: afterJSON}
		}
		break
	}
	s.owed.tail = ""
	return s.lookBehind(w)
}

// lookNext checks for another card in the same object or array, of which so many are still open.
func (s *Scanner) lookNext(w string, at, open int) verdict {
	if open > len(s.owed.open) { // within a tag
		return ordinary
	}
	in := place{inFence: s.owed.fence.n > 0}
	o := opening{place: in, open: s.owed.open[:open], wrapped: true}
	at += o.openers(w[at:])
	return s.lookName(w, at, o)
}

// lookClosing checks for as many of w's first byte as are owed.
func lookClosing(w string, owed *int) verdict {
	n := runLen(w)
	switch {
	case n == len(w) && n <= *owed:
		return undecided
	case n != *owed:
		return ordinary
	}
	*owed = 0
	return verdict{skip: n, next: afterJSON}
}

// lookEnd checks for the end of a fence on the last line of the JSON.
func (s *Scanner) lookEnd(w string, at int) verdict {
	ticks := runLen(w[at:])
	n := at + ticks
	if ticks < s.owed.fence.n && n < len(w) || ticks > maxRun {
		return ordinary
	}
	rest := w[n:]
	i := prefixLen(rest, blank)
	switch {
	case i == len(rest) && i <= maxPrefix:
		return undecided
	case i <= maxPrefix && rest[i] == '\n':
		n += i + 1
		s.owed.fence = fence{}
		return verdict{skip: n, next: lineStart}
	}
	s.owed.fence = fence{}
	return verdict{skip: n, next: midLine}
}
