package script

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/lazy"
)

// vocabulary is the words that a rule knows; one with a star stands for all that begin like it.
type vocabulary []string

func (v *vocabulary) read(p *parser, n *yaml.Node, path string) {
	if *v = strings.Fields(strings.ToLower(p.text(n, path))); len(*v) == 0 {
		p.failf(n, path, "must name at least one word")
	}
}

func (v vocabulary) has(word string) bool {
	for _, known := range v {
		if stem, starred := strings.CutSuffix(known, "*"); word == known || starred && strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}

var wordsIn = lazy.Regexp(`[\pL\pN]+(?:['’][\pL]+)?`)

// knows reports whether a rule with words knows every word of a question: it is one of the rule's
// or of the file's, or stands in what a named group of the match has taken.
func (r *rule) knows(common vocabulary, question string) bool {
	if r.Words == nil {
		return true
	}
	taken := r.taken(question)
	for _, at := range wordsIn().FindAllStringIndex(question, -1) {
		word := strings.ToLower(strings.ReplaceAll(question[at[0]:at[1]], "’", "'"))
		if !taken(at[0]) && !r.Words.has(word) && !common.has(word) {
			return false
		}
	}
	return true
}

// taken returns a function that reports whether a named group has taken the word
// that begins there.
func (r *rule) taken(question string) func(at int) bool {
	m := r.Match.FindStringSubmatchIndex(question)
	return func(at int) bool {
		for i, name := range r.Match.SubexpNames() {
			if m != nil && name != "" && m[2*i] >= 0 && m[2*i] <= at && at < m[2*i+1] {
				return true
			}
		}
		return false
	}
}
