package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
)

const timeField = "timestamp"

// timeRange is a request's time; both ends are included.
type timeRange struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

// window is a checked time range; a zero end is open.
type window struct{ from, to time.Time }

func (r *timeRange) window(field string) (w window, err error) {
	if r == nil {
		return w, nil
	}
	if w.from, err = optionalTime(r.From, field+".from"); err != nil {
		return w, err
	}
	if w.to, err = optionalTime(r.To, field+".to"); err != nil {
		return w, err
	}
	if !w.from.IsZero() && !w.to.IsZero() && w.to.Before(w.from) {
		return w, badField(field+".to", "must not be before %s.from", field)
	}
	return w, nil
}

func optionalTime(text *string, field string) (time.Time, error) {
	if text == nil || *text == "" {
		return time.Time{}, nil
	}
	t, ok := ppl.ParseTime(*text)
	if !ok {
		return t, badField(field, "must be a time such as 2015-05-17T10:00:00Z")
	}
	return t, nil
}

func (w window) conditions() []ppl.Expr {
	var conditions []ppl.Expr
	bound := func(op string, t time.Time) {
		if !t.IsZero() {
			conditions = append(conditions, &ppl.Compare{Op: op, Left: ppl.Name{Text: timeField}, Right: ppl.StringLiteral(formatTime(t))})
		}
	}
	bound(">=", w.from)
	bound("<=", w.to)
	return conditions
}

// filter is one filter pill.
type filter struct {
	Field    string          `json:"field"`
	Op       string          `json:"op"`
	Value    json.RawMessage `json:"value"`
	Disabled bool            `json:"disabled"`
}

// maxFilters bounds the filters of one request: each is one more term of a condition, and SQLite's
// conditions are at most 1,000 deep.
const maxFilters = 100

// switchedOn returns the conditions of the filters that are not disabled; all are checked.
func switchedOn(filters []filter, schema *ppl.Schema) ([]ppl.Expr, error) {
	if len(filters) > maxFilters {
		return nil, badField("filters", "must be at most %d", maxFilters)
	}
	var on []ppl.Expr
	for i, f := range filters {
		e, err := f.condition(schema, fmt.Sprintf("filters[%d]", i))
		if err != nil {
			return nil, err
		}
		if !f.Disabled {
			on = append(on, e)
		}
	}
	return on, nil
}

var filterOps = []string{"is", "is not", "contains", ">=", "<="}

// condition is the filter as PPL. where names the filter in errors.
func (f filter) condition(schema *ppl.Schema, where string) (ppl.Expr, error) {
	field, ok := schema.Field(f.Field)
	if !ok {
		return nil, badField(where+".field", "unknown field %q%s", f.Field, didYouMean(f.Field, schema.Names()))
	}
	value, isNull, err := f.literal(field, where+".value")
	if err != nil {
		return nil, err
	}
	name := ppl.Name{Text: field.Name}
	if isNull {
		return nullFilter(name, f.Op, where)
	}
	e, err := comparison(name, field, f.Op, value, where)
	if err != nil {
		return nil, err
	}
	if err := compiles(schema, e); err != nil {
		return nil, badField(where+".value", "%s", ppl.AsError(err).Message)
	}
	return e, nil
}

func comparison(name ppl.Name, field ppl.Field, op string, value ppl.Literal, where string) (ppl.Expr, error) {
	switch op {
	case "is":
		return &ppl.Compare{Op: "=", Left: name, Right: value}, nil
	case "is not":
		return &ppl.Logic{Op: ppl.Or, Terms: []ppl.Expr{&ppl.Compare{Op: "!=", Left: name, Right: value}, &ppl.IsNull{Field: name}}}, nil
	case ">=", "<=":
		return &ppl.Compare{Op: op, Left: name, Right: value}, nil
	case "contains":
		if field.Type != ppl.String {
			return nil, badField(where+".op", "contains needs a string field; %s is none", field.Name)
		}
		return &ppl.Like{Field: name, Pattern: ppl.StringLiteral("%" + ppl.LikePattern(value.Text) + "%")}, nil
	}
	return nil, badField(where+".op", "must be one of %s", strings.Join(filterOps, ", "))
}

func nullFilter(name ppl.Name, op, where string) (ppl.Expr, error) {
	switch op {
	case "is", "is not":
		return &ppl.IsNull{Field: name, Negated: op == "is not"}, nil
	case "contains", ">=", "<=":
		return nil, badField(where+".value", "must not be null with %s", op)
	}
	return nil, badField(where+".op", "must be one of %s", strings.Join(filterOps, ", "))
}

// literal reads the value, a string or a number. For a string field a number stands for its text.
func (f filter) literal(field ppl.Field, where string) (l ppl.Literal, isNull bool, err error) {
	raw := strings.TrimSpace(string(f.Value))
	switch {
	case raw == "":
		return l, false, badField(where, "is missing")
	case raw == "null":
		return l, true, nil
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(f.Value, &text); err != nil {
			return l, false, badField(where, "is no valid string")
		}
		return ppl.StringLiteral(text), false, nil
	case strings.ContainsRune("{[tf", rune(raw[0])):
		return l, false, badField(where, "must be a string, a number or null")
	}
	return ppl.StringLiteral(raw), false, nil // number fields read it back as a number
}

// compiles checks that the value suits the field.
func compiles(schema *ppl.Schema, e ppl.Expr) error {
	q := &ppl.Query{Source: ppl.Name{Text: schema.Source}}
	_, err := ppl.Compile(q, schema, e)
	return err
}

func didYouMean(name string, known []string) string {
	if near := ppl.Nearest(name, known, 3); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}
