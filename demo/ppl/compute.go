package ppl

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxComputed = 100 // columns that one query computes
	// of a column; a larger one is kept from being written out wherever it is used
	maxWeight = 200
)

// extend computes columns in a SELECT of their own; from there on they are plain columns. It
// returns the index of the first.
func (c *compiler) extend(p Pos, added ...relColumn) (int, error) {
	if c.computed += len(added); c.computed > maxComputed {
		return 0, errorAt(p, nil, "a query computes at most %d fields", maxComputed)
	}
	inner := c.rel.clone()
	first := len(inner.columns)
	inner.columns = append(inner.columns, added...)
	heavy := slices.ContainsFunc(added, func(col relColumn) bool { return col.weight > maxWeight })
	if inner.limit == nil && heavy {
		inner.limit = &Head{Count: -1}
	}
	c.rel = inner.wrap()
	return first, nil
}

// show makes a column a field: in the place of the one with its name, or as the last.
func (r *relation) show(index int) {
	name := r.columns[index].Name
	r.shown = slices.Clone(r.shown)
	if i := slices.IndexFunc(r.shown, func(i int) bool { return r.columns[i].Name == name }); i >= 0 {
		r.shown[i] = index
		return
	}
	r.shown = append(r.shown, index)
}

func (c *compiler) eval(sets []Set) error {
	for _, s := range sets {
		v, err := c.rel.value(s.Value)
		if err != nil {
			return err
		}
		i, err := c.extend(s.Field.Pos, relColumn{Column: Column{s.Field.Text, v.Type}, sql: v.sql, args: v.args, weight: v.weight})
		if err != nil {
			return err
		}
		c.rel.show(i)
	}
	return nil
}

func (c *compiler) rename(cmd *Rename) error {
	c.rel = c.rel.clone()
	for _, p := range cmd.Pairs {
		i, err := c.rel.lookup(p.From)
		if err != nil {
			return err
		}
		r := c.rel
		r.shown = slices.DeleteFunc(r.shown, func(j int) bool { return j != i && r.columns[j].Name == p.To.Text })
		if r.columns[i].Name == r.time {
			r.time = p.To.Text
		}
		r.columns[i].Name = p.To.Text
	}
	return nil
}

// fillNull is eval with coalesce. Without names it takes the fields that can hold the value.
func (c *compiler) fillNull(f *FillNull) error {
	sets := slices.Clone(f.Sets)
	if f.With != nil {
		names := f.Names
		if len(names) == 0 {
			var err error
			if names, err = c.fitting(f.With); err != nil {
				return err
			}
		}
		for _, n := range names {
			sets = append(sets, Set{n, f.With})
		}
	}
	for i, s := range sets {
		if _, err := c.rel.lookup(s.Field); err != nil {
			return err
		}
		sets[i].Value = &Call{Func: "coalesce", Args: []Operand{s.Field, s.Value}, Pos: s.Field.Pos}
	}
	return c.eval(sets)
}

func (c *compiler) fitting(value Operand) ([]Name, error) {
	v, err := c.rel.value(value)
	if err != nil {
		return nil, err
	}
	var names []Name
	for _, i := range c.rel.shown {
		if col := c.rel.columns[i]; col.Type.public() == v.public() {
			names = append(names, Name{col.Name, posOf(value)})
		}
	}
	if len(names) == 0 {
		return nil, errorAt(posOf(value), nil, "no field is a %s", v.public())
	}
	return names, nil
}

func (c *compiler) parseField(cmd *ParseField) error {
	v, err := c.rel.textOf(cmd.Field, "parse")
	if err != nil {
		return err
	}
	re, err := checkPattern(cmd.Pattern)
	if err != nil {
		return err
	}
	var added []relColumn
	for group, name := range re.SubexpNames() {
		if name != "" {
			added = append(added, relColumn{Column: Column{name, String}, sql: "ppl_group(" + v.sql + ", ?, ?)",
				args: []any{cmd.Pattern.Text, group}, weight: v.weight + 1})
		}
	}
	first, err := c.extend(cmd.Pattern.Pos, added...)
	for i := range added {
		if err == nil {
			c.rel.show(first + i)
		}
	}
	return err
}

// hidden is a column that no command can name.
func hidden(sql string) relColumn { return relColumn{Column: Column{Type: Int}, sql: sql, weight: 1} }

func (c *compiler) dedup(d *Dedup) error {
	c.closeLimit()
	fields, err := c.rel.sqlOf(d.Names)
	if err != nil {
		return err
	}
	if !d.KeepEmpty {
		c.rel.where = append(c.rel.where, "NOT "+anyNull(fields))
	}
	partition, pos := fields, d.Names[0].Pos
	if d.Consecutive {
		if partition, err = c.stretches(pos, fields); err != nil {
			return err
		}
		// they are columns of another SELECT by now
		if fields, err = c.rel.sqlOf(d.Names); err != nil {
			return err
		}
	}
	number, err := c.extend(pos, hidden("row_number() OVER (PARTITION BY "+strings.Join(partition, ", ")+c.rel.orderBy()+")"), hidden(anyNull(fields)))
	if err != nil {
		return err
	}
	c.rel.where = append(c.rel.where, "("+columnName(number)+" <= "+strconv.Itoa(d.Count)+" OR "+columnName(number+1)+")")
	return nil
}

func anyNull(fields []string) string { return "(" + strings.Join(fields, " IS NULL OR ") + " IS NULL)" }

// stretches numbers the stretches of rows with the same values: one begins wherever a row differs
// from the one before. Rows with a null are apart.
func (c *compiler) stretches(p Pos, fields []string) ([]string, error) {
	empty := anyNull(fields)
	window := " OVER (PARTITION BY " + empty + c.rel.orderBy() + ")"
	same := make([]string, len(fields))
	for i, f := range fields {
		same[i] = f + " IS lag(" + f + ")" + window
	}
	begins, err := c.extend(p, hidden("CASE WHEN "+strings.Join(same, " AND ")+" THEN 0 ELSE 1 END"), hidden(empty))
	if err != nil {
		return nil, err
	}
	apart := columnName(begins + 1)
	number, err := c.extend(p, hidden("sum("+columnName(begins)+") OVER (PARTITION BY "+apart+c.rel.orderBy()+" ROWS UNBOUNDED PRECEDING)"))
	return []string{columnName(number), apart}, err
}

// sqlOf is the SQL of fields.
func (r *relation) sqlOf(names []Name) ([]string, error) {
	var terms []string
	for _, n := range names {
		col, err := r.column(n)
		if err != nil {
			return nil, err
		}
		terms = append(terms, col.sql)
	}
	return terms, nil
}

// top counts the combinations, numbers them for each group and keeps the first ones.
func (c *compiler) top(t *Top) error {
	s := &Stats{Aggs: []Agg{{Func: "count", Alias: &Name{t.CountField, t.Pos}, Pos: t.Pos}}}
	for _, n := range slices.Concat(t.By, t.Names) {
		s.By = append(s.By, Group{Field: n, Pos: n.Pos})
	}
	if err := c.stats(s); err != nil {
		return err
	}
	groups := len(t.By)
	ranked := []orderKey{{column: 0, desc: !t.Rare}}
	for i := range t.Names {
		ranked = append(ranked, orderKey{column: 1 + groups + i})
	}
	c.rel.order = ranked
	window := "row_number() OVER ("
	if groups > 0 {
		window += "PARTITION BY " + strings.Join(columnNames(1, groups), ", ")
	}
	number, err := c.extend(t.Pos, hidden(window+c.rel.orderBy()+")"))
	if err != nil {
		return err
	}
	c.rel.where = append(c.rel.where, "("+columnName(number)+" <= "+strconv.Itoa(t.Count)+")")
	c.rel.order = nil
	for i := range groups {
		c.rel.order = append(c.rel.order, orderKey{column: 1 + i})
	}
	c.rel.order = append(c.rel.order, ranked...)
	c.rel.shown = all(len(s.By) + 1)[1:]
	if !t.HideCount {
		c.rel.shown = append(c.rel.shown, 0)
	}
	return nil
}

func columnNames(from, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = columnName(from + i)
	}
	return names
}
