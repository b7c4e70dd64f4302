package ppl

import "strings"

// eval reads eval FIELD = VALUE, …
func (p *parser) eval() (Command, error) {
	sets, err := list(p, p.set)
	return &Eval{sets}, err
}

func (p *parser) set() (Set, error) {
	field, err := p.name("a field")
	if err != nil {
		return Set{}, err
	}
	if err := p.expect("=", "after the field's name"); err != nil {
		return Set{}, err
	}
	v, err := p.value()
	return Set{field, v}, err
}

// rename reads rename FIELD as NAME, …
func (p *parser) rename() (Command, error) {
	pairs, err := list(p, func() (Pair, error) {
		from, err := p.resultField()
		if err != nil {
			return Pair{}, err
		}
		if err := p.expect("as", "between a field and its new name"); err != nil {
			return Pair{}, err
		}
		to, err := p.name("a new name")
		return Pair{from, to}, err
	})
	return &Rename{pairs}, err
}

// fillNull reads fillnull with VALUE [in FIELD, …] or fillnull using FIELD = VALUE, …
func (p *parser) fillNull() (Command, error) {
	f := &FillNull{}
	var err error
	if p.accept("using") {
		f.Sets, err = list(p, p.set)
		return f, err
	}
	if err := p.expect("with", "after fillnull"); err != nil {
		return nil, p.unexpected("after fillnull", "with", "using")
	}
	// in belongs to the command here
	if f.With, err = p.arithmeticValue(0); err != nil {
		return nil, err
	}
	if p.accept("in") {
		f.Names, err = list(p, p.resultField)
	}
	return f, err
}

// parse reads parse FIELD 'regular expression'.
func (p *parser) parse() (Command, error) {
	field, err := p.name("a field")
	if err != nil {
		return nil, err
	}
	pattern, err := p.regularExpression()
	if err != nil {
		return nil, err
	}
	re, err := checkPattern(pattern)
	if err != nil {
		return nil, err
	}
	if strings.Join(re.SubexpNames(), "") == "" {
		return nil, errorAt(pattern.Pos, []string{"(?<name>…)"}, "the regular expression names no group; write one as (?<name>…)")
	}
	return &ParseField{field, pattern}, nil
}

func (p *parser) regularExpression() (Literal, error) {
	if p.peek().kind != tokString {
		return Literal{}, p.unexpected("here", "a regular expression in quotes")
	}
	return p.literal()
}

// regex reads regex FIELD = 'regular expression' or !=; it is a where command with regexp_match.
func (p *parser) regex() (Command, error) {
	field, err := p.name("a field")
	if err != nil {
		return nil, err
	}
	no := p.peek().is("!=")
	if !no && !p.peek().is("=") {
		return nil, p.unexpected("after the field", "=", "!=")
	}
	p.next()
	pattern, err := p.regularExpression()
	if err != nil {
		return nil, err
	}
	if no {
		return &Where{&Not{&Match{field, pattern}}}, nil
	}
	return &Where{&Match{field, pattern}}, nil
}

// dedup reads dedup [N] FIELD, … [keepempty=true] [consecutive=true].
func (p *parser) dedup() (Command, error) {
	d := &Dedup{Count: 1}
	var err error
	if t := p.peek(); t.kind == tokNumber {
		if d.Count, err = p.count("dedup's count"); err != nil {
			return nil, err
		}
		if d.Count == 0 {
			return nil, errorAt(t.pos, nil, "dedup's count must be at least 1")
		}
	}
	if d.Names, err = list(p, p.resultField); err != nil {
		return nil, err
	}
	return d, p.options(map[string]func() error{
		"keepempty":   func() error { return p.flag(&d.KeepEmpty) },
		"consecutive": func() error { return p.flag(&d.Consecutive) },
	})
}

// options reads name=value as long as a known name and a "=" come next.
func (p *parser) options(known map[string]func() error) error {
	for {
		t := p.peek()
		read, ok := known[strings.ToLower(t.text)]
		if t.kind != tokWord || !ok || !p.follows("=") {
			return nil
		}
		p.next()
		p.next()
		if err := read(); err != nil {
			return err
		}
	}
}

func (p *parser) flag(value *bool) error {
	*value = p.peek().is("true")
	if !*value && !p.peek().is("false") {
		return p.unexpected("here", "true", "false")
	}
	p.next()
	return nil
}

// top reads top [N] [countfield='n'] [showcount=false] FIELD, … [by FIELD, …], and rare.
func (p *parser) top() (Command, error) {
	t := p.tokens[p.at-1]
	c := &Top{Rare: t.is("rare"), Count: 10, CountField: "count", Pos: t.pos}
	var err error
	if p.peek().kind == tokNumber {
		if c.Count, err = p.count(t.text + "'s count"); err != nil {
			return nil, err
		}
	}
	show := true
	err = p.options(map[string]func() error{
		"showcount": func() error { return p.flag(&show) },
		"countfield": func() error {
			name := p.next()
			if c.CountField = name.text; name.kind != tokString && name.kind != tokWord || name.text == "" {
				return errorAt(name.pos, nil, "countfield needs a name")
			}
			return nil
		},
	})
	if c.HideCount = !show; err != nil {
		return nil, err
	}
	if c.Names, err = list(p, p.resultField); err != nil {
		return nil, err
	}
	if p.accept("by") {
		c.By, err = list(p, p.resultField)
	}
	return c, err
}

// timeChart reads timechart [timefield=F] [span=1h] [limit=10] [useother=false] AGG [by FIELD].
func (p *parser) timeChart() (Command, error) {
	c := &TimeChart{Span: Span{Size: 1, Unit: "m", Pos: p.tokens[p.at-1].pos}, Limit: 10}
	other := true
	err := p.options(map[string]func() error{
		"timefield": func() error {
			name, err := p.name("a time field")
			c.TimeField = &name
			return err
		},
		"span": func() error {
			s, err := p.interval("span's")
			if err == nil {
				c.Span = *s
			}
			return err
		},
		"limit":    func() (err error) { c.Limit, err = p.count("limit"); return err },
		"useother": func() error { return p.flag(&other) },
	})
	if c.DropOther = !other; err != nil {
		return nil, err
	}
	if c.Agg, err = p.aggregation(); err != nil {
		return nil, err
	}
	if p.accept("by") {
		by, err := p.resultField()
		if err != nil {
			return nil, err
		}
		c.By = &by
	}
	return c, nil
}

func (p *parser) reverse() (Command, error) { return &Reverse{}, nil }
