package pubmed

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/demo/refuse"
)

// maxQuery bounds a search, in code points; maxTerms its parts; maxDepth its parentheses. minPrefix
// is how many letters PubMed wants before a star.
const (
	maxQuery  = 4000
	maxTerms  = 200
	maxDepth  = 32
	minPrefix = 4
)

type kind uint8

// The kinds of tokens but end are the groups of tokenRe.
const (
	end kind = iota
	phrase
	tag
	word
	other // ( and ), and what nothing may begin with
)

var tokenRe = regexp.MustCompile(`^(?:["“”]([^"“”]*)["“”]|\[([^\]]*)\]|([^\s()\[\]"“”]+)|([()\[\]"“”]))`)

// token is a piece of a search. start and length are in code points.
type token struct {
	kind          kind
	text          string
	start, length int
}

func (t token) isOperator() bool {
	return t.kind == word && (t.text == "AND" || t.text == "OR" || t.text == "NOT")
}

func (t token) is(text string) bool { return t.kind == other && t.text == text }

// fail gives up at a token, saying what could stand there instead. Parse returns the error.
func (t token) fail(expected []string, format string, args ...any) {
	at := map[string]any{"position": t.start, "length": t.length}
	e := refuse.BadQuery("pubmed_error", fmt.Sprintf(format, args...), at, expected)
	e.Where = fmt.Sprintf("query: at character %d: ", t.start+1)
	if len(expected) > 0 {
		e.Hint = "Expected: " + strings.Join(expected, ", ")
	}
	panic(e)
}

// parser reads tokens, the last of which is end.
type parser struct {
	tokens []token
	at     int
	terms  int
}

// Parse reads a search. An empty one is everything. The error is a *refuse.Error, whose position
// and length are in code points, from 0; length 0 points at the end.
func Parse(query string) (_ Query, err error) {
	defer refuse.Caught(&err)
	p := &parser{}
	p.lex(strings.ToValidUTF8(query, "\uFFFD"))
	if p.peek().kind == end {
		return Query{}, nil
	}
	root := p.joined(0)
	if t := p.peek(); t.is(")") {
		t.fail(nil, "there is a ) without a ( before it")
	}
	return Query{root}, nil
}

func (p *parser) lex(query string) {
	if n := utf8.RuneCountInString(query); n > maxQuery {
		token{start: maxQuery}.fail(nil, "the search is longer than %d characters", maxQuery)
	}
	at := 0
	for rest := query; ; {
		trimmed := strings.TrimSpace(rest)
		if trimmed == "" {
			p.tokens = append(p.tokens, token{kind: end, start: at + utf8.RuneCountInString(rest)})
			return
		}
		at += utf8.RuneCountInString(rest[:strings.Index(rest, trimmed)])
		rest = rest[strings.Index(rest, trimmed):]
		m := tokenRe.FindStringSubmatchIndex(rest)
		t := token{start: at, length: utf8.RuneCountInString(rest[:m[1]])}
		for t.kind = phrase; m[2*t.kind] < 0; t.kind++ {
		}
		t.text = strings.TrimSpace(rest[m[2*t.kind]:m[2*t.kind+1]])
		t.check(rest)
		p.tokens, at, rest = append(p.tokens, t), at+t.length, rest[m[1]:]
	}
}

// check refuses what does not end, or has not begun.
func (t token) check(rest string) {
	switch {
	case t.is("]"):
		t.fail(nil, "there is a ] without a [ before it")
	case t.kind == other && !strings.Contains("()", t.text):
		closer := map[bool]string{true: "]", false: `"`}[t.text == "["]
		t.length = utf8.RuneCountInString(rest)
		t.fail([]string{closer}, "what begins here does not end: there is no %s", closer)
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// joined reads operands and operators from left to right, up to a ) or the end.
func (p *parser) joined(depth int) *node {
	left := p.operand(depth)
	for {
		t := p.peek()
		if t.kind == end || t.is(")") {
			return left
		}
		op := "AND"
		if t.isOperator() {
			op = p.take().text
		}
		left = &node{op: op, left: left, right: p.operand(depth)}
	}
}

var operandStart = []string{"a word", `"`, "("}

func (p *parser) operand(depth int) *node {
	t := p.peek()
	switch {
	case t.is("("):
		return p.group(depth)
	case t.is(")"):
		t.fail(operandStart, "there is nothing to look for before this )")
	case t.isOperator():
		t.fail(operandStart, "%s needs something to look for before it and behind it", t.text)
	case t.kind == tag:
		t.fail(operandStart, "the tag [%s] has no word or phrase before it", t.text)
	case t.kind == end:
		t.fail(operandStart, "the search ends where something to look for is expected")
	case t.kind == phrase:
		return p.tagged([]token{p.take()})
	}
	return p.words()
}

func (p *parser) group(depth int) *node {
	begin := p.take()
	if depth == maxDepth {
		begin.fail(nil, "parentheses are nested more than %d deep", maxDepth)
	}
	n := p.joined(depth + 1)
	if !p.take().is(")") {
		begin.fail([]string{")"}, "this ( is not closed")
	}
	if t := p.peek(); t.kind == tag {
		t.fail(nil, "a tag belongs behind a word or phrase, not behind parentheses")
	}
	return n
}

// words reads a run of bare words: one phrase where a tag follows, else each by itself.
func (p *parser) words() (joined *node) {
	var run, telling []token
	for t := p.peek(); t.kind == word && !t.isOperator(); t = p.peek() {
		run = append(run, p.take())
		if !slices.Contains(stopWords, strings.ToLower(t.text)) && len(Tokens(t.text)) > 0 {
			telling = append(telling, t)
		}
	}
	if p.peek().kind == tag {
		return p.tagged(run)
	}
	if telling == nil {
		telling = run // there are no others
	}
	for _, t := range telling {
		if strings.HasPrefix(t.text, "#") {
			t.fail(operandStart, "there is no search history to refer to with %s", t.text)
		}
		if from, to, isRange := strings.Cut(t.text, ":"); isRange && Day(from) > 0 && Day(to) > 0 {
			t.fail([]string{t.text + "[dp]"}, "a range of dates needs its tag: %s[dp]", t.text)
		}
		if n := p.term(fields[0], t); joined == nil {
			joined = n
		} else {
			joined = &node{op: "AND", left: joined, right: n}
		}
	}
	return joined
}

// tagged reads the tag behind a phrase, or behind the words of a run, where there is one.
func (p *parser) tagged(run []token) *node {
	texts := make([]string, len(run))
	for i, t := range run {
		texts[i] = t.text
	}
	last := run[len(run)-1]
	whole := token{run[0].kind, strings.Join(texts, " "), run[0].start, last.start + last.length - run[0].start}
	f := fields[0]
	if t := p.peek(); t.kind == tag {
		p.take()
		if f = fieldOf(t.text); f == nil {
			t.fail(tagsInUse(), "[%s] is no tag that is known here; there are %s", t.text, strings.Join(tagsInUse(), " "))
		}
	}
	return p.term(f, whole)
}

// term makes a term of a token.
func (p *parser) term(f *field, t token) *node {
	if p.terms++; p.terms > maxTerms {
		t.fail(nil, "there are more than %d terms", maxTerms)
	}
	if f.dates {
		return days(f, t)
	}
	bare, star := strings.CutSuffix(t.text, "*")
	n := &node{field: f, text: strings.TrimSpace(bare), tokens: Tokens(bare), phrase: Spaced(bare), prefix: star}
	switch {
	case strings.Contains(bare, "*"):
		t.fail(nil, "a * can stand only at the end of a word or phrase")
	case len(n.tokens) == 0:
		t.fail([]string{"a word"}, "there is no letter or digit to look for")
	case star && utf8.RuneCountInString(n.tokens[len(n.tokens)-1]) < minPrefix:
		t.fail(nil, "a * needs at least %d letters before it", minPrefix)
	case star:
		n.phrase = strings.TrimSuffix(n.phrase, " ")
	}
	n.lookUp()
	return n
}

// days reads the days of a [dp]: 2024, or 2020:2024.
func days(f *field, t token) *node {
	from, to, isRange := strings.Cut(t.text, ":")
	if !isRange {
		to = from
	}
	n := &node{field: f, text: strings.ReplaceAll(t.text, " ", ""), from: Day(from), to: LastDay(to)}
	if n.from == 0 || n.to == 0 {
		t.fail([]string{"2024[dp]", "2024/05/17[dp]", "2020:2024[dp]"}, "%q is no date and no range of dates", t.text)
	}
	if n.from > n.to {
		t.fail(nil, "the range %s ends before it begins", t.text)
	}
	return n
}

// Day is the first day of a date such as "2024", "2024-05" or "2024/05/17", as a number such as
// 20240517; 0 where it is none.
func Day(date string) int { return day(date, 0) }

// LastDay is the last day that a date includes.
func LastDay(date string) int { return day(date, 1) }

// day takes the lowest or the highest of what a date leaves out.
func day(date string, edge int) (day int) {
	parts := strings.Split(strings.ReplaceAll(strings.Trim(strings.TrimSpace(date), `"`), "-", "/"), "/")
	bounds := [][2]int{{1000, 9999}, {1, 12}, {1, 31}}
	if len(parts) > len(bounds) || len(parts[0]) != 4 {
		return 0
	}
	for i, b := range bounds {
		n := b[edge]
		if i < len(parts) {
			var err error
			if n, err = strconv.Atoi(parts[i]); err != nil || n < b[0] || n > b[1] {
				return 0
			}
		}
		day = day*100 + n
	}
	return day
}
