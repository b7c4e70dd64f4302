package ppl

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// more runs the commands beyond the first five.
func (n naive) more(c Command) naive {
	switch c := c.(type) {
	case *Reverse:
		n.rows = slices.Clone(n.rows)
		slices.Reverse(n.rows)
		return n
	case *Eval:
		for _, s := range c.Sets {
			n = n.with(s.Field.Text, n.typeOf(s.Value), func(row []any) any { return n.operand(s.Value, row) })
		}
		return n
	case *Rename:
		return n.rename(c)
	case *FillNull:
		for _, name := range c.Names {
			call := &Call{Func: "coalesce", Args: []Operand{name, c.With}}
			n = n.with(name.Text, n.typeOf(name), func(row []any) any { return n.operand(call, row) })
		}
		return n
	case *ParseField:
		return n.parse(c)
	case *Dedup:
		return n.dedup(c)
	case *Top:
		return n.top(c)
	case *TimeChart:
		return n.timeChart(c)
	}
	panic(fmt.Sprintf("unknown command %T", c))
}

// with adds or replaces a column.
func (n naive) with(name string, t Type, value func(row []any) any) naive {
	out := naive{columns: slices.Clone(n.columns)}
	i := n.index(name)
	if i < 0 {
		out.columns = append(out.columns, Column{name, t})
	} else {
		out.columns[i].Type = t
	}
	for _, row := range n.rows {
		cells := slices.Clone(row)
		if v := value(row); i < 0 {
			cells = append(cells, v)
		} else {
			cells[i] = v
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

func (n naive) rename(c *Rename) naive {
	for _, p := range c.Pairs {
		if p.From.Text == p.To.Text {
			continue
		}
		if i := n.index(p.To.Text); i >= 0 {
			n = n.fields(&Fields{Exclude: true, Names: []Name{p.To}})
		}
		n.columns = slices.Clone(n.columns)
		n.columns[n.index(p.From.Text)].Name = p.To.Text
	}
	return n
}

func (n naive) parse(c *ParseField) naive {
	re := regexp.MustCompile("^(?s:" + c.Pattern.Text + ")$")
	source := n
	for group, name := range re.SubexpNames() {
		if name == "" {
			continue
		}
		at := 0
		n = n.with(name, String, func([]any) any {
			v := source.rows[at][source.index(c.Field.Text)]
			at++
			if v == nil {
				return ""
			}
			if m := re.FindStringSubmatch(v.(string)); m != nil {
				return m[group]
			}
			return ""
		})
	}
	return n
}

func (n naive) dedup(d *Dedup) naive {
	seen := map[string]int{}
	last := ""
	n.rows = slices.DeleteFunc(slices.Clone(n.rows), func(row []any) bool {
		var key []any
		for _, name := range d.Names {
			key = append(key, row[n.index(name.Text)])
		}
		if slices.Contains(key, nil) {
			return !d.KeepEmpty
		}
		k := fmt.Sprintf("%#v", key)
		if d.Consecutive && k != last {
			clear(seen)
		}
		last = k
		seen[k]++
		return seen[k] > d.Count
	})
	return n
}

func (n naive) top(t *Top) naive {
	count := Name{Text: t.CountField}
	s := &Stats{Aggs: []Agg{{Func: "count", Alias: &count}}}
	var shown []Name
	keys := []SortKey{}
	for _, name := range t.By {
		s.By, shown, keys = append(s.By, Group{Field: name}), append(shown, name), append(keys, SortKey{name, false})
	}
	keys = append(keys, SortKey{count, !t.Rare})
	for _, name := range t.Names {
		s.By, shown = append(s.By, Group{Field: name}), append(shown, name)
	}
	if !t.HideCount {
		shown = append(shown, count)
	}
	n = n.stats(s)
	n.rows = n.sorted(keys)
	seen := map[string]int{}
	n.rows = slices.DeleteFunc(n.rows, func(row []any) bool {
		k := fmt.Sprintf("%#v", row[1:1+len(t.By)])
		seen[k]++
		return seen[k] > t.Count
	})
	return n.fields(&Fields{Names: shown})
}

func (n naive) timeChart(t *TimeChart) naive {
	at, agg := *t.TimeField, t.Agg
	s := &Stats{Aggs: []Agg{agg}, By: []Group{{Field: at, Span: &t.Span, Alias: &at}}}
	if t.By == nil {
		return n.stats(s).fields(&Fields{Names: []Name{at, {Text: agg.Column()}}})
	}
	by := Group{Field: *t.By}
	if t.Limit > 0 {
		n = n.largest(t, append(slices.Clone(s.By), by))
	}
	s.By = append(s.By, by)
	return n.stats(s).fields(&Fields{Names: []Name{at, *t.By, {Text: agg.Column()}}})
}

func (n naive) largest(t *TimeChart, by []Group) naive {
	known := n
	known.rows = slices.DeleteFunc(slices.Clone(n.rows), func(row []any) bool { return row[n.index(t.By.Text)] == nil })
	sums := map[any]float64{}
	for _, row := range known.stats(&Stats{Aggs: []Agg{t.Agg}, By: by}).rows {
		old, known := sums[row[2]]
		switch {
		case row[0] == nil && !known:
			sums[row[2]] = math.Inf(-1) // a sum of nothing comes last
		case row[0] != nil && (!known || math.IsInf(old, -1)):
			sums[row[2]] = float(row[0])
		case row[0] != nil:
			sums[row[2]] += float(row[0])
		}
	}
	values := []any{}
	for v := range sums {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b any) int { return cmp.Or(-cmp.Compare(sums[a], sums[b]), order(a, b)) })
	top := values[:min(t.Limit, len(values))]
	if t.DropOther {
		n.rows = slices.DeleteFunc(slices.Clone(n.rows), func(row []any) bool {
			v := row[n.index(t.By.Text)]
			return v != nil && !slices.Contains(top, v)
		})
		return n
	}
	return n.with(t.By.Text, String, func(row []any) any {
		v := row[n.index(t.By.Text)]
		switch {
		case v == nil:
			return nil
		case slices.Contains(top, v):
			return fmt.Sprint(v)
		}
		return "OTHER"
	})
}

// edge is first, last, earliest and latest. Rows are in their order.
func (n naive) edge(a Agg, rows [][]any) (any, bool) {
	i := n.index(a.Field.Text)
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []any) bool { return row[i] == nil })
	switch a.Func {
	case "first":
	case "last":
		slices.Reverse(rows)
	default:
		return nil, false
	}
	if len(rows) == 0 {
		return nil, true
	}
	return rows[0][i], true
}

func (n naive) typeOf(o Operand) Type {
	switch o := o.(type) {
	case Name:
		return n.columns[n.index(o.Text)].Type
	case Literal:
		return o.natural()
	case *Arith:
		if o.Op == "/" || n.typeOf(o.Left) == Decimal || n.typeOf(o.Right) == Decimal {
			return Decimal
		}
		return Int
	case *Case:
		return n.typeOf(o.Whens[0].Then)
	case *Call:
		if o.Func == "coalesce" || functions[o.Func].result == noneType {
			return n.typeOf(o.Args[0])
		}
		return functions[o.Func].result
	}
	panic("unknown operand")
}

// operand computes a value with its own few functions; those of the product have a test of their
// own.
func (n naive) operand(o Operand, row []any) any {
	switch o := o.(type) {
	case Name:
		return row[n.index(o.Text)]
	case Literal:
		v, err := o.bind("", o.natural())
		if err != nil {
			panic(err)
		}
		return v
	case *Arith:
		return n.arith(o, row)
	case *Case:
		for _, w := range o.Whens {
			if n.eval(w.If, row) == yes {
				return n.operand(w.Then, row)
			}
		}
		if o.Else == nil {
			return nil
		}
		return n.operand(o.Else, row)
	case *Call:
		return n.call(o, row)
	}
	panic("unknown operand")
}

func (n naive) arith(o *Arith, row []any) any {
	a, b := n.operand(o.Left, row), n.operand(o.Right, row)
	if a == nil || b == nil || (o.Op == "/" || o.Op == "%") && float(b) == 0 {
		return nil
	}
	x, isInt := a.(int64)
	y, both := b.(int64)
	if isInt && both && o.Op != "/" {
		return map[string]func() int64{"+": func() int64 { return x + y }, "-": func() int64 { return x - y }, "*": func() int64 { return x * y },
			"%": func() int64 { return x % y }}[o.Op]()
	}
	f, g := float(a), float(b)
	return map[string]float64{"+": f + g, "-": f - g, "*": f * g, "/": f / g, "%": math.Mod(f, g)}[o.Op]
}

func (n naive) call(c *Call, row []any) any {
	var args []any
	for _, a := range c.Args {
		v := n.operand(a, row)
		if c.Func == "coalesce" && v != nil {
			return v
		}
		args = append(args, v)
	}
	if c.Func == "coalesce" || slices.Contains(args, nil) {
		return nil
	}
	switch c.Func {
	case "upper":
		return strings.ToUpper(args[0].(string))
	case "length":
		return int64(len([]rune(args[0].(string))))
	case "concat":
		return args[0].(string) + args[1].(string)
	case "abs":
		return int64(math.Abs(float64(args[0].(int64))))
	case "hour":
		return int64(time.UnixMilli(args[0].(int64)).UTC().Hour())
	}
	panic("unknown function " + c.Func)
}
