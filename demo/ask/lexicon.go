package ask

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/nearest"
)

//go:embed lexicon.txt
var lexiconFile string

// meaning is what a phrase stands for: a kind such as do, field or is, and its value.
type meaning struct {
	kind, value string
}

// lexicon holds the meanings by phrase.
type lexicon struct {
	phrases map[string]meaning
	words   map[string]bool // of all phrases
	longest int             // words in a phrase
}

var readLexicon = sync.OnceValue(func() *lexicon { return newLexicon(lexiconFile) })

// newLexicon reads lines such as "field:path = page, pages".
func newLexicon(text string) *lexicon {
	l := &lexicon{phrases: map[string]meaning{}, words: map[string]bool{}}
	for line := range strings.Lines(text) {
		head, phrases, ok := strings.Cut(line, " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		kind, value, _ := strings.Cut(head, ":")
		l.add(phrases, meaning{kind, value})
	}
	return l
}

// add keeps the first meaning of a phrase.
func (l *lexicon) add(phrases string, m meaning) {
	for phrase := range strings.SplitSeq(phrases, ",") {
		words := strings.Fields(phrase)
		phrase = strings.Join(words, " ")
		if _, ok := l.phrases[phrase]; !ok && phrase != "" {
			l.phrases[phrase] = m
			l.longest = max(l.longest, len(words))
			for _, w := range words {
				l.words[w] = true
			}
		}
	}
}

// find returns the meaning of the longest phrase that the words begin with, and its length in
// words; 0 is none. A word that is in no phrase may be a misspelt one.
func (l *lexicon) find(words []string) (m meaning, n int) {
	if m, n = l.exact(words); n > 0 {
		return m, n
	}
	at := slices.IndexFunc(words, func(w string) bool { return !l.words[w] })
	if at < 0 || at > 1 {
		return meaning{}, 0
	}
	return l.misspelt(words, at)
}

func (l *lexicon) exact(words []string) (m meaning, n int) {
	for n = min(l.longest, len(words)); n > 0; n-- {
		if m, ok := l.phrases[strings.Join(words[:n], " ")]; ok {
			return m, n
		}
	}
	return meaning{}, 0
}

// misspelt takes a word for one that it is near to, if all of those mean the same.
func (l *lexicon) misspelt(words []string, at int) (found meaning, n int) {
	for known := range l.words {
		if !near(words[at], known) {
			continue
		}
		corrected := slices.Clone(words)
		corrected[at] = known
		m, length := l.find(corrected)
		if length <= at || m.kind == "skip" {
			continue
		}
		if n > 0 && (found.kind != m.kind || found.value != m.value || n != length) {
			return meaning{}, 0
		}
		found, n = m, length
	}
	return found, n
}

// near reports whether one letter is wrong, missing or too many, or two neighbours are swapped.
// Short words are near to too many others.
func near(word, known string) bool {
	if len(word) < 4 || len(known) < 4 || word[0] != known[0] {
		return false
	}
	return len(known) > 4 && nearest.Distance(word, known) <= 1 || swapped(word, known)
}

// swapped reports whether two neighbouring letters are all that differs.
func swapped(a, b string) bool {
	for i := range len(a) - 1 {
		if len(a) == len(b) && a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return true
		}
	}
	return false
}

// Words are meanings by phrase, for questions about other things than logs.
type Words struct{ l *lexicon }

// NewWords reads lines such as "field:path = page, pages".
func NewWords(text string) *Words { return &Words{newLexicon(text)} }

// Find returns the meaning of the longest phrase that the words begin with, and its length in
// words; 0 is none.
func (w *Words) Find(words []string) (kind, value string, n int) {
	if len(words) == 0 {
		return "", "", 0
	}
	m, n := w.l.find(words)
	return m.kind, m.value, n
}

// Exact is Find without misspelt words: what stands where any name may is none.
func (w *Words) Exact(words []string) (kind, value string, n int) {
	m, n := w.l.exact(words)
	return m.kind, m.value, n
}
