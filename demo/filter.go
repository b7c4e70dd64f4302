package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
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
		return w, refuse.BadField("time.to", "is before time.from")
	}
	return w, nil
}

func optionalTime(text *string, field string) (time.Time, error) {
	if text == nil || *text == "" {
		return time.Time{}, nil
	}
	t, ok := ppl.ParseTime(*text)
	if !ok {
		return t, refuse.BadField(field, "must be a time such as 2015-05-17T10:00:00Z, or null")
	}
	return t, nil
}

// filter is a filter pill of the page.
type filter struct {
	Field    string          `json:"field"`
	Op       string          `json:"op" jsonschema:"is, is not, contains, >= or <="`
	Value    json.RawMessage `json:"value" jsonschema:"a string or a number; null with is and is not means a missing value"`
	Disabled bool            `json:"disabled,omitempty"`
}

// maxFilters limits the filters of a request: each adds a condition to the query.
const maxFilters = 100

// conditions writes a time range and filters as conditions of PPL; disabled filters are only
// checked.
func conditions(schema *ppl.Schema, w window, filters []filter) (list []string, err error) {
	if len(filters) > maxFilters {
		return nil, refuse.BadField("filters", "must be at most %d", maxFilters)
	}
	if !w.from.IsZero() {
		list = append(list, "timestamp >= "+ppl.Quote(formatTime(w.from)))
	}
	if !w.to.IsZero() {
		list = append(list, "timestamp <= "+ppl.Quote(formatTime(w.to)))
	}
	for i, f := range filters {
		text, err := f.condition(schema, fmt.Sprintf("filters[%d]", i))
		if err != nil {
			return nil, err
		}
		if !f.Disabled {
			list = append(list, text)
		}
	}
	return list, nil
}

// filterOps are the operators with the condition that each is of a value, and of none: "" is no
// condition.
var filterOps = map[string][2]string{
	"is":       {"FIELD = VALUE", "FIELD is null"},
	"is not":   {"FIELD != VALUE or FIELD is null", "FIELD is not null"},
	"contains": {"FIELD like VALUE", ""},
	">=":       {"FIELD >= VALUE", ""},
	"<=":       {"FIELD <= VALUE", ""},
}

// condition returns the filter as PPL, which reads a quoted number as a number if it is compared
// with one. where names the filter in errors.
func (f filter) condition(schema *ppl.Schema, where string) (string, error) {
	field, ok := schema.Field(f.Field)
	if !ok {
		_, hint := ppl.Meant(f.Field, schema.Names())
		return "", refuse.BadField(where+".field", "unknown field %q%s", f.Field, hint)
	}
	forms, ok := filterOps[f.Op]
	if !ok {
		return "", refuse.BadField(where+".op", "must be one of is, is not, contains, >=, <=")
	}
	if f.Op == "contains" && field.Type != ppl.String {
		return "", refuse.BadField(where+".op", "contains needs a string field; %s is none", field.Name)
	}
	value, err := f.value(where + ".value")
	if err != nil {
		return "", err
	}
	form := forms[0]
	if value == nil {
		if form, value = forms[1], new(string); form == "" {
			return "", refuse.BadField(where+".value", "must not be null with %s", f.Op)
		}
	}
	text := ppl.Quote(*value)
	if f.Op == "contains" {
		text = ppl.Quote("%" + ppl.LikePattern(*value) + "%")
	}
	condition := strings.NewReplacer("FIELD", f.Field, "VALUE", text).Replace(form)
	if wrong, ok := errors.AsType[*refuse.Error](ppl.CheckCondition(schema, condition)); ok {
		return "", refuse.BadField(where+".value", "%s", wrong.Message)
	}
	return condition, nil
}

// value returns the value, a string or a number; nil is null.
func (f filter) value(where string) (*string, error) {
	var value any
	if f.Value == nil {
		return nil, refuse.BadField(where, "is missing")
	}
	if err := json.Unmarshal(f.Value, &value); err != nil {
		return nil, refuse.BadField(where, "is no valid JSON")
	}
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		return &v, nil
	case float64:
		return new(strings.TrimSpace(string(f.Value))), nil // as it was written
	}
	return nil, refuse.BadField(where, "must be a string, a number or null")
}
