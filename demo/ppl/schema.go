package ppl

import (
	"strconv"
	"strings"
	"time"
)

// Type is a field's type.
type Type string

// The types. Times are stored and returned as int64 milliseconds since 1970 UTC.
const (
	String   Type = "string"
	Int      Type = "int"
	Decimal  Type = "float"
	Time     Type = "time"
	noneType Type = ""
	// condition is what where takes; no field has it
	condition Type = "condition"
)

func (t Type) number() bool { return t == Int || t == Decimal }

// Field is a column that queries may use.
type Field struct {
	Name string
	Type Type
}

// Schema describes the one table that queries may read. Its columns in SQLite have the names of the
// fields.
type Schema struct {
	Source string // the table's name, in queries and in SQLite
	ID     string // an integer primary key, hidden from queries: the order of unsorted rows
	Fields []Field
}

// Field returns the field of that name.
func (s *Schema) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Names returns the names of the fields in their order.
func (s *Schema) Names() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
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

// bind turns a literal into the value that a field of type t is compared with.
func (l Literal) bind(field string, t Type) (any, error) {
	switch {
	case t == Time:
		return l.bindTime(field)
	case t.number():
		return l.bindNumber(field)
	case l.Kind != StringText:
		return nil, errorAt(l.At, []string{Quote(l.Text)}, "%s is a string: write its value in quotes, %s", field, Quote(l.Text))
	}
	return l.Text, nil
}

func (l Literal) bindTime(field string) (any, error) {
	if l.Kind != StringText {
		return nil, errorAt(l.At, []string{"'2015-05-17 10:00:00'"}, "%s is a time: compare it with a string such as '2015-05-17 10:00:00'", field)
	}
	t, ok := ParseTime(l.Text)
	if !ok {
		return nil, errorAt(l.At, []string{"'2015-05-17 10:00:00'"}, "%s is no time; write it like '2015-05-17 10:00:00' or '2015-05-17T10:00:00Z'", Quote(clip(l.Text, 40)))
	}
	return t.UnixMilli(), nil
}

func (l Literal) bindNumber(field string) (any, error) {
	if l.Kind == StringText {
		n, ok := parseNumber(strings.TrimSpace(l.Text))
		if !ok {
			return nil, errorAt(l.At, []string{"a number"}, "%s is a number; %s is none", field, Quote(clip(l.Text, 40)))
		}
		l = n
	}
	if l.Kind == Integer {
		return l.Int, nil
	}
	return l.Float, nil
}

// public is the type as people and clients see it: integers and floats are numbers.
func (t Type) public() string {
	if t.number() {
		return "number"
	}
	return string(t)
}

// width is a span's width in the field's own unit and the value that one interval begins at.
func (s *Span) width(f Field) (width, origin int64, err error) {
	millis := map[string]int64{"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
	switch {
	case f.Type == String:
		return 0, 0, errorAt(s.At, nil, "span needs a time or a number; %s is a string", f.Name)
	case f.Type == Time && s.Unit == "":
		return 0, 0, errorAt(s.At, spanUnits, "span over the time %s needs a unit, such as %sh", f.Name, strconv.FormatInt(s.Size, 10))
	case f.Type != Time && s.Unit != "":
		return 0, 0, errorAt(s.At, nil, "span over the number %s takes no unit", f.Name)
	case f.Type != Time:
		return s.Size, 0, nil
	case s.Unit == "w":
		origin = 4 * millis["d"] // 1970-01-05, a Monday
	}
	return s.Size * millis[s.Unit], origin, nil
}
