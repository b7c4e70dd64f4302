package ppl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Caps on what a query may hold, so that none is expensive to read.
const (
	maxNesting  = 64   // parentheses and nots around a condition
	maxCommands = 32   // stages after the source
	maxItems    = 64   // aggregations, groups, sort keys or fields of one command
	maxValues   = 1000 // values of one in (…)
	maxHead     = 1_000_000_000
)

var (
	commandNames = []string{"where", "stats", "sort", "head", "fields", "eval", "dedup", "rename", "top", "rare", "parse", "regex", "fillnull", "timechart", "reverse"}
	aggregations = []string{"count", "distinct_count", "dc", "sum", "avg", "min", "max", "median", "percentile", "stddev_samp", "stddev_pop", "var_samp", "var_pop",
		"first", "last", "earliest", "latest", "list", "values"}
	spanUnits = []string{"ms", "s", "m", "h", "d", "w"}
	// reserved words can only name a field in backticks.
	reserved = map[string]bool{"and": true, "or": true, "xor": true, "not": true, "in": true, "like": true, "between": true,
		"is": true, "null": true, "true": true, "false": true, "as": true, "by": true, "from": true, "asc": true, "desc": true, "else": true}
)

type parser struct {
	tokens []token
	at     int
	depth  int

	operators int
}

// Parse reads a query. Its errors are of type *Error.
func Parse(text string) (*Query, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	return p.query()
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

func (p *parser) expect(text, where string) error {
	if p.accept(text) {
		return nil
	}
	return p.unexpected(where, text)
}

// unexpected is the error for a next token that is none of what may stand here.
func (p *parser) unexpected(where string, expected ...string) *Error {
	t := p.peek()
	return errorAt(t.pos, expected, "expected %s %s, found %s", strings.Join(expected, " or "), where, t.describe())
}

func (p *parser) query() (*Query, error) {
	p.accept("search")
	if !p.accept("source") && !p.accept("index") {
		return nil, p.unexpected("at the start of the query", "source=…")
	}
	if err := p.expect("=", "after source"); err != nil {
		return nil, err
	}
	source, err := p.name("the table's name")
	if err != nil {
		return nil, err
	}
	q := &Query{Source: source}
	for p.peek().kind != tokEnd {
		if err := p.expect("|", "before the next command"); err != nil {
			return nil, err
		}
		if len(q.Commands) == maxCommands {
			return nil, errorAt(p.peek().pos, nil, "a query has at most %d commands", maxCommands)
		}
		c, err := p.command()
		if err != nil {
			return nil, err
		}
		q.Commands = append(q.Commands, c)
	}
	return q, nil
}

func (p *parser) command() (Command, error) {
	t := p.peek()
	if t.kind != tokWord {
		return nil, errorAt(t.pos, commandNames, "expected a command after \"|\", such as where or stats, found %s", t.describe())
	}
	parse, ok := map[string]func() (Command, error){
		"where": p.where, "stats": p.stats, "sort": p.sort, "head": p.head, "fields": p.fields, "eval": p.eval, "dedup": p.dedup, "rename": p.rename,
		"top": p.top, "rare": p.top, "parse": p.parse, "regex": p.regex, "fillnull": p.fillNull, "timechart": p.timeChart, "reverse": p.reverse,
	}[strings.ToLower(t.text)]
	if !ok {
		return nil, unsupported(t, "command", commandNames)
	}
	p.next()
	return parse()
}

// unsupported is the error for a command or function that the subset does not have.
func unsupported(t token, what string, known []string) *Error {
	message := fmt.Sprintf("the %s %q is not supported; supported are: %s", what, clip(t.text, 40), strings.Join(known, ", "))
	if near := Nearest(t.text, known, 1); len(near) > 0 {
		message += "; did you mean " + near[0] + "?"
	}
	return errorAt(t.pos, known, "%s", message)
}

func (p *parser) where() (Command, error) {
	e, err := p.condition()
	if err != nil {
		return nil, err
	}
	return &Where{Expr: e}, nil
}

func (p *parser) stats() (Command, error) {
	aggs, err := list(p, p.aggregation)
	if err != nil {
		return nil, err
	}
	s := &Stats{Aggs: aggs}
	if p.accept("by") {
		if s.By, err = list(p, p.group); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (p *parser) aggregation() (Agg, error) {
	call, err := p.aggregateCall()
	if err != nil {
		return Agg{}, err
	}
	call.Alias, err = p.alias()
	return call, err
}

// aggregateCall reads count(), sum(bytes), percentile(bytes, 95), count(eval(status >= 400)), or a
// bare count.
func (p *parser) aggregateCall() (Agg, error) {
	t := p.peek()
	if t.kind != tokWord {
		return Agg{}, p.unexpected("in stats", "an aggregation such as count()")
	}
	agg := Agg{Func: strings.ToLower(t.text), Pos: t.pos}
	percent, short := percentName(agg.Func)
	switch {
	case short:
		agg.Func, agg.Percent = "percentile", percent
	case agg.Func == "percentile_approx":
		agg.Func = "percentile"
	case !slices.Contains(aggregations, agg.Func):
		return Agg{}, unsupported(t, "aggregation", aggregations)
	case agg.Func == "dc":
		agg.Func = "distinct_count"
	}
	p.next()
	if agg.Func == "count" && !p.peek().is("(") {
		return agg, nil
	}
	if err := p.expect("(", "after "+t.text); err != nil {
		return Agg{}, err
	}
	if agg.Func == "count" && p.accept(")") {
		return agg, nil
	}
	if err := p.aggregated(&agg); err != nil {
		return Agg{}, err
	}
	if agg.Func == "percentile" && !short {
		if err := p.percent(&agg); err != nil {
			return Agg{}, err
		}
	}
	return agg, p.expect(")", "after the field of "+t.text)
}

// aggregated reads what an aggregation is of: a field, a value, or eval(condition).
func (p *parser) aggregated(agg *Agg) error {
	if agg.Func == "count" && p.peek().is("eval") && p.follows("(") {
		p.next()
		p.next()
		var err error
		if agg.If, err = p.condition(); err != nil {
			return err
		}
		return p.expect(")", "after eval's condition")
	}
	if t := p.peek(); t.is(")") || t.kind == tokEnd {
		return p.unexpected("here", "a field")
	}
	v, err := p.value()
	if err != nil {
		return err
	}
	if field, ok := v.(Name); ok {
		agg.Field = &field
	} else {
		agg.Value = v
	}
	return nil
}

func (p *parser) percent(agg *Agg) error {
	if err := p.expect(",", "between percentile's field and its percent"); err != nil {
		return err
	}
	t := p.peek()
	n, err := strconv.ParseFloat(t.text, 64)
	if t.kind != tokNumber || err != nil || n < 0 || n > 100 {
		return errorAt(t.pos, []string{"95"}, "percentile needs a percent from 0 to 100")
	}
	p.next()
	agg.Percent = n
	return nil
}

func (p *parser) group() (Group, error) {
	t := p.peek()
	g := Group{Pos: t.pos}
	if t.kind == tokWord && t.is("span") && p.follows("(") {
		if err := p.span(&g); err != nil {
			return g, err
		}
	} else {
		field, err := p.name("a field or span(field, interval)")
		if err != nil {
			return g, err
		}
		g.Field = field
	}
	var err error
	g.Alias, err = p.alias()
	return g, err
}

// span reads span(field, 1h) or span(field, 100).
func (p *parser) span(g *Group) error {
	p.next()
	p.next()
	field, err := p.name("a field")
	if err != nil {
		return err
	}
	g.Field = field
	if err := p.expect(",", "between span's field and its interval"); err != nil {
		return err
	}
	if g.Span, err = p.interval("span's"); err != nil {
		return err
	}
	return p.expect(")", "after span's interval")
}

func (p *parser) interval(whose string) (*Span, error) {
	size := p.peek()
	if size.kind != tokNumber {
		return nil, p.unexpected("as "+whose+" interval", "a number with a unit such as 1h")
	}
	p.next()
	n, err := strconv.ParseInt(size.text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return nil, errorAt(size.pos, nil, "%s interval must be a whole number from 1 to %d", whose, math.MaxInt32)
	}
	s := &Span{Size: n, Pos: size.pos}
	if unit := p.peek(); unit.kind == tokWord && (p.tokens[p.at-1].pos.Column+p.tokens[p.at-1].pos.Length == unit.pos.Column || slices.Contains(spanUnits, unit.text)) {
		s.Unit = unit.text // case matters: M would be months
		if !slices.Contains(spanUnits, unit.text) {
			return nil, errorAt(unit.pos, spanUnits, "unknown unit %q; units are ms, s, m (minutes), h, d and w", clip(unit.text, 20))
		}
		p.next()
	}
	return s, nil
}

func (p *parser) alias() (*Name, error) {
	if !p.accept("as") {
		return nil, nil
	}
	name, err := p.name("a name after as")
	return &name, err
}

// sort reads sort [N] KEY, …; with N only that many rows are kept.
func (p *parser) sort() (Command, error) {
	s := &Sort{}
	var err error
	if p.peek().kind == tokNumber {
		if s.Count, err = p.count("sort's count"); err != nil {
			return nil, err
		}
	}
	s.Keys, err = list(p, p.sortKey)
	return s, err
}

func (p *parser) sortKey() (SortKey, error) {
	var key SortKey
	signed := p.peek().is("-") || p.peek().is("+")
	if signed {
		key.Desc = p.next().is("-")
	}
	field, err := p.resultField()
	if err != nil {
		return key, err
	}
	key.Field = field
	if t := p.peek(); !signed && (t.is("desc") || t.is("d") || t.is("asc") || t.is("a")) {
		key.Desc = t.is("desc") || t.is("d")
		p.next()
	}
	return key, nil
}

func (p *parser) head() (Command, error) {
	h := &Head{Count: 10}
	var err error
	if p.peek().kind == tokNumber {
		if h.Count, err = p.count("head's count"); err != nil {
			return nil, err
		}
	}
	if p.accept("from") {
		if h.From, err = p.count("head's offset"); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (p *parser) count(what string) (int, error) {
	t := p.peek()
	if t.kind != tokNumber {
		return 0, p.unexpected("as "+what, "a number")
	}
	n, err := strconv.Atoi(t.text)
	if err != nil || n > maxHead {
		return 0, errorAt(t.pos, nil, "%s must be a whole number up to %d", what, maxHead)
	}
	p.next()
	return n, nil
}

func (p *parser) fields() (Command, error) {
	f := &Fields{}
	if p.peek().is("-") || p.peek().is("+") {
		f.Exclude = p.next().is("-")
	}
	var err error
	f.Names, err = list(p, p.resultField)
	return f, err
}

// resultField reads a field's name; an unnamed aggregation may be named by what computed it, as in
// sort - count().
func (p *parser) resultField() (Name, error) {
	t := p.peek()
	if t.kind != tokWord || !p.follows("(") {
		return p.name("a field")
	}
	start := p.at
	if t.is("span") {
		g, err := p.group()
		return Name{g.expression(), p.spanOf(start)}, err
	}
	agg, err := p.aggregateCall()
	return Name{agg.expression(), p.spanOf(start)}, err
}

// spanOf is the position from the token at start to the last one read, as far as it is on one line.
func (p *parser) spanOf(start int) Pos {
	first, last := p.tokens[start].pos, p.tokens[max(start, p.at-1)].pos
	if first.Line == last.Line {
		first.Length = last.Column + last.Length - first.Column
	}
	return first
}

func (p *parser) name(what string) (Name, error) {
	t := p.peek()
	switch {
	case t.kind == tokName && t.text != "", t.kind == tokWord && !reserved[strings.ToLower(t.text)]:
		p.next()
		return Name{t.text, t.pos}, nil
	case t.kind == tokName:
		return Name{}, errorAt(t.pos, nil, "a name must not be empty")
	}
	return Name{}, p.unexpected("here", what)
}

// list reads one or more items with commas between them.
func list[T any](p *parser, item func() (T, error)) ([]T, error) {
	var items []T
	for {
		if len(items) == maxItems {
			return nil, errorAt(p.peek().pos, nil, "at most %d items may stand in one list", maxItems)
		}
		it, err := item()
		if err != nil {
			return nil, err
		}
		items = append(items, it)
		if !p.accept(",") {
			return items, nil
		}
	}
}

// AsError returns the *Error in err's chain, or nil.
func AsError(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}
