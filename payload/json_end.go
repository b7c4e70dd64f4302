package payload

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsonEnd finds the end of a possibly broken object or array: where the brackets balance, not
// counting those in strings. Line ends in strings are allowed.
type jsonEnd struct {
	depth             int
	inString, escaped bool
	slash, comment    bool // outside of strings: after a slash; to the end of the line
	last              byte // the last byte outside of strings, but for blanks
	fresh             bool // only blanks came in this line, outside of strings
	newLine           bool // a line begins within a string
	accepted          bool // what comes next was found to be JSON
	over              bool // too large: skip the rest
}

// jsonStop is why reading JSON stopped.
type jsonStop uint8

const (
	jsonMore    jsonStop = iota // the text was read
	jsonEnds                    // the brackets balance
	jsonLine                    // a line ended within a string
	jsonToken                   // what comes next may not be JSON
	jsonGoesOn                  // it is
	jsonWaits                   // it takes more text to know
	jsonBroken                  // the JSON is over, although brackets are open
	jsonDoubted                 // it was over where it became doubtful
)

// find reads on. In doubt, whatever follows a string is a jsonToken.
func (j *jsonEnd) find(text string, doubt bool) (n int, stop jsonStop) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if j.escaped {
			j.escaped = false
			continue
		}
		if j.inString {
			switch c {
			case '\\':
				j.escaped = true
			case '"':
				j.inString, j.last = false, c
			case '\n':
				j.newLine = true
				return i + 1, jsonLine
			}
			continue
		}
		switch {
		case c == '\n':
			j.fresh, j.comment, j.slash = true, false, false
			continue
		case c == ' ', c == '\t', c == '\r', j.comment:
			continue
		}
		if !j.accepted && (doubt || j.isSuspicious(c)) {
			return i, jsonToken
		}
		j.accepted, j.fresh = false, false
		if j.take(c) {
			return i + 1, jsonEnds
		}
	}
	return len(text), jsonMore
}

// take reads a byte outside of strings. It reports whether it ends the JSON. A backslash is taken
// for what it is in a string: some models escape the quotes of all their JSON.
func (j *jsonEnd) take(c byte) (ends bool) {
	if c == '/' && j.last != ':' { // not of an address
		j.comment, j.slash = j.slash, true
		return false
	}
	j.last, j.slash = c, false
	switch c {
	case '"':
		j.inString = true
	case '\\':
		j.escaped = true
	case '{', '[':
		j.depth++
	case '}', ']':
		j.depth--
		return j.depth == 0
	}
	return false
}

// isSuspicious reports whether a byte outside of strings needs a closer look: most that begin a
// line, or follow a closing bracket.
func (j *jsonEnd) isSuspicious(c byte) bool {
	switch {
	case j.fresh:
		return strings.IndexByte(`"},]:`, c) < 0
	case j.last == '}', j.last == ']':
		return strings.IndexByte(`"},]:{['/`, c) < 0
	}
	return false
}

// continues decides whether text at a place outside of strings continues the JSON. The repairer of
// broken JSON takes more than JSON: comments, single quotes, names without quotes.
func (s *Scanner) continues(text string) answer {
	j, c := &s.json, text[0]
	expects := strings.IndexByte(",:{[", j.last) >= 0 // a value or name, not the end of one
	switch {
	case s.doubt > 0:
		return is(strings.IndexByte(",:}]", c) >= 0)
	case c >= utf8.RuneSelf:
		return isForeign(text)
	case !j.fresh:
		return is(!isWordByte(c) && strings.IndexByte("`~*(.;!?", c) < 0)
	case strings.IndexByte(`'/.+\`, c) >= 0:
		return yes
	case c == '{', c == '[':
		return is(expects || j.last == c+2) // the closing bracket: a comma is missing
	case !expects:
		return no
	case isDigit(c), c == '-':
		return continuesAsNumber(text)
	case isWordByte(c):
		return s.continuesAsName(text)
	}
	return no
}

func is(b bool) answer {
	if b {
		return yes
	}
	return no
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

// isForeign classifies what is not ASCII: quotes, colons and commas of other scripts, and blanks.
func isForeign(text string) answer {
	if !utf8.FullRuneInString(text) {
		return maybe
	}
	r, _ := utf8.DecodeRuneInString(text)
	return is(isBlankRune(r) || unicode.In(r, unicode.Pi, unicode.Pf) || strings.ContainsRune("，：｛｝［］", r))
}

// continuesAsNumber reports whether text that begins like a number is one: "1. First" is an item
// of a list.
func continuesAsNumber(text string) answer {
	n := 1
	for n < len(text) && n < maxOpening && strings.IndexByte("0123456789.eE+-", text[n]) >= 0 {
		n++
	}
	next, found := nextByte(text[n:])
	if found == yes && text[:n] != "-" {
		return is(strings.IndexByte(",:}]\n/", next) >= 0)
	}
	if text[:n] == "-" && n < len(text) {
		return no
	}
	return found
}

// continuesAsName reports whether a word is a literal, or a member's name with its value. A
// declared marker is neither.
func (s *Scanner) continuesAsName(text string) answer {
	n := wordLen(text)
	next, found := nextByte(text[n:])
	switch {
	case found != yes:
		return found
	case s.isStem(text[:n]):
		return no
	case strings.IndexByte(",}]", next) >= 0:
		return yes
	case next == '\n':
		return is(isLiteralWord(text[:n]))
	case next != ':':
		return no
	}
	value := text[n+strings.IndexByte(text[n:], ':')+1:]
	next, found = nextByte(value)
	switch {
	case found != yes:
		return found
	case isDigit(next), strings.IndexByte("\"'{[-\n", next) >= 0:
		return yes
	}
	value = strings.TrimLeft(value, blanks)
	if n = wordLen(value); n == len(value) {
		return maybe
	}
	return is(isLiteralWord(value[:n]))
}

// wordLen returns the length of the word at the beginning of a text, as far as it matters.
func wordLen(text string) int {
	n := 0
	for n < len(text) && n < maxOpening && (isWordByte(text[n]) || text[n] == '-') {
		n++
	}
	return n
}

func isLiteralWord(word string) bool {
	switch word {
	case "true", "false", "null", "True", "False", "None", "undefined", "NaN":
		return true
	}
	return false
}

// nextByte returns the first byte that is no blank. Without one among the first few it is a blank.
func nextByte(text string) (c byte, found answer) {
	for n := range min(len(text), maxTail) {
		if !blank[text[n]] {
			return text[n], yes
		}
	}
	if len(text) < maxTail {
		return 0, maybe
	}
	return ' ', yes
}

// endsFence reports whether the line at the beginning of text ends a fence.
func endsFence(text string, f fence) answer {
	n := prefixLen(text, blank)
	switch {
	case n > maxPrefix:
		return no
	case n == len(text):
		return maybe
	case text[n] != f.char:
		return no
	}
	run := runLen(text[n:])
	switch {
	case n+run == len(text) && run <= maxRun:
		return maybe
	case run < f.n || run > maxRun:
		return no
	}
	next, found := nextByte(text[n+run:])
	if found == maybe {
		return maybe
	}
	return is(next == '\n')
}
