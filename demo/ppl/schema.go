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

// Number reports whether values of the type are numbers.
func (t Type) Number() bool { return t == Int || t == Decimal }

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Field is a column that queries may use.
type Field struct {
	Column
	Description string `json:"description"` // for people and models
}

// Schema describes the one table that queries may read. Its columns in SQLite have the names of the
// fields.
type Schema struct {
	Source string `json:"name"` // the table's name, in queries and in SQLite
	// an integer primary key, hidden from queries: the order of unsorted rows
	ID     string  `json:"-"`
	Fields []Field `json:"fields"`
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
	if t.Number() {
		return "number"
	}
	return string(t)
}

// MarshalText writes the type for clients.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.public()), nil }
