package ppl

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	_ "github.com/pageside/pageside/test/chance"
)

var randomSchema = &Schema{Source: "t", ID: "_id", Fields: []Field{{"timestamp", Time}, {"n", Int}, {"m", Int}, {"s", String}, {"odd \"name`", String}}}

func openTable(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(createRandom); err != nil {
		t.Fatal(err)
	}
	return db
}

const createRandom = `CREATE TABLE t (_id INTEGER PRIMARY KEY, timestamp INTEGER, n INTEGER, m INTEGER, s TEXT, "odd ""name` + "`" + `" TEXT)`

// TestSameRowsAsNaive runs random queries over random tables through SQLite and through the naive
// evaluator.
func TestSameRowsAsNaive(t *testing.T) {
	db := openTable(t)
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		if _, err := db.Exec("DELETE FROM t"); err != nil {
			t.Fatal(err)
		}
		for i, row := range table.rows {
			if _, err := db.Exec("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", append([]any{i + 1}, row...)...); err != nil {
				t.Fatal(err)
			}
		}
		g := &queryGen{T: t, naive: table}
		text := "source=t"
		for range rapid.IntRange(0, 5).Draw(t, "commands") {
			command := g.command()
			q, err := Parse("source=t | " + command)
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			g.naive, text = g.run(q), text+" | "+command
		}
		checkSame(t, db, text, g.naive)
	})
}

func checkSame(t *rapid.T, db *sql.DB, text string, want naive) {
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	plan, err := Compile(q, randomSchema)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !slices.Equal(plan.Columns, want.columns) {
		t.Fatalf("%s: columns %v, want %v", text, plan.Columns, want.columns)
	}
	page := Page{Offset: rapid.IntRange(0, 3).Draw(t, "offset"), Limit: rapid.IntRange(0, 5).Draw(t, "limit")}
	rows := want.rows
	if rapid.Bool().Draw(t, "sorted page") {
		page.Sort = &SortKey{Name{Text: rapid.SampledFrom(want.columns).Draw(t, "page sort").Name}, rapid.Bool().Draw(t, "page desc")}
		rows = want.sorted([]SortKey{*page.Sort})
	}
	rows = rows[min(page.Offset, len(rows)):]
	if page.Limit > 0 {
		rows = rows[:min(page.Limit, len(rows))]
	}
	statement, err := plan.Select(page)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	got, err := Run(t.Context(), db, statement)
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, statement.SQL)
	}
	if fmt.Sprintf("%#v", slices.Concat(got.Rows)) != fmt.Sprintf("%#v", slices.Concat(rows)) {
		t.Fatalf("%s page %+v\n sql %s\n got %#v\nwant %#v", text, page, statement.SQL, got.Rows, rows)
	}
	count, err := Run(t.Context(), db, plan.Count())
	if err != nil || count.Rows[0][0] != int64(len(want.rows)) {
		t.Fatalf("%s: count %v, %v, want %d", text, count, err, len(want.rows))
	}
}

var someStrings = []string{"", "a", "A", "ab", "aB", "b", "%", "a_b", `\`, "it's", "10", "9"}

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

// queryGen draws commands that are right for the columns there are.
type queryGen struct {
	*rapid.T
	naive
}

func (g *queryGen) pick(items ...string) string { return rapid.SampledFrom(items).Draw(g.T, "pick") }

func (g *queryGen) int(max int) int { return rapid.IntRange(0, max).Draw(g.T, "int") }

// column draws a column of a type, as a query writes it; "" where there is none.
func (g *queryGen) column(types ...Type) (string, Type) {
	fit := slices.DeleteFunc(slices.Clone(g.columns), func(c Column) bool { return len(types) > 0 && !slices.Contains(types, c.Type) })
	if len(fit) == 0 {
		return "", noneType
	}
	c := rapid.SampledFrom(fit).Draw(g.T, "column")
	return "`" + strings.ReplaceAll(c.Name, "`", "``") + "`", c.Type
}

func (g *queryGen) command() string {
	name, _ := g.column()
	switch g.int(6) {
	case 0, 1:
		return "where " + g.condition(2)
	case 2:
		return "sort " + g.pick("", "- ") + name
	case 3:
		return fmt.Sprintf("head %d", g.int(8))
	case 4:
		return fmt.Sprintf("eval x%d = %s", g.int(2), g.value())
	case 5:
		if len(g.columns) > 1 {
			return "fields " + g.pick("", "- ") + name
		}
		return "sort " + name
	}
	return g.statsCommand()
}

// value draws something that is computed.
func (g *queryGen) value() string {
	n, _ := g.column(Int)
	s, _ := g.column(String)
	at, _ := g.column(Time)
	switch g.int(8) {
	case 0, 1:
		if n != "" {
			return n + g.pick(" + ", " - ", " * ") + g.pick(n, "2", "-3")
		}
	case 2:
		if n != "" {
			return n + " / " + g.pick("0", "2", n)
		}
	case 3:
		if n != "" {
			return g.pick("abs("+n+")", "coalesce("+n+", 7)", "if("+g.condition(1)+", "+n+", 5)")
		}
	case 4, 5:
		if s != "" {
			return g.pick("concat("+s+", '-x')", "coalesce("+s+", 'none')", "length("+s+")")
		}
	case 6:
		if at != "" {
			return "hour(" + at + ")"
		}
	}
	return "3"
}

func (g *queryGen) statsCommand() string {
	var aggs, by []string
	for i := range 1 + g.int(2) {
		name, _ := g.column()
		agg := g.pick("count()", "count(", "distinct_count(", "min(", "max(", "count(eval("+g.condition(1)+"))")
		if n, _ := g.column(Int); n != "" && g.int(1) == 0 {
			agg, name = g.pick("sum(", "avg("), n
		}
		if strings.HasSuffix(agg, "(") {
			agg += name + ")"
		}
		aggs = append(aggs, fmt.Sprintf("%s as agg%d", agg, i))
	}
	for i := range g.int(2) {
		key, t := g.column()
		switch {
		case t == Time && g.int(1) == 0:
			key = fmt.Sprintf("span(%s, %d%s)", key, 1+g.int(3), g.pick(spanUnits...))
		case t.number() && g.int(1) == 0:
			key = fmt.Sprintf("span(%s, %d)", key, 1+g.int(3))
		}
		by = append(by, fmt.Sprintf("%s as key%d", key, i))
	}
	text := "stats " + strings.Join(aggs, ", ")
	if len(by) > 0 {
		text += " by " + strings.Join(by, ", ")
	}
	return text
}

func (g *queryGen) condition(depth int) string {
	if depth > 0 {
		switch g.int(3) {
		case 0:
			return "not (" + g.condition(depth-1) + ")"
		case 1:
			op := g.pick(" and ", " or ")
			return "(" + g.condition(depth-1) + op + g.condition(depth-1) + op + g.condition(depth-1) + ")"
		}
	}
	name, t := g.column()
	switch g.int(5) {
	case 0:
		return name + g.pick(" is null", " is not null")
	case 1:
		return name + g.pick("", " not") + " between " + g.literal(t) + " and " + g.literal(t)
	case 2:
		return name + g.pick("", " not") + " in (" + g.literal(t) + ", " + g.literal(t) + ")"
	case 3:
		if t == String {
			return name + g.pick("", " not") + " like " + Quote(g.pick("%", "a%", "%B", "_", "a_b", `\%`, `%\_%`, `\\`, "", "%'%"))
		}
	case 4:
		if other, _ := g.column(t); other != "" {
			return name + " " + g.pick(comparisons...) + " " + other
		}
	}
	return name + " " + g.pick(comparisons...) + " " + g.literal(t)
}

func (g *queryGen) literal(t Type) string {
	switch v := drawCell(g.T, t).(type) {
	case int64:
		if t == Time {
			return Quote(time.UnixMilli(v).UTC().Format(time.RFC3339Nano))
		}
		return g.pick(fmt.Sprint(v), Quote(fmt.Sprint(v)))
	case string:
		if t == String {
			return Quote(v)
		}
	}
	switch t {
	case String:
		return "'x'"
	case Time:
		return "'2015-05-17 10:05:03'"
	}
	return g.pick("-1.5", "0.5", "2.5")
}
