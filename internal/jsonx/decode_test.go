package jsonx_test

import (
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
)

// walk enters every array and object of what is left.
func walk(d *jsonx.Decoder) {
	switch kind := d.Kind(); kind {
	case jsonx.Object, jsonx.Array:
		for d.Enter(); d.More(); walk(d) {
			if kind == jsonx.Object {
				d.Key(nil)
			}
		}
	default:
		d.Skip()
	}
}

// A document that nobody has validated is walked too, and End tells whether it was one.
func TestDecoderTellsWhatIsNoDocument(t *testing.T) {
	for _, doc := range []string{` {"a":[1,{"b":"]\""},[ ],{}],"c":null} `, `[]`, `"x"`, `[[[[1]]]]`} {
		d := jsonx.Decoder{Data: []byte(doc)}
		if walk(&d); !d.End() {
			t.Errorf("%s: no document", doc)
		}
	}
	for _, doc := range []string{
		``, `[`, `[1`, `[1,`, `[1 2]`, `[,1]`, `[1,]`, `[1}`, `{"a":1]`, `{"a" 1}`, `{"a":}`, `{"a"}`, `{1:2}`, `{"a":1,}`, `{"a":1 "b":2}`, `"x`, `["x]`, `[1]]`, `[1] 2`,
	} {
		d := jsonx.Decoder{Data: []byte(doc)}
		if walk(&d); d.End() {
			t.Errorf("%s: taken for a document", doc)
		}
	}
}
