package ppl

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"
)

var randomSchema = &Schema{Source: "t", ID: "_id", Fields: []Field{{"when", Time}, {"n", Int}, {"m", Int}, {"s", String}, {"odd \"name`", String}}}

func openTable(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE t (_id INTEGER PRIMARY KEY, "when" INTEGER, n INTEGER, m INTEGER, s TEXT, "odd ""name` + "`" + `" TEXT)`); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestSameRowsAsNaive runs random queries over random tables through SQLite and through the naive
// evaluator.
func TestSameRowsAsNaive(t *testing.T) {
	db := openTable(t)
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		fillTable(t, db, table)
		g := &queryGen{T: t, columns: table.columns}
		q := &Query{Source: Name{Text: "t"}}
		for range rapid.IntRange(0, 5).Draw(t, "commands") {
			q.Commands = append(q.Commands, g.command())
		}
		parsed, err := Parse(q.String())
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		checkSame(t, db, parsed, table.run(q))
	})
}

func checkSame(t *rapid.T, db *sql.DB, q *Query, want naive) {
	plan, err := Compile(q, randomSchema)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	if !slices.Equal(plan.Columns, want.columns) {
		t.Fatalf("%s: columns %v, want %v", q, plan.Columns, want.columns)
	}
	page := Page{Offset: rapid.IntRange(0, 3).Draw(t, "offset"), Limit: rapid.IntRange(0, 5).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "sorted page") {
		page.Sort = &SortKey{Field: Name{Text: rapid.SampledFrom(want.columns).Draw(t, "page sort").Name}, Desc: rapid.Bool().Draw(t, "page desc")}
	}
	expected := want.page(page)
	statement, err := plan.Select(page)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	got, err := Run(t.Context(), db, statement)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q, err, statement.SQL)
	}
	if fmt.Sprintf("%#v", got.Rows) != fmt.Sprintf("%#v", expected) {
		t.Fatalf("%s page %+v\n sql %s\n got %#v\nwant %#v", q, page, statement.SQL, got.Rows, expected)
	}
	count, err := Run(t.Context(), db, plan.Count())
	if err != nil || count.Rows[0][0] != int64(len(want.rows)) {
		t.Fatalf("%s: count %v, %v, want %d", q, count, err, len(want.rows))
	}
}

func (n naive) page(p Page) [][]any {
	if p.Sort != nil {
		n.rows = n.sorted([]SortKey{*p.Sort})
	}
	rows := n.rows[min(p.Offset, len(n.rows)):]
	if p.Limit > 0 {
		rows = rows[:min(p.Limit, len(rows))]
	}
	if len(rows) == 0 {
		return nil
	}
	return rows
}

var someStrings = []string{"", "a", "A", "ab", "aB", "b", "%", "a_b", `\`, "it's", "ä", "Ä", "10", "9"}

const someTime = 1431857103000 // 2015-05-17T10:05:03Z

func drawTable(t *rapid.T) naive {
	var n naive
	for _, f := range randomSchema.Fields {
		n.columns = append(n.columns, Column(f))
	}
	for range rapid.IntRange(0, 25).Draw(t, "rows") {
		var row []any
		for _, c := range n.columns {
			row = append(row, drawCell(t, c.Type))
		}
		n.rows = append(n.rows, row)
	}
	return n
}

func drawCell(t *rapid.T, typ Type) any {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return nil
	}
	switch typ {
	case Time:
		return someTime + rapid.Int64Range(-5, 5).Draw(t, "time")*1_800_000
	case Int:
		return rapid.Int64Range(-4, 4).Draw(t, "int")
	}
	return rapid.SampledFrom(someStrings).Draw(t, "string")
}

func fillTable(t *rapid.T, db *sql.DB, table naive) {
	if _, err := db.Exec("DELETE FROM t"); err != nil {
		t.Fatal(err)
	}
	for i, row := range table.rows {
		if _, err := db.Exec("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", append([]any{i + 1}, row...)...); err != nil {
			t.Fatal(err)
		}
	}
}

// queryGen draws commands that are right for the columns there are.
type queryGen struct {
	*rapid.T
	columns []Column
}

func pickOne[T any](g *queryGen, label string, items []T) T {
	return rapid.SampledFrom(items).Draw(g.T, label)
}
func (g *queryGen) bool(label string) bool        { return rapid.Bool().Draw(g.T, label) }
func (g *queryGen) int(label string, max int) int { return rapid.IntRange(0, max).Draw(g.T, label) }

func (g *queryGen) column(types ...Type) (Column, bool) {
	fit := slices.DeleteFunc(slices.Clone(g.columns), func(c Column) bool { return len(types) > 0 && !slices.Contains(types, c.Type) })
	if len(fit) == 0 {
		return Column{}, false
	}
	return pickOne(g, "column", fit), true
}

func (g *queryGen) command() Command {
	switch g.int("command", 13) {
	case 0, 1:
		return &Where{g.expr(3)}
	case 2:
		s := &Sort{Count: max(0, g.int("sort count", 12)-4)}
		for range 1 + g.int("keys", 1) {
			c, _ := g.column()
			s.Keys = append(s.Keys, SortKey{Name{Text: c.Name}, g.bool("desc")})
		}
		return s
	case 3:
		return &Head{g.int("head", 8), g.int("from", 3)}
	case 4:
		return g.fields()
	case 5, 6:
		return g.eval()
	case 7:
		return g.rename()
	case 8:
		return g.parse()
	case 9:
		return g.dedup()
	case 10:
		return g.top()
	case 11:
		return g.fillNull()
	case 12:
		if c := g.timeChart(); c != nil {
			return c
		}
		return &Reverse{}
	}
	return g.stats()
}

func (g *queryGen) fields() Command {
	f := &Fields{Exclude: g.bool("exclude")}
	limit := len(g.columns)
	if f.Exclude {
		limit--
	}
	shuffled := rapid.Permutation(g.columns).Draw(g.T, "fields")
	if limit == 0 {
		f.Exclude, limit = false, 1
	}
	named := shuffled[:1+g.int("named", limit-1)]
	for _, c := range named {
		f.Names = append(f.Names, Name{Text: c.Name})
	}
	if f.Exclude {
		g.columns = slices.DeleteFunc(slices.Clone(g.columns), func(c Column) bool { return slices.Contains(named, c) })
	} else {
		g.columns = named
	}
	return f
}

func (g *queryGen) stats() Command {
	s := &Stats{}
	for range 1 + g.int("aggs", 2) {
		a := Agg{Func: pickOne(g, "func", []string{"count", "distinct_count", "sum", "avg", "min", "max", "median", "var_pop", "first", "last", "values"}), Alias: &Name{Text: fmt.Sprintf("agg %d", len(s.Aggs))}}
		c, ok := g.column()
		switch a.Func {
		case "sum", "avg", "median", "var_pop":
			c, ok = g.column(Int) // sums of floats would depend on the order of the rows
		case "values":
			c, ok = g.column(Int, String)
		}
		if !ok || a.Func == "count" && g.bool("count()") {
			a.Func = "count"
			if g.bool("count(eval())") {
				a.If = g.expr(1)
			}
		} else {
			a.Field = &Name{Text: c.Name}
		}
		s.Aggs = append(s.Aggs, a)
	}
	for range g.int("groups", 2) {
		c, _ := g.column()
		k := Group{Field: Name{Text: c.Name}, Alias: &Name{Text: fmt.Sprintf("key%d", len(s.By))}}
		if c.Type != String && g.bool("span") {
			k.Span = &Span{Size: int64(1 + g.int("width", 3))}
			if c.Type == Time {
				k.Span.Unit = pickOne(g, "unit", spanUnits)
			}
		}
		s.By = append(s.By, k)
	}
	g.columns = naive{columns: g.columns}.stats(s).columns
	return s
}

func (g *queryGen) expr(depth int) Expr {
	if depth > 0 {
		switch g.int("expr", 4) {
		case 0:
			return &Not{g.expr(depth - 1)}
		case 1, 2:
			l := &Logic{Op: pickOne(g, "op", []LogicOp{And, Or, Xor})}
			for range 2 + g.int("terms", 2) {
				l.Terms = append(l.Terms, g.expr(depth-1))
			}
			return l
		}
	}
	return g.test()
}

func (g *queryGen) test() Expr {
	c, _ := g.column()
	name := Name{Text: c.Name}
	kind := g.int("test", 6)
	switch {
	case kind == 0:
		return &IsNull{name, g.bool("not null")}
	case kind == 1:
		return &Between{name, g.literal(c.Type), g.literal(c.Type), g.bool("not between")}
	case kind == 2:
		in := &In{Field: name, Negated: g.bool("not in")}
		for range 1 + g.int("values", 3) {
			in.Values = append(in.Values, g.literal(c.Type))
		}
		return in
	case kind == 3 && c.Type == String:
		return &Like{name, StringLiteral(pickOne(g, "pattern", []string{"%", "a%", "%B", "_", "a_b", `\%`, `%\_%`, `\\`, "", "ä", "%''%"})), g.bool("not like")}
	}
	if v := g.value(c.Type); kind == 4 && v != nil {
		return &Compare{Op: pickOne(g, "compare", comparisons), Left: v, Right: name}
	}
	if c.Type == String && kind == 3 {
		return &Match{name, StringLiteral(pickOne(g, "regexp", []string{"a", "^a", "[0-9]+", "b$", "(?i)A"}))}
	}
	op := pickOne(g, "compare", comparisons)
	if other, ok := g.column(c.Type); ok && g.bool("fields") {
		return &Compare{Op: op, Left: name, Right: Name{Text: other.Name}}
	}
	if g.bool("swap") {
		return &Compare{Op: op, Left: g.literal(c.Type), Right: name}
	}
	return &Compare{Op: op, Left: name, Right: g.literal(c.Type)}
}

func (g *queryGen) literal(t Type) Literal {
	switch v := drawCell(g.T, t).(type) {
	case int64:
		if t == Time {
			kind := pickOne(g, "time literal", []LiteralKind{StringText, TimeText})
			return Literal{Kind: kind, Text: time.UnixMilli(v).UTC().Format(time.RFC3339Nano)}
		}
		if g.bool("as text") {
			return StringLiteral(fmt.Sprint(v))
		}
		return IntLiteral(v)
	case string:
		if t == String {
			return StringLiteral(v)
		}
	}
	if t == String {
		return StringLiteral("x")
	}
	if t == Time {
		return StringLiteral("2015-05-17 10:05:03")
	}
	return FloatLiteral(float64(g.int("half", 6))/2 - 1)
}
