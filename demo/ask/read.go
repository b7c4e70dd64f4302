package ask

import (
	"regexp"
	"strconv"
	"strings"
)

// piece is a part of a question whose meaning is known.
type piece struct {
	meaning
	n    int  // of a number
	cond Cond // of a condition
	span Span // of a time
}

func condition(field, op, value string) piece {
	return piece{meaning: meaning{kind: "is"}, cond: Cond{Field: field, Op: op, Value: value}}
}

// literals are the words that stand for themselves, as written, and the condition that each is.
var literals = []struct {
	re               *regexp.Regexp
	field, op, value string
}{
	{regexp.MustCompile(`^([1-5]\d\d)(?:'?s|S)?$`), "status", "=", "$1"},
	{regexp.MustCompile(`^(?i)([1-5])xx(?:'?s)?$`), "status", "between", "${1}00 and ${1}99"},
	{regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[sS]?$`), "method", "=", "$1"},
	{regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]*::[0-9a-fA-F:]*)$`), "clientip", "=", "$1"},
	{regexp.MustCompile(`^((?:\d{1,3}\.){1,3})(?:[xX*]\.)*[xX*]$`), "clientip", "like", "$1%"},
	{regexp.MustCompile(`^((?:\d{1,3}\.){3})\d+/24$`), "clientip", "like", "$1%"},
	{regexp.MustCompile(`^(/\S*)\*$`), "path", "like", "$1%"},
	{regexp.MustCompile(`^(/\S*)$`), "path", "=", "$1"},
	{regexp.MustCompile(`^([\w-]+\.(?:ico|css|js|php|html?|xml|txt|zip|png|pdf|json|sql))$`), "path", "like", "%/$1"},
}

// literal reads a word that stands for itself.
func literal(word string) (piece, bool) {
	for _, l := range literals {
		if m := l.re.FindStringSubmatchIndex(word); m != nil {
			return condition(l.field, l.op, string(l.re.ExpandString(nil, l.value, word, m))), true
		}
	}
	return piece{}, false
}

var (
	folded  = strings.NewReplacer("’", "'", "–", "-", "%", " % ")
	hyphen  = regexp.MustCompile(`([a-z])-|-([a-z])`)
	trimmed = `?!.,;:"'()“”„`
	// synonyms are other ways to write numbers and times.
	synonyms = map[string]string{"noon": "12:00", "midday": "12:00", "midnight": "0:00", "two": "2", "three": "3", "six": "6", "twelve": "12"}
)

// split returns the words of a question: in small letters, but for those that stand for themselves.
func split(question string) (words []string) {
	for word := range strings.FieldsSeq(question) {
		bare := strings.Trim(word, trimmed)
		if _, ok := literal(bare); ok {
			words = append(words, bare)
			continue
		}
		for w := range strings.FieldsSeq(hyphen.ReplaceAllString(folded.Replace(strings.ToLower(word)), "$1 $2")) {
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

// read returns the pieces of a question, or false where a word of it has no meaning.
func read(question string) (found []piece, ok bool) {
	for words := split(question); len(words) > 0; {
		p, n := next(words)
		if n == 0 {
			return nil, false
		}
		found, words = append(found, p), words[n:]
	}
	return found, true
}

// methodRe is an HTTP method in small letters, where nothing else can be meant.
var methodRe = regexp.MustCompile(`^(get|post|put|patch|delete|head|options)s? (?:requests?|calls?|hits)\b`)

// next returns the piece that the words begin with, and how many words it has; 0 is none.
func next(words []string) (piece, int) {
	if p, ok := literal(words[0]); ok {
		return p, 1
	}
	rest := strings.Join(words, " ")
	if s, n := readTime(rest); n > 0 {
		return piece{meaning: meaning{kind: "time"}, span: s}, n
	}
	if m := methodRe.FindStringSubmatch(rest); m != nil {
		return condition("method", "=", strings.ToUpper(m[1])), 1
	}
	if n, err := strconv.Atoi(words[0]); err == nil && n > 0 && n <= 50 {
		return piece{meaning: meaning{kind: "number"}, n: n}, 1
	}
	spelt := make([]string, min(longest, len(words)))
	for i := range spelt {
		spelt[i] = readLexicon().spell(words[i])
	}
	m, n := readLexicon().find(spelt)
	if m.kind == "is" { // browser = Bot
		parts := strings.SplitN(m.value, " ", 3)
		return condition(parts[0], parts[1], parts[2]), n
	}
	return piece{meaning: m}, n
}
