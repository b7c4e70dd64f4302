package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joint joins a continuation to the text that was cut off. Models repeat the last words of what
// they continue, asked or not: the joint holds new text back while it may still repeat the end of
// the old one, and drops what does. It never drops a few letters that only happen to be the same.
type joint struct {
	end   string // of the old text, without the blanks behind it
	blank bool   // there are blanks behind it
	words string // its last words: repeating those is enough
	lead  string // what separates the texts
	held  string
	trim  bool // drop the blanks that come next: the old text has them
	done  bool
}

// maxJoint is how much of the old text is compared, in bytes.
const maxJoint = 400

// maxHeld is how much is held back of a text that begins with nothing but blanks and dots, in
// bytes: some models write those without end, and each piece is compared anew.
const maxHeld = 4 << 10

func newJoint(text string) *joint {
	end := strings.TrimRightFunc(text, isBlank)
	j := &joint{end: end, blank: len(end) < len(text), words: lastWords(text)}
	if i := len(end) - maxJoint; i > 0 {
		for !utf8.RuneStart(end[i]) {
			i++
		}
		j.end = end[i:]
	}
	return j
}

// newParagraph returns a joint after which new text begins a paragraph of its own.
func newParagraph(text string) *joint {
	j := newJoint(text)
	j.lead = "\n\n"
	return j
}

// take returns what may be written once the next piece of new text is known.
func (j *joint) take(delta string) string {
	if j.done {
		return j.trimmed(delta)
	}
	j.held += delta
	text := j.said()
	if text == "" && len(j.held) < maxHeld {
		return ""
	}
	repeated, undecided := j.overlap(text)
	if undecided && text != "" {
		return ""
	}
	return j.decide(text, repeated)
}

// flush returns what was held back, at the end of the new text.
func (j *joint) flush() string {
	if j.done {
		return ""
	}
	if trimBlank(j.held) == "" {
		return ""
	}
	text := j.said()
	repeated, _ := j.overlap(text)
	return j.decide(text, repeated)
}

// said returns the new text without the blanks and dots with which it begins.
func (j *joint) said() string {
	return strings.TrimLeftFunc(j.held, func(r rune) bool { return isBlank(r) || r == '…' || r == '.' })
}

// overlap returns how many bytes at the beginning of a text repeat the end of the old one, and
// whether more text could make it more.
func (j *joint) overlap(text string) (repeated int, undecided bool) {
	for i := range j.end {
		rest := j.end[i:]
		switch {
		case !j.suffices(rest):
			return repeated, false
		case len(rest) > len(text) && strings.HasPrefix(rest, text):
			return 0, true
		case repeated == 0 && strings.HasPrefix(text, rest):
			return len(rest), false
		}
	}
	return repeated, false
}

// How much must be the same to count as repeated, in letters and digits: less if it is three words.
const (
	minRepeated      = 12
	minRepeatedWords = 8
)

// suffices reports whether a text is long enough to count as repeated.
func (j *joint) suffices(text string) bool {
	if j.words != "" && len(text) >= len(j.words) {
		return true
	}
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= minRepeated || n >= minRepeatedWords && len(strings.Fields(text)) >= 3
}

// decide ends holding back and returns what is written.
func (j *joint) decide(text string, repeated int) string {
	j.done = true
	if repeated > 0 {
		j.trim = j.blank
		return j.trimmed(text[repeated:])
	}
	if j.lead != "" {
		return j.lead + trimBlank(j.held)
	}
	return j.held
}

func (j *joint) trimmed(text string) string {
	if j.trim {
		text = trimBlank(text)
		j.trim = text == ""
	}
	return text
}

// Limits of the last words of a text.
const (
	maxLastWords = 8
	maxWordBytes = 120
)

// lastWords returns the last words of the last line of a text, or "" if there are no letters.
func lastWords(text string) string {
	text = strings.TrimRightFunc(text, isBlank)
	line := text[strings.LastIndexByte(text, '\n')+1:]
	start, words := len(line), 0
	for words < maxLastWords && start > 0 {
		from := strings.LastIndexFunc(strings.TrimRightFunc(line[:start], unicode.IsSpace), unicode.IsSpace) + 1
		if len(line)-from > maxWordBytes {
			break
		}
		start, words = from, words+1
	}
	if start == len(line) { // one long word
		start = max(0, len(line)-maxWordBytes)
		for start < len(line) && !utf8.RuneStart(line[start]) {
			start++
		}
	}
	line = strings.TrimSpace(line[start:])
	if !strings.ContainsFunc(line, unicode.IsLetter) {
		return ""
	}
	return line
}

// trimBlank removes invisible characters from the beginning of a text.
func trimBlank(text string) string { return strings.TrimLeftFunc(text, isBlank) }

// isBlank reports whether a character is invisible: blanks, controls, and characters that only
// shape their neighbours.
func isBlank(c rune) bool {
	const brailleBlank = '\u2800'
	return c == brailleBlank || unicode.IsSpace(c) || unicode.IsControl(c) ||
		unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
