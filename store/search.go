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

// What is found is the same in every store, so what a word is, what of a message is searched, and what a snippet shows is
// decided here.
//
// A word is a run of letters and digits, without regard to case and to marks such as accents. Scripts that put no spaces between
// words are taken character by character; what is asked for in one piece must then be found in one piece.

// MaxSearchText is how much of a message is searched, in bytes from its beginning.
const MaxSearchText = 64 << 10

// SnippetSize is how long a snippet is at most, in characters.
const SnippetSize = 160

// previewSize is how long a preview of a user's message is at most, in characters.
const previewSize = 120

// noteType marks lines that the server has put into the transcript for the model. Nobody looks for them.
const noteType = "pageside_note"

// SearchText returns the text of a message that is searched: what a user or an assistant said, and what a card shows.
func SearchText(m agui.Message) string {
	var text string
	switch {
	case m.Role == agui.RoleUser, m.Role == agui.RoleAssistant:
		text = m.Content.Text()
	case m.Role == agui.RoleActivity && m.ActivityType != noteType:
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

// Terms is what a search asks for: all of the terms, the last one as a beginning.
type Terms [][]string // a term is one word, or several that stand together

// ParseTerms reads what somebody has typed. No character in it means anything but itself.
func ParseTerms(text string) Terms {
	var terms Terms
	lastEnd := -1
	eachWord(text, func(folded []byte, start, end int, whole bool) bool {
		if !whole && start == lastEnd {
			last := len(terms) - 1
			terms[last] = append(terms[last], string(folded))
		} else {
			terms = append(terms, []string{string(folded)})
		}
		lastEnd = -1
		if !whole {
			lastEnd = end
		}
		return len(terms) <= maxTerms
	})
	return terms[:min(len(terms), maxTerms)]
}

const maxTerms = 32

// In reports whether a text holds all terms.
func (q Terms) In(text string) bool {
	found := make([]bool, len(q))
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
	type seen struct {
		word  string
		start int
	}
	var words []seen
	eachWord(text, func(folded []byte, start, _ int, _ bool) bool {
		words = append(words, seen{string(folded), start})
		return true
	})
	for i := range words {
		for t, term := range q {
			if i+len(term) > len(words) {
				continue
			}
			matches := true
			for j, want := range term {
				if last := t == len(q)-1 && j == len(term)-1; last {
					matches = matches && strings.HasPrefix(words[i+j].word, want)
				} else {
					matches = matches && words[i+j].word == want
				}
			}
			if matches && !hit(t, words[i].start) {
				return
			}
		}
	}
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

// AppendWords appends the words of a text to dst, as ParseTerms returns them, with a space in front of each. It is for stores that
// have an index of their own.
func AppendWords(dst []byte, text string) []byte {
	eachWord(text, func(folded []byte, _, _ int, _ bool) bool {
		dst = append(dst, ' ')
		dst = append(dst, folded...)
		return true
	})
	return dst
}

// eachWord calls yield for the words of a text, in order, until it returns false. whole is false for one character of a script
// without spaces. folded is good until yield returns.
func eachWord(text string, yield func(folded []byte, start, end int, whole bool) bool) {
	var room [64]byte
	word, start := room[:0], 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			default:
				c = 0
			}
			if c != 0 {
				if len(word) == 0 {
					start = i
				}
				word = append(word, c)
			} else if len(word) > 0 {
				if !yield(word, start, i, true) {
					return
				}
				word = word[:0]
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		kind := kindOfRune(r)
		if len(word) > 0 && (kind == between || kind == alone) {
			if !yield(word, start, i, true) {
				return
			}
			word = word[:0]
		}
		switch kind {
		case letter, alone:
			if len(word) == 0 {
				start = i
			}
			word = appendFolded(word, text[i:i+size], r)
			if kind == alone {
				if !yield(word, i, i+size, false) {
					return
				}
				word = word[:0]
			}
		}
		i += size
	}
	if len(word) > 0 {
		yield(word, start, len(text), true)
	}
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
