package ppl

import (
	"math"
	"strconv"
	"strings"
)

func (p *parser) condition() (Expr, error) { return p.logic(Or) }

// tighter is the operator that binds one step tighter than the key; what follows And are single terms.
var tighter = map[LogicOp]LogicOp{Or: Xor, Xor: And}

func (p *parser) logic(op LogicOp) (Expr, error) {
	operand := p.term
	if inner, ok := tighter[op]; ok {
		operand = func() (Expr, error) { return p.logic(inner) }
	}
	first, err := operand()
	if err != nil {
		return nil, err
	}
	terms := []Expr{first}
	for p.accept(string(op)) {
		next, err := operand()
		if err != nil {
			return nil, err
		}
		terms = append(terms, next)
	}
	if len(terms) == 1 {
		return first, nil
	}
	return &Logic{op, terms}, nil
}

// term reads not …, ( … ) or one comparison.
func (p *parser) term() (Expr, error) {
	t := p.peek()
	switch {
	case p.depth >= maxNesting:
		return nil, errorAt(t.pos, nil, "the condition is nested more than %d deep", maxNesting)
	case t.is("not"):
		p.next()
		x, err := p.nested(p.term)
		if err != nil {
			return nil, err
		}
		return &Not{x}, nil
	case t.is("("):
		p.next()
		x, err := p.nested(p.condition)
		if err != nil {
			return nil, err
		}
		return x, p.expect(")", "to close the parenthesis")
	case t.kind == tokWord && p.follows("(") && !t.is("timestamp"):
		return p.function()
	}
	return p.comparison()
}

func (p *parser) nested(parse func() (Expr, error)) (Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	return parse()
}

// function reads isnull(f), isnotnull(f) or like(f, '…').
func (p *parser) function() (Expr, error) {
	t := p.peek()
	if !t.is("isnull") && !t.is("isnotnull") && !t.is("like") {
		return nil, unsupported(t, "function", conditions)
	}
	p.next()
	p.next()
	field, err := p.name("a field")
	if err != nil {
		return nil, err
	}
	if !t.is("like") {
		return &IsNull{field, t.is("isnotnull")}, p.expect(")", "after the field of "+t.text)
	}
	if err := p.expect(",", "between like's field and its pattern"); err != nil {
		return nil, err
	}
	pattern, err := p.pattern()
	if err != nil {
		return nil, err
	}
	return &Like{Field: field, Pattern: pattern}, p.expect(")", "after like's pattern")
}

var comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}

func (p *parser) comparison() (Expr, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	op := p.peek()
	for _, symbol := range comparisons {
		if !p.accept(symbol) {
			continue
		}
		right, err := p.operand()
		if err != nil {
			return nil, err
		}
		return &Compare{symbol, left, right, op.pos}, nil
	}
	field, ok := left.(Name)
	if !ok {
		return nil, p.unexpected("after the value", comparisons...)
	}
	return p.test(field)
}

// test reads what may follow a field other than a comparison.
func (p *parser) test(field Name) (Expr, error) {
	if p.accept("is") {
		no := p.accept("not")
		return &IsNull{field, no}, p.expect("null", "after is")
	}
	no := p.accept("not")
	switch {
	case p.accept("in"):
		return p.in(field, no)
	case p.accept("like"):
		pattern, err := p.pattern()
		return &Like{field, pattern, no}, err
	case p.accept("between"):
		return p.between(field, no)
	case no:
		return nil, p.unexpected("after not", "in", "like", "between")
	}
	return nil, p.unexpected("after the field "+quoteName(field.Text), "=", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "between")
}

func (p *parser) in(field Name, no bool) (Expr, error) {
	if err := p.expect("(", "after in"); err != nil {
		return nil, err
	}
	in := &In{Field: field, Negated: no}
	for {
		if len(in.Values) == maxValues {
			return nil, errorAt(p.peek().pos, nil, "in (…) takes at most %d values", maxValues)
		}
		v, err := p.literal()
		if err != nil {
			return nil, err
		}
		in.Values = append(in.Values, v)
		if !p.accept(",") {
			return in, p.expect(")", "after the values of in")
		}
	}
}

func (p *parser) between(field Name, no bool) (Expr, error) {
	low, err := p.literal()
	if err != nil {
		return nil, err
	}
	if err := p.expect("and", "between the two ends of between"); err != nil {
		return nil, err
	}
	high, err := p.literal()
	return &Between{field, low, high, no}, err
}

func (p *parser) pattern() (Literal, error) {
	if t := p.peek(); t.kind != tokString {
		return Literal{}, p.unexpected("after like", "a pattern such as '/images/%'")
	}
	return p.literal()
}

// operand reads a field or a value.
func (p *parser) operand() (Operand, error) {
	t := p.peek()
	isName := t.kind == tokName || t.kind == tokWord && !reserved[strings.ToLower(t.text)] && !(t.is("timestamp") && p.follows("("))
	if isName {
		return p.name("a field")
	}
	return p.literal()
}

func (p *parser) literal() (Literal, error) {
	t := p.peek()
	switch {
	case t.kind == tokString:
		p.next()
		return Literal{Kind: StringText, Text: t.text, Pos: t.pos}, nil
	case t.kind == tokNumber, t.is("-"), t.is("+"):
		return p.number()
	case t.is("timestamp") && p.follows("("):
		return p.timestamp()
	case t.is("null"):
		return Literal{}, errorAt(t.pos, []string{"isnull(field)", "isnotnull(field)"}, "nothing equals null; use isnull(field) or isnotnull(field)")
	case t.kind == tokWord:
		return Literal{}, errorAt(t.pos, []string{"a number", "a string in quotes"}, "expected a value, found %s: strings stand in quotes", t.describe())
	}
	return Literal{}, p.unexpected("here", "a field", "a value")
}

func (p *parser) number() (Literal, error) {
	sign, pos := "", p.peek().pos
	if p.peek().is("-") || p.peek().is("+") {
		if p.next().is("-") {
			sign = "-"
		}
	}
	t := p.peek()
	if t.kind != tokNumber {
		return Literal{}, p.unexpected("after the sign", "a number")
	}
	p.next()
	if t.pos.Line == pos.Line {
		pos.Length = t.pos.Column + t.pos.Length - pos.Column
	}
	l, ok := parseNumber(sign + t.text)
	if !ok {
		return Literal{}, errorAt(pos, nil, "the number %s%s is too large", sign, clip(t.text, 40))
	}
	l.Pos = pos
	return l, nil
}

// parseNumber reads an integer that fits 64 bits, or a finite float.
func parseNumber(text string) (Literal, bool) {
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		return IntLiteral(n), err == nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return FloatLiteral(f), err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

func (p *parser) timestamp() (Literal, error) {
	start := p.at
	p.next()
	p.next()
	t := p.peek()
	if t.kind != tokString {
		return Literal{}, p.unexpected("in timestamp(…)", "a string such as '2015-05-17 10:00:00'")
	}
	p.next()
	if err := p.expect(")", "after timestamp's string"); err != nil {
		return Literal{}, err
	}
	return Literal{Kind: TimeText, Text: t.text, Pos: p.spanOf(start)}, nil
}
