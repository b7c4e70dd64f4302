package ppl

import (
	"math"
	"strconv"
	"strings"
)

// String is the query in normal form: parsing it gives the same query again.
func (q *Query) String() string {
	parts := []string{"source=" + quoteName(q.Source.Text)}
	for _, c := range q.Commands {
		parts = append(parts, printCommand(c))
	}
	return strings.Join(parts, " | ")
}

func printCommand(c Command) string {
	switch c := c.(type) {
	case *Where:
		return "where " + printExpr(c.Expr, 0)
	case *Stats:
		return printStats(c)
	case *Sort:
		return "sort " + join(c.Keys, printSortKey)
	case *Head:
		text := "head " + strconv.Itoa(c.Count)
		if c.From > 0 {
			text += " from " + strconv.Itoa(c.From)
		}
		return text
	case *Fields:
		names := join(c.Names, func(n Name) string { return quoteName(n.Text) })
		if c.Exclude {
			return "fields - " + names
		}
		return "fields " + names
	}
	return ""
}

func printStats(s *Stats) string {
	text := "stats " + join(s.Aggs, func(a Agg) string { return a.expression() + printAlias(a.Alias) })
	if len(s.By) > 0 {
		text += " by " + join(s.By, func(g Group) string { return g.expression() + printAlias(g.Alias) })
	}
	return text
}

func printAlias(alias *Name) string {
	if alias == nil {
		return ""
	}
	return " as " + quoteName(alias.Text)
}

func printSortKey(k SortKey) string {
	if k.Desc {
		return "- " + quoteName(k.Field.Text)
	}
	return quoteName(k.Field.Text)
}

// expression is the aggregation without its alias.
func (a Agg) expression() string {
	if a.Field == nil {
		return a.Func + "()"
	}
	return a.Func + "(" + quoteName(a.Field.Text) + ")"
}

// Column is the name the aggregation has in the result.
func (a Agg) Column() string {
	if a.Alias != nil {
		return a.Alias.Text
	}
	return a.expression()
}

func (g Group) expression() string {
	if g.Span == nil {
		return quoteName(g.Field.Text)
	}
	return "span(" + quoteName(g.Field.Text) + "," + strconv.FormatInt(g.Span.Size, 10) + g.Span.Unit + ")"
}

// Column is the name the key has in the result.
func (g Group) Column() string {
	switch {
	case g.Alias != nil:
		return g.Alias.Text
	case g.Span == nil:
		return g.Field.Text
	}
	return g.expression()
}

var precedence = map[LogicOp]int{Or: 1, Xor: 2, And: 3}

const notPrecedence = 4

// FormatExpr is the condition as a query would write it.
func FormatExpr(e Expr) string { return printExpr(e, 0) }

// printExpr writes e, in parentheses where it binds no tighter than its surroundings.
func printExpr(e Expr, outer int) string {
	switch e := e.(type) {
	case *Logic:
		own := precedence[e.Op]
		terms := make([]string, len(e.Terms))
		for i, t := range e.Terms {
			terms[i] = printExpr(t, own)
		}
		return parenthesize(strings.Join(terms, " "+string(e.Op)+" "), own <= outer)
	case *Not:
		return parenthesize("not "+printExpr(e.X, notPrecedence-1), notPrecedence <= outer)
	case *Compare:
		return printOperand(e.Left) + " " + e.Op + " " + printOperand(e.Right)
	case *In:
		return quoteName(e.Field.Text) + negated(e.Negated) + " in (" + join(e.Values, printLiteral) + ")"
	case *Like:
		return quoteName(e.Field.Text) + negated(e.Negated) + " like " + printLiteral(e.Pattern)
	case *Between:
		return quoteName(e.Field.Text) + negated(e.Negated) + " between " + printLiteral(e.Low) + " and " + printLiteral(e.High)
	case *IsNull:
		if e.Negated {
			return "isnotnull(" + quoteName(e.Field.Text) + ")"
		}
		return "isnull(" + quoteName(e.Field.Text) + ")"
	}
	return ""
}

func parenthesize(text string, need bool) string {
	if need {
		return "(" + text + ")"
	}
	return text
}

func negated(n bool) string {
	if n {
		return " not"
	}
	return ""
}

func printOperand(o Operand) string {
	if n, ok := o.(Name); ok {
		return quoteName(n.Text)
	}
	return printLiteral(o.(Literal))
}

func printLiteral(l Literal) string {
	switch l.Kind {
	case TimeText:
		return "timestamp(" + quoteString(l.Text) + ")"
	case Integer:
		return strconv.FormatInt(l.Int, 10)
	case Float:
		return formatFloat(l.Float)
	}
	return quoteString(l.Text)
}

// formatFloat keeps a decimal point or an exponent, so that the number stays a float.
func formatFloat(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if math.Trunc(f) == f && !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func quoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName puts a name in backticks unless it is a plain word that no keyword claims.
func quoteName(s string) string {
	if s != "" && isWordStart(s[0]) && span(s, isWordPart) == len(s) && !reserved[strings.ToLower(s)] {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

func join[T any](items []T, format func(T) string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = format(item)
	}
	return strings.Join(parts, ", ")
}
