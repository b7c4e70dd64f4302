package ppl

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

// public is the type as people and clients see it: integers and floats are numbers.
func (t Type) public() string {
	if t.number() {
		return "number"
	}
	return string(t)
}
