package ppl

import (
	"slices"
	"strconv"
	"strings"
)

// stats makes a relation of one row per group: the aggregations first, then the keys.
func (r *relation) stats(s *Stats) (*relation, error) {
	out := &relation{}
	var terms, keys []string
	for _, a := range s.Aggs {
		v, err := r.aggregate(a)
		if err == nil {
			err = out.add(a.Name, v.Type)
		}
		if err != nil {
			return nil, err
		}
		terms, out.args = append(terms, v.sql), append(out.args, v.args...)
	}
	for _, g := range s.By {
		v, err := r.group(g)
		if err == nil {
			err = out.add(g.Name, v.Type)
		}
		if err != nil {
			return nil, err
		}
		terms, keys = append(terms, v.sql), append(keys, v.sql)
		out.order = append(out.order, orderKey{column: len(out.columns) - 1})
	}
	for i := range terms {
		terms[i] += " AS " + columnName(i)
	}
	out.from = "(SELECT " + strings.Join(terms, ", ") + r.fromWhere()
	if len(keys) > 0 {
		out.from += " GROUP BY " + strings.Join(keys, ", ")
	}
	out.from += ")"
	out.args = slices.Concat(out.args, r.args, r.values)
	return out, nil
}

// add is one more column of a table of aggregates.
func (r *relation) add(n Name, t Type) error {
	if slices.ContainsFunc(r.columns, func(c relColumn) bool { return c.Name == n.Text }) {
		return errorAt(n.At, nil, "two columns of stats would be called %q; name one of them with as", n.Text)
	}
	r.shown = append(r.shown, len(r.columns))
	r.columns = append(r.columns, relColumn{Column: Column{n.Text, t}, sql: columnName(len(r.columns))})
	return nil
}

// aggregate writes an aggregation as SQL. All of them skip nulls.
func (r *relation) aggregate(a Agg) (typed, error) {
	switch {
	case a.Of == nil:
		return typed{Type: Int, sql: "count(*)"}, nil
	case a.Func == "count_if":
		v, err := r.condition(a.Of)
		return typed{Type: Int, sql: "count(CASE WHEN " + v.sql + " THEN 1 END)", args: v.args}, err
	}
	v, err := r.value(a.Of)
	switch a.Func {
	case "count", "distinct_count":
		v.Type = Int
	case "sum", "avg":
		if err == nil && !v.number() {
			err = errorAt(a.Of.pos(), nil, "%s needs a number; %s is a %s", a.Func, v.name, v.Type)
		}
	}
	if a.Func == "avg" {
		v.Type = Decimal
	}
	call := map[string]string{"distinct_count": "count(DISTINCT "}[a.Func]
	if call == "" {
		call = a.Func + "("
	}
	v.sql = call + v.sql + ")"
	return v, err
}

// group writes a key. Intervals are rounded down, for negative values too, where SQLite's division
// rounds towards zero.
func (r *relation) group(g Group) (typed, error) {
	v, err := r.value(g.Field)
	if err != nil || g.Span == nil {
		return v, err
	}
	width, origin, err := g.Span.width(Field{g.Field.Text, v.Type})
	w, o := strconv.FormatInt(width, 10), strconv.FormatInt(origin, 10)
	if v.Type == Decimal {
		v.sql = "floor(" + v.sql + " / " + w + ") * " + w
	} else {
		v.sql = v.sql + " - (((" + v.sql + " - " + o + ") % " + w + ") + " + w + ") % " + w
	}
	return v, err
}
