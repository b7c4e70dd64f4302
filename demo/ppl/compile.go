package ppl

import (
	"slices"
	"strconv"
	"strings"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type Type
}

// Public is the column's type as clients see it: string, number or time.
func (c Column) Public() string { return c.Type.public() }

// Plan is a query that has been checked against a schema. It is read-only.
type Plan struct {
	Columns []Column // of the result, in order
	Table   bool     // the result is a table of aggregates, not rows of the source
	schema  *Schema
	rel     *relation
	events  *relation // what is looked at, before a command aggregates, cuts or drops
}

// Statement is SQL with its bound values.
type Statement struct {
	SQL     string
	Args    []any
	Columns []Column
}

// relation is what the commands so far have made: one SELECT that is still open for more clauses.
// The columns of a relation are called c0, c1, … in SQL: no name from a query gets there.
type relation struct {
	from    string
	args    []any // of from
	columns []relColumn
	shown   []int // the columns that later commands can name, in order
	where   []string
	values  []any // of where
	order   []orderKey
	limit   *Head
	time    string // the source's time field; empty after stats
}

type relColumn struct {
	Column
	sql     string
	args    []any // of sql
	weight  int   // how large sql is, with what it is made of
	removed bool  // fields took it away: a better message than "unknown"
}

type orderKey struct {
	column int
	desc   bool
}

// Compile checks a query against a schema. The filters join the conditions of the query, before all
// others. Errors are of type *Error.
func Compile(q *Query, s *Schema, filters ...Expr) (*Plan, error) {
	if q.Source.Text != s.Source {
		return nil, unknownName(q.Source.Pos, "source", q.Source.Text, []string{s.Source})
	}
	c := &compiler{rel: base(s)}
	for _, f := range filters {
		if err := c.where(f); err != nil {
			return nil, err
		}
	}
	p := &Plan{Table: q.HasStats(), schema: s}
	for _, cmd := range q.Commands {
		if p.events == nil && reshapes(cmd) {
			p.events = c.rel.clone()
		}
		if err := c.command(cmd); err != nil {
			return nil, err
		}
	}
	return p.finish(c), nil
}

func (p *Plan) finish(c *compiler) *Plan {
	p.rel = c.rel
	for _, i := range c.rel.shown {
		p.Columns = append(p.Columns, c.rel.columns[i].Column)
	}
	return p
}

// Events is the plan of other commands over the events that the query looks at, as the source has
// them: what its conditions let through, before anything is aggregated, cut or dropped.
func (p *Plan) Events(commands ...Command) (*Plan, error) {
	events := p.events
	if events == nil {
		events = p.rel
	}
	c := &compiler{rel: events.clone()}
	c.rel.shown, c.rel.order, c.rel.time = nil, []orderKey{{}}, p.schema.timeField()
	for i, f := range p.schema.Fields {
		c.rel.columns[i+1].Column, c.rel.columns[i+1].removed = Column(f), false
		c.rel.shown = append(c.rel.shown, i+1)
	}
	for _, cmd := range commands {
		if err := c.command(cmd); err != nil {
			return nil, err
		}
	}
	table := slices.ContainsFunc(commands, aggregates)
	return (&Plan{Table: table, schema: p.schema}).finish(c), nil
}

func (r *relation) clone() *relation {
	copied := *r
	copied.columns, copied.shown, copied.order = slices.Clone(r.columns), slices.Clone(r.shown), slices.Clone(r.order)
	copied.where, copied.values = slices.Clone(r.where), slices.Clone(r.values)
	return &copied
}

// base is the table itself; its column 0 is the hidden id.
func base(s *Schema) *relation {
	r := &relation{from: ident(s.Source), columns: []relColumn{{Column: Column{s.ID, Int}, sql: ident(s.ID), weight: 1}}, order: []orderKey{{}}, time: s.timeField()}
	for i, f := range s.Fields {
		r.columns = append(r.columns, relColumn{Column: Column(f), sql: ident(f.Name), weight: 1})
		r.shown = append(r.shown, i+1)
	}
	return r
}

// ident quotes a name of the schema for SQL.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

type compiler struct {
	rel      *relation
	computed int // columns so far
}

func (c *compiler) command(cmd Command) error {
	switch cmd := cmd.(type) {
	case *Where:
		return c.where(cmd.Expr)
	case *Stats:
		return c.stats(cmd)
	case *Sort:
		return c.sort(cmd)
	case *Head:
		c.head(cmd)
	case *Fields:
		return c.fields(cmd)
	case *Reverse:
		c.reverse()
	case *Eval:
		return c.eval(cmd.Sets)
	case *Rename:
		return c.rename(cmd)
	case *FillNull:
		return c.fillNull(cmd)
	case *ParseField:
		return c.parseField(cmd)
	case *Dedup:
		return c.dedup(cmd)
	case *Top:
		return c.top(cmd)
	case *TimeChart:
		return c.timeChart(cmd)
	}
	return nil
}

// closeLimit begins a new SELECT around one that has a LIMIT: what comes after applies to the rows
// that are left.
func (c *compiler) closeLimit() {
	if c.rel.limit != nil {
		c.rel = c.rel.wrap()
	}
}

// wrap is r as the subquery of a new relation with the same columns and order. SQLite takes a
// subquery without a limit apart and puts its columns' SQL in the place of their names.
func (r *relation) wrap() *relation {
	inner := *r
	if inner.limit == nil {
		inner.order = nil
	}
	sql, args := inner.sql(all(len(r.columns)))
	outer := &relation{from: "(" + sql + ")", args: args, shown: r.shown, order: r.order, time: r.time}
	for i, col := range r.columns {
		col.sql, col.args = columnName(i), nil
		if r.limit != nil {
			col.weight = 1
		}
		outer.columns = append(outer.columns, col)
	}
	return outer
}

func columnName(i int) string { return "c" + strconv.Itoa(i) }

func all(n int) []int {
	indexes := make([]int, n)
	for i := range indexes {
		indexes[i] = i
	}
	return indexes
}

// sql writes the SELECT of the columns with these indexes.
func (r *relation) sql(columns []int) (string, []any) {
	terms := make([]string, len(columns))
	var args []any
	for i, index := range columns {
		terms[i] = r.columns[index].sql + " AS " + columnName(index)
		args = append(args, r.columns[index].args...)
	}
	text := "SELECT " + strings.Join(terms, ", ") + r.fromWhere() + r.orderBy()
	args = slices.Concat(args, r.args, r.values)
	if r.limit != nil {
		text += " LIMIT ? OFFSET ?"
		args = append(args, r.limit.Count, r.limit.From)
	}
	return text, args
}

func (r *relation) fromWhere() string {
	text := " FROM " + r.from
	if len(r.where) > 0 {
		text += " WHERE " + strings.Join(r.where, " AND ")
	}
	return text
}

func (r *relation) orderBy() string {
	terms := make([]string, len(r.order))
	for i, k := range r.order {
		terms[i] = r.columns[k.column].sql
		if k.desc {
			terms[i] += " DESC"
		}
	}
	if len(terms) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(terms, ", ")
}

// lookup finds a field that commands can still name.
func (r *relation) lookup(n Name) (int, error) {
	var known []string
	for _, i := range r.shown {
		if r.columns[i].Name == n.Text {
			return i, nil
		}
		known = append(known, r.columns[i].Name)
	}
	for _, col := range r.columns {
		if col.Name == n.Text && col.removed {
			return 0, errorAt(n.Pos, known, "the field %q was removed by an earlier fields command", n.Text)
		}
	}
	return 0, unknownName(n.Pos, "field", n.Text, known)
}

func (c *compiler) where(e Expr) error {
	c.closeLimit()
	sql, args, err := c.rel.expr(e)
	if err != nil {
		return err
	}
	c.rel.where = append(c.rel.where, sql)
	c.rel.values = append(c.rel.values, args...)
	return nil
}

// sort puts the new keys before the old ones: the rows that are equal in the new keys keep their
// order.
func (c *compiler) sort(s *Sort) error {
	c.closeLimit()
	var order []orderKey
	for _, k := range s.Keys {
		i, err := c.rel.lookup(k.Field)
		if err != nil {
			return err
		}
		order = addKey(order, orderKey{i, k.Desc})
	}
	for _, k := range c.rel.order {
		order = addKey(order, k)
	}
	c.rel.order = order
	if s.Count > 0 {
		c.head(&Head{Count: s.Count})
	}
	return nil
}

func (c *compiler) reverse() {
	c.closeLimit()
	c.rel.order = slices.Clone(c.rel.order)
	for i := range c.rel.order {
		c.rel.order[i].desc = !c.rel.order[i].desc
	}
}

// addKey appends a key unless its column already decides.
func addKey(order []orderKey, k orderKey) []orderKey {
	if slices.ContainsFunc(order, func(o orderKey) bool { return o.column == k.column }) {
		return order
	}
	return append(order, k)
}

func (c *compiler) head(h *Head) {
	c.closeLimit()
	c.rel.limit = h
}

func (c *compiler) fields(f *Fields) error {
	var named []int
	for _, n := range f.Names {
		i, err := c.rel.lookup(n)
		if err != nil {
			return err
		}
		if slices.Contains(named, i) {
			return errorAt(n.Pos, nil, "the field %q is named twice", n.Text)
		}
		named = append(named, i)
	}
	shown := named
	if f.Exclude {
		shown = slices.DeleteFunc(slices.Clone(c.rel.shown), func(i int) bool { return slices.Contains(named, i) })
		if len(shown) == 0 {
			return errorAt(f.Names[0].Pos, nil, "fields - must leave at least one field")
		}
	}
	for _, i := range c.rel.shown {
		c.rel.columns[i].removed = !slices.Contains(shown, i)
	}
	c.rel.shown = shown
	return nil
}

// stats makes a relation of one row per group: the aggregations first, then the keys.
func (c *compiler) stats(s *Stats) error {
	c.closeLimit()
	out := &relation{}
	var terms, keys []string
	var values []any
	add := func(p Pos, col Column, sql string) error {
		if slices.ContainsFunc(out.columns, func(o relColumn) bool { return o.Name == col.Name }) {
			return errorAt(p, nil, "two columns of stats would be called %q; name one of them with as", col.Name)
		}
		name := columnName(len(out.columns))
		terms = append(terms, sql+" AS "+name)
		out.shown = append(out.shown, len(out.columns))
		out.columns = append(out.columns, relColumn{Column: col, sql: name, weight: 1})
		return nil
	}
	for _, a := range s.Aggs {
		v, err := c.rel.aggregate(a)
		if err == nil {
			err = add(a.Pos, Column{a.Column(), v.Type}, v.sql)
		}
		if err != nil {
			return err
		}
		values = append(values, v.args...)
	}
	for _, g := range s.By {
		sql, t, err := c.rel.group(g)
		if err == nil {
			err = add(g.Pos, Column{g.Column(), t}, sql)
		}
		if err != nil {
			return err
		}
		keys = append(keys, sql)
		out.order = append(out.order, orderKey{column: len(out.columns) - 1})
	}
	out.from = "(SELECT " + strings.Join(terms, ", ") + c.rel.fromWhere()
	if len(keys) > 0 {
		out.from += " GROUP BY " + strings.Join(keys, ", ")
	}
	out.from += ")"
	out.args = slices.Concat(values, c.rel.args, c.rel.values)
	c.rel = out
	return nil
}

// group is a key's SQL. Intervals are rounded down, for negative values too, where SQLite's
// division rounds towards zero.
func (r *relation) group(g Group) (string, Type, error) {
	i, err := r.lookup(g.Field)
	if err != nil {
		return "", noneType, err
	}
	col := r.columns[i]
	if g.Span == nil {
		return col.sql, col.Type, nil
	}
	width, origin, err := g.Span.width(Field{col.Name, col.Type})
	if err != nil {
		return "", noneType, err
	}
	w, o := strconv.FormatInt(width, 10), strconv.FormatInt(origin, 10)
	if col.Type == Decimal {
		return "floor(" + col.sql + " / " + w + ") * " + w, Decimal, nil
	}
	shifted := "(" + col.sql + " - " + o + ")"
	return col.sql + " - ((" + shifted + " % " + w + ") + " + w + ") % " + w, col.Type, nil
}

// Page chooses which part of a result Select returns. The zero Limit means all.
type Page struct {
	Offset, Limit int
	Sort          *SortKey // by a column of the result, on top of the query's own order
	ID            bool     // the hidden id comes first; only for rows
}

// Select is the statement for the rows of one page.
func (p *Plan) Select(page Page) (Statement, error) {
	c := &compiler{rel: p.rel.wrapped()}
	if page.Sort != nil {
		if err := c.sort(&Sort{Keys: []SortKey{*page.Sort}}); err != nil {
			return Statement{}, err
		}
	}
	c.rel.limit = &Head{Count: -1, From: page.Offset}
	if page.Limit > 0 {
		c.rel.limit.Count = page.Limit
	}
	columns, shown := p.Columns, c.rel.shown
	if page.ID && !p.Table {
		columns = append([]Column{c.rel.columns[0].Column}, columns...)
		shown = append([]int{0}, shown...)
	}
	sql, args := c.rel.sql(shown)
	return Statement{sql, args, columns}, nil
}

// wrapped is a relation that can take an order and a limit without changing r.
func (r *relation) wrapped() *relation {
	if r.limit != nil {
		return r.wrap()
	}
	open := *r
	return &open
}

// Count is the statement that counts the rows of the result.
func (p *Plan) Count() Statement {
	inner := *p.rel
	if inner.limit == nil {
		inner.order = nil
	}
	sql, args := inner.sql(inner.shown)
	return Statement{"SELECT count(*) FROM (" + sql + ")", args, []Column{{"count", Int}}}
}
