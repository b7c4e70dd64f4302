package ppl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// naive evaluates queries in the plainest way there is: slices of rows, one command after the
// other. It is what the SQL is compared with.
type naive struct {
	columns []Column
	rows    [][]any // nil, int64, float64, string or, for conditions, bool
}

func (n naive) index(name string) int {
	return slices.IndexFunc(n.columns, func(c Column) bool { return c.Name == name })
}

func (n naive) run(q *Query) naive {
	for _, c := range q.Commands {
		switch c := c.(type) {
		case *Where:
			n.rows = slices.DeleteFunc(slices.Clone(n.rows), func(row []any) bool { return n.value(c.Cond, row, Int) != true })
		case *Eval:
			for _, s := range c.Sets {
				n = n.eval(s)
			}
		case *Sort:
			n.rows = n.sorted(c.Keys)
		case *Head:
			n.rows = n.rows[:min(c.Count, len(n.rows))]
		case *Fields:
			n = n.fields(c)
		case *Stats:
			n = n.stats(c)
		}
	}
	return n
}

func (n naive) eval(s Set) naive {
	out := naive{columns: slices.Clone(n.columns)}
	i := n.index(s.Field.Text)
	if i < 0 {
		i = len(n.columns)
		out.columns = append(out.columns, Column{})
	}
	out.columns[i] = Column{s.Field.Text, n.typeOf(s.Value)}
	for _, row := range n.rows {
		v := n.value(s.Value, row, out.columns[i].Type)
		row = append(slices.Clone(row), nil)[:len(out.columns)]
		row[i] = v
		out.rows = append(out.rows, row)
	}
	return out
}

func (n naive) typeOf(e Expr) Type {
	switch e := e.(type) {
	case Name:
		return n.columns[n.index(e.Text)].Type
	case Literal:
		return e.natural()
	case *Call:
		switch e.Op {
		case "concat":
			return String
		case "length", "hour":
			return Int
		case "/":
			return Decimal
		case "if":
			return n.typeOf(e.Args[1])
		}
		return n.typeOf(e.Args[0])
	}
	return noneType
}

// value is nil where it is null, or unknown. Literals are read as of a type.
func (n naive) value(e Expr, row []any, t Type) any {
	switch e := e.(type) {
	case Name:
		return row[n.index(e.Text)]
	case Literal:
		v, err := e.bind("", t)
		if err != nil {
			panic(err)
		}
		return v
	}
	c := e.(*Call)
	if slices.Contains(comparisons, c.Op) || c.Op == "in" || c.Op == "between" || c.Op == "like" {
		t = n.typeOf(c.Args[0])
	}
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		args[i] = n.value(a, row, t)
	}
	return apply(c.Op, args)
}

func apply(op string, args []any) any {
	switch op {
	case "and", "or":
		return logic(op == "or", args)
	case "isnull":
		return args[0] == nil
	case "coalesce":
		if args[0] == nil {
			return args[1]
		}
		return args[0]
	case "if":
		if args[0] == true {
			return args[1]
		}
		return args[2]
	case "between":
		return logic(false, []any{apply(">=", args[:2]), apply("<=", []any{args[0], args[2]})})
	case "in":
		var alternatives []any
		for _, a := range args[1:] {
			alternatives = append(alternatives, apply("=", []any{args[0], a}))
		}
		return logic(true, alternatives)
	}
	if slices.Contains(args, nil) {
		return nil
	}
	switch op {
	case "not":
		return !args[0].(bool)
	case "like":
		return likes([]rune(strings.ToLower(args[0].(string))), []rune(strings.ToLower(args[1].(string))))
	case "concat":
		return args[0].(string) + args[1].(string)
	case "length":
		return int64(len([]rune(args[0].(string))))
	case "abs":
		return max(args[0].(int64), -args[0].(int64))
	case "hour":
		return args[0].(int64) / 3_600_000 % 24
	case "+":
		return args[0].(int64) + args[1].(int64)
	case "-":
		return args[0].(int64) - args[1].(int64)
	case "*":
		return args[0].(int64) * args[1].(int64)
	case "/":
		if args[1] == int64(0) {
			return nil
		}
		return float(args[0]) / float(args[1])
	}
	c := order(args[0], args[1])
	return map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
}

// logic is true where a term decides it, else unknown where one is.
func logic(decides bool, terms []any) any {
	switch {
	case slices.Contains(terms, any(decides)):
		return decides
	case slices.Contains(terms, nil):
		return nil
	}
	return !decides
}

// likes matches recursively: % any text, _ one character, \ escapes.
func likes(s, pattern []rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	switch pattern[0] {
	case '%':
		return likes(s, pattern[1:]) || len(s) > 0 && likes(s[1:], pattern)
	case '_':
		return len(s) > 0 && likes(s[1:], pattern[1:])
	case '\\':
		pattern = pattern[1:]
	}
	return len(s) > 0 && s[0] == pattern[0] && likes(s[1:], pattern[1:])
}

// order compares values of one type, null first.
func order(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(fmt.Sprint(a != nil), fmt.Sprint(b != nil))
	}
	if s, ok := a.(string); ok {
		return cmp.Compare(s, b.(string))
	}
	return cmp.Compare(float(a), float(b))
}

func float(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

func (n naive) sorted(keys []SortKey) [][]any {
	rows := slices.Clone(n.rows)
	slices.SortStableFunc(rows, func(a, b []any) int {
		for _, k := range keys {
			i := n.index(k.Field.Text)
			if c := order(a[i], b[i]); c != 0 && k.Desc {
				return -c
			} else if c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}

func (n naive) fields(f *Fields) naive {
	var keep []int
	for _, name := range f.Names {
		keep = append(keep, n.index(name.Text))
	}
	if f.Exclude {
		drop := keep
		keep = slices.DeleteFunc(all(len(n.columns)), func(i int) bool { return slices.Contains(drop, i) })
	}
	out := naive{rows: make([][]any, len(n.rows))}
	for _, i := range keep {
		out.columns = append(out.columns, n.columns[i])
		for r, row := range n.rows {
			out.rows[r] = append(out.rows[r], row[i])
		}
	}
	return out
}

func (n naive) stats(s *Stats) naive {
	keyed := naive{}
	members := map[string][][]any{}
	for _, g := range s.By {
		keyed.columns = append(keyed.columns, Column{g.Name.Text, n.typeOf(g.Field)})
	}
	if len(s.By) == 0 {
		keyed.rows = [][]any{nil}
	}
	for _, row := range n.rows {
		var key []any
		for _, g := range s.By {
			key = append(key, n.key(g, row))
		}
		id := fmt.Sprintf("%#v", key)
		if members[id] == nil && len(s.By) > 0 {
			keyed.rows = append(keyed.rows, key)
		}
		members[id] = append(members[id], row)
	}
	slices.SortFunc(keyed.rows, func(a, b []any) int { return slices.CompareFunc(a, b, order) })
	var out naive
	for _, a := range s.Aggs {
		t := Int
		switch {
		case a.Func == "avg":
			t = Decimal
		case slices.Contains([]string{"sum", "min", "max"}, a.Func):
			t = n.typeOf(a.Of)
		}
		out.columns = append(out.columns, Column{a.Name.Text, t})
	}
	out.columns = append(out.columns, keyed.columns...)
	for _, key := range keyed.rows {
		var row []any
		for _, a := range s.Aggs {
			row = append(row, n.aggregate(a, members[fmt.Sprintf("%#v", key)]))
		}
		out.rows = append(out.rows, append(row, key...))
	}
	return out
}

func (n naive) key(g Group, row []any) any {
	v := row[n.index(g.Field.Text)]
	if g.Span == nil || v == nil {
		return v
	}
	width, origin, err := g.Span.width(Field{Type: n.typeOf(g.Field)})
	if err != nil {
		panic(err)
	}
	if f, ok := v.(float64); ok {
		return math.Floor(f/float64(width)) * float64(width)
	}
	return origin + int64(math.Floor(float64(v.(int64)-origin)/float64(width)))*width
}

func (n naive) aggregate(a Agg, rows [][]any) any {
	if a.Of == nil {
		return int64(len(rows))
	}
	var values []any
	for _, row := range rows {
		if v := n.value(a.Of, row, n.typeOf(a.Of)); v != nil && v != false {
			values = append(values, v)
		}
	}
	if a.Func == "count" || a.Func == "count_if" {
		return int64(len(values))
	}
	slices.SortFunc(values, order)
	if a.Func == "distinct_count" {
		return int64(len(slices.CompactFunc(values, func(a, b any) bool { return order(a, b) == 0 })))
	}
	if len(values) == 0 {
		return nil
	}
	switch a.Func {
	case "min":
		return values[0]
	case "max":
		return values[len(values)-1]
	}
	var sum int64
	for _, v := range values {
		sum += v.(int64)
	}
	if a.Func == "avg" {
		return float64(sum) / float64(len(values))
	}
	return sum
}
