// Package visible removes the characters from a text that its readers do not see. Text of others
// can hide instructions in them that a model reads and no person does. It also cuts texts to a
// length.
//
//	visible.Text("a\u200bb\U000E0041") // "ab"
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s without control and format characters (among them the zero-width ones, the marks
// that turn the direction of text, and the tag characters), private ones, variation selectors, and
// blanks that are letters. It keeps what scripts and emoji need: line breaks and tabs, single
// joiners and non-joiners, the selectors between text and emoji, and the marks of Arabic and Syriac
// numbers. Invalid UTF-8 becomes U+FFFD. A text without such characters is returned as it is.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	var joined bool // the last character kept was a joiner
	return strings.Map(func(r rune) rune {
		wasJoined := joined
		joined = r == nonJoiner || r == joiner
		switch {
		case joined && wasJoined, !joined && isHidden(r):
			joined = wasJoined
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Brief returns the beginning of a text from outside, for people and models: at most this many
// bytes of what Text leaves of it, and "…" where there is more.
func Brief(s string, most int) string {
	return Clip(strings.TrimSpace(Text(s)), most)
}

// Clip returns the beginning of a text: at most this many bytes, and "…" where there is more.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return Cut(s, most) + "…"
}

// Cut returns at most this many bytes of a text, without half a character at its end.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most = max(most, 0)
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Is reports whether Text would return s unchanged.
func Is(s string) bool { return Text(s) == s }

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	asText    = '\ufe0e' // the emoji before it is shown as text
	asEmoji   = '\ufe0f'
	braille   = '\u2800' // a blank
)

// isPlain reports whether s is ASCII without control characters: most texts are.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func isHidden(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r', r == asText, r == asEmoji,
		unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r == braille:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}
