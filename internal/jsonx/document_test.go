package jsonx

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func TestPatch(t *testing.T) {
	talk.Lines(t, "testdata/patch.txtar", func(t *testing.T, _, line string) []string {
		doc, patch, _ := strings.Cut(line, " ← ")
		return []string{patched(t, doc, patch)}
	})
	deep := strings.Repeat("[", 62) + strings.Repeat("]", 62)
	for _, c := range []struct{ doc, patch, want string }{
		{`{}`, `[{"op":"add","path":"/` + strings.Repeat("/", 64) + `","value":1}]`, `[0].path: is deeper than 64 levels`},
		{`{"a":` + deep + `}`, `[{"op":"add","path":"/b","value":{"c":1}},{"op":"copy","from":"/a","path":"/b/c"},` +
			`{"op":"copy","from":"/b","path":"/a/0"}]`, `[2].path: would nest deeper than 64 levels`},
	} {
		must.Have(t, patched(t, c.doc, c.patch), c.want, "%s patched with %s", c.doc, c.patch)
	}
}

// patched is a document with a patch, or why it is refused.
func patched(t *testing.T, doc, patch string) string {
	t.Helper()
	got, err := NewDocument([]byte(doc)).Patch([]byte(patch))
	if err != nil {
		must.Be(t, string(got.Raw()), doc, "the document after a patch that is refused")
		return err.Error()
	}
	must.Be(t, Valid(got.Raw()), true, "%s is valid", got.Raw())
	return string(got.Raw())
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
	for patch, want := range map[string]string{
		doubling.String(): fmt.Sprintf("would make the document larger than %d bytes", MaxPatchedSize),
		widening.String(): "is too much work",
	} {
		t.Run(want, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := NewDocument([]byte(`{}`)).Patch([]byte(patch))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			must.Fail(t, err, want, "a patch of %d bytes", len(patch))
			must.Be(t, took > time.Minute, false, "%v are too long", took)
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
			must.Same(t, must.JSON[any](t, doc.Raw()), state, "%s gave %s, the model's document", one, doc.Raw())
			if size := len(doc.Raw()); doc.root.size < size {
				t.Fatalf("counted %d bytes of %d", doc.root.size, size)
			}
		}
		all := must.Get(NewDocument([]byte(start)).Patch([]byte("[" + strings.Join(ops, ",") + "]")))(t)
		must.Be(t, string(all.Raw()), string(doc.Raw()), "all operations together")
	})
}

func TestMergeObjects(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{``, `{"a":1.0}`, `{"a":1.0}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"a":1,"b":{"x":1}}`, `{"b":{"y":2.50},"c":null}`, `{"a":1,"b":{"y":2.50},"c":null}`},
	} {
		must.Be(t, string(MergeObjects(json.RawMessage(c.a), json.RawMessage(c.b))), c.want, "%s and %s", c.a, c.b)
	}
}
