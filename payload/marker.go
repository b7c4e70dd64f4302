package payload

import (
	"strings"
	"unicode/utf8"
)

// What may stand around a marker and between it and its JSON:
//
//	marker    = { opener } name { closer | separator | blank | line end } [ fence | "`" ] JSON
//	            { closer | fence } { "," { opener } name … JSON { closer } }
//	opener    = "*" | "`" | "{" | "[" | "(" | "<" | quote | "_"
//	name      = the marker, in any case, with "_", "-" or a blank between its words
//	separator = ":" | "：" | "=" | "=>" | "->"
//
// Whatever is open in front of the JSON is closed behind it. As declared, a marker needs no more
// than a bracket behind it; all else only counts at the start of a line, and if plainly JSON
// follows.

const (
	wrappers  = "{[(<\"'_"
	maxOpened = 4 // wrappers in front of a name
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

// spelling is how a name is written; the later, the less of a marker it is.
type spelling uint8

const (
	asDeclared spelling = iota
	inWords             // with other signs between its words
	folded              // in another case
)

// begins reports whether w begins with the marker's name, and how that is written.
func (m *marker) begins(w string, in place) (as spelling, found answer) {
	for n := range len(m.stem) {
		switch {
		case n == len(w):
			return as, maybe
		case w[n] == m.stem[n]:
		case in.midLine:
			return as, no
		case m.stem[n] == '_' && (w[n] == ' ' || w[n] == '-'):
			as = max(as, inWords)
		case w[n] < utf8.RuneSelf && !in.inFence && strings.EqualFold(w[n:n+1], m.stem[n:n+1]):
			as = folded
		default:
			return as, no
		}
	}
	return as, yes
}

// place is where a marker is looked for.
type place struct {
	midLine bool // after words
	inFence bool // a code fence has just begun
	plain   bool // at the start of a line, after blanks and the usual bullets
}

// opening is what stands around a marker and between it and its JSON.
type opening struct {
	place
	n      int    // its length, from the name on
	ticks  int    // before the marker, not yet closed
	stars  int    // likewise
	open   string // wrappers, likewise, the innermost last
	tag    string // the name, where it is a tag
	fence  fence  // before the JSON
	around int    // backticks before the JSON, if they are no fence

	spelling  spelling
	wrapped   bool // the name is in a wrapper
	separator string
	newLine   bool
}

// lookMarker checks for a marker and an opening bracket at w[at:].
func (s *Scanner) lookMarker(w string, at int, in place) verdict {
	o := opening{place: in}
	for at-o.stars > 0 && w[at-o.stars-1] == '*' {
		o.stars++
	}
	n := o.openers(w[at:])
	if v := s.lookName(w, at+n, o); v != ordinary || n > 0 || !in.plain {
		return v
	}
	return s.lookUnknown(w, at, in)
}

// lookName checks for the name of a declared marker at w[at:], and for its JSON. As declared it
// wins over other spellings.
func (s *Scanner) lookName(w string, at int, o opening) verdict {
	switch {
	case o.ticks > maxTicks:
		return ordinary
	case at == len(w):
		return undecided
	case !s.known[w[at]]:
		return ordinary
	}
	var typ *Type
	var best opening
	waits := false
	for i := range s.list {
		m := &s.list[i]
		spelled, found := m.begins(w[at:], o.place)
		if found == no {
			continue
		}
		this := o
		this.spelling = spelled
		if found == yes {
			found = this.read(w[at:], m)
		}
		waits = waits || found == maybe
		if found == yes && (typ == nil || spelled < best.spelling) {
			typ, best = m.typ, this
		}
	}
	switch {
	case typ != nil && (!waits || best.spelling == asDeclared):
		s.owe(best)
		return verdict{skip: at + best.n, next: inJSON, typ: typ}
	case waits:
		return undecided
	}
	return ordinary
}

// owe notes what is to be dropped after the JSON.
func (s *Scanner) owe(o opening) {
	s.owed.stars, s.owed.ticks = o.stars, o.around
	s.owed.open, s.owed.tail = o.open, o.tail()
	if o.fence.n > 0 {
		s.owed.fence = o.fence
	}
}

// openers reads what is opened in front of the name, and returns its length.
func (o *opening) openers(w string) (n int) {
	for n < len(w) && w[n] == '`' && n <= maxTicks && !o.inFence {
		n++
	}
	o.ticks = n
	for n < len(w) && n <= maxPrefix && len(o.open) < maxOpened && !o.midLine {
		switch c := w[n]; {
		case strings.IndexByte(wrappers, c) >= 0:
			o.open += string(c)
			o.wrapped = true
		case o.open == "" || !blank[c] && c != '\n':
			return n
		}
		n++
	}
	return n
}

// read finds the opening bracket behind the name at the beginning of w.
func (o *opening) read(w string, m *marker) answer {
	if strings.HasSuffix(o.open, "<") {
		o.tag = w[:len(m.stem)]
	}
	if found := o.rest(w, len(m.stem)); found != yes {
		return found
	}
	return o.allowed(w, m)
}

// rest finds the opening bracket in w, after the first n bytes.
func (o *opening) rest(w string, n int) answer {
	for from := n; n < len(w); {
		size, found := o.take(w[n:])
		switch {
		case n-from >= maxOpening:
			return no
		case found != yes:
			return found
		case size == 0:
			o.n = n
			return is(o.ticks == 0)
		}
		n += size
	}
	return maybe
}

// allowed reports whether what stands between a name and its JSON makes it a marker. In another
// case it may be an ordinary word, and after words it may be mentioned only, so that JSON must
// follow it at once: "Plan:" above a code block is a heading.
func (o *opening) allowed(w string, m *marker) answer {
	json, declared := w[o.n:], o.separator == ""
	if m.colon {
		declared = o.separator == ":" || o.separator == fullColon
	}
	declared = declared && !o.wrapped && o.spelling == asDeclared
	switch {
	case strings.Trim(o.open, "{[(") != "": // a quote or a tag is open
		return no
	case declared && !o.midLine:
		return yes
	case declared, o.tag != "":
		return startsJSON(json)
	case o.midLine, o.spelling == folded && o.separator == "":
		return no
	case o.spelling == folded && (o.newLine || o.fence.n > 0) && !strings.Contains(w[:len(m.stem)], "_"):
		return no
	case o.separator == "":
		return plainlyJSON(json)
	}
	return startsJSON(json)
}

// startsJSON reports whether text begins with an object or array that is empty, or has a member
// that begins with a quote or a bracket.
func startsJSON(text string) answer {
	rest := behindBracket(text)
	switch {
	case rest == "":
		return maybe
	case text[0] == '[':
		return is(strings.IndexByte(`"'{]`, rest[0]) >= 0)
	}
	return is(strings.IndexByte(`"'}`, rest[0]) >= 0)
}

// behindBracket returns what follows the bracket at the beginning of a text, and blanks.
func behindBracket(text string) string {
	n := 1
	for n < len(text) && n < maxOpening && strings.IndexByte(" \t\r\n", text[n]) >= 0 {
		n++
	}
	return text[n:]
}

// take reads one part of what is between the name and its JSON and returns its length: 0 for the
// bracket.
func (o *opening) take(w string) (size int, found answer) {
	switch c := w[0]; {
	case c == '{', c == '[':
		return 0, yes
	case o.around > 0: // nothing else comes between it and the backtick
		return 0, no
	case blank[c]:
		return 1, yes
	case c == '\n' && (o.fence.n > 0 || !o.midLine):
		o.newLine = o.newLine || o.fence.n == 0
		return 1, yes
	case o.fence.n > 0:
		return 0, no
	case c == '*':
		o.stars = max(0, o.stars-1)
		return 1, yes
	case o.open != "" && c != '}' && c == closerOf(o.open[len(o.open)-1]):
		o.open = o.open[:len(o.open)-1]
		return 1, yes
	case c == '`', c == '~':
		return o.takeTicks(w)
	case c >= utf8.RuneSelf:
		if size, found = blankRune(w); found != no {
			return size, found
		}
	}
	return o.takeSeparator(w)
}

// fullColon is the colon of Chinese and Japanese.
const fullColon = "："

// separators are those between a name and its JSON; where one begins another, the longer comes
// first.
var separators = []string{":", "=>", "->", "=", fullColon}

func (o *opening) takeSeparator(w string) (size int, found answer) {
	for _, sign := range separators {
		switch {
		case o.separator != "":
		case strings.HasPrefix(w, sign):
			o.separator = sign
			return len(sign), yes
		case strings.HasPrefix(sign, w):
			return 0, maybe
		}
	}
	return 0, no
}

// takeTicks reads the end of backticks around the name, a fence with its name, or the backticks
// around JSON.
func (o *opening) takeTicks(w string) (size int, found answer) {
	n := runLen(w)
	switch {
	case n == len(w) && n <= maxRun:
		return 0, maybe
	case w[0] == '`' && n == o.ticks:
		o.ticks = 0
		return n, yes
	case o.ticks > 0, n > maxRun:
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

func closerOf(opener byte) byte {
	if i := strings.IndexByte("{[(<", opener); i >= 0 {
		return "}])>"[i]
	}
	return opener
}

// tail is what closes behind the JSON what was opened before it.
func (o *opening) tail() string {
	tail := ""
	if o.tag != "" {
		tail = "</" + o.tag + ">"
	}
	for i := len(o.open) - 1; i >= 0; i-- {
		tail += string(closerOf(o.open[i]))
	}
	return tail
}
