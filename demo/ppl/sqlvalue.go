package ppl

import (
	"fmt"
	"slices"
	"strings"
)

// typed is a value as SQL.
type typed struct {
	Type
	sql    string
	args   []any
	name   string // what error messages call it
	weight int
}

// value writes a value as SQL. A literal on its own has its own type.
func (r *relation) value(o Operand) (typed, error) {
	switch o := o.(type) {
	case Name:
		col, err := r.column(o)
		return typed{col.Type, col.sql, nil, col.Name, col.weight}, err
	case Literal:
		return o.typed(o.natural())
	case *Arith:
		return r.arith(o)
	case *Call:
		return r.call(o)
	case *Case:
		return r.caseOf(o)
	}
	return typed{}, fmt.Errorf("ppl: unknown value %T", o)
}

// natural is the type that a literal has where nothing asks for another.
func (l Literal) natural() Type {
	return map[LiteralKind]Type{StringText: String, TimeText: Time, Integer: Int, Float: Decimal}[l.Kind]
}

func (l Literal) typed(t Type) (typed, error) {
	bound, err := l.bind("the value", t)
	return typed{t, "?", []any{bound}, printLiteral(l), 1}, err
}

// as writes a value that has to have a type; literals are read as one of that type.
func (r *relation) as(o Operand, t Type) (typed, error) {
	l, ok := o.(Literal)
	switch {
	case !ok:
		return r.value(o)
	case t == Decimal && l.natural() == Int:
		return FloatLiteral(float64(l.Int)).typed(t)
	case t == Int && l.natural() == Decimal:
		return l.typed(Decimal)
	}
	return l.typed(t)
}

func posOf(o Operand) Pos {
	switch o := o.(type) {
	case Name:
		return o.Pos
	case Literal:
		return o.Pos
	case *Arith:
		return o.Pos
	case *Call:
		return o.Pos
	case *Case:
		return o.Pos
	}
	return Pos{Line: 1, Column: 1}
}

// named gives a computed value the name it has in messages.
func (t typed) named(o Operand) typed {
	t.name = clip(printOperand(o), 60)
	return t
}

// arith computes with numbers. Division always makes a float; by zero it makes null.
func (r *relation) arith(e *Arith) (typed, error) {
	sides := [2]typed{}
	for i, o := range []Operand{e.Left, e.Right} {
		v, err := r.as(o, numberType(o))
		if err != nil {
			return v, err
		}
		if !v.number() {
			return v, errorAt(posOf(o), nil, "%s needs numbers; %s is a %s%s", e.Op, v.name, v.public(), arithHint(v.Type))
		}
		sides[i] = v
	}
	a, b := sides[0], sides[1]
	out := typed{Type: Int, sql: "(" + a.sql + " " + e.Op + " " + b.sql + ")", args: with(a.args, b.args...), weight: a.weight + b.weight + 1}
	if a.Type == Decimal || b.Type == Decimal || e.Op == "/" {
		out.Type = Decimal
	}
	switch {
	case e.Op == "/":
		out.sql = "(CAST(" + a.sql + " AS REAL) / " + b.sql + ")"
	case e.Op == "%" && out.Type == Decimal:
		out.sql = "ppl_mod(" + a.sql + ", " + b.sql + ")"
	}
	return out.named(e), nil
}

// numberType is what a literal is read as where a number is needed.
func numberType(o Operand) Type {
	if l, ok := o.(Literal); ok && l.Kind == Float {
		return Decimal
	}
	return Int
}

func arithHint(t Type) string {
	switch t {
	case String:
		return "; concat(…) joins strings, cast(… as int) reads a number"
	case Time:
		return "; unix_timestamp(…) makes a number of a time"
	}
	return ""
}

// call writes a function of package functions, or one of the special ones.
func (r *relation) call(c *Call) (typed, error) {
	switch c.Func {
	case "coalesce", "ifnull", "nullif":
		values, t, err := r.same(c.Args, c.Func)
		if err != nil {
			return typed{}, err
		}
		name := map[string]string{"nullif": "nullif"}[c.Func]
		if name == "" {
			name = "coalesce"
		}
		return invoke(name, t, values).named(c), nil
	case "cast":
		return r.castOf(c)
	}
	f := functions[c.Func]
	params := []rune(strings.TrimSuffix(f.params, "…"))
	values := make([]typed, len(c.Args))
	for i, o := range c.Args {
		v, err := r.param(params[min(i, len(params)-1)], o, c.Func)
		if err != nil {
			return v, err
		}
		values[i] = v
	}
	t := f.result
	if t == noneType {
		t = values[0].Type
	}
	return invoke("ppl_"+c.Func, t, values).named(c), nil
}

func invoke(name string, t Type, values []typed) typed {
	out := typed{Type: t, weight: 1}
	terms := make([]string, len(values))
	for i, v := range values {
		terms[i] = v.sql
		out.args = append(out.args, v.args...)
		out.weight += v.weight
	}
	out.sql = name + "(" + strings.Join(terms, ", ") + ")"
	return out
}

// param writes an argument of a function.
func (r *relation) param(letter rune, o Operand, name string) (typed, error) {
	want, what := map[rune]Type{'s': String, 'i': Int, 'n': numberType(o), 't': Time}[letter], map[rune]string{
		's': "a string", 'i': "a whole number", 'n': "a number", 't': "a time"}[letter]
	v, err := r.as(o, want)
	if err != nil {
		return v, err
	}
	if v.Type == want || letter == 'n' && v.number() {
		return v, nil
	}
	hint := ""
	if letter == 's' {
		hint = "; cast(… as string) makes one"
	}
	return v, errorAt(posOf(o), nil, "%s needs %s; %s is a %s%s", name, what, v.name, v.public(), hint)
}

// same writes values that must have one type, which is that of the first that is no literal. Of
// whole numbers and others it is the others'.
func (r *relation) same(operands []Operand, what string) ([]typed, Type, error) {
	t, err := r.commonType(operands, what)
	if err != nil {
		return nil, t, err
	}
	values := make([]typed, len(operands))
	for i, o := range operands {
		v, err := r.as(o, t)
		if err != nil {
			return nil, t, err
		}
		if t == Decimal && v.Type == Int {
			v.sql = "CAST(" + v.sql + " AS REAL)"
		}
		values[i] = v
	}
	return values, t, nil
}

func (r *relation) commonType(operands []Operand, what string) (Type, error) {
	t, first := noneType, ""
	literals := func(o Operand) bool { _, ok := o.(Literal); return ok }
	ordered := slices.Clone(operands)
	// what has a type of its own comes first
	slices.SortStableFunc(ordered, func(a, b Operand) int {
		return map[bool]int{true: 1}[literals(a)] - map[bool]int{true: 1}[literals(b)]
	})
	for _, o := range ordered {
		v, err := r.value(o)
		if err != nil {
			return t, err
		}
		switch {
		case t == noneType:
			t, first = v.Type, v.name
		case t.number() && v.number():
			if v.Type == Decimal {
				t = Decimal
			}
		// bind says whether it can be read
		case literals(o) && t == Time && v.Type == String, literals(o) && t.number() && v.Type == String:
		case v.Type != t:
			return t, errorAt(posOf(o), nil, "the values of %s must have one type; %s is a %s and %s a %s", what, first, t.public(), v.name, v.public())
		}
	}
	return t, nil
}

func (r *relation) castOf(c *Call) (typed, error) {
	v, err := r.value(c.Args[0])
	if err != nil {
		return v, err
	}
	to := castTypes[c.To]
	if v.Type == to {
		return v, nil
	}
	from := map[Type]string{String: "s", Int: "n", Decimal: "n", Time: "t"}[v.Type]
	if casts[from+">"+c.To] == nil {
		return v, errorAt(c.Pos, nil, "a %s cannot be cast to %s%s", v.public(), c.To, arithHint(v.Type))
	}
	return invoke("ppl_cast_"+from+"_"+c.To, to, []typed{v}).named(c), nil
}

func (r *relation) caseOf(c *Case) (typed, error) {
	operands := []Operand{}
	for _, w := range c.Whens {
		operands = append(operands, w.Then)
	}
	if c.Else != nil {
		operands = append(operands, c.Else)
	}
	values, t, err := r.same(operands, "if and case")
	if err != nil {
		return typed{}, err
	}
	out := typed{Type: t, sql: "CASE", weight: 1}
	for i, w := range c.Whens {
		sql, args, err := r.expr(w.If)
		if err != nil {
			return out, err
		}
		out.sql += " WHEN " + sql + " THEN " + values[i].sql
		out.args = slices.Concat(out.args, args, values[i].args)
		out.weight += values[i].weight + 1 + strings.Count(sql, " ")
	}
	if c.Else != nil {
		last := values[len(values)-1]
		out.sql, out.args, out.weight = out.sql+" ELSE "+last.sql, with(out.args, last.args...), out.weight+last.weight
	}
	out.sql = "(" + out.sql + " END)"
	return out.named(c), nil
}
