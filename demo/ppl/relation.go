package ppl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
)

// maxComputed is the maximum number of computed fields per query.
const maxComputed = 100

// Plan is a query checked against a schema. It is read-only.
type Plan struct {
	Columns  []Column // of the result, in order
	Table    bool     // the result is a table of aggregates, not rows of the source
	Reshapes bool     // the result may have other rows than the selected events
	schema   *Schema
	rel      relation
	events   relation        // the selected events, before aggregation or limits
	narrowed map[string]bool // the fields that the conditions of the events name
}

// statement is SQL with its bound values.
type statement struct {
	sql     string
	args    []any
	columns []Column
}

// Compile checks a query against a schema. The conditions come before the query's own. Errors are
// of type *refuse.Error.
func (q *Query) Compile(s *Schema, conditions ...string) (*Plan, error) {
	if q.Source != s.Source {
		return nil, unknownName(q.at, "source", q.Source, []string{s.Source})
	}
	rel := base(s)
	for _, text := range conditions {
		if err := rel.narrow(text); err != nil {
			return nil, err
		}
	}
	return (&Plan{schema: s}).compile(q.rest, rel)
}

// CheckCondition reports what is wrong with a condition on the fields of a schema.
func CheckCondition(s *Schema, text string) error { return base(s).narrow(text) }

// overEvents is the plan of other commands over the events that the query selects.
func (p *Plan) overEvents(commands string) (over *Plan, err error) {
	defer refuse.Caught(&err)
	rest := parser{tokens: lex("| " + commands)}
	rel := p.events
	rel.columns = slices.Clone(p.events.columns)
	rel.shown, rel.order = nil, []orderKey{{}}
	for i, f := range p.schema.Fields {
		rel.columns[i+1] = column{Column: f.Column}
		rel.shown = append(rel.shown, i+1)
	}
	return (&Plan{schema: p.schema}).compile(rest, &rel)
}

// compile applies the commands that a parser reads to a relation.
func (p *Plan) compile(rest parser, rel *relation) (_ *Plan, err error) {
	defer refuse.Caught(&err)
	rest.rel, rest.named = rel, map[string]bool{}
	rest.commands(func(command string) { p.begin(command, &rest) })
	if p.rel = *rel; !p.Reshapes {
		p.events, p.narrowed = *rel, rest.named
	}
	for _, i := range rel.shown {
		p.Columns = append(p.Columns, rel.columns[i].Column)
	}
	return p, nil
}

// begin notes what a command makes of the events, before it does.
func (p *Plan) begin(command string, rest *parser) {
	isTable := slices.Contains([]string{"stats", "top", "timechart"}, command)
	if p.Table = p.Table || isTable; p.Reshapes || !isTable && command != "head" {
		return
	}
	p.Reshapes, p.events = true, *rest.rel
	p.events.columns = slices.Clone(rest.rel.columns)
	p.narrowed, rest.named = rest.named, map[string]bool{}
}

// Narrows reports whether a condition that selects the events names the field.
func (p *Plan) Narrows(field string) bool { return p.narrowed[field] }

// relation is the result of the commands so far. Its columns are named c0, c1, … in SQL: no name
// from a query is used. Each command wraps it in one more SELECT.
type relation struct {
	from     string // a SELECT in parentheses
	args     []any
	columns  []column
	shown    []int // columns visible to later commands, in order
	order    []orderKey
	computed int // number of columns made by eval
}

type column struct {
	Column
	removed bool // by fields: allows a better error message
}

type orderKey struct {
	column int
	desc   bool
}

// base returns the table itself; its column 0 is the hidden id.
func base(s *Schema) *relation {
	r := &relation{columns: []column{{Column: Column{s.ID, Int}}}, order: []orderKey{{}}}
	terms := []string{ident(s.ID) + " AS c0"}
	for i, f := range s.Fields {
		r.columns = append(r.columns, column{Column: f.Column})
		r.shown = append(r.shown, i+1)
		terms = append(terms, ident(f.Name)+" AS "+columnName(i+1))
	}
	r.from = "(SELECT " + strings.Join(terms, ", ") + " FROM " + ident(s.Source) + ")"
	return r
}

// ident quotes a name of the schema for SQL.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func columnName(i int) string { return "c" + strconv.Itoa(i) }

// lookup returns the column of a visible field.
func (r *relation) lookup(n name) int {
	var known []string
	for _, i := range r.shown {
		if r.columns[i].Name == n.text {
			return i
		}
		known = append(known, r.columns[i].Name)
	}
	for _, c := range r.columns {
		if c.Name == n.text && c.removed {
			panic(errorAt(n.at, known, "the field %q was removed by an earlier fields command", n.text))
		}
	}
	panic(unknownName(n.at, "field", n.text, known))
}

func (r *relation) field(n name) value {
	i := r.lookup(n)
	return value{Type: r.columns[i].Type, sql: columnName(i), name: n.text, at: n.at}
}

// narrow keeps the rows that satisfy a condition.
func (r *relation) narrow(text string) (err error) {
	defer refuse.Caught(&err)
	p := &parser{tokens: lex(text), rel: r, named: map[string]bool{}}
	if p.where(); p.peek().kind != tokEnd {
		panic(p.unexpected("after the condition", "the end"))
	}
	return nil
}

func (r *relation) filter(v value) {
	r.from, r.args = "(SELECT * FROM "+r.from+" WHERE "+v.sql+")", slices.Concat(r.args, v.args)
}

// compute makes a field, replacing one of its name. The limit keeps SQLite from writing fields made
// of fields out into very long expressions.
func (r *relation) compute(field name, v value) {
	if r.computed++; r.computed > maxComputed {
		panic(errorAt(field.at, nil, "a query computes at most %d fields", maxComputed))
	}
	i := len(r.columns)
	r.from, r.args = "(SELECT *, "+v.sql+" AS "+columnName(i)+" FROM "+r.from+" LIMIT -1)", slices.Concat(v.args, r.args)
	at := slices.IndexFunc(r.shown, func(i int) bool { return r.columns[i].Name == field.text })
	r.columns = append(r.columns, column{Column: Column{field.text, v.Type}})
	if r.shown = slices.Clone(r.shown); at >= 0 {
		r.shown[at] = i
	} else {
		r.shown = append(r.shown, i)
	}
}

// project keeps the named fields in that order, or all others.
func (r *relation) project(names []name, exclude bool) {
	var named []int
	for _, n := range names {
		i := r.lookup(n)
		if slices.Contains(named, i) {
			panic(errorAt(n.at, nil, "the field %q is named twice", n.text))
		}
		named = append(named, i)
	}
	shown := named
	if exclude {
		shown = slices.DeleteFunc(slices.Clone(r.shown), func(i int) bool { return slices.Contains(named, i) })
		if len(shown) == 0 {
			panic(errorAt(names[0].at, nil, "fields - must leave at least one field"))
		}
	}
	for _, i := range r.shown {
		r.columns[i].removed = !slices.Contains(shown, i)
	}
	r.shown = shown
}

// sort puts the new keys before the old ones, which makes it stable.
func (r *relation) sort(keys ...orderKey) {
	order := slices.Clone(keys)
	for _, k := range r.order {
		if !slices.ContainsFunc(order, func(o orderKey) bool { return o.column == k.column }) {
			order = append(order, k)
		}
	}
	r.order = order
}

func (r *relation) head(n int) {
	r.from, r.args = "(SELECT * FROM "+r.from+r.orderBy()+" LIMIT ?)", append(slices.Clip(r.args), n)
}

func (r *relation) orderBy() string {
	var terms []string
	for _, k := range r.order {
		terms = append(terms, columnName(k.column)+map[bool]string{true: " DESC"}[k.desc])
	}
	if len(terms) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(terms, ", ")
}

// tableColumn is a column of what stats makes: an aggregation, or a key.
type tableColumn struct {
	called name
	value
	key bool
}

// aggregate makes one row for each combination of the keys.
func (r *relation) aggregate(columns []tableColumn) {
	out := relation{}
	var terms, keys []string
	for i, c := range columns {
		if slices.ContainsFunc(columns[:i], func(other tableColumn) bool { return c.called.text == other.called.text }) {
			panic(errorAt(c.called.at, nil, "two columns of stats would be called %q; name one of them with as", c.called.text))
		}
		out.columns = append(out.columns, column{Column: Column{c.called.text, c.Type}})
		out.shown, out.args = append(out.shown, i), append(out.args, c.args...)
		terms = append(terms, c.sql+" AS "+columnName(i))
		if c.key {
			keys = append(keys, strconv.Itoa(i+1))
			out.order = append(out.order, orderKey{column: i})
		}
	}
	out.from = "(SELECT " + strings.Join(terms, ", ") + " FROM " + r.from
	if len(keys) > 0 {
		out.from += " GROUP BY " + strings.Join(keys, ", ")
	}
	out.from, out.args = out.from+")", slices.Concat(out.args, r.args)
	*r = out
}

// Page selects part of a result. The zero Limit means all.
type Page struct {
	Offset, Limit int
	Sort          string // a column of the result to sort by, on top of the query's own order
	Desc          bool
	ID            bool // include the hidden id first; only for rows
}

// statement selects the rows of one page.
func (p *Plan) statement(page Page) (_ statement, err error) {
	defer refuse.Caught(&err)
	r, columns, shown := p.rel, p.Columns, p.rel.shown
	if page.Sort != "" {
		r.sort(orderKey{r.lookup(name{text: page.Sort}), page.Desc})
	}
	if page.ID && !p.Table {
		columns = append([]Column{r.columns[0].Column}, columns...)
		shown = append([]int{0}, shown...)
	}
	limit := page.Limit
	if limit <= 0 {
		limit = -1
	}
	terms := make([]string, len(shown))
	for i, c := range shown {
		terms[i] = columnName(c)
	}
	text := "SELECT " + strings.Join(terms, ", ") + " FROM " + r.from + r.orderBy() + " LIMIT ? OFFSET ?"
	return statement{text, append(slices.Clip(r.args), limit, page.Offset), columns}, nil
}
