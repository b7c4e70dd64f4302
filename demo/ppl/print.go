package ppl

import (
	"math"
	"slices"
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
		if c.Count > 0 {
			return "sort " + strconv.Itoa(c.Count) + " " + join(c.Keys, printSortKey)
		}
		return "sort " + join(c.Keys, printSortKey)
	case *Reverse:
		return "reverse"
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
	case *Eval:
		return "eval " + join(c.Sets, printSet)
	case *Rename:
		return "rename " + join(c.Pairs, func(p Pair) string { return quoteName(p.From.Text) + " as " + quoteName(p.To.Text) })
	case *FillNull:
		return printFillNull(c)
	case *ParseField:
		return "parse " + quoteName(c.Field.Text) + " " + quoteString(c.Pattern.Text)
	case *Dedup:
		return printDedup(c)
	case *Top:
		return printTop(c)
	case *TimeChart:
		return printTimeChart(c)
	}
	return ""
}

func printNames(names []Name) string {
	return join(names, func(n Name) string { return quoteName(n.Text) })
}

func printSet(s Set) string { return quoteName(s.Field.Text) + " = " + printOperand(s.Value) }

func printFillNull(f *FillNull) string {
	if f.With == nil {
		return "fillnull using " + join(f.Sets, printSet)
	}
	text := "fillnull with " + printOperand(f.With)
	if len(f.Names) > 0 {
		text += " in " + printNames(f.Names)
	}
	return text
}

func printDedup(d *Dedup) string {
	text := "dedup "
	if d.Count != 1 {
		text += strconv.Itoa(d.Count) + " "
	}
	text += printNames(d.Names)
	if d.KeepEmpty {
		text += " keepempty=true"
	}
	if d.Consecutive {
		text += " consecutive=true"
	}
	return text
}

func printTop(t *Top) string {
	text := map[bool]string{true: "rare ", false: "top "}[t.Rare] + strconv.Itoa(t.Count) + " "
	if t.CountField != "count" {
		text += "countfield=" + quoteString(t.CountField) + " "
	}
	if t.HideCount {
		text += "showcount=false "
	}
	text += printNames(t.Names)
	if len(t.By) > 0 {
		text += " by " + printNames(t.By)
	}
	return text
}

func printTimeChart(t *TimeChart) string {
	text := "timechart "
	if t.TimeField != nil {
		text += "timefield=" + quoteName(t.TimeField.Text) + " "
	}
	text += "span=" + strconv.FormatInt(t.Span.Size, 10) + t.Span.Unit + " "
	if t.By != nil {
		text += "limit=" + strconv.Itoa(t.Limit) + " "
	}
	if t.DropOther {
		text += "useother=false "
	}
	text += t.Agg.expression() + printAlias(t.Agg.Alias)
	if t.By != nil {
		text += " by " + quoteName(t.By.Text)
	}
	return text
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
	of := ""
	switch {
	case a.Field != nil:
		of = quoteName(a.Field.Text)
	case a.Value != nil:
		of = printOperand(a.Value)
	case a.If != nil:
		of = "eval(" + printExpr(a.If, 0) + ")"
	}
	if a.Func == "percentile" {
		of += ", " + strconv.FormatFloat(a.Percent, 'f', -1, 64)
	}
	return a.Func + "(" + of + ")"
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
		return printOperand(e.Field) + negated(e.Negated) + " in (" + join(e.Values, printLiteral) + ")"
	case *Like:
		return printOperand(e.Field) + negated(e.Negated) + " like " + printLiteral(e.Pattern)
	case *Match:
		return "regexp_match(" + printOperand(e.Field) + ", " + quoteString(e.Pattern.Text) + ")"
	case *Between:
		return printOperand(e.Field) + negated(e.Negated) + " between " + printLiteral(e.Low) + " and " + printLiteral(e.High)
	case *IsNull:
		if e.Negated {
			return "isnotnull(" + printOperand(e.Field) + ")"
		}
		return "isnull(" + printOperand(e.Field) + ")"
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

func printOperand(o Operand) string { return printValue(o, 0) }

// printValue writes o, in parentheses where it binds looser than step, an index of operators.
func printValue(o Operand, step int) string {
	switch o := o.(type) {
	case Name:
		return quoteName(o.Text)
	case Literal:
		return printLiteral(o)
	case *Arith:
		own := slices.IndexFunc(operators, func(ops []string) bool { return slices.Contains(ops, o.Op) })
		return parenthesize(printValue(o.Left, own)+" "+o.Op+" "+printValue(o.Right, own+1), own < step)
	case *Call:
		if o.Func == "cast" {
			return "cast(" + printOperand(o.Args[0]) + " as " + o.To + ")"
		}
		return o.Func + "(" + join(o.Args, printOperand) + ")"
	case *Case:
		return printCase(o)
	}
	return ""
}

func printCase(c *Case) string {
	branches := join(c.Whens, func(w When) string { return printExpr(w.If, 0) + ", " + printOperand(w.Then) })
	switch {
	case c.Else == nil:
		return "case(" + branches + ")"
	case len(c.Whens) == 1:
		return "if(" + branches + ", " + printOperand(c.Else) + ")"
	}
	return "case(" + branches + " else " + printOperand(c.Else) + ")"
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
