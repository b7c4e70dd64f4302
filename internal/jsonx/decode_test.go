package jsonx_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
)

// walk enters every array and object of what is left, and tells the keys and other values on the
// way.
func walk(d *jsonx.Decoder) (seen string) {
	kind := d.Kind()
	if kind != jsonx.Object && kind != jsonx.Array {
		return string(d.Raw())
	}
	for d.Enter(); d.More(); {
		if kind == jsonx.Object {
			seen += string(d.Key(nil)) + "="
		}
		seen += walk(d) + " "
	}
	return "(" + seen + ")"
}

// What nobody has validated is walked too: to its end where it is a document, and else no further.
func TestDecoderWalksAnything(t *testing.T) {
	for doc, want := range map[string]string{
		` {"a":[1,{"b":"]\""},[ ],{}],"c\u0064" : null}`: `(a=(1 (b="]\"" ) () () ) cd=null )`,
		`[]`: `()`, `"x"`: `"x"`, `[[[[1]]]]`: `((((1 ) ) ) )`, `{"a\\":"\\"}`: `(a\="\\" )`,
	} {
		d := jsonx.Decoder{Data: []byte(doc)}
		must.Be(t, walk(&d), want, "%s is walked as", doc)
		must.Be(t, d.Pos, len(doc), "where the walk of %s ends", doc)
		d.Pos = 0
		must.Be(t, string(d.Raw()), strings.TrimSpace(doc), "what is skipped")
	}
	for _, doc := range []string{
		``, `[`, `[1`, `[1,`, `[1 2]`, `[,1]`, `[,,`, `[1,]`, `[1}`, `{"a":1]`, `{"a" 1}`, `{"a":}`, `{"a"}`, `{"a`, `{"a"`, `{1:2}`, `{"a":1,}`, `{"a":1 "b":2}`, `"x`, `["x]`, `["x\"`, `[1]]`, `[1] 2`,
	} {
		d := jsonx.Decoder{Data: []byte(doc)}
		for walk(&d); d.Pos < len(doc); d.Skip() {
			d.Enter()
		}
		if d.Enter(); d.Pos > len(doc) {
			t.Errorf("%s: walked to %d, of %d", doc, d.Pos, len(doc))
		}
	}
}
