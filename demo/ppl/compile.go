package ppl

import (
	"slices"
	"strconv"
	"strings"
)

// maxComputed is the maximum number of computed fields per query.
const maxComputed = 100

// Column is a column of a result.
type Column struct {
	Name string
	Type Type
}

// Public is the column's type for clients: string, number or time.
func (c Column) Public() string { return c.Type.public() }

// Plan is a query checked against a schema. It is read-only.
type Plan struct {
	Columns []Column // of the result, in order
	Table   bool     // the result is a table of aggregates, not rows of the source
	schema  *Schema
	rel     *relation
	events  *relation // the selected events, before aggregation or limits
}

// Statement is SQL with its bound values.
type Statement struct {
	SQL     string
	Args    []any
	Columns []Column
}

// relation is the result of the commands so far: one SELECT that is still open for more clauses.
// Its columns are named c0, c1, … in SQL: no name from a query is used.
type relation struct {
	from     string
	args     []any // of from
	columns  []relColumn
	shown    []int // columns visible to later commands, in order
	where    []string
	values   []any // of where
	order    []orderKey
	limit    *limit
	computed int // number of columns made by eval
}

type relColumn struct {
	Column
	sql     string
	removed bool // removed by fields: allows a better error message
}

type orderKey struct {
	column int
	desc   bool
}

type limit struct{ count, from int }

// Compile checks a query against a schema. The filters come before the query's own conditions.
// Errors are of type *Error.
func Compile(q *Query, s *Schema, filters ...Expr) (*Plan, error) {
	if q.Source.Text != s.Source {
		return nil, unknownName(q.Source.At, "source", q.Source.Text, []string{s.Source})
	}
	rel := base(s)
	for _, f := range filters {
		if err := rel.filter(f); err != nil {
			return nil, err
		}
	}
	p := &Plan{Table: q.HasStats(), schema: s}
	for _, c := range q.Commands {
		if p.events == nil && reshapes(c) {
			p.events = rel.clone()
		}
		var err error
		if rel, err = rel.command(c); err != nil {
			return nil, err
		}
	}
	return p.finish(rel), nil
}

func (p *Plan) finish(rel *relation) *Plan {
	p.rel = rel
	for _, i := range rel.shown {
		p.Columns = append(p.Columns, rel.columns[i].Column)
	}
	if p.events == nil {
		p.events = rel
	}
	return p
}

// Events returns the plan of other commands, such as "stats count() by status", over the events
// that the query selects.
func (p *Plan) Events(commands string) (*Plan, error) {
	q, err := Parse("source=events | " + commands)
	if err != nil {
		return nil, err
	}
	rel := p.events.clone()
	rel.shown, rel.order = nil, []orderKey{{}}
	for i, f := range p.schema.Fields {
		rel.columns[i+1].Column, rel.columns[i+1].removed = Column(f), false
		rel.shown = append(rel.shown, i+1)
	}
	for _, c := range q.Commands {
		if rel, err = rel.command(c); err != nil {
			return nil, err
		}
	}
	return (&Plan{Table: q.HasStats(), schema: p.schema}).finish(rel), nil
}

// base returns the table itself; its column 0 is the hidden id.
func base(s *Schema) *relation {
	r := &relation{from: ident(s.Source), columns: []relColumn{{Column: Column{s.ID, Int}, sql: ident(s.ID)}}, order: []orderKey{{}}}
	for i, f := range s.Fields {
		r.columns = append(r.columns, relColumn{Column: Column(f), sql: ident(f.Name)})
		r.shown = append(r.shown, i+1)
	}
	return r
}

// ident quotes a name of the schema for SQL.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (r *relation) clone() *relation {
	c := *r
	c.columns, c.shown, c.order = slices.Clone(r.columns), slices.Clone(r.shown), slices.Clone(r.order)
	c.where, c.values = slices.Clone(r.where), slices.Clone(r.values)
	return &c
}

// command applies a command to a relation, which must not be used afterwards.
func (r *relation) command(c Command) (*relation, error) {
	r = r.open()
	switch c := c.(type) {
	case *Where:
		return r, r.filter(c.Cond)
	case *Eval:
		return r.eval(c.Sets)
	case *Fields:
		return r, r.project(c)
	case *Stats:
		return r.stats(c)
	case *Sort:
		return r, r.sort(c.Keys)
	case *Head:
		r.limit = &limit{count: c.Count}
	}
	return r, nil
}

// open wraps a SELECT that has a LIMIT: later clauses apply to the remaining rows.
func (r *relation) open() *relation {
	if r.limit == nil {
		return r
	}
	return r.wrap()
}

// wrap returns r as the subquery of a new relation with the same columns and order, plus more.
func (r *relation) wrap(more ...typed) *relation {
	inner := *r
	if inner.limit == nil {
		inner.order = nil
	}
	terms, args := inner.terms(all(len(r.columns))), []any{}
	outer := &relation{shown: r.shown, order: r.order, computed: r.computed + len(more)}
	for i, c := range r.columns {
		c.sql = columnName(i)
		outer.columns = append(outer.columns, c)
	}
	for _, v := range more {
		name := columnName(len(outer.columns))
		terms, args = append(terms, v.sql+" AS "+name), append(args, v.args...)
		outer.columns = append(outer.columns, relColumn{Column: Column{v.name, v.Type}, sql: name})
	}
	text, rest := inner.tail()
	outer.from, outer.args = "(SELECT "+strings.Join(terms, ", ")+text+")", append(args, rest...)
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

// terms returns the columns with these indexes.
func (r *relation) terms(columns []int) (terms []string) {
	for _, i := range columns {
		terms = append(terms, r.columns[i].sql+" AS "+columnName(i))
	}
	return terms
}

// tail returns the SELECT after its column list.
func (r *relation) tail() (string, []any) {
	text, args := r.fromWhere()+r.orderBy(), slices.Concat(r.args, r.values)
	if r.limit != nil {
		text, args = text+" LIMIT ? OFFSET ?", append(args, r.limit.count, r.limit.from)
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
	var terms []string
	for _, k := range r.order {
		terms = append(terms, r.columns[k.column].sql+map[bool]string{true: " DESC"}[k.desc])
	}
	if len(terms) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(terms, ", ")
}

// lookup returns a visible field.
func (r *relation) lookup(n Name) (int, error) {
	var known []string
	for _, i := range r.shown {
		if r.columns[i].Name == n.Text {
			return i, nil
		}
		known = append(known, r.columns[i].Name)
	}
	for _, c := range r.columns {
		if c.Name == n.Text && c.removed {
			return 0, errorAt(n.At, known, "the field %q was removed by an earlier fields command", n.Text)
		}
	}
	return 0, unknownName(n.At, "field", n.Text, known)
}

func (r *relation) filter(e Expr) error {
	v, err := r.condition(e)
	r.where, r.values = append(r.where, v.sql), append(r.values, v.args...)
	return err
}

// eval computes each field in its own SELECT. The limit keeps SQLite from inlining it, which would
// make nested evals very long expressions.
func (r *relation) eval(sets []Set) (*relation, error) {
	for _, s := range sets {
		v, err := r.value(s.Value)
		if err != nil {
			return nil, err
		}
		if r.computed == maxComputed {
			return nil, errorAt(s.Field.At, nil, "a query computes at most %d fields", maxComputed)
		}
		v.name = s.Field.Text
		r.limit = &limit{count: -1}
		r = r.wrap(v)
		r.show(len(r.columns) - 1)
	}
	return r, nil
}

// show makes a column a field, replacing the one with its name or as the last.
func (r *relation) show(index int) {
	name := r.columns[index].Name
	r.shown = slices.Clone(r.shown)
	if i := slices.IndexFunc(r.shown, func(i int) bool { return r.columns[i].Name == name }); i >= 0 {
		r.shown[i] = index
		return
	}
	r.shown = append(r.shown, index)
}

func (r *relation) project(f *Fields) error {
	var named []int
	for _, n := range f.Names {
		i, err := r.lookup(n)
		if err != nil {
			return err
		}
		if slices.Contains(named, i) {
			return errorAt(n.At, nil, "the field %q is named twice", n.Text)
		}
		named = append(named, i)
	}
	shown := named
	if f.Exclude {
		shown = slices.DeleteFunc(slices.Clone(r.shown), func(i int) bool { return slices.Contains(named, i) })
		if len(shown) == 0 {
			return errorAt(f.Names[0].At, nil, "fields - must leave at least one field")
		}
	}
	for _, i := range r.shown {
		r.columns[i].removed = !slices.Contains(shown, i)
	}
	r.shown = shown
	return nil
}

// sort puts the new keys before the old ones, which makes it stable.
func (r *relation) sort(keys []SortKey) error {
	var order []orderKey
	for _, k := range keys {
		i, err := r.lookup(k.Field)
		if err != nil {
			return err
		}
		order = append(order, orderKey{i, k.Desc})
	}
	for _, k := range r.order {
		if !slices.ContainsFunc(order, func(o orderKey) bool { return o.column == k.column }) {
			order = append(order, k)
		}
	}
	r.order = order
	return nil
}

// Page selects part of a result for Select. The zero Limit means all.
type Page struct {
	Offset, Limit int
	Sort          *SortKey // by a column of the result, on top of the query's own order
	ID            bool     // include the hidden id first; only for rows
}

// Select returns the statement for the rows of one page.
func (p *Plan) Select(page Page) (Statement, error) {
	r := p.rel.open().clone()
	if page.Sort != nil {
		if err := r.sort([]SortKey{*page.Sort}); err != nil {
			return Statement{}, err
		}
	}
	r.limit = &limit{-1, page.Offset}
	if page.Limit > 0 {
		r.limit.count = page.Limit
	}
	columns, shown := p.Columns, r.shown
	if page.ID && !p.Table {
		columns = append([]Column{r.columns[0].Column}, columns...)
		shown = append([]int{0}, shown...)
	}
	text, args := r.tail()
	return Statement{"SELECT " + strings.Join(r.terms(shown), ", ") + text, args, columns}, nil
}

// Count returns the statement that counts the rows of the result.
func (p *Plan) Count() Statement {
	inner := p.rel.wrap()
	return Statement{"SELECT count(*) FROM " + inner.from, inner.args, []Column{{"count", Int}}}
}
