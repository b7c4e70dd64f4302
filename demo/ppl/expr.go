package ppl

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expressions bind, from loose to tight: or, and, not, one comparison or test, + and -, * and /.
var comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}

var arithmetic = [][]string{{"+", "-"}, {"*", "/"}}

// expression reads a value or a condition; the compiler knows which of them may stand where.
func (p *parser) expression() (Expr, error) { return p.logic("or", "and") }

// logic reads terms with an operator between them, of which inner binds tighter.
func (p *parser) logic(op, inner string) (Expr, error) {
	term := p.term
	if inner != "" {
		term = func() (Expr, error) { return p.logic(inner, "") }
	}
	first, err := term()
	at := p.peek().pos
	terms := []Expr{first}
	for err == nil && p.accept(op) {
		var next Expr
		next, err = term()
		terms = append(terms, next)
	}
	if err != nil || len(terms) == 1 {
		return first, err
	}
	return &Call{op, terms, at}, nil
}

// term reads not …, or one comparison.
func (p *parser) term() (Expr, error) {
	at := p.peek().pos
	if !p.accept("not") {
		return p.comparison()
	}
	x, err := nested(p, p.term)
	return &Call{"not", []Expr{x}, at}, err
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

func (p *parser) comparison() (Expr, error) {
	left, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	t := p.peek()
	if t.kind == tokSymbol && slices.Contains(comparisons, t.text) {
		p.next()
		right, err := p.sum(0)
		return &Call{t.text, []Expr{left, right}, t.pos}, err
	}
	return p.test(left)
}

// test reads what may follow a value other than a comparison.
func (p *parser) test(left Expr) (Expr, error) {
	at := p.peek().pos
	if p.accept("is") {
		no := p.accept("not")
		return negate(no, &Call{"isnull", []Expr{left}, at}), p.expect("null", "after is")
	}
	no := p.accept("not")
	c := &Call{Args: []Expr{left}, At: at}
	var err error
	switch {
	case p.accept("in"):
		c.Op, err = "in", p.values(c)
	case p.accept("like"):
		if c.Op = "like"; p.peek().kind != tokString {
			return nil, p.unexpected("after like", "a pattern such as '/images/%'")
		}
		err = p.operand(c)
	case p.accept("between"):
		if c.Op, err = "between", p.operand(c); err == nil {
			err = p.expect("and", "between the two ends of between")
		}
		if err == nil {
			err = p.operand(c)
		}
	case no:
		return nil, p.unexpected("after not", "in", "like", "between")
	default:
		return left, nil
	}
	return negate(no, c), err
}

func negate(no bool, e Expr) Expr {
	if no {
		return &Call{"not", []Expr{e}, e.pos()}
	}
	return e
}

// values reads ( VALUE, … ) of in.
func (p *parser) values(c *Call) error {
	if err := p.expect("(", "after in"); err != nil {
		return err
	}
	for {
		if len(c.Args) > maxValues {
			return errorAt(p.peek().pos, nil, "in (…) takes at most %d values", maxValues)
		}
		if err := p.operand(c); err != nil {
			return err
		}
		if !p.accept(",") {
			return p.expect(")", "after the values of in")
		}
	}
}

// operand adds a literal to a call.
func (p *parser) operand(c *Call) error {
	l, err := p.literal()
	c.Args = append(c.Args, l)
	return err
}

// sum reads arithmetic whose operators bind at least as tight as a step of it.
func (p *parser) sum(step int) (Expr, error) {
	if step == len(arithmetic) {
		return p.primary()
	}
	left, err := p.sum(step + 1)
	for err == nil {
		op := p.peek()
		if op.kind != tokSymbol || !slices.Contains(arithmetic[step], op.text) {
			return left, nil
		}
		p.next()
		var right Expr
		if right, err = p.sum(step + 1); err == nil {
			left, err = &Call{op.text, []Expr{left, right}, op.pos}, p.countOperator(op)
		}
	}
	return nil, err
}

func (p *parser) countOperator(t token) error {
	if p.operators++; p.operators > maxOperators {
		return errorAt(t.pos, nil, "a query has at most %d operators and functions", maxOperators)
	}
	return nil
}

// primary reads ( … ), a function, a field or a literal.
func (p *parser) primary() (Expr, error) {
	t := p.peek()
	switch {
	case t.is("("):
		p.next()
		e, err := nested(p, p.expression)
		if err != nil {
			return nil, err
		}
		return e, p.expect(")", "to close the parenthesis")
	case t.kind == tokWord && p.follows("("):
		return nested(p, p.function)
	case t.is("-") && p.tokens[p.at+1].kind != tokNumber:
		p.next()
		x, err := nested(p, p.primary)
		return &Call{"-", []Expr{Literal{Kind: Integer}, x}, t.pos}, err
	case t.kind == tokName, t.kind == tokWord && !reserved[strings.ToLower(t.text)]:
		return p.name("a field")
	}
	return p.literal()
}

// function reads NAME(VALUE, …).
func (p *parser) function() (Expr, error) {
	t := p.next()
	p.next()
	c := &Call{Op: strings.ToLower(t.text), At: t.pos}
	known, ok := functions[c.Op]
	if !ok {
		return nil, unsupported(t, "function", FunctionNames())
	}
	if err := p.countOperator(t); err != nil {
		return nil, err
	}
	var err error
	if c.Args, err = list(p, p.expression); err != nil {
		return nil, err
	}
	if n := len(c.Args); n < known.least || n > known.most {
		return nil, errorAt(t.pos, nil, "%s takes %s, not %d", t.text, known.count(), n)
	}
	if c.Op == "isnotnull" {
		return negate(true, &Call{"isnull", c.Args, t.pos}), p.expect(")", "after the field of "+t.text)
	}
	return c, p.expect(")", "after the arguments of "+t.text)
}

func (p *parser) literal() (Literal, error) {
	t := p.peek()
	switch {
	case t.kind == tokString:
		p.next()
		return Literal{Kind: StringText, Text: t.text, At: t.pos}, nil
	case t.kind == tokNumber, t.is("-"), t.is("+"):
		return p.number()
	case t.is("null"):
		return Literal{}, errorAt(t.pos, []string{"isnull(field)", "isnotnull(field)"}, "nothing equals null; use isnull(field) or isnotnull(field)")
	case t.kind == tokWord:
		return Literal{}, errorAt(t.pos, []string{"a number", "a string in quotes"}, "expected a value, found %s: strings stand in quotes", t.describe())
	}
	return Literal{}, p.unexpected("here", "a field", "a value")
}

func (p *parser) number() (Literal, error) {
	start, sign := p.at, ""
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
	l, ok := parseNumber(sign + t.text)
	if l.At = p.posFrom(start); !ok {
		return l, errorAt(l.At, nil, "the number %s%s is too large", sign, clip(t.text, 40))
	}
	return l, nil
}

// parseNumber reads an integer that fits 64 bits, or a finite float.
func parseNumber(text string) (Literal, bool) {
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		return Literal{Kind: Integer, Text: text, Int: n}, err == nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return Literal{Kind: Float, Text: text, Float: f}, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}
