package prompt

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestShorten(t *testing.T) {
	rows := make([]string, 200)
	for i := range rows {
		rows[i] = `{"path":"/a/b/c","status":200}`
	}
	list := "[" + strings.Join(rows, ",") + "]"
	const advice = `"The result of `
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a list keeps its first elements":     {list, []string{`[{"path":"/a/b/c","status":200},`, `{"path":"/a/b/c","status":200},` + advice, ` of 200 elements are shown."]`}},
		"an object keeps what is short":       {`{"total":200,"rows":` + list + `,"took":"12ms"}`, []string{`{"total":200,"rows":[{"path"`, `"status":200}],"took":"12ms","_cut":` + advice, ` rows: 1`, ` of 200 elements are shown."}`}},
		"a long text inside loses its end":    {`{"log":"` + strings.Repeat("é", 3000) + `","n":1}`, []string{`{"log":"éé`, `é…","n":1,"_cut":`, ` log: `, ` of 6000 bytes are shown."}`}},
		"text keeps its head":                 {strings.Repeat("line é\n", 400), []string{"line é\n", "\n[Cut at byte "}},
		"what only looks like JSON is text":   {"[" + strings.Repeat("x", 4000), []string{"[xxx", "\n[Cut at byte "}},
		"a long text in JSON is text":         {`"` + strings.Repeat("x", 4000) + `"`, []string{`"xxx`, "\n[Cut at byte "}},
		"an error stays one":                  {`{"error":{"code":"failed","message":"` + strings.Repeat("x", 4000) + `","retryable":false}}`, []string{`{"error":{"code":"failed","message":"xxx`, `x…","retryable":false},"_cut":`, ` error.message: `}},
		"a list of one long thing is cut too": {`[{"a":"` + strings.Repeat("x", 4000) + `"}]`, []string{`[{"a":"xxx`, `x…"},` + advice, ` [0].a: `}},
	} {
		got := Shorten(1024, "c1", c.text)
		at := 0
		for _, want := range c.want {
			i := strings.Index(got[at:], want)
			if i < 0 {
				t.Errorf("%s: %q is missing in\n%s", name, want, got)
				break
			}
			at += i + len(want)
		}
		if len(got) > 1024 || !strings.Contains(got, ReadResult) || tool.IsErrorText(c.text) != tool.IsErrorText(got) {
			t.Errorf("%s: %d bytes\n%s", name, len(got), got)
		}
	}
	must.Be(t, Shorten(1024, "c1", `{"a":1}`), `{"a":1}`, "what is short")
}

// anyJSON draws a document.
func anyJSON(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return rapid.Float64().Draw(t, "number")
	case 1, 2:
		return rapid.StringN(0, -1, 600).Draw(t, "text")
	case 3:
		list := []any{}
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			list = append(list, anyJSON(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 30).Draw(t, "members") {
		object[rapid.StringN(0, -1, 40).Draw(t, "key")] = anyJSON(t, depth-1)
	}
	return object
}

// A result that is shown is never longer than the limit, is valid UTF-8, is the same when it is
// shortened again, says how to read on where something is missing, and where most of it fits is
// JSON if the whole is.
func TestAnyResultIsShownWithinTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, err := json.Marshal(anyJSON(t, 3))
		if err != nil {
			t.Skip(err)
		}
		text := string(whole)
		if rapid.Bool().Draw(t, "broken") {
			text = text[:len(text)/2]
			text = strings.ToValidUTF8(text, "")
		}
		limit := rapid.IntRange(LeastResult, 3*LeastResult).Draw(t, "limit")
		short := Shorten(limit, "c1", text)
		if len(short) > limit || !utf8.ValidString(short) {
			t.Fatalf("%d bytes of %d, limit %d:\n%s", len(short), len(text), limit, short)
		}
		if again := Shorten(limit, "c1", short); again != short {
			t.Fatalf("shortened twice:\n%s\n%s", short, again)
		}
		if cut := len(text) > limit; cut != (short != text) || cut && !strings.Contains(short, ReadResult) {
			t.Fatalf("cut is %t:\n%s", cut, short)
		}
		if json.Valid([]byte(text)) && strings.HasPrefix(short, "{") && strings.Contains(short, `"`+cutMember+`":`) && !json.Valid([]byte(short)) {
			t.Fatalf("no JSON any more:\n%s", short)
		}
	})
}

// Whatever a tool returns: what is shown fits the limit and is text.
func FuzzShorten(f *testing.F) {
	f.Add(`{"a":[1,2,3]}`, 3)
	f.Add(`[["x"]]`, 300)
	f.Fuzz(func(t *testing.T, text string, times int) {
		if !utf8.ValidString(text) || times < 0 || times > 300 || len(text) > 1000 {
			t.Skip()
		}
		for _, whole := range []string{repeatList(text, times), text} {
			short := Shorten(LeastResult, "c1", whole)
			if len(short) > LeastResult || !utf8.ValidString(short) {
				t.Errorf("%d bytes of %q", len(short), whole)
			}
			if json.Valid([]byte(whole)) && len(short) < len(whole) && short[0] == '[' && whole[0] == '[' && short[len(short)-1] == ']' && short[len(short)-2] == '"' && !json.Valid([]byte(short)) {
				t.Errorf("no JSON any more: %q", short)
			}
		}
	})
}

func repeatList(element string, times int) string {
	b := []byte("[")
	for i := range times {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, element...)
	}
	return string(append(b, ']'))
}
