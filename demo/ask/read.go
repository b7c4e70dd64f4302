package ask

import (
	"fmt"
	"net/netip"
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

// reader takes a question apart: what is recognised is replaced by a mark, which stands for a
// piece.
type reader struct {
	text   string
	pieces []piece
}

var (
	folded    = strings.NewReplacer("’", "'", "–", "-")
	trimmed   = `?!.,;:"'()“”„`
	mark      = regexp.MustCompile(`^⟦(\d+)⟧$`)
	statusRe  = regexp.MustCompile(`^([1-5]\d\d)(?:'?s)?$`)
	classRe   = regexp.MustCompile(`^([1-5])xx(?:'?s)?$`)
	ipRangeRe = regexp.MustCompile(`^(\d{1,3}\.(?:\d{1,3}\.){0,2})(?:(?:[x*]\.)*[x*])$`)
	fileRe    = regexp.MustCompile(`^[\w-]+\.(?:ico|css|js|php|html?|xml|txt|zip|png|pdf|json|sql)$`)
	pathRe    = regexp.MustCompile(`^/\S*$`)
	methodRe  = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)(?:s|S)?\b|\b(?i:(get|post|put|patch|delete|head|options)s?[- ](?:requests?|calls?|hits)|(?:only|just|hide|method)\s+(post|put|patch|get|head)s?)\b`)
	onlyRe    = regexp.MustCompile(`(?i)\b(only|just|hide)\b`)
	hyphen    = regexp.MustCompile(`([a-z])-|-([a-z])`)
)

// read returns the pieces of a question, or false where a word of it has no meaning.
func read(question string) ([]piece, bool) {
	r := &reader{}
	words := strings.Fields(question)
	for i, w := range words {
		if p, ok := literal(strings.Trim(w, trimmed)); ok {
			words[i] = r.add(p)
		}
	}
	r.text = strings.Join(words, " ")
	r.methods()
	r.text = hyphen.ReplaceAllString(folded.Replace(strings.ToLower(r.text)), "$1 $2")
	r.times()
	return r.words()
}

// add keeps a piece and returns its mark.
func (r *reader) add(p piece) string {
	r.pieces = append(r.pieces, p)
	return fmt.Sprintf(" ⟦%d⟧ ", len(r.pieces)-1)
}

func condition(field, op, value string) piece {
	return piece{meaning: meaning{kind: "is"}, cond: Cond{Field: field, Op: op, Value: value}}
}

// literal reads a word that stands for itself: an address, a range of them, a path, a file.
func literal(word string) (piece, bool) {
	if a, err := netip.ParseAddr(word); err == nil {
		return condition("clientip", "=", a.String()), true
	}
	if m := ipRangeRe.FindStringSubmatch(strings.ToLower(word)); m != nil {
		return condition("clientip", "like", m[1]+"%"), true
	}
	if p, err := netip.ParsePrefix(word); err == nil && p.Addr().Is4() && p.Bits()%8 == 0 && p.Bits() > 0 && p.Bits() < 32 {
		octets := strings.Split(p.Masked().Addr().String(), ".")[:p.Bits()/8]
		return condition("clientip", "like", strings.Join(octets, ".")+".%"), true
	}
	prefix, starred := strings.CutSuffix(word, "*")
	switch {
	case pathRe.MatchString(word) && starred:
		return condition("path", "like", prefix+"%"), true
	case pathRe.MatchString(word):
		return condition("path", "=", word), true
	case fileRe.MatchString(strings.ToLower(word)):
		return condition("path", "like", "%/"+word), true
	}
	return piece{}, false
}

// methods finds HTTP methods: in capitals, or where nothing else can be meant.
func (r *reader) methods() {
	r.text = methodRe.ReplaceAllStringFunc(r.text, func(found string) string {
		m := methodRe.FindStringSubmatch(found)
		return onlyRe.FindString(found) + r.add(condition("method", "=", strings.ToUpper(m[1]+m[2]+m[3])))
	})
}

// words reads what is left, phrase by phrase.
func (r *reader) words() (found []piece, ok bool) {
	var words []string
	for _, w := range strings.Fields(r.text) {
		if w = strings.Trim(strings.ReplaceAll(w, "%", " % "), trimmed+" "); w != "" {
			words = append(words, w)
		}
	}
	for len(words) > 0 {
		p, n := r.next(words)
		if n == 0 {
			return nil, false
		}
		found, words = append(found, p), words[n:]
	}
	return found, true
}

func (r *reader) next(words []string) (piece, int) {
	w := words[0]
	if m := mark.FindStringSubmatch(w); m != nil {
		i, _ := strconv.Atoi(m[1])
		return r.pieces[i], 1
	}
	if m := statusRe.FindStringSubmatch(w); m != nil {
		return condition("status", "=", m[1]), 1
	}
	if m := classRe.FindStringSubmatch(w); m != nil {
		return condition("status", "between", m[1]+"00 and "+m[1]+"99"), 1
	}
	if n, err := strconv.Atoi(w); err == nil && n > 0 && n <= 50 {
		return piece{meaning: meaning{kind: "number"}, n: n}, 1
	}
	m, n := readLexicon().find(words)
	p := piece{meaning: m}
	if m.kind == "is" {
		p.cond = namedCondition(m.value)
	}
	return p, n
}

// namedCondition reads a condition of the lexicon: browser=Bot, status>=400, status400-499.
func namedCondition(text string) Cond {
	if field, value, ok := strings.Cut(text, ">="); ok {
		return Cond{Field: field, Op: ">=", Value: value}
	}
	if field, value, ok := strings.Cut(text, "="); ok {
		return Cond{Field: field, Op: "=", Value: value}
	}
	from, to, _ := strings.Cut(strings.TrimPrefix(text, "status"), "-")
	return Cond{Field: "status", Op: "between", Value: from + " and " + to}
}
