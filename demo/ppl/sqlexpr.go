package ppl

import (
	"fmt"
	"slices"
	"strings"
)

// expr writes a condition as SQL with its bound values.
func (r *relation) expr(e Expr) (string, []any, error) {
	switch e := e.(type) {
	case *Logic:
		return r.logic(e.Op, e.Terms)
	case *Not:
		sql, args, err := r.expr(e.X)
		return "(NOT " + sql + ")", args, err
	case *Compare:
		return r.compare(e)
	case *In:
		return r.in(e)
	case *Like:
		return r.like(e)
	case *Match:
		return r.match(e)
	case *Between:
		return r.between(e)
	case *IsNull:
		return r.isNull(e)
	}
	return "", nil, fmt.Errorf("ppl: unknown condition %T", e)
}

// logic halves the terms, so that a long chain stays far below SQLite's limit on the depth of
// expressions.
func (r *relation) logic(op LogicOp, terms []Expr) (string, []any, error) {
	if len(terms) == 1 {
		return r.expr(terms[0])
	}
	left, leftArgs, err := r.logic(op, terms[:len(terms)/2])
	if err != nil {
		return "", nil, err
	}
	right, rightArgs, err := r.logic(op, terms[len(terms)/2:])
	// conditions are 0, 1 or null
	operator := map[LogicOp]string{And: " AND ", Or: " OR ", Xor: " <> "}[op]
	return "(" + left + operator + right + ")", slices.Concat(leftArgs, rightArgs), err
}

func (r *relation) compare(e *Compare) (string, []any, error) {
	left, leftIsLiteral := e.Left.(Literal)
	right, rightIsLiteral := e.Right.(Literal)
	switch {
	case leftIsLiteral && rightIsLiteral:
		return "", nil, errorAt(e.Pos, nil, "one side of a comparison must be a field")
	case rightIsLiteral:
		v, err := r.value(e.Left)
		if err != nil {
			return "", nil, err
		}
		bound, err := right.bind(v.name, v.Type)
		return "(" + v.sql + " " + e.Op + " ?)", with(v.args, bound), err
	case leftIsLiteral:
		v, err := r.value(e.Right)
		if err != nil {
			return "", nil, err
		}
		bound, err := left.bind(v.name, v.Type)
		return "(? " + e.Op + " " + v.sql + ")", slices.Concat([]any{bound}, v.args), err
	}
	return r.compareValues(e)
}

func with(args []any, more ...any) []any { return slices.Concat(args, more) }

func (r *relation) compareValues(e *Compare) (string, []any, error) {
	a, err := r.value(e.Left)
	if err != nil {
		return "", nil, err
	}
	b, err := r.value(e.Right)
	if err != nil {
		return "", nil, err
	}
	if a.public() != b.public() {
		return "", nil, errorAt(e.Pos, nil, "%s is a %s and %s a %s: they cannot be compared", a.name, a.public(), b.name, b.public())
	}
	return "(" + a.sql + " " + e.Op + " " + b.sql + ")", with(a.args, b.args...), nil
}

func (r *relation) column(n Name) (relColumn, error) {
	i, err := r.lookup(n)
	if err != nil {
		return relColumn{}, err
	}
	return r.columns[i], nil
}

func (r *relation) in(e *In) (string, []any, error) {
	v, err := r.value(e.Field)
	if err != nil {
		return "", nil, err
	}
	args := v.args
	for _, l := range e.Values {
		bound, err := l.bind(v.name, v.Type)
		if err != nil {
			return "", nil, err
		}
		args = with(args, bound)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(e.Values)), ", ")
	return "(" + v.sql + not(e.Negated) + " IN (" + marks + "))", args, nil
}

func (r *relation) like(e *Like) (string, []any, error) {
	v, err := r.textOf(e.Field, "like")
	if err != nil {
		return "", nil, err
	}
	if strings.HasSuffix(strings.ReplaceAll(e.Pattern.Text, `\\`, ""), `\`) {
		return "", nil, errorAt(e.Pattern.Pos, nil, `the pattern ends in the middle of an escape: write \\ for a backslash`)
	}
	return "(" + v.sql + not(e.Negated) + ` LIKE ? ESCAPE '\')`, with(v.args, e.Pattern.Text), nil
}

func (r *relation) match(e *Match) (string, []any, error) {
	v, err := r.textOf(e.Field, "a regular expression")
	if err != nil {
		return "", nil, err
	}
	if _, err := checkPattern(e.Pattern); err != nil {
		return "", nil, err
	}
	return "(ppl_match(" + v.sql + ", ?) = 1)", with(v.args, e.Pattern.Text), nil
}

// textOf is a value that must be a string.
func (r *relation) textOf(o Operand, what string) (typed, error) {
	v, err := r.value(o)
	if err == nil && v.Type != String {
		err = errorAt(posOf(o), nil, "%s needs a string; %s is a %s", what, v.name, v.public())
	}
	return v, err
}

// LikePattern escapes text, so that like matches it literally.
func LikePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func (r *relation) between(e *Between) (string, []any, error) {
	v, err := r.value(e.Field)
	if err != nil {
		return "", nil, err
	}
	low, err := e.Low.bind(v.name, v.Type)
	if err != nil {
		return "", nil, err
	}
	high, err := e.High.bind(v.name, v.Type)
	return "(" + v.sql + not(e.Negated) + " BETWEEN ? AND ?)", with(v.args, low, high), err
}

func (r *relation) isNull(e *IsNull) (string, []any, error) {
	v, err := r.value(e.Field)
	if err != nil {
		return "", nil, err
	}
	if e.Negated {
		return "(" + v.sql + " IS NOT NULL)", v.args, nil
	}
	return "(" + v.sql + " IS NULL)", v.args, nil
}

func not(n bool) string {
	if n {
		return " NOT"
	}
	return ""
}
