package ppl

import (
	"slices"
	"strings"
)

// function reads a call. Some functions are conditions, some have a grammar of their own.
func (p *parser) function() (node, error) {
	t := p.next()
	p.next()
	if err := p.count1(t); err != nil {
		return node{}, err
	}
	name := strings.ToLower(t.text)
	switch name {
	case "isnull", "isnotnull", "ispresent", "isempty", "like", "regexp_match":
		return p.conditionCall(name, t)
	case "if":
		return p.ifCall(t)
	case "case":
		return p.caseCall(t)
	case "cast":
		return p.cast(t)
	}
	if full, ok := aliases[name]; ok {
		name = full
	}
	f, ok := functions[name]
	switch {
	case !ok && !slices.Contains(special, name):
		return node{}, unknownFunction(t)
	case !ok && name != "nullif":
		f = function{params: "aa…"}
	case !ok:
		f = function{params: "aa"}
	}
	args, err := list(p, p.value)
	if err != nil {
		return node{}, err
	}
	if err := f.checkCount(t, len(args)); err != nil {
		return node{}, err
	}
	return node{value: &Call{Func: name, Args: args, Pos: t.pos}}, p.expect(")", "after the arguments of "+t.text)
}

func unknownFunction(t token) *Error {
	known := FunctionNames()
	if near := Nearest(t.text, known, 3); len(near) > 0 {
		return errorAt(t.pos, near, "the function %q is not supported; did you mean %s?", clip(t.text, 40), strings.Join(near, " or "))
	}
	return errorAt(t.pos, known, "the function %q is not supported; there are: %s", clip(t.text, 40), strings.Join(known, ", "))
}

func (f function) checkCount(t token, n int) error {
	letters := len([]rune(strings.TrimSuffix(f.params, "…")))
	if n >= letters-f.optional && (n <= letters || f.variadic()) {
		return nil
	}
	want := map[bool]string{true: "at least ", false: ""}[f.variadic() || f.optional > 0]
	return errorAt(t.pos, nil, "%s takes %s%d %s, not %d", t.text, want, letters-f.optional, plural(letters-f.optional, "argument"), n)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// conditionCall reads isnull(f), isempty(f), like(f, '…') and their like.
func (p *parser) conditionCall(name string, t token) (node, error) {
	field, err := p.value()
	if err != nil {
		return node{}, err
	}
	var e Expr
	switch name {
	case "isnull":
		e = &IsNull{field, false}
	case "isnotnull", "ispresent":
		e = &IsNull{field, true}
	case "isempty":
		e = &Logic{Or, []Expr{&IsNull{field, false}, &Compare{"=", field, StringLiteral(""), t.pos}}}
	default:
		if err := p.expect(",", "between "+name+"'s field and its pattern"); err != nil {
			return node{}, err
		}
		pattern, err := p.pattern(name)
		if err != nil {
			return node{}, err
		}
		if e = Expr(&Like{Field: field, Pattern: pattern}); name == "regexp_match" {
			e = &Match{field, pattern}
		}
		return node{cond: e}, p.expect(")", "after "+name+"'s pattern")
	}
	return node{cond: e}, p.expect(")", "after the field of "+t.text)
}

// ifCall reads if(condition, then, else).
func (p *parser) ifCall(t token) (node, error) {
	c := &Case{Pos: t.pos}
	w, err := p.when("if")
	if err != nil {
		return node{}, err
	}
	c.Whens = []When{w}
	if err := p.expect(",", "between if's two values"); err != nil {
		return node{}, err
	}
	if c.Else, err = p.value(); err != nil {
		return node{}, err
	}
	return node{value: c}, p.expect(")", "after if's values")
}

// caseCall reads case(condition, value, … else value).
func (p *parser) caseCall(t token) (node, error) {
	c := &Case{Pos: t.pos}
	var err error
	if c.Whens, err = list(p, func() (When, error) { return p.when("case") }); err != nil {
		return node{}, err
	}
	if p.accept("else") {
		if c.Else, err = p.value(); err != nil {
			return node{}, err
		}
	}
	return node{value: c}, p.expect(")", "after the branches of case")
}

func (p *parser) when(name string) (When, error) {
	cond, err := p.condition()
	if err != nil {
		return When{}, err
	}
	if err := p.expect(",", "between "+name+"'s condition and its value"); err != nil {
		return When{}, err
	}
	v, err := p.value()
	return When{cond, v}, err
}

// cast reads cast(value as type).
func (p *parser) cast(t token) (node, error) {
	v, err := p.value()
	if err != nil {
		return node{}, err
	}
	if err := p.expect("as", "between cast's value and its type"); err != nil {
		return node{}, err
	}
	to := p.peek()
	name := strings.ToLower(to.text)
	if full, ok := castNames[name]; ok {
		name = full
	}
	if _, ok := castTypes[name]; !ok || to.kind != tokWord {
		return node{}, errorAt(to.pos, []string{"string", "int", "double", "timestamp"}, "cast needs a type: string, int, double or timestamp")
	}
	p.next()
	return node{value: &Call{Func: "cast", Args: []Operand{v}, To: name, Pos: t.pos}}, p.expect(")", "after cast's type")
}
