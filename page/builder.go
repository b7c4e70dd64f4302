package page

import (
	"encoding/json"
	"fmt"
	"strings"
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

// decodeValue decodes JSON; anything else is text. Whole numbers stay integers for templates.
func decodeValue(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || strings.TrimSpace(text[dec.InputOffset():]) != "" {
		return text
	}
	return plainNumbers(v)
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}
