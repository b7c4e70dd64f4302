package pubmed

import "strings"

// Parse reads a search. An empty one is everything. The error is an *Error.
func Parse(query string) (Query, error) {
	tokens, err := lex(query)
	if err != nil {
		return Query{}, err
	}
	p := &parser{tokens: tokens}
	if p.peek().kind == end {
		return Query{}, nil
	}
	root, err := p.joined(0)
	if err != nil {
		return Query{}, err
	}
	if t := p.peek(); t.kind == closing {
		return Query{}, errorAt(t.start, 1, nil, "there is a ) without a ( before it")
	}
	return Query{root}, nil
}

type parser struct {
	tokens []token
	at     int
	terms  int
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
func (p *parser) joined(depth int) (Node, error) {
	left, err := p.operand(depth)
	for err == nil {
		op := And
		switch t := p.peek(); t.kind {
		case end, closing:
			return left, nil
		case operator:
			op = Op(p.take().text)
		}
		var right Node
		if right, err = p.operand(depth); err == nil {
			left = &Binary{op, left, right}
		}
	}
	return nil, err
}

var operandStart = []string{"a word", `"`, "("}

func (p *parser) operand(depth int) (Node, error) {
	switch t := p.peek(); t.kind {
	case open:
		return p.group(depth)
	case word:
		return p.words()
	case phrase:
		p.take()
		return p.tagged([]token{t})
	case tag:
		return nil, errorAt(t.start, t.length, operandStart, "the tag [%s] has no word or phrase before it", t.text)
	case operator:
		return nil, errorAt(t.start, t.length, operandStart, "%s needs something to look for before it and behind it", t.text)
	case closing:
		return nil, errorAt(t.start, t.length, operandStart, "there is nothing to look for before this )")
	default:
		return nil, errorAt(t.start, 0, operandStart, "the search ends where something to look for is expected")
	}
}

func (p *parser) group(depth int) (Node, error) {
	begin := p.take()
	if depth == maxDepth {
		return nil, errorAt(begin.start, 1, nil, "parentheses are nested more than %d deep", maxDepth)
	}
	n, err := p.joined(depth + 1)
	if err != nil {
		return nil, err
	}
	if t := p.take(); t.kind != closing {
		return nil, errorAt(begin.start, 1, []string{")"}, "this ( is not closed")
	}
	if t := p.peek(); t.kind == tag {
		return nil, errorAt(t.start, t.length, nil, "a tag belongs behind a word or phrase, not behind parentheses")
	}
	return n, nil
}

// words reads a run of bare words: one phrase where a tag follows, else each by itself.
func (p *parser) words() (Node, error) {
	var run []token
	for p.peek().kind == word {
		run = append(run, p.take())
	}
	if p.peek().kind == tag {
		return p.tagged(run)
	}
	var joined Node
	for _, t := range telling(run) {
		if strings.HasPrefix(t.text, "#") {
			return nil, errorAt(t.start, t.length, operandStart, "there is no search history to refer to with %s", t.text)
		}
		if from, to, isRange := strings.Cut(t.text, ":"); isRange && isDate(from) && isDate(to) {
			return nil, errorAt(t.start, t.length, []string{t.text + "[dp]"}, "a range of dates needs its tag: %s[dp]", t.text)
		}
		n, err := p.term(AllFields, t, t.text)
		if err != nil {
			return nil, err
		}
		if joined == nil {
			joined = n
		} else {
			joined = &Binary{And, joined, n}
		}
	}
	return joined, nil
}

// telling leaves out the words that say nothing, and marks without a word, unless there are no
// others.
func telling(run []token) []token {
	var kept []token
	for _, t := range run {
		if !stopWords[strings.ToLower(t.text)] && len(Tokens(t.text)) > 0 {
			kept = append(kept, t)
		}
	}
	if kept == nil {
		return run
	}
	return kept
}

// tagged reads the tag behind a phrase, or behind the words of a run, where there is one.
func (p *parser) tagged(run []token) (Node, error) {
	whole := span(run)
	f := AllFields
	if t := p.peek(); t.kind == tag {
		p.take()
		if f = fieldOf(t.text); f == nil {
			return nil, errorAt(t.start, t.length, tagsInUse(), "[%s] is no tag that is known here; there are %s", t.text, strings.Join(tagsInUse(), " "))
		}
	}
	if f.dates {
		return p.dates(whole)
	}
	return p.term(f, whole, whole.text)
}

// span is the token that words stand for together.
func span(run []token) token {
	texts := make([]string, len(run))
	for i, t := range run {
		texts[i] = t.text
	}
	first, last := run[0], run[len(run)-1]
	return token{first.kind, strings.Join(texts, " "), first.start, last.start + last.length - first.start}
}

// term makes a term of text that stands at t.
func (p *parser) term(f *Field, t token, text string) (Node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(t.start, t.length, nil, "there are more than %d terms", maxTerms)
	}
	bare, star := strings.CutSuffix(strings.TrimSpace(text), "*")
	if strings.Contains(bare, "*") {
		return nil, errorAt(t.start, t.length, nil, "a * can stand only at the end of a word or phrase")
	}
	n := &Term{Field: f, Text: strings.TrimSpace(bare), Tokens: Tokens(bare), Prefix: star}
	switch {
	case len(n.Tokens) == 0:
		return nil, errorAt(t.start, t.length, []string{"a word"}, "there is no letter or digit to look for")
	case star && len([]rune(n.Tokens[len(n.Tokens)-1])) < minPrefix:
		return nil, errorAt(t.start, t.length, nil, "a * needs at least %d letters before it", minPrefix)
	}
	return n, nil
}

// minPrefix is how many letters PubMed wants before a star.
const minPrefix = 4
