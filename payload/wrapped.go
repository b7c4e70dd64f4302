package payload

import (
	"strings"
	"unicode/utf8"
)

// Markers are also found in other clothes, at the start of a line and with JSON behind them:
//
//	marker  = { opener blank } name { closer | separator | blank } JSON { blank closer }
//	opener  = "{" | "[" | "(" | "<" | quote | "_"
//	name    = the marker, in any case, with "_", "-" or a blank between its words
//	separator = ":" | "=" | "=>" | "->"
//
// Whatever is open in front of the JSON is closed behind it. One separator at most stands between;
// there is none where the name is written as declared, or in a tag.

const (
	wrappers  = "{[(<\"'_"
	maxOpened = 4 // openers in front of a name
)

// wrap is what stands around a marker.
type wrap struct {
	open   []byte // what is still to be closed, the innermost last
	stars  int    // of bold type, likewise
	tag    string // the name, where it is a tag
	folded bool   // the name is in another case, or in words

	separated, newLine bool
}

// lookWrapped checks for a marker in other clothes at w[at:].
func (s *Scanner) lookWrapped(w string, at int, in place) verdict {
	opened := wrap{}
	for at-opened.stars > 0 && w[at-opened.stars-1] == '*' {
		opened.stars++
	}
	start := at + opened.openers(w[at:])
	if start == len(w) && start-at <= maxPrefix {
		return undecided
	}
	waits := false
	for i := range s.list {
		this := opened
		this.open = append([]byte(nil), opened.open...)
		n, found := this.read(w[start:], s.list[i].stem, in)
		if found == yes {
			s.owed.stars, s.owed.ticks, s.owed.tail = this.stars, 0, this.tail()
			return verdict{skip: start + n, next: inJSON, typ: s.list[i].typ}
		}
		waits = waits || found == maybe
	}
	if waits {
		return undecided
	}
	return ordinary
}

// openers reads what is opened in front of the name, and returns its length.
func (o *wrap) openers(w string) (n int) {
	for n < len(w) && n <= maxPrefix && len(o.open) < maxOpened {
		switch c := w[n]; {
		case strings.IndexByte(wrappers, c) >= 0:
			o.open = append(o.open, c)
		case len(o.open) == 0 || !blank[c] && c != '\n':
			return n
		}
		n++
	}
	return n
}

// read finds the name at the beginning of w, and the JSON behind it.
func (o *wrap) read(w, stem string, in place) (n int, found answer) {
	if n, found = o.name(w, stem); found != yes {
		return 0, found
	}
	if o.folded && in.inFence {
		return 0, no
	}
	if k := len(o.open) - 1; k >= 0 && o.open[k] == '<' {
		o.tag = w[:n]
	}
	for from := n; n < len(w); {
		size, found := o.take(w[n:])
		switch {
		case n-from > maxOpening:
			return 0, no
		case found != yes:
			return 0, found
		case size == 0 && !o.allowed():
			return 0, no
		case size == 0 && !o.separated && o.tag == "":
			return n, plainlyJSON(w[n:])
		case size == 0:
			return n, startsJSON(w[n:])
		}
		n += size
	}
	return 0, maybe
}

// allowed reports whether what was read makes the name a marker: in another case or in words it may
// be ordinary words.
func (o *wrap) allowed() bool {
	switch {
	case strings.Trim(string(o.open), "{[(") != "": // a quote or a tag is open
		return false
	case o.tag != "":
		return true
	case o.folded:
		return o.separated && !o.newLine
	}
	return true
}

// name reads the stem, in any case and with other signs between its words.
func (o *wrap) name(w, stem string) (n int, found answer) {
	for ; n < len(stem); n++ {
		if n == len(w) {
			return 0, maybe
		}
		between := stem[n] == '_' && (w[n] == ' ' || w[n] == '-')
		switch {
		case w[n] == stem[n], between:
		case strings.EqualFold(w[n:n+1], stem[n:n+1]) && w[n] < utf8.RuneSelf:
			o.folded = true
		default:
			return 0, no
		}
	}
	return n, yes
}

// take reads one part of what is between the name and its JSON and returns its length: 0 for the
// JSON.
func (o *wrap) take(w string) (size int, found answer) {
	c := w[0]
	switch {
	case len(o.open) > 0 && c == closerOf(o.open[len(o.open)-1]) && c != '}':
		o.open = o.open[:len(o.open)-1]
		return 1, yes
	case c == '*' && o.stars > 0:
		o.stars--
		return 1, yes
	case blank[c]:
		return 1, yes
	case c == '\n':
		o.newLine = true
		return 1, yes
	case c == '{', c == '[':
		return 0, yes
	}
	if o.separated {
		return 0, no
	}
	for _, sign := range separators {
		if strings.HasPrefix(w, sign) {
			o.separated = true
			return len(sign), yes
		}
		if strings.HasPrefix(sign, w) {
			return 0, maybe
		}
	}
	return 0, no
}

// separators are those between a name and its JSON; where one begins another, the longer comes
// first.
var separators = []string{":", "=>", "->", "=", fullColon}

func closerOf(opener byte) byte {
	if i := strings.IndexByte("{[(<", opener); i >= 0 {
		return "}])>"[i]
	}
	return opener
}

// tail is what closes behind the JSON what was opened before it.
func (o *wrap) tail() string {
	tail := ""
	if o.tag != "" {
		tail = "</" + o.tag + ">"
	}
	for i := len(o.open) - 1; i >= 0; i-- {
		tail += string(closerOf(o.open[i]))
	}
	return tail
}
