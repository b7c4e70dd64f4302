package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/rest"
)

// timeRange is a request's time range, inclusive.
type timeRange struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

// window is a validated time range; a zero end is open.
type window struct{ from, to time.Time }

func (r *timeRange) window() (w window, err error) {
	if r == nil {
		return w, nil
	}
	if w.from, err = optionalTime(r.From, "time.from"); err != nil {
		return w, err
	}
	if w.to, err = optionalTime(r.To, "time.to"); err != nil {
		return w, err
	}
	if !w.to.IsZero() && w.to.Before(w.from) {
		return w, rest.BadField("time.to", "is before time.from")
	}
	return w, nil
}

func optionalTime(text *string, field string) (time.Time, error) {
	if text == nil || *text == "" {
		return time.Time{}, nil
	}
	t, ok := ppl.ParseTime(*text)
	if !ok {
		return t, rest.BadField(field, "must be a time such as 2015-05-17T10:00:00Z, or null")
	}
	return t, nil
}

// conditions returns the window as PPL.
func (w window) conditions() []string {
	var list []string
	if !w.from.IsZero() {
		list = append(list, "timestamp >= "+ppl.Quote(formatTime(w.from)))
	}
	if !w.to.IsZero() {
		list = append(list, "timestamp <= "+ppl.Quote(formatTime(w.to)))
	}
	return list
}

// filter is a filter pill of the page.
type filter struct {
	Field    string          `json:"field"`
	Op       string          `json:"op" jsonschema:"is, is not, contains, >= or <="`
	Value    json.RawMessage `json:"value" jsonschema:"a string or a number; null with is and is not means a missing value"`
	Disabled bool            `json:"disabled,omitempty"`
}

// maxFilters limits the filters of a request: each adds a term to a condition, and SQLite's
// expressions are at most 1,000 deep.
const maxFilters = 100

// conditions converts a time range and filters to conditions of a query; disabled filters are only
// checked.
func conditions(schema *ppl.Schema, w window, filters []filter) ([]ppl.Expr, error) {
	if len(filters) > maxFilters {
		return nil, rest.BadField("filters", "must be at most %d", maxFilters)
	}
	var list []ppl.Expr
	for _, text := range w.conditions() {
		e, err := ppl.Condition(text)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	for i, f := range filters {
		e, err := f.condition(schema, fmt.Sprintf("filters[%d]", i))
		if err != nil {
			return nil, err
		}
		if !f.Disabled {
			list = append(list, e)
		}
	}
	return list, nil
}

var filterOps = []string{"is", "is not", "contains", ">=", "<="}

// condition returns the filter as PPL. where names the filter in errors.
func (f filter) condition(schema *ppl.Schema, where string) (ppl.Expr, error) {
	field, ok := schema.Field(f.Field)
	if !ok {
		return nil, rest.BadField(where+".field", "unknown field %q%s", f.Field, didYouMean(f.Field, schema.Names()))
	}
	if !slices.Contains(filterOps, f.Op) {
		return nil, rest.BadField(where+".op", "must be one of %s", strings.Join(filterOps, ", "))
	}
	if f.Op == "contains" && field.Type != ppl.String {
		return nil, rest.BadField(where+".op", "contains needs a string field; %s is none", field.Name)
	}
	value, isNull, err := f.value(where + ".value")
	if err != nil {
		return nil, err
	}
	if isNull && !strings.HasPrefix(f.Op, "is") {
		return nil, rest.BadField(where+".value", "must not be null with %s", f.Op)
	}
	e, err := ppl.Condition(f.text(value, isNull))
	if err == nil {
		// the value must suit the field
		_, err = ppl.Compile(&ppl.Query{Source: ppl.Name{Text: schema.Source}}, schema, e)
	}
	if wrong := ppl.AsError(err); wrong != nil {
		return nil, rest.BadField(where+".value", "%s", wrong.Message)
	}
	return e, err
}

// text returns the filter as a PPL condition, which reads a quoted number as a number if it is
// compared with one.
func (f filter) text(value string, isNull bool) string {
	switch {
	case isNull && f.Op == "is":
		return f.Field + " is null"
	case isNull:
		return f.Field + " is not null"
	case f.Op == "is":
		return f.Field + " = " + ppl.Quote(value)
	case f.Op == "is not":
		return f.Field + " != " + ppl.Quote(value) + " or " + f.Field + " is null"
	case f.Op == "contains":
		return f.Field + " like " + ppl.Quote("%"+ppl.LikePattern(value)+"%")
	}
	return f.Field + " " + f.Op + " " + ppl.Quote(value)
}

// value returns the value, a string or a number.
func (f filter) value(where string) (text string, isNull bool, err error) {
	raw := strings.TrimSpace(string(f.Value))
	switch {
	case raw == "":
		return "", false, rest.BadField(where, "is missing")
	case raw == "null":
		return "", true, nil
	case raw[0] == '"':
		if err := json.Unmarshal(f.Value, &text); err != nil {
			return "", false, rest.BadField(where, "is no valid string")
		}
		return text, false, nil
	case strings.ContainsRune("{[tf", rune(raw[0])):
		return "", false, rest.BadField(where, "must be a string, a number or null")
	}
	return raw, false, nil
}

func didYouMean(name string, known []string) string {
	if near := ppl.Nearest(name, known, 3); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}
