package ppl

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// run lets the naive evaluator say which columns there are after a command.
func (g *queryGen) after(c Command) Command {
	g.columns = naive{columns: g.columns}.run(&Query{Commands: []Command{c}}).columns
	return c
}

// value draws something that is computed, of that type; nil where no column is right for it.
func (g *queryGen) value(t Type) Operand {
	c, ok := g.column(t)
	if !ok {
		return nil
	}
	name := Name{Text: c.Name}
	switch t {
	case Int:
		return g.number(name)
	case String:
		return pickOne[Operand](g, "text", []Operand{
			&Call{Func: "upper", Args: []Operand{name}},
			&Call{Func: "concat", Args: []Operand{name, StringLiteral("-x")}},
			&Call{Func: "coalesce", Args: []Operand{name, StringLiteral("none")}},
			&Case{Whens: []When{{g.expr(1), name}}},
		})
	}
	return nil
}

func (g *queryGen) number(name Name) Operand {
	other := Operand(IntLiteral(int64(g.int("n", 5)) - 2))
	if c, ok := g.column(Int); ok && g.bool("field") {
		other = Name{Text: c.Name}
	}
	options := []Operand{
		&Arith{Op: pickOne(g, "op", []string{"+", "-", "*", "%"}), Left: name, Right: other},
		&Arith{Op: "-", Left: &Arith{Op: "*", Left: name, Right: other}, Right: &Arith{Op: "+", Left: other, Right: name}},
		&Call{Func: "abs", Args: []Operand{name}},
		&Call{Func: "coalesce", Args: []Operand{name, IntLiteral(7)}},
		&Case{Whens: []When{{g.expr(1), IntLiteral(1)}}, Else: name},
	}
	if c, ok := g.column(String); ok {
		options = append(options, &Call{Func: "length", Args: []Operand{Name{Text: c.Name}}})
	}
	if c, ok := g.column(Time); ok {
		options = append(options, &Call{Func: "hour", Args: []Operand{Name{Text: c.Name}}})
	}
	return pickOne(g, "number", options)
}

func (g *queryGen) eval() Command {
	e := &Eval{}
	for range 1 + g.int("sets", 2) {
		v := g.value(pickOne(g, "type", []Type{Int, String}))
		if c, ok := g.column(Int); ok && g.int("divide", 5) == 0 {
			v = &Arith{Op: "/", Left: Name{Text: c.Name}, Right: IntLiteral(int64(g.int("by", 2)))}
		}
		if v == nil {
			v = IntLiteral(3)
		}
		name := fmt.Sprintf("eval %d", g.int("new", 3))
		if c, _ := g.column(); g.int("replace", 3) == 0 {
			name = c.Name
		}
		e.Sets = append(e.Sets, Set{Name{Text: name}, v})
		g.after(&Eval{e.Sets[len(e.Sets)-1:]})
	}
	return e
}

func (g *queryGen) names(most int) []Name {
	var names []Name
	for _, c := range rapid.Permutation(g.columns).Draw(g.T, "names")[:min(len(g.columns), 1+g.int("how many", most-1))] {
		names = append(names, Name{Text: c.Name})
	}
	return names
}

func (g *queryGen) rename() Command {
	from := g.names(1)[0]
	to := Name{Text: fmt.Sprintf("new %d", g.int("new", 2))}
	if c, _ := g.column(); g.bool("over another") {
		to = Name{Text: c.Name}
	}
	return g.after(&Rename{[]Pair{{from, to}}})
}

func (g *queryGen) parse() Command {
	c, ok := g.column(String)
	if !ok {
		return &Reverse{}
	}
	pattern := pickOne(g, "pattern", []string{"(?<first>.)(?<rest>.*)", "a(?<first>b?).*", `(?<s>\d+)`})
	return g.after(&ParseField{Name{Text: c.Name}, StringLiteral(pattern)})
}

func (g *queryGen) dedup() Command {
	return &Dedup{Count: 1 + g.int("dedup", 2), Names: g.names(2), KeepEmpty: g.bool("keepempty"), Consecutive: g.bool("consecutive")}
}

func (g *queryGen) top() Command {
	names := g.names(3)
	t := &Top{Rare: g.bool("rare"), Count: 1 + g.int("top", 4), CountField: "the count", Names: names, HideCount: g.int("hide", 3) == 0}
	if len(names) > 1 && g.bool("by") {
		t.Names, t.By = names[1:], names[:1]
	}
	if slices.ContainsFunc(g.columns, func(c Column) bool { return c.Name == "the count" }) {
		t.CountField = "another count"
	}
	if slices.ContainsFunc(names, func(n Name) bool { return n.Text == t.CountField }) {
		t.CountField = "a third count"
	}
	return g.after(t)
}

func (g *queryGen) fillNull() Command {
	c, ok := g.column(Int)
	if !ok {
		return &Reverse{}
	}
	return g.after(&FillNull{With: IntLiteral(-1), Names: []Name{{Text: c.Name}}})
}

func (g *queryGen) timeChart() Command {
	at, ok := g.column(Time)
	if !ok {
		return nil
	}
	t := &TimeChart{TimeField: &Name{Text: at.Name}, Span: Span{Size: int64(1 + g.int("width", 3)), Unit: pickOne(g, "unit", []string{"m", "h", "d"})},
		Limit: g.int("limit", 3), DropOther: g.bool("useother"), Agg: Agg{Func: "count", Alias: &Name{Text: "the number"}}}
	if c, ok := g.column(Int); ok && g.bool("sum") {
		t.Agg.Func, t.Agg.Field = "sum", &Name{Text: c.Name}
	}
	if c, ok := g.column(String, Int); ok && g.bool("by") && c.Name != "the number" {
		t.By = &Name{Text: c.Name}
	} else {
		t.Limit = 10 // is not printed
	}
	if t.Agg.Field != nil && t.By != nil && t.Agg.Field.Text == t.By.Text && t.Limit > 0 && !t.DropOther {
		t.Agg = Agg{Func: "count", Alias: t.Agg.Alias} // the field is text by then
	}
	return g.after(t)
}
