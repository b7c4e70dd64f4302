package ppl

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// naive evaluates queries in the plainest way there is: slices of rows, one command after the
// other. It is what the SQL is compared with.
type naive struct {
	columns []Column
	rows    [][]any // nil, int64, float64 or string
}

func (n naive) index(name string) int {
	return slices.IndexFunc(n.columns, func(c Column) bool { return c.Name == name })
}

func (n naive) run(q *Query) naive {
	for _, c := range q.Commands {
		switch c := c.(type) {
		case *Where:
			n.rows = slices.DeleteFunc(slices.Clone(n.rows), func(row []any) bool { return n.eval(c.Expr, row) != yes })
		case *Sort:
			n.rows = n.sorted(c.Keys)
			if c.Count > 0 {
				n.rows = n.rows[:min(c.Count, len(n.rows))]
			}
		case *Head:
			from := min(c.From, len(n.rows))
			n.rows = n.rows[from:min(from+c.Count, len(n.rows))]
		case *Fields:
			n = n.fields(c)
		case *Stats:
			n = n.stats(c)
		default:
			n = n.more(c)
		}
	}
	return n
}

// truth is a value of three-valued logic.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (n naive) eval(e Expr, row []any) truth {
	switch e := e.(type) {
	case *Logic:
		result := n.eval(e.Terms[0], row)
		for _, t := range e.Terms[1:] {
			result = combine(e.Op, result, n.eval(t, row))
		}
		return result
	case *Not:
		return 2 - n.eval(e.X, row)
	case *Compare:
		return n.compare(e, row)
	case *In:
		var alternatives truth
		for _, v := range e.Values {
			alternatives = max(alternatives, n.compare(&Compare{Op: "=", Left: e.Field, Right: v}, row))
		}
		return negate(alternatives, e.Negated)
	case *Between:
		low := n.compare(&Compare{Op: ">=", Left: e.Field, Right: e.Low}, row)
		high := n.compare(&Compare{Op: "<=", Left: e.Field, Right: e.High}, row)
		return negate(min(low, high), e.Negated)
	case *Like:
		v := n.operand(e.Field, row)
		if v == nil {
			return unknown
		}
		return negate(truthOf(likes([]rune(lowerASCII(v.(string))), []rune(lowerASCII(e.Pattern.Text)))), e.Negated)
	case *Match:
		v := n.operand(e.Field, row)
		if v == nil {
			return unknown
		}
		return truthOf(regexp.MustCompile(e.Pattern.Text).MatchString(v.(string)))
	case *IsNull:
		return truthOf((n.operand(e.Field, row) == nil) != e.Negated)
	}
	panic("unknown expression")
}

func negate(t truth, negated bool) truth {
	if negated {
		return 2 - t
	}
	return t
}

func combine(op LogicOp, a, b truth) truth {
	switch {
	case op == And:
		return min(a, b)
	case op == Or:
		return max(a, b)
	case a == unknown || b == unknown:
		return unknown
	}
	return truthOf(a != b)
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
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

func (n naive) compare(e *Compare, row []any) truth {
	value := func(o, other Operand) any {
		switch o := o.(type) {
		case Name:
			return row[n.index(o.Text)]
		case Literal:
			v, err := o.bind("", n.typeOf(other))
			if err != nil {
				panic(err)
			}
			return v
		}
		return n.operand(o, row)
	}
	a, b := value(e.Left, e.Right), value(e.Right, e.Left)
	if a == nil || b == nil {
		return unknown
	}
	c := order(a, b)
	return truthOf(map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[e.Op])
}

// order compares values of one type, null first.
func order(a, b any) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(truthOf(a != nil), truthOf(b != nil))
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
	var out naive
	for _, i := range keep {
		out.columns = append(out.columns, n.columns[i])
	}
	for _, row := range n.rows {
		var cells []any
		for _, i := range keep {
			cells = append(cells, row[i])
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

func (n naive) stats(s *Stats) naive {
	var groups [][]any // keys
	var members [][][]any
	for _, row := range n.rows {
		var key []any
		for _, g := range s.By {
			key = append(key, n.key(g, row))
		}
		i := slices.IndexFunc(groups, func(k []any) bool { return slices.EqualFunc(k, key, func(a, b any) bool { return order(a, b) == 0 }) })
		if i < 0 {
			i = len(groups)
			groups, members = append(groups, key), append(members, nil)
		}
		members[i] = append(members[i], row)
	}
	if len(s.By) == 0 && len(groups) == 0 {
		groups, members = append(groups, nil), append(members, nil)
	}
	var out naive
	for _, a := range s.Aggs {
		out.columns = append(out.columns, Column{a.Column(), n.aggType(a)})
	}
	for _, g := range s.By {
		out.columns = append(out.columns, Column{g.Column(), n.columns[n.index(g.Field.Text)].Type})
	}
	for i, key := range groups {
		var row []any
		for _, a := range s.Aggs {
			row = append(row, n.aggregate(a, members[i]))
		}
		out.rows = append(out.rows, append(row, key...))
	}
	slices.SortFunc(out.rows, func(a, b []any) int {
		return slices.CompareFunc(a[len(s.Aggs):], b[len(s.Aggs):], order)
	})
	return out
}

func (n naive) key(g Group, row []any) any {
	i := n.index(g.Field.Text)
	v := row[i]
	if g.Span == nil || v == nil {
		return v
	}
	width, origin, err := g.Span.width(Field{Type: n.columns[i].Type})
	if err != nil {
		panic(err)
	}
	if f, ok := v.(float64); ok {
		return math.Floor(f/float64(width)) * float64(width)
	}
	return origin + int64(math.Floor(float64(v.(int64)-origin)/float64(width)))*width
}

func (n naive) aggType(a Agg) Type {
	switch {
	case a.Func == "avg":
		return Decimal
	case a.Func == "count" || a.Func == "distinct_count":
		return Int
	case a.Func == "list" || a.Func == "values":
		return String
	case !slices.Contains([]string{"sum", "min", "max", "first", "last", "earliest", "latest"}, a.Func):
		return Decimal
	}
	return n.columns[n.index(a.Field.Text)].Type
}

func (n naive) aggregate(a Agg, rows [][]any) any {
	if a.If != nil {
		return int64(len(slices.DeleteFunc(slices.Clone(rows), func(row []any) bool { return n.eval(a.If, row) != yes })))
	}
	if a.Field == nil {
		return int64(len(rows))
	}
	if v, ok := n.edge(a, rows); ok {
		return v
	}
	var values []any
	for _, row := range rows {
		if v := row[n.index(a.Field.Text)]; v != nil {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, order)
	switch {
	case a.Func == "count":
		return int64(len(values))
	case a.Func == "distinct_count":
		return int64(len(slices.CompactFunc(values, func(a, b any) bool { return order(a, b) == 0 })))
	case a.Func == "values":
		return text(listText(slices.CompactFunc(values, func(a, b any) bool { return order(a, b) == 0 })))
	case len(values) == 0:
		return nil
	case a.Func == "min":
		return values[0]
	case a.Func == "max":
		return values[len(values)-1]
	}
	var sum int64
	for _, v := range values {
		sum += v.(int64)
	}
	mean := float64(sum) / float64(len(values))
	switch a.Func {
	case "avg":
		return mean
	case "median":
		return (float(values[(len(values)-1)/2]) + float(values[len(values)/2])) / 2
	case "var_pop":
		squares := 0.0
		for _, v := range values {
			squares += (float(v) - mean) * (float(v) - mean)
		}
		return squares / float64(len(values))
	}
	return sum
}
