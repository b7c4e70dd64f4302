package jsonx_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
)

func TestValue(t *testing.T) {
	counted := func(n json.Number) (any, error) {
		if n == "3" {
			return nil, errors.New("three")
		}
		return len(n), nil
	}
	for raw, want := range map[string]string{
		` {"a":[1.50,{"b":22}],"c":"1","d":null} `: "map[a:[4 map[b:2]] c:1 d:<nil>] <nil>",
		`[1,[{"a":3}]]`: "<nil> three", `{"a":[3]}`: "<nil> three", `1 2`: "<nil> there is more after the JSON value",
		``: "<nil> EOF", `{`: "<nil> unexpected EOF",
	} {
		v, err := jsonx.Value([]byte(raw), counted)
		must.Be(t, fmt.Sprint(v, " ", err), want, "%s", raw)
	}
	must.Be(t, must.Get(jsonx.Value([]byte(`[1.50]`), nil))(t).([]any)[0], any(json.Number("1.50")), "an exact number")
}
