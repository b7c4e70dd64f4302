package jsonx

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// The examples of RFC 6902, appendix A, and what it leaves to the reader.
func TestPatch(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"foo":"bar"}`, `[]`, `{"foo":"bar"}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"foo":"bar","baz":"qux"}`},
		{`{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`},
		{`{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo","foo":"bar"}`},
		{`{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`, `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{`{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, `{"foo":["all","cows","eat","grass"]}`},
		{`{"baz":"qux","foo":["a",2,"c"]}`, `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2.0}]`, `{"baz":"qux","foo":["a",2,"c"]}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/child","value":{"grandchild":{}},"xyz":123}]`, `{"foo":"bar","child":{"grandchild":{}}}`},
		{`{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10},{"op":"remove","path":"/~1"}]`, `{"~1":10}`},
		{`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},
		{`{"a":1}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		{`{"a":1}`, `[{"op":"replace","path":"","value":[1.0]}]`, `[1.0]`},
		{`{"a":1}`, `[{"op":"remove","path":""}]`, `null`},
		{`{"":{"":1}}`, `[{"op":"replace","path":"//","value":2}]`, `{"":{"":2}}`},
		{`{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/a/c"},{"op":"replace","path":"/a/c/b","value":2}]`, `{"a":{"b":1,"c":{"b":2}}}`},
		{`{"a":{"b":1}}`, `[{"op":"copy","from":"","path":"/self"}]`, `{"a":{"b":1},"self":{"a":{"b":1}}}`},
		{`{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"b":2,"a":1}`},
		{`{"b":1,"a":[{"y":null,"x":"é"}]}`, `[{"op":"test","path":"","value":{"a":[{"x":"\u00e9","y":null}],"b":1e0}}]`, `{"b":1,"a":[{"y":null,"x":"é"}]}`},
		{`{ "kept" : [ 1.00, 1e2 ] , "a":1}`, `[{"op":"add","path":"/b","value":{ "x":1.50 }}]`, `{"kept":[ 1.00, 1e2 ],"a":1,"b":{ "x":1.50 }}`},
		{`{"k\u00e9y":1}`, `[{"op":"add","path":"/k\u00e9y","value":2}]`, `{"kéy":2}`},
	} {
		got, err := NewDocument([]byte(c.doc)).Patch([]byte(c.patch))
		if err != nil || string(got.Raw()) != c.want {
			t.Errorf("%s patched with %s\n got  %s, %v\n want %s", c.doc, c.patch, got.Raw(), err, c.want)
		}
		if !Valid(got.Raw()) {
			t.Errorf("not valid: %s", got.Raw())
		}
	}
}

func TestPatchRefuses(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{}`, `{}`, `must be an array of patch operations, got an object`},
		{`{}`, `[1]`, `[0]: must be an object, got a number`},
		{`{}`, `[{"path":""}]`, `[0].op: is required`},
		{`{}`, `[{"op":1}]`, `[0].op: must be a string, got a number`},
		{`{}`, `[{"op":"remove"}]`, `[0].path: is required`},
		{`{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]`, `[1].path: names nothing in the document: "/a"`},
		{`{"a":[1]}`, `[{"op":"replace","path":"/a/1","value":0}]`, `[0].path: names nothing in the document: "/a/1"`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/2","value":0}]`, `[0].path: is no place in an array of 1: "/a/2"`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/01","value":0}]`, `[0].path: is no place in an array of 1: "/a/01"`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/-1","value":0}]`, `[0].path: is no place in an array of 1: "/a/-1"`},
		{`{"a":[1]}`, `[{"op":"remove","path":"/a/-"}]`, `[0].path: names nothing in the document: "/a/-"`},
		{`{"a":1}`, `[{"op":"add","path":"/a/b","value":0}]`, `[0].path: names nothing in the document: "/a/b"`},
		{`{"a":1}`, `[{"op":"add","path":"/b/c","value":0}]`, `[0].path: names nothing in the document: "/b"`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, `[0].path: is inside from`},
		{`{"a":1}`, `[{"op":"copy","from":"/b","path":"/c"}]`, `[0].from: names nothing in the document: "/b"`},
		{`{"a":"1"}`, `[{"op":"test","path":"/a","value":1}]`, `[0].value: is not what the document has at "/a"`},
		{`{"a":[1,2]}`, `[{"op":"test","path":"/a","value":[2,1]}]`, `[0].value: is not what the document has at "/a"`},
		{`{}`, `[{"op":"add","path":"/__proto__/x","value":1}]`, `[0].path: must not pass through __proto__`},
		{`{}`, `[{"op":"add","path":"/` + strings.Repeat("/", 64) + `","value":1}]`, `[0].path: is deeper than 64 levels`},
		{`{"a":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}`, `[{"op":"add","path":"/b","value":{"c":1}},{"op":"copy","from":"/a","path":"/b/c"},{"op":"copy","from":"/b","path":"/a/0"}]`, `[2].path: would nest deeper than 64 levels`},
	} {
		doc := NewDocument([]byte(c.doc))
		got, err := doc.Patch([]byte(c.patch))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s patched with %s\n got  %v\n want %s", c.doc, c.patch, err, c.want)
		}
		if string(got.Raw()) != c.doc {
			t.Errorf("%s was changed to %s", c.doc, got.Raw())
		}
	}
}

// A few copies make a document double again and again: what that costs must not double with it.
func TestPatchWithstandsCopyBombs(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString(`[{"op":"add","path":"/a","value":["` + strings.Repeat("x", 1000) + `"]}`)
	for range 60 {
		doubling.WriteString(`,{"op":"copy","from":"/a","path":"/a/-"}`)
	}
	doubling.WriteString("]")
	var widening strings.Builder
	widening.WriteString(`[{"op":"add","path":"/0","value":0}`)
	for i := range 100_000 {
		widening.WriteString(`,{"op":"add","path":"/` + strconv.Itoa(i+1) + `","value":0}`)
	}
	widening.WriteString("]")
	for name, patch := range map[string]string{"doubling": doubling.String(), "widening": widening.String()} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := NewDocument([]byte(`{}`)).Patch([]byte(patch))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil || took > time.Minute {
				t.Errorf("%v after %v", err, took)
			}
			t.Logf("%d bytes of patch: %v, allocated %d, %v", len(patch), took, after.TotalAlloc-before.TotalAlloc, err)
		})
	}
}

// model applies an operation to decoded JSON, which shares no code with Document.
func model(doc any, op, path string, value any) (any, bool) {
	if path == "" {
		if op == "remove" {
			return nil, true
		}
		return value, true
	}
	head, rest, deeper := strings.Cut(path[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	switch doc := doc.(type) {
	case map[string]any:
		old, has := doc[head]
		if !deeper && op == "add" {
			doc[head] = value
			return doc, true
		}
		if !has {
			return nil, false
		}
		if !deeper && op == "remove" {
			delete(doc, head)
			return doc, true
		}
		sub, ok := model(old, op, rest, value)
		doc[head] = sub
		return doc, ok
	case []any:
		i, err := strconv.Atoi(head)
		if head == "-" {
			i, err = len(doc), nil
		}
		if err != nil || i < 0 || i > len(doc) || i == len(doc) && (deeper || op != "add") {
			return nil, false
		}
		if !deeper && op == "add" {
			return append(doc[:i:i], append([]any{value}, doc[i:]...)...), true
		}
		if !deeper && op == "remove" {
			return append(doc[:i:i], doc[i+1:]...), true
		}
		sub, ok := model(doc[i], op, rest, value)
		doc[i] = sub
		return doc, ok
	}
	return nil, false
}

// modelFrom is model for the operations that take a value from elsewhere, too.
func modelFrom(doc any, op, from, path string, value any) (any, bool) {
	if op != "copy" && op != "move" {
		return model(doc, op, path, value)
	}
	taken, ok := lookup(doc, from)
	if !ok || op == "move" && strings.HasPrefix(path, from+"/") {
		return nil, false
	}
	raw, err := json.Marshal(taken)
	if err != nil || json.Unmarshal(raw, &value) != nil {
		return nil, false
	}
	if op == "move" {
		if doc, ok = model(doc, "remove", from, nil); !ok {
			return nil, false
		}
	}
	return model(doc, "add", path, value)
}

func lookup(doc any, path string) (any, bool) {
	for _, segment := range strings.Split(path, "/")[1:] {
		switch d := doc.(type) {
		case map[string]any:
			var ok bool
			if doc, ok = d[segment]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			doc = d[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// Random patches do what a plain model of them does, one operation at a time and all together.
func TestAnyPatchDoesWhatTheModelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const start = `{"a":[1,{"b":[]}],"b":{"a":{},"0":[[]]}}`
		state := must.JSON[any](t, start)
		var ops []string
		doc := NewDocument([]byte(start))
		for range rapid.IntRange(1, 12).Draw(t, "ops") {
			op := rapid.SampledFrom([]string{"add", "remove", "replace", "copy", "move"}).Draw(t, "op")
			pointer := rapid.StringMatching(`(/[ab01-]){0,4}`)
			path, from := pointer.Draw(t, "path"), pointer.Draw(t, "from")
			value := rapid.SampledFrom([]string{`1`, `"x"`, `{"a":[0],"b":{}}`, `[[1],2]`, `null`}).Draw(t, "value")
			one := `{"op":"` + op + `","path":"` + path + `","from":"` + from + `","value":` + value + `}`
			decoded := must.JSON[any](t, value)
			next, err := doc.Patch([]byte("[" + one + "]"))
			want, ok := modelFrom(state, op, from, path, decoded)
			if ok != (err == nil) {
				t.Fatalf("%s on %s: %v, the model says %v", one, doc.Raw(), err, ok)
			}
			if !ok { // the model may have changed something on the way
				state = nil
				must.Do(t, json.Unmarshal(doc.Raw(), &state))
				continue
			}
			state, doc = want, next
			ops = append(ops, one)
			var got any
			if err := json.Unmarshal(doc.Raw(), &got); err != nil || !reflect.DeepEqual(got, state) {
				t.Fatalf("%s gave %s, the model has %v", one, doc.Raw(), state)
			}
			if size := len(doc.Raw()); doc.root.size < size {
				t.Fatalf("counted %d bytes of %d", doc.root.size, size)
			}
		}
		all, err := NewDocument([]byte(start)).Patch([]byte("[" + strings.Join(ops, ",") + "]"))
		if err != nil || string(all.Raw()) != string(doc.Raw()) {
			t.Fatalf("together %s, %v; one by one %s", all.Raw(), err, doc.Raw())
		}
	})
}

func TestMergeObjects(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{``, `{"a":1.0}`, `{"a":1.0}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"a":1,"b":{"x":1}}`, `{"b":{"y":2.50},"c":null}`, `{"a":1,"b":{"y":2.50},"c":null}`},
	} {
		if got := MergeObjects(json.RawMessage(c.a), json.RawMessage(c.b)); string(got) != c.want {
			t.Errorf("%s and %s: got %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
