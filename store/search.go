package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/store/words"
)

// All stores must find the same, so this file defines the searched part of a message, and snippets,
// and package words what a word is.

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
	return visible.Cut(text, MaxSearchText)
}

// hasSearchText reports whether SearchText may return any text, without looking for it.
func hasSearchText(m *agui.Message) bool {
	switch m.Role {
	case agui.RoleUser, agui.RoleAssistant:
		return len(m.Content.Raw()) > len(`""`)
	case agui.RoleActivity:
		return !m.IsNote()
	}
	return false
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
	words.Each(text, func(word []byte, _ int, kind words.Kind) bool {
		if kind == words.Pair && single {
			terms = terms[:len(terms)-1] // search only for the pair
		}
		if kind == words.Second {
			return true
		}
		single = kind == words.First
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
	words.Each(text, func(word []byte, start int, _ words.Kind) bool {
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
