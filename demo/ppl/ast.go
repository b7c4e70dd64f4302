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

// Command is one stage of a query: a pointer to one of the types below.
type Command interface{ command() }

type (
	// Where keeps the rows for which Expr is true.
	Where struct{ Expr Expr }
	// Stats replaces the rows by one row per group.
	Stats struct {
		Aggs []Agg
		By   []Group
	}
	// Sort orders the rows, stably. Where Count is not 0 only the first so many are kept.
	Sort struct {
		Keys  []SortKey
		Count int
	}
	// Reverse turns the order around.
	Reverse struct{}
	// Head keeps Count rows, after skipping From.
	Head struct{ Count, From int }
	// Fields keeps the named fields in that order or, with Exclude, removes them.
	Fields struct {
		Exclude bool
		Names   []Name
	}
	// Eval computes fields, one after the other. An existing field of the name is replaced.
	Eval struct{ Sets []Set }
	// Rename gives fields other names, one after the other. An existing field of the new name goes.
	Rename struct{ Pairs []Pair }
	// FillNull puts values in the place of nulls: With in all of Names (no names: in every field of
	// its type), or each of Sets.
	FillNull struct {
		With  Operand
		Names []Name
		Sets  []Set
	}
	// ParseField matches all of a field's text and makes a field of each named group. Without a
	// match they are empty strings.
	ParseField struct {
		Field   Name
		Pattern Literal
	}
	// Dedup keeps the first Count rows of each combination of values; a row with a null among them
	// only with KeepEmpty.
	Dedup struct {
		Count       int
		Names       []Name
		KeepEmpty   bool
		Consecutive bool // only rows that follow each other count as duplicates
	}
	// Top keeps the Count most frequent combinations of values (with Rare the least frequent), for
	// each combination of By.
	Top struct {
		Rare       bool
		Count      int
		Names, By  []Name
		CountField string
		HideCount  bool
		Pos        Pos
	}
	// TimeChart aggregates over intervals of time, and over the values of By, of which only the
	// Limit largest stay apart.
	TimeChart struct {
		TimeField *Name // nil is the source's time
		Span      Span
		Limit     int // 0 is no limit
		DropOther bool
		Agg       Agg
		By        *Name
	}
)

// Set gives a field a value.
type Set struct {
	Field Name
	Value Operand
}

// Pair is a field's old and new name.
type Pair struct{ From, To Name }

func (*Where) command()      {}
func (*Stats) command()      {}
func (*Sort) command()       {}
func (*Head) command()       {}
func (*Fields) command()     {}
func (*Reverse) command()    {}
func (*Eval) command()       {}
func (*Rename) command()     {}
func (*FillNull) command()   {}
func (*ParseField) command() {}
func (*Dedup) command()      {}
func (*Top) command()        {}
func (*TimeChart) command()  {}

// Agg is one aggregation of a stats command, of a field, of a value that is computed for each row,
// or, where Func is count, of the rows for which a condition holds. None of the three is count().
type Agg struct {
	Func    string
	Field   *Name
	Value   Operand
	If      Expr
	Percent float64 // of percentile
	Alias   *Name
	Pos     Pos
}

// Group is one key of a stats command: a field, or where Span is set, the interval that the field's
// value falls into.
type Group struct {
	Field Name
	Span  *Span
	Alias *Name
	Pos   Pos
}

// Span is an interval's width: Size of Unit, which is "" for numbers and ms, s, m, h, d or w for
// times.
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

// Expr is a condition: *Logic, *Not, *Compare, *In, *Like, *Match, *Between or *IsNull.
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
	// Compare applies =, !=, <, <=, > or >=. At least one side is no literal.
	Compare struct {
		Op          string
		Left, Right Operand
		Pos         Pos
	}
	// In is true where the field has one of the values.
	In struct {
		Field   Operand
		Values  []Literal
		Negated bool
	}
	// Like matches text with % and _.
	Like struct {
		Field   Operand
		Pattern Literal
		Negated bool
	}
	// Match is true where the regular expression matches somewhere in the text.
	Match struct {
		Field   Operand
		Pattern Literal
	}
	// Between includes both ends.
	Between struct {
		Field     Operand
		Low, High Literal
		Negated   bool
	}
	// IsNull is isnull(field), or with Negated isnotnull(field).
	IsNull struct {
		Field   Operand
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
func (*Match) expr()   {}

// Operand is a value: Name, Literal, *Arith, *Call or *Case.
type Operand interface{ operand() }

type (
	// Arith applies +, -, *, / or %.
	Arith struct {
		Op          string
		Left, Right Operand
		Pos         Pos
	}
	// Call is a function of values. To is the type of a cast.
	Call struct {
		Func string
		Args []Operand
		To   string
		Pos  Pos
	}
	// Case is the value of the first condition that is true, or else Else, or else null.
	Case struct {
		Whens []When
		Else  Operand
		Pos   Pos
	}
)

// When is one branch of a Case.
type When struct {
	If   Expr
	Then Operand
}

func (Name) operand()    {}
func (Literal) operand() {}
func (*Arith) operand()  {}
func (*Call) operand()   {}
func (*Case) operand()   {}

// LiteralKind says which field of a Literal holds.
type LiteralKind uint8

// The kinds of literals. A TimeText is timestamp('…'); a StringText is read as a time where it
// meets a time field.
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

// StringLiteral makes a string literal. This and the two below are for conditions that do not come
// from a query's text.
func StringLiteral(s string) Literal { return Literal{Kind: StringText, Text: s} }

// IntLiteral makes an integer literal.
func IntLiteral(n int64) Literal { return Literal{Kind: Integer, Int: n} }

// FloatLiteral makes a float literal; f must be finite.
func FloatLiteral(f float64) Literal { return Literal{Kind: Float, Float: f} }

// HasStats reports whether the query's result is a table of aggregates rather than rows of its
// source.
func (q *Query) HasStats() bool { return slices.ContainsFunc(q.Commands, aggregates) }

func aggregates(c Command) bool {
	switch c.(type) {
	case *Stats, *Top, *TimeChart:
		return true
	}
	return false
}

// Reshapes reports whether the result can have other rows than the events that the query looks at.
func (q *Query) Reshapes() bool { return slices.ContainsFunc(q.Commands, reshapes) }

func reshapes(c Command) bool {
	switch c := c.(type) {
	case *Head, *Dedup:
		return true
	case *Sort:
		return c.Count > 0
	}
	return aggregates(c)
}

// Filters returns the conditions that choose which events the query looks at: those of the where
// commands before the first command that aggregates, cuts or drops.
func (q *Query) Filters() []Expr {
	var exprs []Expr
	for _, c := range q.Commands {
		if reshapes(c) {
			break
		}
		if w, ok := c.(*Where); ok {
			exprs = append(exprs, w.Expr)
		}
	}
	return exprs
}

// Mentions reports whether a condition names the field.
func Mentions(e Expr, field string) bool {
	switch e := e.(type) {
	case *Logic:
		return slices.ContainsFunc(e.Terms, func(t Expr) bool { return Mentions(t, field) })
	case *Not:
		return Mentions(e.X, field)
	case *Compare:
		return uses(e.Left, field) || uses(e.Right, field)
	case *In:
		return uses(e.Field, field)
	case *Like:
		return uses(e.Field, field)
	case *Match:
		return uses(e.Field, field)
	case *Between:
		return uses(e.Field, field)
	case *IsNull:
		return uses(e.Field, field)
	}
	return false
}

// uses reports whether a value is made of the field.
func uses(o Operand, field string) bool {
	switch o := o.(type) {
	case Name:
		return o.Text == field
	case *Arith:
		return uses(o.Left, field) || uses(o.Right, field)
	case *Call:
		return slices.ContainsFunc(o.Args, func(a Operand) bool { return uses(a, field) })
	case *Case:
		return o.Else != nil && uses(o.Else, field) ||
			slices.ContainsFunc(o.Whens, func(w When) bool { return Mentions(w.If, field) || uses(w.Then, field) })
	}
	return false
}
