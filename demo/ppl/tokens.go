package ppl

import "strings"

// What the parser of commands and that of expressions share: reading tokens one by one.

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
		tight := i == start || t.is("(") || t.is(")") || t.is(",")
		if !tight {
			before := p.tokens[i-1]
			tight = before.is("(") || before.is(",") || before.kind == tokNumber && before.touches(t)
		}
		if !tight {
			b.WriteByte(' ')
		}
		b.WriteString(t.written())
	}
	return b.String()
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

// Quote writes text as a string of a query.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// LikePattern escapes text, so that like matches it literally.
func LikePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
