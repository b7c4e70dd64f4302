package ppl

import (
	"slices"
	"strings"
)

// condition writes an expression that must be a condition.
func (r *relation) condition(e Expr) (typed, error) {
	v, err := r.write(e)
	if err == nil && v.Type != condition {
		expected := append(slices.Clone(comparisons), "in", "not in", "like", "between")
		err = errorAt(e.pos(), expected, "%s is a value, not a condition: compare it, as in %s = …", v.name, v.name)
	}
	return v, err
}

// logic splits the terms in halves, so that long chains stay below SQLite's limit on expression
// depth.
func (r *relation) logic(op string, terms []Expr) (typed, error) {
	if len(terms) == 1 {
		return r.condition(terms[0])
	}
	left, err := r.logic(op, terms[:len(terms)/2])
	if err != nil {
		return left, err
	}
	right, err := r.logic(op, terms[len(terms)/2:])
	return typed{condition, "(" + left.sql + " " + strings.ToUpper(op) + " " + right.sql + ")", with(left.args, right.args...), ""}, err
}

// compare writes =, !=, <, <=, > or >=. A literal takes the type it is compared with.
func (r *relation) compare(c *Call) (typed, error) {
	left, leftIsLiteral := c.Args[0].(Literal)
	right, rightIsLiteral := c.Args[1].(Literal)
	if leftIsLiteral && rightIsLiteral {
		return typed{}, errorAt(c.At, nil, "one side of a comparison must be a field")
	}
	var a, b typed
	var err error
	if !leftIsLiteral {
		a, err = r.value(c.Args[0])
	}
	if !rightIsLiteral && err == nil {
		b, err = r.value(c.Args[1])
	}
	switch {
	case err != nil:
		return a, err
	case leftIsLiteral:
		a, err = left.comparedWith(b)
	case rightIsLiteral:
		b, err = right.comparedWith(a)
	case a.public() != b.public():
		err = errorAt(c.At, nil, "%s is a %s and %s a %s: they cannot be compared", a.name, a.public(), b.name, b.public())
	}
	return typed{condition, "(" + a.sql + " " + c.Op + " " + b.sql + ")", with(a.args, b.args...), ""}, err
}

func (l Literal) comparedWith(v typed) (typed, error) {
	bound, err := l.bind(v.name, v.Type)
	return typed{v.Type, "?", []any{bound}, l.Text}, err
}

// test writes a value in (…), like, between or is null.
func (r *relation) test(c *Call) (typed, error) {
	v, err := r.value(c.Args[0])
	if err != nil {
		return v, err
	}
	if c.Op == "like" {
		if err := checkLike(c, v); err != nil {
			return v, err
		}
	}
	out := typed{Type: condition, args: v.args}
	for _, e := range c.Args[1:] {
		bound, err := e.(Literal).comparedWith(v)
		if err != nil {
			return out, err
		}
		out.args = with(out.args, bound.args...)
	}
	switch c.Op {
	case "isnull":
		out.sql = "(" + v.sql + " IS NULL)"
	case "in":
		out.sql = "(" + v.sql + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(c.Args)-1), ", ") + "))"
	case "between":
		out.sql = "(" + v.sql + " BETWEEN ? AND ?)"
	case "like":
		out.sql = "(" + v.sql + ` LIKE ? ESCAPE '\')`
	}
	return out, err
}

func checkLike(c *Call, v typed) error {
	if v.Type != String {
		return errorAt(c.Args[0].pos(), nil, "like needs a string; %s is a %s", v.name, v.public())
	}
	if pattern := c.Args[1].(Literal); strings.HasSuffix(strings.ReplaceAll(pattern.Text, `\\`, ""), `\`) {
		return errorAt(pattern.At, nil, `the pattern ends in the middle of an escape: write \\ for a backslash`)
	}
	return nil
}
