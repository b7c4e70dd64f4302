package ppl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// typed is a value or a condition as SQL.
type typed struct {
	Type
	sql  string
	args []any
	name string // what error messages call it
}

// with appends to a copy.
func with(args []any, more ...any) []any { return slices.Concat(args, more) }

// function is what a query can call.
type function struct {
	least, most int  // arguments
	takes       Type // noneType: it has rules of its own
	result      Type // noneType: the type of the first argument
	sql         string
}

// functions are the functions of PPL as SQL. A function of a null is null, but for if, coalesce and
// the tests.
var functions = map[string]function{
	"if": {3, 3, noneType, noneType, ""}, "coalesce": {2, maxItems, noneType, noneType, ""}, "concat": {2, maxItems, noneType, noneType, ""},
	"round": {1, 2, noneType, noneType, ""}, "isnull": {1, 1, noneType, noneType, ""}, "isnotnull": {1, 1, noneType, noneType, ""},
	"abs": {1, 1, Decimal, noneType, "abs(%s)"}, "floor": {1, 1, Decimal, Int, "CAST(floor(%s) AS INTEGER)"}, "ceil": {1, 1, Decimal, Int, "CAST(ceil(%s) AS INTEGER)"},
	"length": {1, 1, String, Int, "length(%s)"},
	"year":   {1, 1, Time, Int, timePart("Y")}, "month": {1, 1, Time, Int, timePart("m")}, "day": {1, 1, Time, Int, timePart("d")}, "hour": {1, 1, Time, Int, timePart("H")},
}

func timePart(letter string) string {
	return "CAST(strftime('%%" + letter + "', %s / 1000.0, 'unixepoch') AS INTEGER)"
}

func (f function) count() string {
	switch {
	case f.least == f.most && f.least == 1:
		return "1 argument"
	case f.least == f.most:
		return fmt.Sprintf("%d arguments", f.least)
	}
	return fmt.Sprintf("at least %d", f.least)
}

// FunctionNames returns the names of all functions, sorted.
func FunctionNames() []string { return slices.Sorted(maps.Keys(functions)) }

// value writes a value that is no condition.
func (r *relation) value(e Expr) (typed, error) {
	v, err := r.write(e)
	if err == nil && v.Type == condition {
		err = errorAt(e.pos(), []string{"if(condition, 1, 0)"}, "a condition is no value here; write if(condition, 1, 0)")
	}
	return v, err
}

// write writes a value or a condition. A literal on its own has its own type.
func (r *relation) write(e Expr) (typed, error) {
	switch e := e.(type) {
	case Name:
		i, err := r.lookup(e)
		if err != nil {
			return typed{}, err
		}
		return typed{r.columns[i].Type, r.columns[i].sql, nil, e.Text}, nil
	case Literal:
		return e.as(e.natural())
	}
	c := e.(*Call)
	switch c.Op {
	case "and", "or":
		return r.logic(c.Op, c.Args)
	case "not":
		v, err := r.condition(c.Args[0])
		v.sql = "(NOT " + v.sql + ")"
		return v, err
	case "+", "-", "*", "/":
		return r.arithmetic(c)
	case "isnull", "in", "like", "between":
		return r.test(c)
	case "if", "coalesce", "concat", "round":
		return r.special(c)
	}
	if f, ok := functions[c.Op]; ok {
		return r.call(c, f)
	}
	return r.compare(c)
}

// as writes a literal as a value of a type.
func (l Literal) as(t Type) (typed, error) {
	bound, err := l.bind("the value", t)
	return typed{t, "?", []any{bound}, l.Text}, err
}

// natural is the type that a literal has where nothing asks for another.
func (l Literal) natural() Type {
	return map[LiteralKind]Type{StringText: String, Integer: Int, Float: Decimal}[l.Kind]
}

// needs writes a value that must have a type; a whole number will do for any number.
func (r *relation) needs(e Expr, t Type, who string) (typed, error) {
	v, err := r.value(e)
	if l, ok := e.(Literal); ok && t == Time {
		v, err = l.as(Time)
	}
	if err != nil || v.Type == t || t == Decimal && v.Type == Int {
		return v, err
	}
	return v, errorAt(e.pos(), nil, "%s needs a %s; %s is a %s", who, t.public(), v.name, v.public())
}

// call writes a function that is an expression of SQL.
func (r *relation) call(c *Call, f function) (typed, error) {
	v, err := r.needs(c.Args[0], f.takes, c.Op)
	if f.result != noneType {
		v.Type = f.result
	}
	v.sql, v.name = fmt.Sprintf(f.sql, v.sql), c.Op+"(…)"
	return v, err
}

func (r *relation) special(c *Call) (typed, error) {
	switch c.Op {
	case "round":
		return r.round(c)
	case "concat":
		return r.concat(c)
	case "coalesce":
		values, t, err := r.same(c.Args, "coalesce")
		return join("coalesce(", ", ", values, t), err
	}
	cond, err := r.condition(c.Args[0])
	if err != nil {
		return cond, err
	}
	values, t, err := r.same(c.Args[1:], "if")
	if err != nil {
		return cond, err
	}
	out := typed{Type: t, sql: "CASE WHEN " + cond.sql + " THEN " + values[0].sql + " ELSE " + values[1].sql + " END", name: "if(…)"}
	out.args = slices.Concat(cond.args, values[0].args, values[1].args)
	return out, nil
}

// round keeps the type: there is nothing to round in a whole number.
func (r *relation) round(c *Call) (typed, error) {
	v, err := r.needs(c.Args[0], Decimal, "round")
	if err != nil {
		return v, err
	}
	places := Literal{Kind: Integer}
	if len(c.Args) == 2 {
		var ok bool
		if places, ok = c.Args[1].(Literal); !ok || places.Kind != Integer || places.Int < 0 {
			return v, errorAt(c.Args[1].pos(), []string{"2"}, "round needs a whole number of places")
		}
	}
	if v.Type == Decimal {
		v.sql, v.args = "round("+v.sql+", ?)", with(v.args, places.Int)
	}
	v.name = "round(…)"
	return v, nil
}

// maxText is the longest string that concat makes, in characters: a few concats of concats would
// fill the memory.
const maxText = 32 << 10

func (r *relation) concat(c *Call) (typed, error) {
	var values []typed
	for _, e := range c.Args {
		v, err := r.needs(e, String, "concat")
		if err != nil {
			return v, err
		}
		values = append(values, v)
	}
	out := join("(", " || ", values, String)
	out.sql, out.name = fmt.Sprintf("substr(%s, 1, %d)", out.sql, maxText), "concat(…)"
	return out, nil
}

// join writes values with something between them, and closes the parenthesis.
func join(open, between string, values []typed, t Type) typed {
	out := typed{Type: t, name: strings.TrimSuffix(open, "(") + "(…)"}
	var parts []string
	for _, v := range values {
		parts = append(parts, v.sql)
		out.args = append(out.args, v.args...)
	}
	out.sql = open + strings.Join(parts, between) + ")"
	return out
}

// arithmetic computes with numbers. Division always makes a float; by zero it makes null.
func (r *relation) arithmetic(c *Call) (typed, error) {
	a, err := r.needs(c.Args[0], Decimal, c.Op)
	if err != nil {
		return a, err
	}
	b, err := r.needs(c.Args[1], Decimal, c.Op)
	out := typed{Type: Int, args: with(a.args, b.args...), name: "the result of " + c.Op}
	if a.Type == Decimal || b.Type == Decimal || c.Op == "/" {
		out.Type = Decimal
	}
	if c.Op == "/" {
		a.sql = "CAST(" + a.sql + " AS REAL)"
	}
	out.sql = "(" + a.sql + " " + c.Op + " " + b.sql + ")"
	return out, err
}

// same writes values that must have one type: that of the first that is no literal. Of whole
// numbers and others it is the others'.
func (r *relation) same(list []Expr, what string) ([]typed, Type, error) {
	t, first := noneType, ""
	for _, wantLiteral := range []bool{false, true} { // what has a type of its own comes first
		for _, e := range list {
			l, isLiteral := e.(Literal)
			if isLiteral != wantLiteral {
				continue
			}
			v, err := r.value(e)
			switch {
			case err != nil:
				return nil, t, err
			case t == noneType:
				t, first = v.Type, v.name
			case t.number() && v.number():
				if v.Type == Decimal {
					t = Decimal
				}
			case v.Type != t && !(isLiteral && l.Kind == StringText):
				// as says of other literals whether they can be read
				return nil, t, errorAt(e.pos(), nil, "the values of %s must have one type; %s is a %s and %s a %s", what, first, t.public(), v.name, v.public())
			}
		}
	}
	values := make([]typed, len(list))
	for i, e := range list {
		v, err := r.value(e)
		if l, ok := e.(Literal); ok && l.natural() != Decimal {
			v, err = l.as(t)
		}
		if err != nil {
			return nil, t, err
		}
		if t == Decimal && v.Type != Decimal || t == Decimal && v.sql == "?" {
			v.sql = "CAST(" + v.sql + " AS REAL)"
		}
		values[i] = v
	}
	return values, t, nil
}
