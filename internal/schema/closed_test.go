package schema

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestClosed(t *testing.T) {
	for in, want := range map[string]string{
		``:     `{"type":"object","properties":{},"additionalProperties":false}`,
		`null`: `{"type":"object","properties":{},"additionalProperties":false}`,
		`{}`:   `{"additionalProperties":false}`,
		`{"type":"object","properties":{"b":{"type":"string"},"a":{}}}`:                      `{"type":"object","properties":{"b":{"type":"string"},"a":{}},"additionalProperties":false}`,
		`{"additionalProperties":true,"properties":{"a":{"properties":{"b":true}}}}`:         `{"additionalProperties":true,"properties":{"a":{"properties":{"b":true},"additionalProperties":false}}}`,
		`{"properties":{"list":{"items":{"properties":{"a":{}}}},"free":{"type":"object"}}}`: `{"properties":{"list":{"items":{"properties":{"a":{}},"additionalProperties":false}},"free":{"type":"object"}},"additionalProperties":false}`,
		`{"allOf":[{"properties":{"a":{}}}]}`:                                                `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`,
		`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"b":{}}}}}`:    `{"properties":{"a":{"$ref":"#/$defs/x","unevaluatedProperties":false}},"$defs":{"x":{"properties":{"b":{}}}},"additionalProperties":false}`,
		`{"enum":[{"properties":{}}]}`:                                                       `{"enum":[{"properties":{}}],"additionalProperties":false}`,
	} {
		got, err := Closed(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v, want %s", in, got, err, want)
		}
		must.Be(t, must.Err(Compile(got)), nil, "%s", got)
	}
	if _, err := Closed(json.RawMessage(`{"a":`)); err == nil {
		t.Error("half a schema is closed")
	}
	s := mustClose(t, `{"properties":{"a":{"$ref":"#/$defs/x"},"l":{"items":{"properties":{"c":{}}}}},"$defs":{"x":{"properties":{"b":{}}}}}`)
	for in, ok := range map[string]bool{
		`{"a":{"b":1},"l":[{"c":1}]}`: true, `{"a":{"b":1,"x":1}}`: false, `{"l":[{"x":1}]}`: false, `{"x":1}`: false,
	} {
		if err := s.Validate(json.RawMessage(in)); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func mustClose(t *testing.T, raw string) *Schema {
	t.Helper()
	closed := must.Get(Closed(json.RawMessage(raw)))(t)
	return must.Get(Compile(closed))(t)
}
