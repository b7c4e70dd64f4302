package ppl

import "slices"

// Query is a parsed query.
type Query struct {
	Source   Name
	Commands []Command
}

// Name is a name as the query wrote it, without backticks.
type Name struct {
	Text string
	At   Pos
}

// Command is one stage of a query: a pointer to one of the types below. The parser expresses top
// and timechart with them.
type Command interface{ command() }

type (
	// Where keeps the rows that satisfy Cond.
	Where struct{ Cond Expr }
	// Eval computes fields in order. It replaces existing fields of the same name.
	Eval struct{ Sets []Set }
	// Fields keeps the named fields in that order or, with Exclude, removes them.
	Fields struct {
		Exclude bool
		Names   []Name
	}
	// Stats replaces the rows by one row per group.
	Stats struct {
		Aggs []Agg
		By   []Group
	}
	// Sort orders the rows, stably.
	Sort struct{ Keys []SortKey }
	// Head keeps the first Count rows.
	Head struct{ Count int }
)

func (*Where) command()  {}
func (*Eval) command()   {}
func (*Fields) command() {}
func (*Stats) command()  {}
func (*Sort) command()   {}
func (*Head) command()   {}

// Set assigns a value to a field.
type Set struct {
	Field Name
	Value Expr
}

// Agg is one aggregation of a stats command.
type Agg struct {
	Func string
	Of   Expr // nil in count(); a condition in count(eval(…))
	Name Name // of the column: its alias, or the aggregation as written
}

// Group is one key of a stats command: a field or, if Span is set, the interval of the field's
// value.
type Group struct {
	Field Name
	Span  *Span
	Name  Name // of the column
}

// Span is the width of an interval: Size of Unit, which is "" for numbers and ms, s, m, h, d or w
// for times.
type Span struct {
	Size int64
	Unit string
	At   Pos
}

// SortKey is one key of a sort command.
type SortKey struct {
	Field Name
	Desc  bool
}

// Expr is a value or a condition: Name, Literal or *Call.
type Expr interface{ pos() Pos }

// Call applies a function or an operator. Op is its name: "round", "+", "<=", "and", "between".
type Call struct {
	Op   string
	Args []Expr
	At   Pos
}

// LiteralKind tells which member of a Literal holds its value.
type LiteralKind uint8

// Kinds of literals. A StringText compared with a time is read as one.
const (
	StringText LiteralKind = iota + 1
	Integer
	Float
)

// Literal is a value written in a query.
type Literal struct {
	Kind  LiteralKind
	Text  string // as it is read: a string's value, a number as written
	Int   int64
	Float float64
	At    Pos
}

func (n Name) pos() Pos    { return n.At }
func (l Literal) pos() Pos { return l.At }
func (c *Call) pos() Pos   { return c.At }

// HasStats reports whether the result is a table of aggregates rather than rows of the source.
func (q *Query) HasStats() bool { return slices.ContainsFunc(q.Commands, aggregates) }

func aggregates(c Command) bool { _, ok := c.(*Stats); return ok }

// Reshapes reports whether the result may have other rows than the selected events.
func (q *Query) Reshapes() bool { return slices.ContainsFunc(q.Commands, reshapes) }

func reshapes(c Command) bool { _, ok := c.(*Head); return ok || aggregates(c) }

// Narrows reports whether a condition that selects the events names the field. Such conditions
// precede the first command that aggregates or limits.
func (q *Query) Narrows(field string) bool {
	for _, c := range q.Commands {
		if reshapes(c) {
			break
		}
		if w, ok := c.(*Where); ok && mentions(w.Cond, field) {
			return true
		}
	}
	return false
}

func mentions(e Expr, field string) bool {
	if c, ok := e.(*Call); ok {
		return slices.ContainsFunc(c.Args, func(a Expr) bool { return mentions(a, field) })
	}
	n, ok := e.(Name)
	return ok && n.Text == field
}
