package payload_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/payload"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// grow writes the pieces and applies a patch after each one, due or not. It returns what there is
// at the end.
func grow(t testing.TB, pieces ...string) (doc jsonx.Document, patches int) {
	t.Helper()
	var g payload.Growth
	doc = jsonx.NewDocument(json.RawMessage("{}"))
	for _, p := range pieces {
		g.Write(p)
		patch := g.Patch()
		if patch == nil {
			continue
		}
		patches++
		var err error
		if doc, err = doc.Patch(patch); err != nil {
			t.Fatalf("%q: %s: %v", pieces, patch, err)
		}
		if !json.Valid(doc.Raw()) {
			t.Fatalf("%q: %s leaves %s", pieces, patch, doc.Raw())
		}
	}
	return doc, patches
}

// decoded keeps numbers as they are written: they may be larger than any float.
func decoded(t testing.TB, text string) any {
	t.Helper()
	return must.Get(jsonx.Value([]byte(text), nil))(t)
}

// What there is after each piece.
func TestGrowth(t *testing.T) {
	key := func(n int) string { return strings.Repeat("k", n) }
	tests := []struct{ pieces, want []string }{
		{[]string{`{"a"`, `:`, ` "x`, `y"`, `,"b":[`, `1`, `,2`, `]}`}, []string{`{}`, `{}`, `{"a":"x"}`, `{"a":"xy"}`, `{"a":"xy","b":[]}`, `{"a":"xy","b":[]}`, `{"a":"xy","b":[1]}`, `{"a":"xy","b":[1,2]}`}},
		{[]string{`{"rows":[{"id":1,"na`, `me":"A`, `nna"},{"id`, `":2}`, `]`, `}`}, []string{`{"rows":[{"id":1}]}`, `{"rows":[{"id":1,"name":"A"}]}`, `{"rows":[{"id":1,"name":"Anna"},{}]}`, `{"rows":[{"id":1,"name":"Anna"},{"id":2}]}`, `{"rows":[{"id":1,"name":"Anna"},{"id":2}]}`, `{"rows":[{"id":1,"name":"Anna"},{"id":2}]}`}},
		{[]string{`{"a~/b":{"":[[`, `true`, `],nul`, `l,"\u00`, `e4\ud83d`, `\udc4b"`, `]}}`}, []string{`{"a~/b":{"":[[]]}}`, `{"a~/b":{"":[[]]}}`, `{"a~/b":{"":[[true]]}}`, `{"a~/b":{"":[[true],null,""]}}`, `{"a~/b":{"":[[true],null,"ä"]}}`, `{"a~/b":{"":[[true],null,"ä👋"]}}`, `{"a~/b":{"":[[true],null,"ä👋"]}}`}},
		{[]string{"{\"ü\":\"\xc3", "\xa4\xf0\x9f", "\x91\x8b\"}"}, []string{`{"ü":""}`, `{"ü":"ä"}`, `{"ü":"ä👋"}`}},
		{[]string{`{"a":{"__proto__":`, `{"x":1}}}`}, []string{`{}`, `{}`}},
		{[]string{`{"a":1,`, `"` + key(255) + `":{"b":"x"}}`}, []string{`{"a":1}`, `{"a":1,"` + key(255) + `":{"b":"x"}}`}},
		// too long a path
		{[]string{`{"a":1,`, `"` + key(256) + `":{"b":"x"}}`}, []string{`{"a":1}`, `{"a":1}`}},
		{[]string{`{"a":1,}`, `,"b":2}`}, []string{`{}`, `{}`}}, // broken: it stops
		{[]string{`{"a":1,"b":xyz `, `,"c":2}`}, []string{`{}`, `{}`}},
		{[]string{`[1,`, `2]`}, []string{`{}`, `{}`}},
		{[]string{"{\"a\":\"1\n", `2"}`}, []string{`{}`, `{}`}},
		{[]string{`{"a":"\ud800`, `x"}`}, []string{`{"a":""}`, `{"a":""}`}},
	}
	for _, tt := range tests {
		for i := range tt.pieces {
			doc, _ := grow(t, tt.pieces[:i+1]...)
			must.Same(t, decoded(t, string(doc.Raw())), decoded(t, tt.want[i]), "%q", tt.pieces[:i+1])
		}
	}
}

func anyJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		switch {
		case kind == 0 && depth > 0:
			return rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "array")
		case kind <= 2 && depth > 0:
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "~", "", "ü", `q"\`, "long name"}), anyJSON(depth-1), 0, 4).Draw(t, "object")
		case kind == 3:
			return rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
		case kind == 4:
			return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "literal")
		}
		return rapid.SampledFrom([]string{"", "x", "a longer text", "Grüße 👋", "\x01\n\"\\/", "</script>"}).Draw(t, "string")
	})
}

// Whatever is written in whatever pieces, the patches lead from {} to it, and after each there is a
// beginning of it.
func TestGrowthOfAnyJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c/d"}), anyJSON(4), 0, 3).Draw(rt, "value")
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(rapid.Bool().Draw(rt, "escape"))
		if rapid.Bool().Draw(rt, "indent") {
			enc.SetIndent("", "  ")
		}
		must.Do(rt, enc.Encode(value))
		doc, _ := grow(t, pieces(rt, b.String())...)
		must.Same(rt, decoded(t, string(doc.Raw())), decoded(t, b.String()), "%s became", b.String())
	})
}

// All patches together are a small multiple of the JSON, and few, however it is written and
// whatever it is.
func TestGrowthIsCheap(t *testing.T) {
	long := strings.Repeat("k", 200)
	texts := map[string]string{
		"string":  `{"a":"` + strings.Repeat("x", 200_000) + `"}`,
		"numbers": `{"a":[1` + strings.Repeat(",1", 100_000) + `]}`,
		"paths":   `{"` + long + `":[[1` + strings.Repeat(",1", 100_000) + `]]}`,
		"rows":    `{"rows":[{"id":0}` + strings.Repeat(`,{"id":1,"name":"somebody","tags":["a","b"]}`, 5000) + `]}`,
		"deep":    strings.Repeat(`{"a":`, 40) + `[1` + strings.Repeat(",1", 100_000) + `]` + strings.Repeat("}", 40),
	}
	for name, text := range texts {
		var g payload.Growth
		size, patches := 0, 0
		for i := 0; i < len(text); i += 4 {
			if g.Write(text[i:min(i+4, len(text))]); g.Due() {
				if p := g.Patch(); p != nil {
					size, patches = size+len(p), patches+1
				}
			}
		}
		t.Logf("%s: %d bytes, %d patches of %d bytes", name, len(text), patches, size)
		if patches > 200 || size > 20*len(text) {
			t.Errorf("%s: %d bytes made %d patches of %d bytes", name, len(text), patches, size)
		}
	}
}

func FuzzGrowth(f *testing.F) {
	for _, seed := range []string{`{"a":"x"}`, `{"a":[1,{"b":null}],"c":"\ud83d\udc4b"}`, `{"a":`, `{"a":"\u00`, `{"constructor":1}`, `{"a":1e5,"a":[[]]}`} {
		f.Add(seed, 3, 5)
	}
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		a, b = int(uint(a)%uint(len(text)+1)), int(uint(b)%uint(len(text)+1))
		a, b = min(a, b), max(a, b)
		doc, _ := grow(t, text[:a], text[a:b], text[b:])
		if json.Valid([]byte(text)) && jsonx.Validate([]byte(text), jsonx.Limits{Keys: true, MaxDepth: 40}) == nil && jsonx.KindOf([]byte(text)) == jsonx.Object &&
			len(text) < 250 {
			must.Same(t, decoded(t, string(doc.Raw())), decoded(t, text), "%q became", text)
		}
	})
}

func ExampleGrowth() {
	var g payload.Growth
	for _, piece := range []string{`{"title":"Su`, `mmary","rows":[1`, `,2]}`} {
		g.Write(piece)
		fmt.Println(string(g.Patch()))
	}
	// Output:
	// [{"op":"add","path":"/title","value":"Su"}]
	// [{"op":"replace","path":"/title","value":"Summary"},{"op":"add","path":"/rows","value":[]}]
	// [{"op":"add","path":"/rows/0","value":1},{"op":"add","path":"/rows/1","value":2}]
}
