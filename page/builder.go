package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// Describe runs the place's context builder on the page's context and returns its output, trimmed.
// It returns nothing if the place has none. A panic in a builder is an error.
func (v View) Describe(items []Item, details []ContextDetail) (built Built, err error) {
	if v.Context == nil {
		return Built{}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			built, err = Built{}, fmt.Errorf("page: the context builder of %q panicked: %v", v.Place.Page, p)
		}
	}()
	built, err = v.Context(v.Place, contextValues(items, details))
	if err == nil && len(built.Instructions) > MaxBuiltInstructions {
		err = fmt.Errorf("its instructions have %d bytes; at most %d are taken", len(built.Instructions),
			MaxBuiltInstructions)
	}
	if err != nil {
		return Built{}, fmt.Errorf("page: the context builder of %q: %w", v.Place.Page, err)
	}
	return Built{strings.TrimSpace(built.Instructions), strings.TrimSpace(built.Data)}, nil
}

// contextValues maps each item's description, label and id to its value. If two claim a name, an id
// wins over a label and a label over a description; otherwise the first item wins.
func contextValues(items []Item, details []ContextDetail) map[string]any {
	values := make(map[string]any, len(items))
	decoded := make([]any, len(items))
	set := func(name string, i int) {
		if _, taken := values[name]; name != "" && !taken {
			values[name] = decoded[i]
		}
	}
	for i, it := range items {
		decoded[i] = decodeValue(it.Value)
		if i < len(details) {
			set(details[i].ID, i)
		}
	}
	for i := range min(len(items), len(details)) {
		set(details[i].Label, i)
	}
	for i, it := range items {
		set(it.Description, i)
	}
	return values
}

// decodeValue decodes JSON; anything else is text.
func decodeValue(text string) any {
	v, err := jsonx.Value([]byte(text), plainNumber)
	if err != nil {
		return text
	}
	return v
}

// plainNumber makes whole numbers integers, for templates.
func plainNumber(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return int(i), nil
	}
	if f, err := n.Float64(); err == nil {
		return f, nil
	}
	return n.String(), nil
}
