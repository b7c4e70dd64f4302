package ppl

import (
	"slices"
	"strings"
)

// aggregate writes an aggregation as SQL.
func (r *relation) aggregate(a Agg) (typed, error) {
	of := a.Value
	if a.Field != nil {
		of = *a.Field
	}
	switch {
	case a.If != nil:
		sql, args, err := r.expr(a.If)
		return typed{Type: Int, sql: "count(CASE WHEN " + sql + " THEN 1 END)", args: args}, err
	case of == nil:
		return typed{Type: Int, sql: "count(*)"}, nil
	}
	v, err := r.value(of)
	if err != nil {
		return v, err
	}
	switch a.Func {
	case "count":
		return typed{Type: Int, sql: "count(" + v.sql + ")", args: v.args}, nil
	case "distinct_count":
		return typed{Type: Int, sql: "count(DISTINCT " + v.sql + ")", args: v.args}, nil
	case "min", "max":
		return typed{Type: v.Type, sql: a.Func + "(" + v.sql + ")", args: v.args}, nil
	case "first", "last", "earliest", "latest":
		return r.edge(a, v)
	case "list", "values":
		return r.listed(a.Func, v), nil
	}
	if !v.number() {
		return v, errorAt(posOf(of), nil, "%s needs a number; %s is a %s", a.Func, v.name, v.Type)
	}
	return numeric(a, v), nil
}

func numeric(a Agg, v typed) typed {
	out := typed{Type: Decimal, sql: "ppl_" + a.Func + "(" + v.sql + ")", args: v.args}
	switch a.Func {
	case "sum":
		out.sql, out.Type = "sum("+v.sql+")", v.Type
	case "avg":
		out.sql = "avg(" + v.sql + ")"
	case "median":
		out.sql, out.args = "ppl_percentile("+v.sql+", ?)", with(v.args, 50.0)
	case "percentile":
		out.sql, out.args = "ppl_percentile("+v.sql+", ?)", with(v.args, a.Percent)
	}
	return out
}

// edge is the first or last value that is not null: in the rows' order, or in time.
func (r *relation) edge(a Agg, v typed) (typed, error) {
	order := slices.Clone(r.order)
	if a.Func == "earliest" || a.Func == "latest" {
		if r.time == "" {
			return v, errorAt(a.Pos, nil, "%s needs the time of the rows; it must stand before other stats", a.Func)
		}
		i, err := r.lookup(Name{r.time, a.Pos})
		if err != nil {
			return v, err
		}
		order = []orderKey{{column: i}}
		for _, k := range r.order {
			order = addKey(order, orderKey{k.column, false})
		}
	}
	if a.Func == "last" || a.Func == "latest" {
		for i := range order {
			order[i].desc = !order[i].desc
		}
	}
	sorted := relation{columns: r.columns, order: order}
	return typed{Type: v.Type, sql: "ppl_first(" + v.sql + sorted.orderBy() + ")", args: v.args}, nil
}

// listed is the values as text: list in the rows' order, values each once and sorted.
func (r *relation) listed(name string, v typed) typed {
	if v.Type == Time {
		v.sql = "ppl_cast_t_string(" + v.sql + ")"
	}
	sql := "ppl_list(" + v.sql + r.orderBy() + ")"
	if name == "values" {
		sql = "ppl_list(DISTINCT " + v.sql + " ORDER BY " + v.sql + ")"
		v.args = with(v.args, v.args...)
	}
	return typed{Type: String, sql: strings.TrimSpace(sql), args: v.args}
}
