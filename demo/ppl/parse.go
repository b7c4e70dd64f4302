package ppl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
	reserved = map[string]bool{"and": true, "or": true, "not": true, "in": true, "like": true, "between": true,
		"is": true, "null": true, "as": true, "by": true, "asc": true, "desc": true}
)

type parser struct {
	tokens    []token
	at        int
	depth     int
	operators int
}

// Parse reads a query. Its errors are of type *Error.
func Parse(text string) (*Query, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	p.accept("search")
	if !p.accept("source") {
		return nil, p.unexpected("at the start of the query", "source=…")
	}
	if err := p.expect("=", "after source"); err != nil {
		return nil, err
	}
	q := &Query{}
	if q.Source, err = p.name("the table's name"); err != nil {
		return nil, err
	}
	q.Commands, err = p.commands()
	return q, err
}

// Condition reads a condition on its own, as where takes it.
func Condition(text string) (Expr, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	e, err := p.expression()
	if err == nil && p.peek().kind != tokEnd {
		err = p.unexpected("after the condition", "the end")
	}
	return e, err
}

func (p *parser) commands() (list []Command, err error) {
	for p.peek().kind != tokEnd {
		if err := p.expect("|", "before the next command"); err != nil {
			return nil, err
		}
		if len(list) >= maxCommands {
			return nil, errorAt(p.peek().pos, nil, "a query has at most %d commands", maxCommands)
		}
		c, err := p.command()
		if err != nil {
			return nil, err
		}
		list = append(list, c...)
	}
	return list, nil
}

func (p *parser) command() ([]Command, error) {
	t := p.peek()
	if t.kind != tokWord {
		return nil, errorAt(t.pos, commandNames, "expected a command after \"|\", such as where or stats, found %s", t.describe())
	}
	read, ok := map[string]func() ([]Command, error){
		"where": p.where, "eval": p.eval, "fields": p.fields, "stats": p.stats, "sort": p.sort, "head": p.head,
		"top": p.top, "timechart": p.timeChart,
	}[strings.ToLower(t.text)]
	if !ok {
		return nil, unsupported(t, "command", commandNames)
	}
	p.next()
	return read()
}

// unsupported is the error for what this PPL does not have.
func unsupported(t token, what string, known []string) *Error {
	message := fmt.Sprintf("the %s %q is not supported; supported are: %s", what, clip(t.text, 40), strings.Join(known, ", "))
	if near := Nearest(t.text, known, 1); len(near) > 0 {
		message += "; did you mean " + near[0] + "?"
	}
	return errorAt(t.pos, known, "%s", message)
}

func (p *parser) where() ([]Command, error) {
	cond, err := p.expression()
	return []Command{&Where{cond}}, err
}

// eval reads eval FIELD = VALUE, …
func (p *parser) eval() ([]Command, error) {
	sets, err := list(p, func() (Set, error) {
		field, err := p.name("a field")
		if err == nil {
			err = p.expect("=", "after the field's name")
		}
		if err != nil {
			return Set{}, err
		}
		v, err := p.expression()
		return Set{field, v}, err
	})
	return []Command{&Eval{sets}}, err
}

// fields reads fields [+|-] FIELD, …
func (p *parser) fields() ([]Command, error) {
	f := &Fields{}
	if p.peek().is("-") || p.peek().is("+") {
		f.Exclude = p.next().is("-")
	}
	var err error
	f.Names, err = list(p, p.resultField)
	return []Command{f}, err
}

// stats reads stats AGG [as NAME], … [by GROUP [as NAME], …]
func (p *parser) stats() ([]Command, error) {
	s := &Stats{}
	var err error
	if s.Aggs, err = list(p, p.aggregation); err == nil && p.accept("by") {
		s.By, err = list(p, p.group)
	}
	return []Command{s}, err
}

func (p *parser) aggregation() (Agg, error) {
	a, err := p.aggregateCall()
	if err != nil {
		return a, err
	}
	return a, p.alias(&a.Name)
}

// alias reads as NAME, where it is there.
func (p *parser) alias(name *Name) (err error) {
	if p.accept("as") {
		*name, err = p.name("a name after as")
	}
	return err
}

// aggregateCall reads count(), sum(bytes), count(eval(status >= 400)), or a bare count.
func (p *parser) aggregateCall() (Agg, error) {
	start, t := p.at, p.peek()
	if t.kind != tokWord {
		return Agg{}, p.unexpected("in stats", "an aggregation such as count()")
	}
	a := Agg{Func: strings.ToLower(t.text)}
	if !slices.Contains(aggregations, a.Func) {
		return a, unsupported(t, "aggregation", aggregations)
	}
	if a.Func == "dc" {
		a.Func = "distinct_count"
	}
	p.next()
	if a.Func == "count" && !p.peek().is("(") {
		a.Name = Name{"count()", t.pos}
		return a, nil
	}
	if err := p.expect("(", "after "+t.text); err != nil {
		return a, err
	}
	inside := p.at
	if err := p.aggregated(&a); err != nil {
		return a, err
	}
	name := strings.TrimSuffix(a.Func, "_if") + "(" + p.textFrom(inside) + ")"
	err := p.expect(")", "after the field of "+t.text)
	a.Name = Name{name, p.posFrom(start)}
	return a, err
}

// aggregated reads what an aggregation is of: nothing, a value, or eval(condition).
func (p *parser) aggregated(a *Agg) (err error) {
	switch {
	case a.Func == "count" && p.peek().is(")"):
	case a.Func == "count" && p.peek().is("eval") && p.follows("("):
		p.next()
		p.next()
		if a.Of, err = p.expression(); err == nil {
			a.Func, err = "count_if", p.expect(")", "after eval's condition")
		}
	case p.peek().is(")") || p.peek().kind == tokEnd:
		return p.unexpected("here", "a field")
	default:
		a.Of, err = p.expression()
	}
	return err
}

// group reads FIELD or span(FIELD, 1h), with its alias.
func (p *parser) group() (Group, error) {
	g, err := p.groupKey()
	if err != nil {
		return g, err
	}
	return g, p.alias(&g.Name)
}

func (p *parser) groupKey() (g Group, err error) {
	start := p.at
	isSpan := p.peek().is("span") && p.follows("(")
	if isSpan {
		p.next()
		p.next()
	}
	if g.Field, err = p.name("a field or span(field, interval)"); err != nil {
		return g, err
	}
	if isSpan {
		if err = p.expect(",", "between span's field and its interval"); err == nil {
			g.Span, err = p.interval()
		}
		if err == nil {
			err = p.expect(")", "after span's interval")
		}
	}
	g.Name = g.Field
	if isSpan {
		g.Name = Name{p.textFrom(start), p.posFrom(start)}
	}
	return g, err
}

// interval reads 1h, or a plain number.
func (p *parser) interval() (*Span, error) {
	size := p.peek()
	if size.kind != tokNumber {
		return nil, p.unexpected("as span's interval", "a number with a unit such as 1h")
	}
	p.next()
	n, err := strconv.ParseInt(size.text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return nil, errorAt(size.pos, nil, "span's interval must be a whole number from 1 to %d", math.MaxInt32)
	}
	s := &Span{Size: n, At: size.pos}
	if unit := p.peek(); unit.kind == tokWord && size.touches(unit) {
		s.Unit = unit.text // case matters: M would be months
		if !slices.Contains(spanUnits, unit.text) {
			return nil, errorAt(unit.pos, spanUnits, "unknown unit %q; units are ms, s, m (minutes), h, d and w", clip(unit.text, 20))
		}
		p.next()
	}
	return s, nil
}

// sort reads sort [+|-] FIELD [asc|desc], …
func (p *parser) sort() ([]Command, error) {
	keys, err := list(p, func() (key SortKey, err error) {
		if p.peek().is("-") || p.peek().is("+") {
			key.Desc = p.next().is("-")
		}
		if key.Field, err = p.resultField(); err == nil && (p.peek().is("desc") || p.peek().is("asc")) {
			key.Desc = p.next().is("desc")
		}
		return key, err
	})
	return []Command{&Sort{keys}}, err
}

func (p *parser) head() ([]Command, error) {
	n, err := p.count("head's count")
	return []Command{&Head{n}}, err
}

// count reads how many rows a command keeps; 10 where it does not say.
func (p *parser) count(what string) (int, error) {
	t := p.peek()
	if t.kind != tokNumber {
		return 10, nil
	}
	n, err := strconv.Atoi(t.text)
	if err != nil || n > maxHead {
		return 0, errorAt(t.pos, nil, "%s must be a whole number up to %d", what, maxHead)
	}
	p.next()
	return n, nil
}

// top reads top [N] FIELD, …: the most frequent combinations of values, with their count.
func (p *parser) top() ([]Command, error) {
	n, err := p.count("top's count")
	if err != nil {
		return nil, err
	}
	names, err := list(p, p.resultField)
	if err != nil {
		return nil, err
	}
	count := Name{"count", names[0].At}
	s := &Stats{Aggs: []Agg{{Func: "count", Name: count}}}
	for _, field := range names {
		s.By = append(s.By, Group{Field: field, Name: field})
	}
	return []Command{s, &Sort{[]SortKey{{count, true}}}, &Head{n}, &Fields{Names: append(names, count)}}, nil
}

// timeChart reads timechart [span=1h] AGG [as NAME] [by FIELD]: an aggregation over intervals.
func (p *parser) timeChart() ([]Command, error) {
	at := Name{timeField, p.tokens[p.at-1].pos}
	span := &Span{Size: 1, Unit: "m", At: at.At}
	var err error
	if p.peek().is("span") && p.follows("=") {
		p.next()
		p.next()
		if span, err = p.interval(); err != nil {
			return nil, err
		}
	}
	agg, err := p.aggregation()
	if err != nil {
		return nil, err
	}
	s, names := &Stats{Aggs: []Agg{agg}, By: []Group{{at, span, at}}}, []Name{at}
	if p.accept("by") {
		by, err := p.resultField()
		if err != nil {
			return nil, err
		}
		s.By, names = append(s.By, Group{Field: by, Name: by}), append(names, by)
	}
	return []Command{s, &Fields{Names: append(names, agg.Name)}}, nil
}

// resultField reads a field's name. An aggregation without an alias is named by what was written,
// as in sort - count().
func (p *parser) resultField() (Name, error) {
	if t := p.peek(); t.kind != tokWord || !p.follows("(") {
		return p.name("a field")
	}
	if p.peek().is("span") {
		g, err := p.groupKey()
		return g.Name, err
	}
	a, err := p.aggregateCall()
	return a.Name, err
}
