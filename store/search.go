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

// All stores must find the same, so this file defines words, the searched part of a message, and
// snippets.
//
// A word is a sequence of letters and digits, ignoring case and marks such as accents. Scripts
// without spaces between words have no such sequences: there each character is a word, and so is
// each pair of neighbours. A text is the set of its words.

// MaxSearchText is how many bytes of a message are searched.
const MaxSearchText = 64 << 10

// SnippetSize is the maximum length of a snippet, in characters.
const SnippetSize = 160

// previewSize is the maximum length of a preview, in characters.
const previewSize = 120

// SearchText returns the searchable text of a message: text of the user or the assistant, or the
// strings of a payload. Notes have none.
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

// cut returns the beginning of a text, without splitting a character.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// textOf returns the strings in a JSON value, one per line.
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

// Terms are the words of a search; all must match. The last one matches as a prefix.
type Terms []string

// maxTerms is how many words of a search count.
const maxTerms = 32

// ParseTerms parses a search as typed. No character has a special meaning.
func ParseTerms(text string) Terms {
	var terms Terms
	single := false // the last term is one character that may yet become a pair
	eachWord(text, func(word []byte, _ int, kind wordKind) bool {
		if kind == pair && single {
			terms = terms[:len(terms)-1] // search only for the pair
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

// In reports whether a text has all the terms.
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

// find calls hit for each term found in a text, with its offset, until hit returns false.
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

// Snippet returns the part of a text around the first term found, on one line.
func (q Terms) Snippet(text string) string {
	at := 0
	q.find(text, func(_, start int) bool {
		at = start
		return false
	})
	const before = 40 // characters before it
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

// FirstUser returns the first user message, or nil.
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

// oneLine returns the first characters of a text, with white space collapsed.
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

// EachWord calls yield for the words of a text in order, including repeated ones, until yield
// returns false. Words have the form of ParseTerms and are valid until yield returns. It is for
// stores with an index of words.
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

// words splits a text into words.
type words struct {
	text  string
	yield func(word []byte, start int, kind wordKind) bool
	word  []byte // the run of letters that has begun
	start int    // where it did
	last  []byte // the previous character, if of a script without spaces
	at    int    // its offset
	room  [4][32]byte
}

// eachWord is EachWord with the offset where each word begins, and its kind.
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

// step reads the character at i and returns its size. ok is false once yield has returned false.
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

// single reads a character of a script without spaces.
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

// end ends the current word. The next character is not its neighbour.
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

// lower maps letters that differ only in case to the same one, even if one has two lower-case
// forms.
func lower(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
