package jsonx

import (
	"encoding/json"
	"fmt"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var marshalOptions = jsonv2.JoinOptions(
	jsonv2.Deterministic(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
	jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalFunc(func(s string) ([]byte, error) { return AppendString(nil, s), nil }),
		jsonv2.MarshalFunc(func(f float64) ([]byte, error) {
			return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
		}),
	)),
)

// MaxNested is how deep JSON of others may be nested to be written as part of something else:
// Marshal takes 10,000 levels.
const MaxNested = 1000

// Marshal returns v as JSON, by its json tags: strings as AppendString writes them, the keys of
// maps in order, numbers without an exponent, and no null for an empty list. Numbers and strings in
// a json.RawMessage stay as they are; its white space does not. Marshal panics if v holds what has
// no JSON: a NaN, or a json.RawMessage that is none.
func Marshal(v any) json.RawMessage {
	raw, err := jsonv2.Marshal(v, marshalOptions)
	if err != nil {
		panic(fmt.Sprintf("jsonx: marshal %T: %v", v, err))
	}
	return raw
}
