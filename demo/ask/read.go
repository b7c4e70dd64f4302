package ask

import (
	_ "embed"
	"os"
	"regexp"
	"slices"
	"strconv"
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

// pattern is a way to say something that is no fixed phrase.
type pattern struct {
	meaning
	re *regexp.Regexp
}

// lexicon holds the meanings.
type lexicon struct {
	patterns []pattern
	phrases  map[string]meaning
	words    map[string]bool // of all phrases
}

// longest is how many words a phrase may have.
const longest = 5

// theLexicon is read at the first question. The first meaning of a phrase counts.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{phrases: map[string]meaning{}, words: map[string]bool{}}
	for line := range strings.Lines(lexiconFile) {
		head, phrases, isPhrases := strings.Cut(line, " -> ")
		if head, re, ok := strings.Cut(line, " ~ "); ok && !strings.HasPrefix(line, "#") {
			re = timeForms.Replace(strings.TrimSpace(re))
			l.patterns = append(l.patterns, pattern{meaningOf(head), regexp.MustCompile(`^(?:` + re + `)(?: |$)`)})
		}
		if !isPhrases || strings.HasPrefix(line, "#") {
			continue
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			words := strings.Fields(phrase)
			phrase = strings.Join(words, " ")
			if _, known := l.phrases[phrase]; !known {
				l.phrases[phrase] = meaningOf(head)
			}
			for _, w := range words {
				l.words[w] = true
			}
		}
	}
	return l
})

func meaningOf(head string) meaning {
	kind, value, _ := strings.Cut(head, ":")
	return meaning{kind, value}
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

var (
	folded  = strings.NewReplacer("’", "'", "–", "-", "%", " % ")
	hyphen  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z])-|-([a-z])`) })
	trimmed = `?!.,;:"'()“”„`
	// synonyms are other ways to write numbers and times.
	synonyms = map[string]string{"noon": "12:00", "midday": "12:00", "midnight": "0:00", "two": "2", "three": "3", "six": "6", "twelve": "12"}
)

// split returns the words of a question: in small letters, but for those that stand for themselves.
func (l *lexicon) split(question string) (words []string) {
	for word := range strings.FieldsSeq(question) {
		bare := strings.Trim(word, trimmed)
		if slices.ContainsFunc(l.patterns, func(p pattern) bool { return p.kind == "is" && p.re.MatchString(bare) }) {
			words = append(words, bare)
			continue
		}
		for w := range strings.FieldsSeq(hyphen().ReplaceAllString(folded.Replace(strings.ToLower(word)), "$1 $2")) {
			w = strings.Trim(w, trimmed)
			if other, ok := synonyms[w]; ok {
				w = other
			}
			if w != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// piece is a part of a question whose meaning is known.
type piece struct {
	meaning
	n    int  // of a number
	cond Cond // of a condition
	span Span // of a time
}

// read returns the pieces of a question, or false where a word of it has no meaning.
func read(question string) (found []piece, ok bool) {
	l := theLexicon()
	for words := l.split(question); len(words) > 0; {
		p, n := l.next(words)
		if n == 0 {
			return nil, false
		}
		found, words = append(found, p), words[n:]
	}
	return found, true
}

// next returns the piece that the words begin with, and how many words it has; 0 is none. Of
// phrases, the longest counts.
func (l *lexicon) next(words []string) (piece, int) {
	rest := strings.Join(words, " ")
	for _, p := range l.patterns {
		m := p.re.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		n := len(strings.Fields(m[0]))
		if then := p.re.SubexpIndex("then"); then > 0 {
			n -= len(strings.Fields(m[then]))
		}
		if found, ok := p.piece(m); ok {
			return found, n
		}
	}
	spelt := make([]string, min(longest, len(words)))
	for i := range spelt {
		spelt[i] = l.spell(words[i])
	}
	for n := len(spelt); n > 0; n-- {
		if m, ok := l.phrases[strings.Join(spelt[:n], " ")]; ok {
			p, _ := m.piece(nil)
			return p, n
		}
	}
	return piece{}, 0
}

// piece makes a piece of a meaning, with what a pattern has found. It reports false where that
// cannot be meant.
func (m meaning) piece(groups []string) (p piece, ok bool) {
	p.meaning, ok = m, true
	switch m.kind {
	case "is": // browser = Bot
		value := os.Expand(m.value, func(group string) string {
			i, _ := strconv.Atoi(group)
			return groups[i]
		})
		parts := strings.SplitN(value, " ", 3)
		if p.cond = (Cond{Field: parts[0], Op: parts[1], Value: parts[2]}); p.cond.Field == "method" {
			p.cond.Value = strings.ToUpper(p.cond.Value)
		}
	case "time":
		p.span, ok = timeReaders[m.value](groups)
	case "number":
		p.n, _ = strconv.Atoi(groups[1])
		ok = p.n > 0 && p.n <= 50
	}
	return p, ok
}
