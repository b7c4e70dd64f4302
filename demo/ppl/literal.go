package ppl

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/visible"
)

// literal is a value written in a query: a string's text, or a number as written.
type literal struct {
	text   string
	quoted bool
}

func (p *parser) literal() value {
	t := p.peek()
	switch {
	case t.kind == tokString:
		p.next()
		return value{Type: String, sql: "?", args: []any{t.text}, name: t.text, at: t.pos, lit: &literal{t.text, true}}
	case t.kind == tokNumber, t.is("-"), t.is("+"):
		return p.number()
	case t.is("null"):
		panic(errorAt(t.pos, []string{"isnull(field)", "isnotnull(field)"}, "nothing equals null; use isnull(field) or isnotnull(field)"))
	case t.kind == tokWord:
		panic(errorAt(t.pos, []string{"a number", "a string in quotes"}, "expected a value, found %s: strings stand in quotes", t.describe()))
	}
	panic(p.unexpected("here", "a field", "a value"))
}

func (p *parser) number() value {
	start, sign := p.at, ""
	if p.sign() {
		sign = "-"
	}
	t := p.peek()
	if t.kind != tokNumber {
		panic(p.unexpected("after the sign", "a number"))
	}
	p.next()
	text, at := sign+t.text, p.posFrom(start)
	kind, n, ok := parseNumber(text)
	if !ok {
		panic(errorAt(at, nil, "the number %s is too large", visible.Cut(text, 40)))
	}
	return value{Type: kind, sql: "?", args: []any{n}, name: text, at: at, lit: &literal{text: text}}
}

// parseNumber reads an integer that fits 64 bits, or a finite float.
func parseNumber(text string) (Type, any, bool) {
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		return Int, n, err == nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return Decimal, f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// as binds a literal as a value of a type. who names what has the type.
func (v value) as(t Type, who string) value {
	text := v.lit.text
	switch {
	case t == Time:
		at, ok := ParseTime(text)
		example := []string{"'2015-05-17 10:00:00'"}
		if !v.lit.quoted {
			panic(errorAt(v.at, example, "%s is a time: compare it with a string such as '2015-05-17 10:00:00'", who))
		} else if !ok {
			panic(errorAt(v.at, example, "%s is no time; write it like '2015-05-17 10:00:00' or '2015-05-17T10:00:00Z'", Quote(visible.Cut(text, 40))))
		}
		v.args = []any{at.UnixMilli()}
	case t.Number():
		_, n, ok := parseNumber(strings.TrimSpace(text))
		if !ok {
			panic(errorAt(v.at, []string{"a number"}, "%s is a number; %s is none", who, Quote(visible.Cut(text, 40))))
		}
		v.args = []any{n}
	case !v.lit.quoted:
		panic(errorAt(v.at, []string{Quote(text)}, "%s is a string: write its value in quotes, %s", who, Quote(text)))
	}
	v.Type = t
	return v
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02"}

// ParseTime reads a time as queries write it: ISO 8601, or "2006-01-02 15:04:05" and shorter.
// Without a zone it is UTC.
func ParseTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// span is the width of an interval: size of unit, which is "" for numbers and ms, s, m, h, d or w
// for times.
type span struct {
	size int64
	unit string
	at   Pos
}

// floor rounds a value down to the beginning of its interval, negative ones too, where SQLite's
// division rounds towards zero.
func (s *span) floor(v value) value {
	switch {
	case v.Type == String:
		panic(errorAt(s.at, nil, "span needs a time or a number; %s is a string", v.name))
	case v.Type == Time && s.unit == "":
		panic(errorAt(s.at, spanUnits, "span over the time %s needs a unit, such as %dh", v.name, s.size))
	case v.Type != Time && s.unit != "":
		panic(errorAt(s.at, nil, "span over the number %s takes no unit", v.name))
	}
	millis := map[string]int64{"": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
	w, origin := strconv.FormatInt(s.size*millis[s.unit], 10), "0"
	if s.unit == "w" {
		origin = strconv.FormatInt(4*millis["d"], 10) // 1970-01-05, a Monday
	}
	if v.Type == Decimal {
		v.sql = "floor(" + v.sql + " / " + w + ") * " + w
	} else {
		v.sql = v.sql + " - (((" + v.sql + " - " + origin + ") % " + w + ") + " + w + ") % " + w
	}
	return v
}
