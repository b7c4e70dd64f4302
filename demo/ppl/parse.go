package ppl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/visible"
)

// What a query may hold, so that none is expensive to read or to run.
const (
	maxNesting   = 64   // parentheses, functions and nots around an expression
	maxOperators = 200  // of one query; SQLite's expressions are at most 1,000 deep
	maxCommands  = 32   // stages after the source
	maxItems     = 64   // aggregations, groups, sort keys or fields of one command
	maxValues    = 1000 // values of one in (…)
	maxHead      = 1_000_000_000
)

// timeField is the field that timechart goes over.
const timeField = "timestamp"

var (
	commandNames = []string{"where", "eval", "fields", "stats", "sort", "head", "top", "timechart"}
	aggregations = []string{"count", "distinct_count", "dc", "sum", "avg", "min", "max"}
	spanUnits    = []string{"ms", "s", "m", "h", "d", "w"}
	// reserved words can name a field only in backticks.
	reserved = strings.Fields("and or not in like between is null as by asc desc")
)

// name is a name as the query wrote it, without backticks.
type name struct {
	text string
	at   Pos
}

// parser reads tokens one by one. What is read narrows or reshapes its relation. A parser fails by
// a panic with a *refuse.Error.
type parser struct {
	tokens    []token
	at        int
	depth     int
	operators int
	rel       *relation
	named     map[string]bool // the fields that conditions have named
}

// Query is a query whose source is read.
type Query struct {
	Source string
	at     Pos
	rest   parser
}

// Parse reads a query as far as its source. Its errors are of type *refuse.Error.
func Parse(text string) (q *Query, err error) {
	defer refuse.Caught(&err)
	p := parser{tokens: lex(text)}
	p.accept("search")
	if !p.accept("source") {
		panic(p.unexpected("at the start of the query", "source=…"))
	}
	p.expect("=", "after source")
	source := p.name("the table's name")
	return &Query{source.text, source.at, p}, nil
}

// commands reads the commands of a query and calls before with the name of each.
func (p *parser) commands(before func(string)) {
	readers := map[string]func(){
		"where": p.where, "eval": p.eval, "fields": p.fields, "stats": p.stats, "sort": p.sort,
		"head": p.head, "top": p.top, "timechart": p.timeChart,
	}
	for n := 0; p.peek().kind != tokEnd; n++ {
		p.expect("|", "before the next command")
		t := p.peek()
		if n >= maxCommands {
			panic(errorAt(t.pos, nil, "a query has at most %d commands", maxCommands))
		}
		if t.kind != tokWord {
			panic(errorAt(t.pos, commandNames, "expected a command after \"|\", such as where or stats, found %s", t.describe()))
		}
		read, ok := readers[strings.ToLower(t.text)]
		if !ok {
			panic(unsupported(t, "command", commandNames))
		}
		before(strings.ToLower(t.text))
		p.next()
		read()
	}
}

// unsupported is the error for what this PPL does not have.
func unsupported(t token, what string, known []string) *refuse.Error {
	message := fmt.Sprintf("the %s %q is not supported; supported are: %s", what, visible.Cut(t.text, 40), strings.Join(known, ", "))
	if near := nearestTo(t.text, known, 1); len(near) > 0 {
		message += "; did you mean " + near[0] + "?"
	}
	return errorAt(t.pos, known, "%s", message)
}

func (p *parser) where() { p.rel.filter(p.condition()) }

// eval reads eval FIELD = VALUE, …
func (p *parser) eval() {
	list(p, func() name {
		field := p.name("a field")
		p.expect("=", "after the field's name")
		p.rel.compute(field, p.value())
		return field
	})
}

// fields reads fields [+|-] FIELD, …
func (p *parser) fields() {
	exclude := p.sign()
	p.rel.project(list(p, p.resultField), exclude)
}

// sign reads + or -, and reports the latter.
func (p *parser) sign() bool { return !p.accept("+") && p.accept("-") }

// stats reads stats AGG [as NAME], … [by GROUP [as NAME], …]
func (p *parser) stats() {
	columns := list(p, p.aggregation)
	if p.accept("by") {
		columns = append(columns, list(p, p.group)...)
	}
	p.rel.aggregate(columns)
}

// alias reads as NAME, where it is there.
func (p *parser) alias(otherwise name) name {
	if p.accept("as") {
		return p.name("a name after as")
	}
	return otherwise
}

// aggregation reads count(), sum(bytes), count(eval(status >= 400)), or a bare count, with its
// alias. Without one it is called as it is written.
func (p *parser) aggregation() tableColumn {
	start, t := p.at, p.peek()
	if t.kind != tokWord {
		panic(p.unexpected("in stats", "an aggregation such as count()"))
	}
	function := strings.ToLower(t.text)
	if !slices.Contains(aggregations, function) {
		panic(unsupported(t, "aggregation", aggregations))
	}
	if function == "dc" {
		function = "distinct_count"
	}
	p.next()
	called, v := name{"count()", t.pos}, value{Type: Int, sql: "count(*)"}
	if function != "count" || p.peek().is("(") {
		p.expect("(", "after "+t.text)
		inside := p.at
		v = p.aggregated(function)
		called.text = function + "(" + p.textFrom(inside) + ")"
		p.expect(")", "after the field of "+t.text)
		called.at = p.posFrom(start)
	}
	return tableColumn{p.alias(called), v, false}
}

// aggregated reads what an aggregation is of: nothing, a value, or eval(condition).
func (p *parser) aggregated(function string) value {
	switch {
	case function == "count" && p.peek().is(")"):
		return value{Type: Int, sql: "count(*)"}
	case function == "count" && p.peek().is("eval") && p.follows("("):
		p.at += 2
		v := p.condition()
		p.expect(")", "after eval's condition")
		return value{Type: Int, sql: "count(CASE WHEN " + v.sql + " THEN 1 END)", args: v.args}
	case p.peek().is(")") || p.peek().kind == tokEnd:
		panic(p.unexpected("here", "a field"))
	}
	return p.value().aggregate(function)
}

// group reads FIELD or span(FIELD, 1h), with its alias, as a key of a table.
func (p *parser) group() tableColumn {
	called, field, s := p.groupKey()
	v := p.rel.field(field)
	if s != nil {
		v = s.floor(v)
	}
	return tableColumn{p.alias(called), v, true}
}

func (p *parser) groupKey() (called, field name, s *span) {
	start := p.at
	isSpan := p.peek().is("span") && p.follows("(")
	if isSpan {
		p.at += 2
	}
	if field = p.name("a field or span(field, interval)"); !isSpan {
		return field, field, nil
	}
	p.expect(",", "between span's field and its interval")
	s = p.interval()
	p.expect(")", "after span's interval")
	return name{p.textFrom(start), p.posFrom(start)}, field, s
}

// interval reads 1h, or a plain number.
func (p *parser) interval() *span {
	size := p.peek()
	if size.kind != tokNumber {
		panic(p.unexpected("as span's interval", "a number with a unit such as 1h"))
	}
	p.next()
	n, err := strconv.ParseInt(size.text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		panic(errorAt(size.pos, nil, "span's interval must be a whole number from 1 to %d", math.MaxInt32))
	}
	s := &span{size: n, at: size.pos}
	if unit := p.peek(); unit.kind == tokWord && size.touches(unit) {
		s.unit = unit.text // case matters: M would be months
		if !slices.Contains(spanUnits, unit.text) {
			panic(errorAt(unit.pos, spanUnits, "unknown unit %q; units are ms, s, m (minutes), h, d and w", visible.Cut(unit.text, 20)))
		}
		p.next()
	}
	return s
}

// sort reads sort [+|-] FIELD [asc|desc], …
func (p *parser) sort() {
	p.rel.sort(list(p, func() orderKey {
		desc := p.sign()
		column := p.rel.lookup(p.resultField())
		if p.peek().is("desc") || p.peek().is("asc") {
			desc = p.next().is("desc")
		}
		return orderKey{column, desc}
	})...)
}

func (p *parser) head() { p.rel.head(p.count("head's count")) }

// count reads how many rows a command keeps; 10 where it does not say.
func (p *parser) count(what string) int {
	t := p.peek()
	if t.kind != tokNumber {
		return 10
	}
	n, err := strconv.Atoi(t.text)
	if err != nil || n > maxHead {
		panic(errorAt(t.pos, nil, "%s must be a whole number up to %d", what, maxHead))
	}
	p.next()
	return n
}

// top reads top [N] FIELD, …: the most frequent combinations of values, with their count.
func (p *parser) top() {
	n := p.count("top's count")
	columns := list(p, func() tableColumn {
		field := p.resultField()
		return tableColumn{field, p.rel.field(field), true}
	})
	count := tableColumn{name{"count", columns[0].called.at}, value{Type: Int, sql: "count(*)"}, false}
	p.rel.aggregate(append(columns, count))
	p.rel.sort(orderKey{len(columns), true})
	p.rel.head(n)
}

// timeChart reads timechart [span=1h] AGG [as NAME] [by FIELD]: an aggregation over intervals.
func (p *parser) timeChart() {
	at := name{timeField, p.tokens[p.at-1].pos}
	s := &span{size: 1, unit: "m", at: at.at}
	if p.peek().is("span") && p.follows("=") {
		p.at += 2
		s = p.interval()
	}
	columns := []tableColumn{{at, s.floor(p.rel.field(at)), true}}
	aggregation := p.aggregation()
	if p.accept("by") {
		columns = append(columns, p.group())
	}
	p.rel.aggregate(append(columns, aggregation))
}

// resultField reads a field's name. An aggregation without an alias is named by what was written,
// as in sort - count(); what it is of need not be a field any more.
func (p *parser) resultField() name {
	if t := p.peek(); t.kind != tokWord || !p.follows("(") {
		return p.name("a field")
	}
	if p.peek().is("span") {
		called, _, _ := p.groupKey()
		return called
	}
	start := p.at
	for depth := 0; ; {
		switch t := p.next(); {
		case t.kind == tokEnd:
			panic(p.unexpected("to close the parenthesis", ")"))
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				return name{strings.ToLower(p.tokens[start].text) + p.textFrom(start+1), p.posFrom(start)}
			}
		}
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEnd {
		p.at++
	}
	return t
}

// follows reports whether the token after the next one is the keyword or symbol.
func (p *parser) follows(text string) bool {
	return p.at+1 < len(p.tokens) && p.tokens[p.at+1].is(text)
}

func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		panic(p.unexpected(where, text))
	}
}

// unexpected is the error for a next token that is none of what may stand here.
func (p *parser) unexpected(where string, expected ...string) *refuse.Error {
	t := p.peek()
	return errorAt(t.pos, expected, "expected %s %s, found %s", strings.Join(expected, " or "), where, t.describe())
}

// posFrom is the position from the token at start to the last one read, as far as it is on one
// line.
func (p *parser) posFrom(start int) Pos {
	first, last := p.tokens[start].pos, p.tokens[max(start, p.at-1)].pos
	if first.Line == last.Line {
		first.Length = last.Column + last.Length - first.Column
	}
	return first
}

// textFrom is what was read from the token at start on, in normal spacing.
func (p *parser) textFrom(start int) string {
	var b strings.Builder
	for i := start; i < p.at; i++ {
		t := p.tokens[i]
		if i > start && !t.is("(") && !t.is(")") && !t.is(",") {
			before := p.tokens[i-1]
			if !before.is("(") && !before.is(",") && !(before.kind == tokNumber && before.touches(t)) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(t.written())
	}
	return b.String()
}

func (p *parser) name(what string) name {
	t := p.peek()
	switch {
	case t.kind == tokName && t.text == "":
		panic(errorAt(t.pos, nil, "a name must not be empty"))
	case t.kind == tokName, t.kind == tokWord && !slices.Contains(reserved, strings.ToLower(t.text)):
		p.next()
		return name{t.text, t.pos}
	}
	panic(p.unexpected("here", what))
}

// list reads one or more items with commas between them.
func list[T any](p *parser, item func() T) (items []T) {
	for {
		if len(items) == maxItems {
			panic(errorAt(p.peek().pos, nil, "at most %d items may stand in one list", maxItems))
		}
		if items = append(items, item()); !p.accept(",") {
			return items
		}
	}
}
