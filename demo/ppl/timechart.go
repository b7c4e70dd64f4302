package ppl

import "slices"

// otherValue stands for all values of timechart's field beyond its limit.
const otherValue = "OTHER"

func (c *compiler) timeChart(t *TimeChart) error {
	c.closeLimit()
	at, err := c.rel.timeName(t)
	if err != nil {
		return err
	}
	s := &Stats{Aggs: []Agg{t.Agg}, By: []Group{{Field: at, Span: &t.Span, Alias: &Name{at.Text, t.Span.Pos}, Pos: t.Span.Pos}}}
	if t.By != nil {
		if t.Limit > 0 {
			if err := c.largest(t, s); err != nil {
				return err
			}
		}
		s.By = append(s.By, Group{Field: *t.By, Pos: t.By.Pos})
	}
	if err := c.stats(s); err != nil {
		return err
	}
	c.rel.shown = append(all(len(s.By) + 1)[1:], 0)
	return nil
}

// timeName is the field over which the chart goes.
func (r *relation) timeName(t *TimeChart) (Name, error) {
	name := Name{r.time, t.Span.Pos}
	if t.TimeField != nil {
		name = *t.TimeField
	} else if r.time == "" {
		return name, errorAt(t.Span.Pos, []string{"timefield="}, "there is no time here; timechart must stand before stats")
	}
	col, err := r.column(name)
	if err == nil && col.Type != Time {
		err = errorAt(name.Pos, nil, "timechart needs a time; %s is a %s", col.Name, col.Type.public())
	}
	return name, err
}

// largest keeps the values of the chart's field with the largest sums over all intervals, and puts
// the others together. Nulls stay apart. The field becomes text, for "OTHER".
func (c *compiler) largest(t *TimeChart, chart *Stats) error {
	i, err := c.rel.lookup(*t.By)
	if err != nil {
		return err
	}
	col := c.rel.columns[i]
	if col.Type == Time {
		return errorAt(t.By.Pos, nil, "timechart cannot be by the time %s", col.Name)
	}
	ranking, args, err := c.ranking(t, chart)
	if err != nil {
		return err
	}
	in := col.sql + " IN (" + ranking + ")"
	if t.DropOther {
		c.rel.where = append(c.rel.where, "("+in+" OR "+col.sql+" IS NULL)")
		c.rel.values = append(c.rel.values, args...)
		return nil
	}
	sql := "CASE WHEN " + col.sql + " IS NULL THEN NULL WHEN " + in + " THEN CAST(" + col.sql + " AS TEXT) ELSE '" + otherValue + "' END"
	added, err := c.extend(t.By.Pos, relColumn{Column: Column{col.Name, String}, sql: sql, args: args, weight: maxWeight + 1})
	if err == nil {
		c.rel.show(added)
	}
	return err
}

// ranking is the SELECT of the values that the chart shows apart.
func (c *compiler) ranking(t *TimeChart, chart *Stats) (string, []any, error) {
	sub := &compiler{rel: c.rel.clone()}
	agg := t.Agg
	agg.Alias = &Name{Text: "the value"}
	by := Group{Field: *t.By, Alias: &Name{Text: "the field"}, Pos: t.By.Pos}
	interval := chart.By[0]
	interval.Alias = &Name{Text: "the interval"}
	value, field := Name{Text: "the value"}, Name{Text: "the field"}
	err := sub.where(&IsNull{*t.By, true})
	if err == nil {
		err = sub.stats(&Stats{Aggs: []Agg{agg}, By: []Group{interval, by}})
	}
	if err != nil {
		return "", nil, err
	}
	sum := Agg{Func: "sum", Field: &value, Alias: &value}
	if !sub.rel.columns[0].Type.number() {
		sum = Agg{Func: "count", Alias: &value}
	}
	if err := sub.stats(&Stats{Aggs: []Agg{sum}, By: []Group{{Field: field}}}); err != nil {
		return "", nil, err
	}
	sub.rel.order = []orderKey{{column: 0, desc: true}, {column: 1}}
	sub.rel.limit = &Head{Count: t.Limit}
	sql, args := sub.rel.sql([]int{1})
	return sql, slices.Clone(args), nil
}
