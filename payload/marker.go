package payload

import (
	"strings"
	"unicode/utf8"
)

// markers are those of a scanner's types, and what it needs to pass other text quickly.
type markers struct {
	list   []marker
	starts [256]bool // bytes at the start of a line that need a closer look
	known  [256]bool // first bytes of markers, in either case
	names  [256]bool // first bytes of markers
	stops  [256]bool // bytes in the middle of a line that need a closer look
}

// marker is a type's marker in parts: models write bold type, backticks and blanks between them.
type marker struct {
	typ   *Type
	stem  string // without the colon
	colon bool
}

func newMarkers(types []*Type) markers {
	m := markers{}
	for _, t := range types {
		if t.Source != FromLLM {
			continue
		}
		stem, colon := strings.CutSuffix(t.Marker, ":")
		m.list = append(m.list, marker{t, stem, colon})
		m.names[stem[0]], m.stops[stem[0]] = true, true
		for _, c := range []byte(strings.ToUpper(stem[:1]) + strings.ToLower(stem[:1])) {
			m.starts[c], m.known[c] = true, true
		}
	}
	for _, c := range []byte(linePrefix + "`~|" + wrappers) {
		m.starts[c] = true
	}
	for c, decorates := range decorations {
		m.starts[c] = m.starts[c] || decorates
	}
	for c := 'A'; c <= 'Z'; c++ { // markers of unknown types
		m.starts[c] = true
	}
	m.stops['\n'], m.stops['`'], m.stops['*'] = true, true, true
	return m
}

// isStem reports whether a word is a declared marker without its colon.
func (m *markers) isStem(word string) bool {
	for i := range m.list {
		if m.list[i].stem == word {
			return true
		}
	}
	return false
}

// begins reports whether text begins with the marker's stem; folded, in whatever case.
func (m *marker) begins(text string, folded bool) answer {
	n := min(len(text), len(m.stem))
	same := text[:n] == m.stem[:n]
	if folded {
		same = strings.EqualFold(text[:n], m.stem[:n])
	}
	switch {
	case !same:
		return no
	case n < len(m.stem):
		return maybe
	}
	return yes
}

// place is where a marker is looked for.
type place struct {
	midLine bool // after words
	inFence bool // a code fence has just begun
	plain   bool // at the start of a line, after blanks and the usual bullets
}

// lookMarker checks for a marker and an opening bracket at w[at:].
func (s *Scanner) lookMarker(w string, at int, in place) verdict {
	o := opening{}
	for at-o.stars > 0 && w[at-o.stars-1] == '*' {
		o.stars++
	}
	for at+o.ticks < len(w) && w[at+o.ticks] == '`' && o.ticks <= maxTicks && !in.inFence {
		o.ticks++
	}
	name := w[at+o.ticks:]
	switch {
	case o.ticks > maxTicks:
		return ordinary
	case name == "":
		return undecided
	case !s.known[name[0]] && !isMarkerByte(name[0], 0):
		return ordinary
	}
	m, found := s.declared(name, o, in)
	switch {
	case found == maybe:
		return undecided
	case found == yes:
		s.owe(m.opening)
		return verdict{skip: len(w) - len(name) + m.n, next: inJSON, typ: m.typ}
	case in.midLine, !in.plain, o.ticks > 0:
		return ordinary
	}
	return s.lookUnknown(w, at, in)
}

// owe notes what is to be dropped after the JSON.
func (s *Scanner) owe(o opening) {
	s.owed.stars, s.owed.ticks, s.owed.tail = o.stars, o.around, ""
	if o.fence.n > 0 {
		s.owed.fence = o.fence
	}
}

// match is a marker that was found.
type match struct {
	opening
	typ *Type
}

// declared finds a declared marker and the opening bracket after it at the beginning of w. As
// declared it wins over other spellings.
func (s *Scanner) declared(w string, o opening, in place) (match, answer) {
	if !s.known[w[0]] {
		return match{}, no
	}
	for _, folded := range []bool{false, true} {
		if folded && (in.midLine || in.inFence) {
			break
		}
		waits := false
		for i := range s.list {
			m := &s.list[i]
			found := m.begins(w, folded)
			this := o
			if found == yes {
				found = this.read(w, len(m.stem), m.colon)
			}
			if found == yes {
				found = this.allowed(w, m, folded, in)
			}
			switch waits = waits || found == maybe; {
			case waits:
			case found == yes:
				return match{this, m.typ}, yes
			}
		}
		if waits {
			return match{}, maybe
		}
	}
	return match{}, no
}

// allowed reports whether what follows a marker makes it one. A name in another case may be an
// ordinary word, and one after words may be mentioned only, so that JSON must follow it at once:
// "Plan:" above a code block is a heading.
func (o *opening) allowed(w string, m *marker, folded bool, in place) answer {
	switch {
	case in.midLine && o.newLine:
		return no
	case folded && !m.colon:
		return no
	case folded && (o.newLine || o.fence.n > 0) && strings.IndexByte(m.stem, '_') < 0:
		return no
	case folded || in.midLine:
		return startsJSON(w[o.n:])
	}
	return yes
}

// startsJSON reports whether text begins with an object or array that is empty, or has a member
// that begins with a quote or a bracket.
func startsJSON(text string) answer {
	n := 1
	for n < len(text) && n < maxOpening && strings.IndexByte(" \t\r\n", text[n]) >= 0 {
		n++
	}
	if n == len(text) {
		return maybe
	}
	if text[0] == '[' {
		return is(strings.IndexByte(`"'{]`, text[n]) >= 0)
	}
	return is(strings.IndexByte(`"'}`, text[n]) >= 0)
}

// opening is what stands around a marker and between it and its JSON: colon, blanks, the end of
// bold type and of backticks, and a fence.
type opening struct {
	n       int   // its length, with the marker
	ticks   int   // before the marker, not yet closed
	stars   int   // likewise
	fence   fence // before the JSON
	around  int   // backticks before the JSON, if they are no fence
	newLine bool
}

// read finds the opening bracket in w, after the first n bytes.
func (o *opening) read(w string, n int, colon bool) answer {
	from := n
	for n < len(w) && n-from < maxOpening {
		size, found := o.take(w[n:], &colon)
		switch {
		case found == maybe:
			return maybe
		case found == no:
			return no
		case size == 0:
			o.n = n
			return is(!colon && o.ticks == 0)
		}
		n += size
	}
	if n-from >= maxOpening {
		return no
	}
	return maybe
}

// take reads one part of the opening and returns its length: 0 for the bracket.
func (o *opening) take(w string, colon *bool) (size int, found answer) {
	switch c := w[0]; {
	case c == '{', c == '[':
		return 0, yes
	case o.around > 0: // nothing else comes between it and the backtick
		return 0, no
	case blank[c]:
		return 1, yes
	case c == '\n' && !*colon:
		o.newLine = o.newLine || o.fence.n == 0
		return 1, yes
	case o.fence.n > 0:
		return 0, no
	case c == '*':
		o.stars = max(0, o.stars-1)
		return 1, yes
	case c == ':' && *colon:
		*colon = false
		return 1, yes
	case c == '`', c == '~':
		return o.takeTicks(w, *colon)
	case c >= utf8.RuneSelf:
		return o.takeRune(w, colon)
	}
	return 0, no
}

func (o *opening) takeRune(w string, colon *bool) (size int, found answer) {
	size, found = blankRune(w)
	if found == no && *colon && strings.HasPrefix(w, fullColon) {
		*colon = false
		return len(fullColon), yes
	}
	return size, found
}

// fullColon is the colon of Chinese and Japanese.
const fullColon = "："

// takeTicks reads the end of backticks around the name, a fence with its name, or the backticks
// around JSON.
func (o *opening) takeTicks(w string, colon bool) (size int, found answer) {
	n := 0
	for n < len(w) && n <= maxRun && w[n] == w[0] {
		n++
	}
	switch {
	case n == len(w) && n <= maxRun:
		return 0, maybe
	case w[0] == '`' && n == o.ticks:
		o.ticks = 0
		return n, yes
	case o.ticks > 0, colon, n > maxRun:
		return 0, no
	case n >= 3:
		o.fence = fence{w[0], n}
		return n + infoLen(w[n:]), yes
	case w[0] == '`':
		o.around = n
		return n, yes
	}
	return 0, no
}

// infoLen returns the length of the name after a fence: json.
func infoLen(w string) int {
	n := 0
	for n < len(w) && n < maxOpening && isWordByte(w[n]) {
		n++
	}
	return n
}
