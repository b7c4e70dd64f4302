package openai

import (
	"encoding/json"
	"slices"
)

// details collects OpenRouter's reasoning_details, which must be sent back as they would have come
// in one piece.
type details struct{ items []*detail }

// detail is one block of reasoning. The texts that come in pieces are kept apart from what comes
// once.
type detail struct {
	fields map[string]json.RawMessage
	texts  [len(pieced)][]byte
}

// pieced are the fields of a detail that come in pieces.
var pieced = [...]string{"text", "summary", "signature"}

// add takes in the details of one chunk: pieces of one text are joined, everything else is kept.
func (ds *details) add(raw []json.RawMessage) {
	for _, r := range raw {
		var fields map[string]json.RawMessage
		if json.Unmarshal(r, &fields) != nil || fields == nil {
			continue
		}
		last := len(ds.items) - 1
		if last < 0 || !ds.items[last].continuedBy(fields) {
			ds.items = append(ds.items, &detail{fields: map[string]json.RawMessage{}})
			last++
		}
		ds.items[last].add(fields)
	}
}

func (d *detail) continuedBy(fields map[string]json.RawMessage) bool {
	kind := string(fields["type"])
	return (kind == `"reasoning.text"` || kind == `"reasoning.summary"`) &&
		kind == string(d.fields["type"]) && string(fields["index"]) == string(d.fields["index"])
}

func (d *detail) add(fields map[string]json.RawMessage) {
	for name, value := range fields {
		var text string
		i := slices.Index(pieced[:], name)
		switch _, known := d.fields[name]; {
		case i >= 0 && json.Unmarshal(value, &text) == nil && !isNull(value):
			d.texts[i] = append(d.texts[i], text...)
		case !known || !isNull(value):
			d.fields[name] = value
		}
	}
}

// opaque returns the details as a JSON array, empty where there are none.
func (ds *details) opaque() string {
	if len(ds.items) == 0 {
		return ""
	}
	whole := make([]map[string]json.RawMessage, len(ds.items))
	for i, d := range ds.items {
		whole[i] = d.fields
		for j, text := range d.texts {
			if text != nil {
				whole[i][pieced[j]] = quote(string(text))
			}
		}
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return ""
	}
	return string(out)
}
