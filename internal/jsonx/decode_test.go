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

// What nobody has validated is walked too: to its end where it is a document, and else no further.
func TestDecoderWalksAnything(t *testing.T) {
	for _, doc := range []string{` {"a":[1,{"b":"]\""},[ ],{}],"c":null}`, `[]`, `"x"`, `[[[[1]]]]`} {
		d := jsonx.Decoder{Data: []byte(doc)}
		if walk(&d); d.Pos != len(doc) {
			t.Errorf("%s: walked to %d", doc, d.Pos)
		}
	}
	for _, doc := range []string{
		``, `[`, `[1`, `[1,`, `[1 2]`, `[,1]`, `[,,`, `[1,]`, `[1}`, `{"a":1]`, `{"a" 1}`, `{"a":}`, `{"a"}`, `{"a`, `{"a"`, `{1:2}`, `{"a":1,}`, `{"a":1 "b":2}`, `"x`, `["x]`, `["x\"`, `[1]]`, `[1] 2`,
	} {
		d := jsonx.Decoder{Data: []byte(doc)}
		if walk(&d); d.Pos > len(doc) {
			t.Errorf("%s: walked to %d, of %d", doc, d.Pos, len(doc))
		}
	}
}
