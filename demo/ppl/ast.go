package ppl

import "slices"

// Query is a parsed query. Its String is the query in normal form.
type Query struct {
	Source   Name
	Commands []Command
}

// Name is a name as the query wrote it, without backticks.
type Name struct {
	Text string
	Pos  Pos
}

// Command is one stage of a query: *Where, *Stats, *Sort, *Head or *Fields.
type Command interface{ command() }

type (
	// Where keeps the rows for which Expr is true.
	Where struct{ Expr Expr }
	// Stats replaces the rows by one row per group.
	Stats struct {
		Aggs []Agg
		By   []Group
	}
	// Sort orders the rows, stably.
	Sort struct{ Keys []SortKey }
	// Head keeps Count rows, after skipping From.
	Head struct{ Count, From int }
	// Fields keeps the named fields in that order or, with Exclude, removes them.
	Fields struct {
		Exclude bool
		Names   []Name
	}
)

func (*Where) command()  {}
func (*Stats) command()  {}
func (*Sort) command()   {}
func (*Head) command()   {}
func (*Fields) command() {}

// Agg is one aggregation of a stats command. Func is count, distinct_count, sum, avg, min or max; Field is nil for count().
type Agg struct {
	Func  string
	Field *Name
	Alias *Name
	Pos   Pos
}

// Group is one key of a stats command: a field, or where Span is set, the interval that the field's value falls into.
type Group struct {
	Field Name
	Span  *Span
	Alias *Name
	Pos   Pos
}

// Span is an interval's width: Size of Unit, which is "" for numbers and ms, s, m, h, d or w for times.
type Span struct {
	Size int64
	Unit string
	Pos  Pos
}

// SortKey is one key of a sort command.
type SortKey struct {
	Field Name
	Desc  bool
}

// Expr is a condition: *Logic, *Not, *Compare, *In, *Like, *Between or *IsNull.
type Expr interface{ expr() }

// LogicOp is And, Xor or Or.
type LogicOp string

// The operators of Logic, tightest first.
const (
	And LogicOp = "and"
	Xor LogicOp = "xor"
	Or  LogicOp = "or"
)

type (
	// Logic joins two or more terms.
	Logic struct {
		Op    LogicOp
		Terms []Expr
	}
	// Not is true where X is false.
	Not struct{ X Expr }
	// Compare applies =, !=, <, <=, > or >=. At least one side is a field.
	Compare struct {
		Op          string
		Left, Right Operand
		Pos         Pos
	}
	// In is true where the field has one of the values.
	In struct {
		Field   Name
		Values  []Literal
		Negated bool
	}
	// Like matches text with % and _.
	Like struct {
		Field   Name
		Pattern Literal
		Negated bool
	}
	// Between includes both ends.
	Between struct {
		Field     Name
		Low, High Literal
		Negated   bool
	}
	// IsNull is isnull(field), or with Negated isnotnull(field).
	IsNull struct {
		Field   Name
		Negated bool
	}
)

func (*Logic) expr()   {}
func (*Not) expr()     {}
func (*Compare) expr() {}
func (*In) expr()      {}
func (*Like) expr()    {}
func (*Between) expr() {}
func (*IsNull) expr()  {}

// Operand is a side of a comparison: Name or Literal.
type Operand interface{ operand() }

func (Name) operand()    {}
func (Literal) operand() {}

// LiteralKind says which field of a Literal holds.
type LiteralKind uint8

// The kinds of literals. A TimeText is timestamp('…'); a StringText is read as a time where it meets a time field.
const (
	StringText LiteralKind = iota + 1
	TimeText
	Integer
	Float
)

// Literal is a value written in a query.
type Literal struct {
	Kind  LiteralKind
	Text  string
	Int   int64
	Float float64
	Pos   Pos
}

// StringLiteral makes a string literal. This and the two below are for conditions that do not come from a query's text.
func StringLiteral(s string) Literal { return Literal{Kind: StringText, Text: s} }

// IntLiteral makes an integer literal.
func IntLiteral(n int64) Literal { return Literal{Kind: Integer, Int: n} }

// FloatLiteral makes a float literal; f must be finite.
func FloatLiteral(f float64) Literal { return Literal{Kind: Float, Float: f} }

// HasStats reports whether the query's result is a table of aggregates rather than rows of its source.
func (q *Query) HasStats() bool {
	return slices.ContainsFunc(q.Commands, func(c Command) bool { _, ok := c.(*Stats); return ok })
}

// Reshapes reports whether the result can have other rows than those that Filters lets through.
func (q *Query) Reshapes() bool {
	return slices.ContainsFunc(q.Commands, func(c Command) bool {
		_, head := c.(*Head)
		return head
	}) || q.HasStats()
}

// Filters returns the conditions that choose which rows of the source the query looks at: the where commands before the first stats or head.
func (q *Query) Filters() []Expr {
	var exprs []Expr
	for _, c := range q.Commands {
		switch c := c.(type) {
		case *Where:
			exprs = append(exprs, c.Expr)
		case *Stats, *Head:
			return exprs
		}
	}
	return exprs
}

// Mentions reports whether a condition names the field.
func Mentions(e Expr, field string) bool {
	isField := func(o Operand) bool { n, ok := o.(Name); return ok && n.Text == field }
	switch e := e.(type) {
	case *Logic:
		return slices.ContainsFunc(e.Terms, func(t Expr) bool { return Mentions(t, field) })
	case *Not:
		return Mentions(e.X, field)
	case *Compare:
		return isField(e.Left) || isField(e.Right)
	case *In:
		return e.Field.Text == field
	case *Like:
		return e.Field.Text == field
	case *Between:
		return e.Field.Text == field
	case *IsNull:
		return e.Field.Text == field
	}
	return false
}
