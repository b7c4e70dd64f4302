package ask

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed languages.txt
var languagesFile string

// language is one that questions are recognised in, but not answered.
type language struct {
	words    map[string]bool
	sentence string
}

var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for line := range strings.Lines(languagesFile) {
		head, text, ok := strings.Cut(strings.TrimSpace(line), " = ")
		name, kind, _ := strings.Cut(head, " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		l := all[name]
		if l == nil {
			l = &language{words: map[string]bool{}}
			all[name] = l
		}
		if kind == "sentence" {
			l.sentence = text
			continue
		}
		for _, w := range strings.Fields(text) {
			l.words[w] = true
		}
	}
	return all
})

// Foreign returns what to say to a question in another language than English. It compares how many
// stop words of each language a question has; a language must have more than English, and alone.
func Foreign(question string) (sentence string, ok bool) {
	counts := map[string]int{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(question), func(r rune) bool { return strings.ContainsRune(" \t\n?!.,;:()\"'„“”«»¿¡’-", r) }) {
		for name, l := range languages() {
			if l.words[w] {
				counts[name]++
			}
		}
	}
	best, tied := "en", false
	for _, name := range slices.Sorted(maps.Keys(languages())) {
		switch n := counts[name]; {
		case name == "en":
		case n > counts[best]:
			best, tied = name, false
		case n == counts[best] && best != "en":
			tied = true
		}
	}
	if best == "en" || tied && counts[best] < 2 {
		return "", false
	}
	return languages()[best].sentence, true
}
