// Package words says what the words of a text are, for the search: all stores must find the same.
//
// A word is a sequence of letters and digits, ignoring case and marks such as accents. Scripts
// without spaces between words have no such sequences: there each character is a word, and so is
// each pair of neighbours. A text is the set of its words.
package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind is what a word is made of.
type Kind int

// Kinds of words.
const (
	Whole  Kind = iota // a run of letters and digits
	First              // the first of some characters of a script without spaces
	Second             // a later one
	Pair               // one of them with the one before
)

// Each calls yield for the words of a text in order, including repeated ones, until yield returns
// false. A word is letters and digits only, in lower case and without marks; it is valid until
// yield returns. start is the offset in the text where it begins.
func Each(text string, yield func(word []byte, start int, kind Kind) bool) {
	s := splitter{text: text, yield: yield}
	s.word, s.last = s.room[0][:0], s.room[2][:0]
	for i := 0; i < len(text); {
		size, ok := s.step(i)
		if !ok {
			return
		}
		i += size
	}
	s.end()
}

// splitter splits a text into words.
type splitter struct {
	text  string
	yield func(word []byte, start int, kind Kind) bool
	word  []byte // the run of letters that has begun
	start int    // where it did
	last  []byte // the previous character, if of a script without spaces
	at    int    // its offset
	room  [4][32]byte
}

// step reads the character at i and returns its size. ok is false once yield has returned false.
func (s *splitter) step(i int) (size int, ok bool) {
	c := s.text[i]
	if c >= utf8.RuneSelf {
		return s.wide(i)
	}
	if c = plain[c]; c == 0 {
		return 1, s.end()
	}
	if len(s.word) == 0 {
		s.start, s.last = i, s.last[:0]
	}
	s.word = append(s.word, c)
	return 1, true
}

// plain maps an ASCII character to its form in a word, or 0 if it is in no word.
var plain = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			table[c] = c
		case 'A' <= c && c <= 'Z':
			table[c] = c + 'a' - 'A'
		}
	}
	return table
}()

// wide is step for characters beyond ASCII.
func (s *splitter) wide(i int) (size int, ok bool) {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	switch kindOfRune(r) {
	case mark:
		return size, true
	case letter:
		if len(s.word) == 0 {
			s.start, s.last = i, s.last[:0]
		}
		s.word = appendFolded(s.word, s.text[i:i+size], r)
		return size, true
	case alone:
		return size, s.endWord() && s.single(i, size, r)
	}
	return size, s.end()
}

// single reads a character of a script without spaces.
func (s *splitter) single(i, size int, r rune) bool {
	char := appendFolded(s.room[1][:0], s.text[i:i+size], r)
	kind := First
	if len(s.last) > 0 {
		kind = Second
	}
	if !s.yield(char, i, kind) {
		return false
	}
	if kind == Second && !s.yield(append(append(s.room[3][:0], s.last...), char...), s.at, Pair) {
		return false
	}
	s.last, s.at = append(s.last[:0], char...), i
	return true
}

// end ends the current word. The next character is not its neighbour.
func (s *splitter) end() bool {
	s.last = s.last[:0]
	return s.endWord()
}

func (s *splitter) endWord() bool {
	if len(s.word) == 0 {
		return true
	}
	ok := s.yield(s.word, s.start, Whole)
	s.word = s.word[:0]
	return ok
}

type runeKind int

const (
	between runeKind = iota // no part of a word
	letter
	mark  // on the letter before it: does not count
	alone // a word of its own
)

func kindOfRune(r rune) runeKind {
	switch {
	case unicode.Is(unicode.Mn, r):
		return mark
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar):
		if unicode.IsPunct(r) {
			return between
		}
		return alone
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mc, r):
		return letter
	}
	return between
}

// appendFolded appends a letter without its marks, in lower case.
func appendFolded(word []byte, text string, r rune) []byte {
	parts := norm.NFD.PropertiesString(text).Decomposition()
	if len(parts) == 0 {
		return utf8.AppendRune(word, lower(r))
	}
	for len(parts) > 0 {
		r, size := utf8.DecodeRune(parts)
		if !unicode.Is(unicode.Mn, r) {
			word = utf8.AppendRune(word, lower(r))
		}
		parts = parts[size:]
	}
	return word
}

// lower maps letters that differ only in case to the same one, even if one has two lower-case
// forms.
func lower(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
