package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Value returns one JSON value as encoding/json decodes it, but for its numbers: they are what
// number makes of them. Without it they stay as they are written.
func Value(raw []byte, number func(json.Number) (any, error)) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more after the JSON value")
	}
	if number == nil {
		return v, nil
	}
	return withNumbers(v, number)
}

func withNumbers(v any, number func(json.Number) (any, error)) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case map[string]any:
		for name, x := range v {
			if v[name], err = withNumbers(x, number); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, x := range v {
			if v[i], err = withNumbers(x, number); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
