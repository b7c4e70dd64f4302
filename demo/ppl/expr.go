package ppl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// value is a value or a condition as SQL.
type value struct {
	Type
	sql  string
	args []any
	name string // what error messages call it
	at   Pos
	lit  *literal // what a literal is; it takes the type of what it stands beside
}

// Expressions bind, from loose to tight: or, and, not, one comparison or test, + and -, * and /.
var (
	comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}
	arithmetic  = [][]string{{"+", "-"}, {"*", "/"}}
)

// expression reads a value or a condition.
func (p *parser) expression() value {
	return p.logic("or", func() value { return p.logic("and", p.term) })
}

// value reads a value that is no condition.
func (p *parser) value() value { return p.expression().mustBeValue() }

func (p *parser) condition() value { return p.expression().mustBeCondition() }

func (v value) mustBeValue() value {
	if v.Type == condition {
		panic(errorAt(v.at, []string{"count(eval(condition))"}, "a condition is no value here; it can stand in where and in count(eval(…))"))
	}
	return v
}

func (v value) mustBeCondition() value {
	if v.Type != condition {
		expected := append(slices.Clone(comparisons), "in", "not in", "like", "between")
		panic(errorAt(v.at, expected, "%s is a value, not a condition: compare it, as in %s = …", v.name, v.name))
	}
	return v
}

// mustBe checks the type of a value; a whole number will do for any number.
func (v value) mustBe(t Type, who string) value {
	if v.mustBeValue(); v.Type != t && !(t == Decimal && v.Type == Int) {
		panic(errorAt(v.at, nil, "%s needs a %s; %s is a %s", who, t.public(), v.name, v.public()))
	}
	return v
}

// logic reads terms with an operator between them.
func (p *parser) logic(op string, term func() value) value {
	first := term()
	at, terms := p.peek().pos, []value{first}
	for p.accept(op) {
		terms = append(terms, term().mustBeCondition())
	}
	if len(terms) == 1 {
		return first
	}
	first.mustBeCondition()
	all := join(" "+strings.ToUpper(op)+" ", terms)
	all.at = at
	return all
}

// join joins conditions in halves, so that long chains stay below SQLite's limit on expression
// depth.
func join(op string, terms []value) value {
	if len(terms) == 1 {
		return terms[0]
	}
	left, right := join(op, terms[:len(terms)/2]), join(op, terms[len(terms)/2:])
	return value{Type: condition, sql: "(" + left.sql + op + right.sql + ")", args: slices.Concat(left.args, right.args)}
}

// term reads not …, or one comparison.
func (p *parser) term() value {
	at := p.peek().pos
	if !p.accept("not") {
		return p.comparison()
	}
	return p.nested(p.term).mustBeCondition().not(true, at)
}

func (v value) not(no bool, at Pos) value {
	if no {
		v.sql, v.at = "(NOT "+v.sql+")", at
	}
	return v
}

func (p *parser) nested(parse func() value) value {
	if p.depth >= maxNesting {
		panic(errorAt(p.peek().pos, nil, "the expression is nested more than %d deep", maxNesting))
	}
	p.depth++
	v := parse()
	p.depth--
	return v
}

func (p *parser) comparison() value {
	left := p.sum(0)
	if t := p.peek(); t.kind == tokSymbol && slices.Contains(comparisons, t.text) {
		p.next()
		return compare(left.mustBeValue(), t, p.sum(0).mustBeValue())
	}
	return p.test(left)
}

// compare writes =, !=, <, <=, > or >=. A literal takes the type it is compared with.
func compare(a value, op token, b value) value {
	switch {
	case a.lit != nil && b.lit != nil:
		panic(errorAt(op.pos, nil, "one side of a comparison must be a field"))
	case a.lit != nil:
		a = a.as(b.Type, b.name)
	case b.lit != nil:
		b = b.as(a.Type, a.name)
	case a.public() != b.public():
		panic(errorAt(op.pos, nil, "%s is a %s and %s a %s: they cannot be compared", a.name, a.public(), b.name, b.public()))
	}
	return value{Type: condition, sql: "(" + a.sql + " " + op.text + " " + b.sql + ")", args: slices.Concat(a.args, b.args), at: op.pos}
}

// test reads what may follow a value other than a comparison.
func (p *parser) test(left value) value {
	test := value{Type: condition, at: p.peek().pos, args: slices.Clip(left.args)}
	isNull := p.accept("is")
	no := p.accept("not")
	switch {
	case isNull:
		p.expect("null", "after is")
		test.sql = " IS NULL)"
	case p.accept("in"):
		p.expect("(", "after in")
		test.sql = " IN (" + p.operands(left, &test.args, ",") + "))"
		p.expect(")", "after the values of in")
	case p.accept("like"):
		left.mustBe(String, "like")
		test.sql, test.args = ` LIKE ? ESCAPE '\')`, append(test.args, p.pattern())
	case p.accept("between"):
		test.sql = " BETWEEN ? AND ?)"
		p.operands(left, &test.args, "")
		p.expect("and", "between the two ends of between")
		p.operands(left, &test.args, "")
	case no:
		panic(p.unexpected("after not", "in", "like", "between"))
	default:
		return left
	}
	test.sql = "(" + left.mustBeValue().sql + test.sql
	return test.not(no, test.at)
}

// operands reads literals that are compared with a value, adds them to the arguments, and returns
// their marks.
func (p *parser) operands(left value, args *[]any, between string) string {
	marks := []string{}
	for len(marks) == 0 || p.accept(between) {
		if len(marks) == maxValues {
			panic(errorAt(p.peek().pos, nil, "in (…) takes at most %d values", maxValues))
		}
		*args, marks = append(*args, p.literal().as(left.Type, left.name).args...), append(marks, "?")
	}
	return strings.Join(marks, ", ")
}

// pattern reads the pattern of like.
func (p *parser) pattern() string {
	t := p.peek()
	switch {
	case t.kind != tokString:
		panic(p.unexpected("after like", "a pattern such as '/images/%'"))
	case strings.HasSuffix(strings.ReplaceAll(t.text, `\\`, ""), `\`):
		panic(errorAt(t.pos, nil, `the pattern ends in the middle of an escape: write \\ for a backslash`))
	}
	return p.next().text
}

// sum reads arithmetic whose operators bind at least as tight as a step of it.
func (p *parser) sum(step int) value {
	if step == len(arithmetic) {
		return p.primary()
	}
	left := p.sum(step + 1)
	for {
		op := p.peek()
		if op.kind != tokSymbol || !slices.Contains(arithmetic[step], op.text) {
			return left
		}
		p.next()
		right := p.sum(step + 1)
		p.countOperator(op)
		left = compute(left, op, right)
	}
}

func (p *parser) countOperator(t token) {
	if p.operators++; p.operators > maxOperators {
		panic(errorAt(t.pos, nil, "a query has at most %d operators and functions", maxOperators))
	}
}

// compute writes + - * or /. Division always makes a float; by zero it makes null.
func compute(a value, op token, b value) value {
	a.mustBe(Decimal, op.text)
	b.mustBe(Decimal, op.text)
	out := value{Type: Int, args: slices.Concat(a.args, b.args), name: "the result of " + op.text, at: op.pos}
	if a.Type == Decimal || b.Type == Decimal || op.text == "/" {
		out.Type = Decimal
	}
	if op.text == "/" {
		a.sql = "CAST(" + a.sql + " AS REAL)"
	}
	out.sql = "(" + a.sql + " " + op.text + " " + b.sql + ")"
	return out
}

// primary reads ( … ), a function, a field or a literal.
func (p *parser) primary() value {
	t := p.peek()
	switch {
	case t.is("("):
		p.next()
		v := p.nested(p.expression)
		p.expect(")", "to close the parenthesis")
		return v
	case t.kind == tokWord && p.follows("("):
		return p.nested(p.function)
	case t.is("-") && p.tokens[p.at+1].kind != tokNumber:
		p.next()
		return compute(value{Type: Int, sql: "0"}, t, p.nested(p.primary))
	case t.kind == tokName, t.kind == tokWord && !slices.Contains(reserved, strings.ToLower(t.text)):
		n := p.name("a field")
		p.named[n.text] = true
		return p.rel.field(n)
	}
	return p.literal()
}

// function is what a query can call.
type function struct {
	most   int  // arguments, of which there is at least one
	takes  Type // noneType: any
	result Type // noneType: the type of the first argument
	sql    string
	write  func([]value) value // where sql does not do
}

// functions are the functions of PPL as SQL. A function of a null is null, but for the tests.
var functions = map[string]function{
	"round":     {2, Decimal, noneType, "", writeRound},
	"isnull":    {1, noneType, condition, "(%s IS NULL)", nil},
	"isnotnull": {1, noneType, condition, "(%s IS NOT NULL)", nil},
	"abs":       {1, Decimal, noneType, "abs(%s)", nil},
	"floor":     {1, Decimal, Int, "CAST(floor(%s) AS INTEGER)", nil},
	"ceil":      {1, Decimal, Int, "CAST(ceil(%s) AS INTEGER)", nil},
	"length":    {1, String, Int, "length(%s)", nil},
	"year":      {1, Time, Int, timePart("Y"), nil},
	"month":     {1, Time, Int, timePart("m"), nil},
	"day":       {1, Time, Int, timePart("d"), nil},
	"hour":      {1, Time, Int, timePart("H"), nil},
}

func timePart(letter string) string {
	return "CAST(strftime('%%" + letter + "', %s / 1000.0, 'unixepoch') AS INTEGER)"
}

// function reads NAME(VALUE, …).
func (p *parser) function() value {
	t := p.next()
	p.next()
	called := strings.ToLower(t.text)
	f, ok := functions[called]
	if !ok {
		panic(unsupported(t, "function", slices.Sorted(maps.Keys(functions))))
	}
	p.countOperator(t)
	args := list(p, p.expression)
	if n := len(args); n > f.most {
		panic(errorAt(t.pos, nil, "%s takes %d values at most, not %d", t.text, f.most, n))
	}
	out := args[0]
	if f.takes == Time && out.lit != nil {
		out = out.as(Time, "the value")
	}
	if out.mustBeValue(); f.takes != noneType {
		out.mustBe(f.takes, called)
	}
	if f.write != nil {
		out = f.write(args)
	} else {
		out.sql = fmt.Sprintf(f.sql, out.sql)
	}
	if f.result != noneType {
		out.Type = f.result
	}
	out.name, out.at, out.lit = called+"(…)", t.pos, nil
	p.expect(")", "after the arguments of "+t.text)
	return out
}

// writeRound keeps the type: there is nothing to round in a whole number.
func writeRound(args []value) value {
	v, places := args[0], int64(0)
	if len(args) == 2 {
		l := args[1]
		n, ok := slices.Concat(l.args, []any{""})[0].(int64)
		if places = n; l.lit == nil || !ok || n < 0 {
			panic(errorAt(l.at, []string{"2"}, "round needs a whole number of places"))
		}
	}
	if v.Type == Decimal {
		v.sql, v.args = "round("+v.sql+", ?)", append(slices.Clip(v.args), places)
	}
	return v
}

// aggregate writes an aggregation of a value. All of them skip nulls.
func (v value) aggregate(function string) value {
	call := function + "("
	switch function {
	case "distinct_count":
		call, v.Type = "count(DISTINCT ", Int
	case "count":
		v.Type = Int
	case "sum", "avg":
		if !v.Number() {
			panic(errorAt(v.at, nil, "%s needs a number; %s is a %s", function, v.name, v.Type))
		}
	}
	if function == "avg" {
		v.Type = Decimal
	}
	v.sql = call + v.sql + ")"
	return v
}
