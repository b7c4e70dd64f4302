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
	case *Between:
		return r.between(e)
	case *IsNull:
		return r.isNull(e)
	}
	return "", nil, fmt.Errorf("ppl: unknown condition %T", e)
}

// logic halves the terms, so that a long chain stays far below SQLite's limit on the depth of expressions.
func (r *relation) logic(op LogicOp, terms []Expr) (string, []any, error) {
	if len(terms) == 1 {
		return r.expr(terms[0])
	}
	left, leftArgs, err := r.logic(op, terms[:len(terms)/2])
	if err != nil {
		return "", nil, err
	}
	right, rightArgs, err := r.logic(op, terms[len(terms)/2:])
	operator := map[LogicOp]string{And: " AND ", Or: " OR ", Xor: " <> "}[op] // conditions are 0, 1 or null
	return "(" + left + operator + right + ")", slices.Concat(leftArgs, rightArgs), err
}

func (r *relation) compare(e *Compare) (string, []any, error) {
	left, leftIsField := e.Left.(Name)
	right, rightIsField := e.Right.(Name)
	switch {
	case leftIsField && rightIsField:
		return r.compareFields(e, left, right)
	case leftIsField:
		col, err := r.column(left)
		if err != nil {
			return "", nil, err
		}
		v, err := e.Right.(Literal).bind(col.Name, col.Type)
		return "(" + col.sql + " " + e.Op + " ?)", []any{v}, err
	case rightIsField:
		col, err := r.column(right)
		if err != nil {
			return "", nil, err
		}
		v, err := e.Left.(Literal).bind(col.Name, col.Type)
		return "(? " + e.Op + " " + col.sql + ")", []any{v}, err
	}
	return "", nil, errorAt(e.Pos, nil, "one side of a comparison must be a field")
}

func (r *relation) compareFields(e *Compare, left, right Name) (string, []any, error) {
	a, err := r.column(left)
	if err != nil {
		return "", nil, err
	}
	b, err := r.column(right)
	if err != nil {
		return "", nil, err
	}
	if a.Type.public() != b.Type.public() {
		return "", nil, errorAt(e.Pos, nil, "%s is a %s and %s a %s: they cannot be compared", a.Name, a.Type.public(), b.Name, b.Type.public())
	}
	return "(" + a.sql + " " + e.Op + " " + b.sql + ")", nil, nil
}

func (r *relation) column(n Name) (relColumn, error) {
	i, err := r.lookup(n)
	if err != nil {
		return relColumn{}, err
	}
	return r.columns[i], nil
}

func (r *relation) in(e *In) (string, []any, error) {
	col, err := r.column(e.Field)
	if err != nil {
		return "", nil, err
	}
	var args []any
	for _, l := range e.Values {
		v, err := l.bind(col.Name, col.Type)
		if err != nil {
			return "", nil, err
		}
		args = append(args, v)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(args)), ", ")
	return "(" + col.sql + not(e.Negated) + " IN (" + marks + "))", args, nil
}

func (r *relation) like(e *Like) (string, []any, error) {
	col, err := r.column(e.Field)
	if err != nil {
		return "", nil, err
	}
	if col.Type != String {
		return "", nil, errorAt(e.Field.Pos, nil, "like needs a string; %s is a %s", col.Name, col.Type.public())
	}
	if strings.HasSuffix(strings.ReplaceAll(e.Pattern.Text, `\\`, ""), `\`) {
		return "", nil, errorAt(e.Pattern.Pos, nil, `the pattern ends in the middle of an escape: write \\ for a backslash`)
	}
	return "(" + col.sql + not(e.Negated) + ` LIKE ? ESCAPE '\')`, []any{e.Pattern.Text}, nil
}

// LikePattern escapes text, so that like matches it literally.
func LikePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func (r *relation) between(e *Between) (string, []any, error) {
	col, err := r.column(e.Field)
	if err != nil {
		return "", nil, err
	}
	low, err := e.Low.bind(col.Name, col.Type)
	if err != nil {
		return "", nil, err
	}
	high, err := e.High.bind(col.Name, col.Type)
	return "(" + col.sql + not(e.Negated) + " BETWEEN ? AND ?)", []any{low, high}, err
}

func (r *relation) isNull(e *IsNull) (string, []any, error) {
	col, err := r.column(e.Field)
	if err != nil {
		return "", nil, err
	}
	if e.Negated {
		return "(" + col.sql + " IS NOT NULL)", nil, nil
	}
	return "(" + col.sql + " IS NULL)", nil, nil
}

func not(n bool) string {
	if n {
		return " NOT"
	}
	return ""
}
