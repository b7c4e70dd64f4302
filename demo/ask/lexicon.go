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
}

// longest is how many words a phrase may have.
const longest = 5

// readLexicon reads lines such as "field:path -> page, pages". The first meaning of a phrase
// counts.
var readLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{phrases: map[string]meaning{}, words: map[string]bool{}}
	for line := range strings.Lines(lexiconFile) {
		head, phrases, ok := strings.Cut(line, " -> ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		kind, value, _ := strings.Cut(head, ":")
		for phrase := range strings.SplitSeq(phrases, ",") {
			words := strings.Fields(phrase)
			phrase = strings.Join(words, " ")
			if _, known := l.phrases[phrase]; !known {
				l.phrases[phrase] = meaning{kind, value}
			}
			for _, w := range words {
				l.words[w] = true
			}
		}
	}
	return l
})

// find returns the meaning of the longest phrase that the words begin with, and its length in
// words; 0 is none.
func (l *lexicon) find(words []string) (m meaning, n int) {
	for n = min(longest, len(words)); n > 0; n-- {
		if m, ok := l.phrases[strings.Join(words[:n], " ")]; ok {
			return m, n
		}
	}
	return meaning{}, 0
}

// spell returns the known word that a misspelt one is near to, if all of those mean the same: one
// letter is wrong, missing or too many, or letters are swapped. Short words are near to too many.
func (l *lexicon) spell(word string) string {
	if l.words[word] || len(word) < 4 {
		return word
	}
	found := ""
	for known := range l.words {
		swapped := len(known) > 3 && slices.Equal(slices.Sorted(slices.Values([]byte(word))), slices.Sorted(slices.Values([]byte(known))))
		if word[0] != known[0] || !swapped && (len(known) < 5 || nearest.Distance(word, known) > 1) {
			continue
		}
		if found != "" && l.phrases[found] != l.phrases[known] {
			return word
		}
		found = max(found, known)
	}
	if found == "" {
		return word
	}
	return found
}
