package jsonx

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestMarshal(t *testing.T) {
	type part struct {
		Text  string          `json:"text,omitzero"`
		List  []string        `json:"list"`
		Cost  *float64        `json:"cost,omitzero"`
		Raw   json.RawMessage `json:"raw,omitzero"`
		Count int             `json:"count,omitzero"`
	}
	small := 0.00000012
	for want, v := range map[string]any{
		`{"text":"<a> & ��","list":[]}`:               part{Text: "<a> & \x00\xff"},
		`{"list":["b"],"cost":0.00000012,"count":3}`:  part{List: []string{"b"}, Cost: &small, Count: 3},
		`{"list":[],"raw":{"b":1.50,"a":"\u00e4\/"}}`: part{Raw: json.RawMessage("{\"b\": 1.50,\n \"a\":\"\\u00e4\\/\"}")},
		`{"a":1,"b":null,"c":[true]}`:                 map[string]any{"c": []any{true}, "b": nil, "a": 1},
	} {
		must.Be(t, string(Marshal(v)), want, "written")
	}
	for _, v := range []any{math.NaN(), json.RawMessage(`{"a"`)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v was written", v)
				}
			}()
			Marshal(v)
		}()
	}
}
