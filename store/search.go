package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/pageside/pageside/agui"
)

// What is found is the same in every store, so what a word is, what of a message is searched, and
// what a snippet shows is decided here.
//
// A word is a run of letters and digits, without regard to case and to marks such as accents.
// Scripts that put no spaces between words have no such runs: there a word is a character, and so
// are two that stand together. A text is the set of its words.

// MaxSearchText is how much of a message is searched, in bytes from its beginning.
const MaxSearchText = 64 << 10

// SnippetSize is how long a snippet is at most, in characters.
const SnippetSize = 160

// previewSize is how long a preview of a user's message is at most, in characters.
const previewSize = 120

// SearchText returns the text of a message that is searched: what a user or an assistant said, and
// what a card shows. Nobody looks for notes.
func SearchText(m agui.Message) string {
	var text string
	switch {
	case m.Role == agui.RoleUser, m.Role == agui.RoleAssistant:
		text = m.Content.Text()
	case m.Role == agui.RoleActivity && !m.IsNote():
		text = textOf(m.Activity)
	}
	return cut(text, MaxSearchText)
}

// cut returns the beginning of a text, whole characters only.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// textOf returns the strings in a JSON value, one a line.
func textOf(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	var b strings.Builder
	appendStrings(&b, value)
	return b.String()
}

func appendStrings(b *strings.Builder, value any) {
	if b.Len() > MaxSearchText {
		return
	}
	switch v := value.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, item := range v {
			appendStrings(b, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			appendStrings(b, v[key])
		}
	}
}

// Terms is what a search asks for: all of the words, the last one as a beginning.
type Terms []string

// maxTerms is how many words a search may have. More than anybody types are not looked at.
const maxTerms = 32

// ParseTerms reads what somebody has typed. No character in it means anything but itself.
func ParseTerms(text string) Terms {
	var terms Terms
	single := false // the last term is one character that may yet become a pair
	eachWord(text, func(word []byte, _ int, kind wordKind) bool {
		if kind == pair && single {
			terms = terms[:len(terms)-1] // of a pair only the pair is asked for
		}
		if kind == second {
			return true
		}
		single = kind == first
		terms = append(terms, string(word))
		return len(terms) < maxTerms
	})
	return terms
}

// In reports whether a text holds all terms.
func (q Terms) In(text string) bool {
	var found [maxTerms]bool
	left := len(q)
	q.find(text, func(term, _ int) bool {
		if !found[term] {
			found[term] = true
			left--
		}
		return left > 0
	})
	return left == 0
}

// find calls hit for the terms found in a text and where each begins, until hit returns false.
func (q Terms) find(text string, hit func(term, start int) bool) {
	eachWord(text, func(word []byte, start int, _ wordKind) bool {
		for i, term := range q {
			matches := string(word) == term
			if i == len(q)-1 {
				matches = strings.HasPrefix(string(word), term)
			}
			if matches && !hit(i, start) {
				return false
			}
		}
		return true
	})
}

// Snippet returns the part of a text around the first of the terms found in it, on one line.
func (q Terms) Snippet(text string) string {
	at := 0
	q.find(text, func(_, start int) bool {
		at = start
		return false
	})
	const before = 40 // characters of context in front
	start := at
	for n := 0; n < before && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start > 0 { // not in the middle of a word
		if space := strings.IndexFunc(text[start:at], unicode.IsSpace); space >= 0 {
			start += space
		}
	}
	line := oneLine(text[start:], SnippetSize+1)
	if start > 0 {
		line = "…" + line
	}
	return Shorten(line, SnippetSize)
}

// FirstUser returns the first message of a user, or nil where there is none.
func FirstUser(bodies []Body) *UserMessage {
	for _, b := range bodies {
		if !strings.Contains(b.JSON, agui.RoleUser) {
			continue
		}
		if m, err := agui.ReadStoredMessage([]byte(b.JSON)); err == nil && m.Role == agui.RoleUser {
			return &UserMessage{m.ID, Preview(m)}
		}
	}
	return nil
}

// Preview returns the beginning of a user's message on one line.
func Preview(m agui.Message) string {
	return Shorten(oneLine(m.Content.Text(), previewSize+1), previewSize)
}

// oneLine returns the first characters of a text with every run of white space as one space.
func oneLine(text string, size int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range text {
		if n >= size {
			break
		}
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Shorten returns a text of at most size characters; one that was longer ends with an ellipsis.
func Shorten(text string, size int) string {
	if len(text) <= size || utf8.RuneCountInString(text) <= size {
		return text
	}
	n := 0
	for i := range text {
		if n == size-1 {
			return strings.TrimRightFunc(text[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return text
}

// EachWord calls yield for the words of a text, as ParseTerms returns them, in order and as often
// as they occur, until it returns false. A word is good until yield returns. It is for stores that
// have an index of their own.
func EachWord(text string, yield func(word []byte) bool) {
	eachWord(text, func(word []byte, _ int, _ wordKind) bool { return yield(word) })
}

type wordKind int

const (
	whole  wordKind = iota // a run of letters and digits
	first                  // the first of some characters of a script without spaces
	second                 // a later one
	pair                   // one of them with the one before
)

// words takes a text apart.
type words struct {
	text  string
	yield func(word []byte, start int, kind wordKind) bool
	word  []byte // the run of letters that has begun
	start int    // where it did
	last  []byte // the character of a script without spaces that stands right before
	at    int    // where it stands
	room  [4][32]byte
}

// eachWord calls yield for the words of a text and where each begins, in order, until it returns
// false.
func eachWord(text string, yield func(word []byte, start int, kind wordKind) bool) {
	w := words{text: text, yield: yield}
	w.word, w.last = w.room[0][:0], w.room[2][:0]
	for i := 0; i < len(text); {
		size, ok := w.step(i)
		if !ok {
			return
		}
		i += size
	}
	w.end()
}

// step takes in the character at i and returns its size, and false where the rest is not wanted.
func (w *words) step(i int) (size int, ok bool) {
	c := w.text[i]
	if c >= utf8.RuneSelf {
		return w.wide(i)
	}
	if c = plain[c]; c == 0 {
		return 1, w.end()
	}
	if len(w.word) == 0 {
		w.start, w.last = i, w.last[:0]
	}
	w.word = append(w.word, c)
	return 1, true
}

// plain holds what an ASCII character is in a word, 0 where it is in none.
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
func (w *words) wide(i int) (size int, ok bool) {
	r, size := utf8.DecodeRuneInString(w.text[i:])
	switch kindOfRune(r) {
	case mark:
		return size, true
	case letter:
		if len(w.word) == 0 {
			w.start, w.last = i, w.last[:0]
		}
		w.word = appendFolded(w.word, w.text[i:i+size], r)
		return size, true
	case alone:
		return size, w.endWord() && w.single(i, size, r)
	}
	return size, w.end()
}

// single takes in a character of a script without spaces.
func (w *words) single(i, size int, r rune) bool {
	char := appendFolded(w.room[1][:0], w.text[i:i+size], r)
	kind := first
	if len(w.last) > 0 {
		kind = second
	}
	if !w.yield(char, i, kind) {
		return false
	}
	if kind == second && !w.yield(append(append(w.room[3][:0], w.last...), char...), w.at, pair) {
		return false
	}
	w.last, w.at = append(w.last[:0], char...), i
	return true
}

// end ends what has begun: what comes next does not stand together with it.
func (w *words) end() bool {
	w.last = w.last[:0]
	return w.endWord()
}

func (w *words) endWord() bool {
	if len(w.word) == 0 {
		return true
	}
	ok := w.yield(w.word, w.start, whole)
	w.word = w.word[:0]
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
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
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

// lower makes letters equal that differ only in case, also where there are two small ones.
func lower(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
