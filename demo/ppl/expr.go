package ppl

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxOperators bounds the operators and calls of one query: SQLite's expressions are at most 1,000
// deep.
const maxOperators = 200

// node is what an expression turned out to be: a condition or a value.
type node struct {
	cond  Expr
	value Operand
}

// condition reads an expression that must be a condition.
func (p *parser) condition() (Expr, error) {
	n, err := p.logic(Or)
	if err != nil {
		return nil, err
	}
	return p.asCondition(n)
}

// value reads an expression that must be a value.
func (p *parser) value() (Operand, error) {
	start := p.at
	n, err := p.logic(Or)
	if err != nil {
		return nil, err
	}
	return p.asValue(n, start)
}

func (p *parser) asCondition(n node) (Expr, error) {
	switch v := n.value.(type) {
	case nil:
		return n.cond, nil
	case Name:
		return nil, p.unexpected("after the field "+quoteName(v.Text), "=", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "between")
	}
	return nil, p.unexpected("after the value", comparisons...)
}

func (p *parser) asValue(n node, start int) (Operand, error) {
	if n.value == nil {
		return nil, errorAt(p.spanOf(start), []string{"if(condition, 1, 0)"}, "a condition is no value here; write if(condition, 1, 0)")
	}
	return n.value, nil
}

// tighter is the operator that binds one step tighter than the key; what follows And are single
// terms.
var tighter = map[LogicOp]LogicOp{Or: Xor, Xor: And}

func (p *parser) logic(op LogicOp) (node, error) {
	operand := p.term
	if inner, ok := tighter[op]; ok {
		operand = func() (node, error) { return p.logic(inner) }
	}
	first, err := operand()
	if err != nil || !p.peek().is(string(op)) {
		return first, err
	}
	var terms []Expr
	for n := first; ; {
		e, err := p.asCondition(n)
		if err != nil {
			return node{}, err
		}
		if terms = append(terms, e); !p.accept(string(op)) {
			return node{cond: &Logic{op, terms}}, nil
		}
		if n, err = operand(); err != nil {
			return node{}, err
		}
	}
}

// term reads not …, or one comparison.
func (p *parser) term() (node, error) {
	if !p.accept("not") {
		return p.comparison()
	}
	n, err := nested(p, p.term)
	if err != nil {
		return node{}, err
	}
	x, err := p.asCondition(n)
	return node{cond: &Not{x}}, err
}

func nested[T any](p *parser, parse func() (T, error)) (T, error) {
	if p.depth >= maxNesting {
		var none T
		return none, errorAt(p.peek().pos, nil, "the expression is nested more than %d deep", maxNesting)
	}
	p.depth++
	defer func() { p.depth-- }()
	return parse()
}

var comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}

func (p *parser) comparison() (node, error) {
	left, err := p.arithmetic(0)
	if err != nil || left.value == nil {
		return left, err
	}
	op := p.peek()
	for _, symbol := range comparisons {
		if !p.accept(symbol) {
			continue
		}
		right, err := p.arithmeticValue(0)
		return node{cond: &Compare{symbol, left.value, right, op.pos}}, err
	}
	return p.test(left)
}

// operators are those of each step of arithmetic, loosest first.
var operators = [][]string{{"+", "-"}, {"*", "/", "%"}}

func (p *parser) arithmetic(step int) (node, error) {
	if step == len(operators) {
		return p.primary()
	}
	start := p.at
	left, err := p.arithmetic(step + 1)
	for err == nil {
		op := p.peek()
		if op.kind != tokSymbol || !slices.Contains(operators[step], op.text) {
			return left, nil
		}
		var l, r Operand
		if l, err = p.asValue(left, start); err != nil {
			break
		}
		p.next()
		if r, err = p.arithmeticValue(step + 1); err != nil {
			break
		}
		left, err = node{value: &Arith{op.text, l, r, op.pos}}, p.count1(op)
	}
	return node{}, err
}

func (p *parser) arithmeticValue(step int) (Operand, error) {
	start := p.at
	n, err := p.arithmetic(step)
	if err != nil {
		return nil, err
	}
	return p.asValue(n, start)
}

// count1 counts an operator or a call.
func (p *parser) count1(t token) error {
	if p.operators++; p.operators > maxOperators {
		return errorAt(t.pos, nil, "a query has at most %d operators and functions", maxOperators)
	}
	return nil
}

// primary reads ( … ), a function, a field or a value.
func (p *parser) primary() (node, error) {
	t := p.peek()
	switch {
	case t.is("("):
		p.next()
		n, err := nested(p, func() (node, error) { return p.logic(Or) })
		if err != nil {
			return n, err
		}
		return n, p.expect(")", "to close the parenthesis")
	case t.kind == tokWord && p.follows("(") && !t.is("timestamp"):
		return nested(p, p.function)
	case t.is("-") && p.negatesValue():
		p.next()
		v, err := nested(p, func() (Operand, error) { return p.arithmeticValue(len(operators)) })
		return node{value: &Arith{"-", IntLiteral(0), v, t.pos}}, err
	}
	o, err := p.operand()
	return node{value: o}, err
}

// negatesValue reports whether the sign that comes next stands before something other than a
// number.
func (p *parser) negatesValue() bool {
	after := p.tokens[min(p.at+1, len(p.tokens)-1)]
	return after.is("(") || after.kind == tokName || after.kind == tokWord && !reserved[strings.ToLower(after.text)]
}

// test reads what may follow a value other than a comparison.
func (p *parser) test(left node) (node, error) {
	field := left.value
	var e Expr
	var err error
	if p.accept("is") {
		no := p.accept("not")
		return node{cond: &IsNull{field, no}}, p.expect("null", "after is")
	}
	no := p.accept("not")
	switch {
	case p.accept("in"):
		e, err = p.in(field, no)
	case p.accept("like"):
		var pattern Literal
		pattern, err = p.pattern("like")
		e = &Like{field, pattern, no}
	case p.accept("between"):
		e, err = p.between(field, no)
	case no:
		return node{}, p.unexpected("after not", "in", "like", "between")
	default:
		return left, nil
	}
	return node{cond: e}, err
}

func (p *parser) in(field Operand, no bool) (Expr, error) {
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

func (p *parser) between(field Operand, no bool) (Expr, error) {
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

func (p *parser) pattern(after string) (Literal, error) {
	if t := p.peek(); t.kind != tokString {
		return Literal{}, p.unexpected("after "+after, "a pattern such as '/images/%'")
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
