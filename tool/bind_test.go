package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/auth"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func bound(t *testing.T, schema string, bind map[string]tool.Source) (*tool.Tool, error) {
	t.Helper()
	r, err := tool.NewRegistry(&tool.Tool{Name: "x", InputSchema: json.RawMessage(schema), Bind: bind,
		Handler: func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{}, nil }})
	if err != nil {
		return nil, err
	}
	ready, _ := r.Get("x")
	return ready, nil
}

const boundSchema = `{"type":"object","properties":{"z":{"type":"string"},"id":{"$ref":"#/$defs/id"},"n":{"type":["integer","null"],"minimum":5},"rows":{"type":"array"},"roles":{"type":"array","items":{"type":"string"}}},
	"required":["z","id"],"additionalProperties":false,"$defs":{"id":{"type":"string","maxLength":9}}}`

var origin = tool.Origin{Place: tool.Place{Page: "p", Tab: "t"}, Scope: map[string]string{"stream": "42", "word": "four", "long": "0123456789", "quote": `"}`},
	Context: []tool.ContextItem{{ID: "rows", Label: "other", Value: "[1, 2]"}, {ID: "2", Label: "rows", Value: "no"}, {Description: "d", Value: "text"}}}

func TestBoundArguments(t *testing.T) {
	who := auth.Principal{Subject: "ada", Roles: []string{"a", "b"}}
	for name, c := range map[string]struct {
		bind         map[string]tool.Source
		raw          string
		args, lacks  string
		refusal      string
		declaredHas  string
		declaredLess string
	}{
		"text":              {bind: map[string]tool.Source{"id": "scope.stream"}, raw: `{"z":"a"}`, args: `{"z":"a","id":"42"}`, declaredHas: `"required":["z"]`, declaredLess: `"id":{"$ref"`},
		"quotes":            {bind: map[string]tool.Source{"id": "scope.quote"}, raw: `{"z":"a"}`, args: `{"z":"a","id":"\"}"}`},
		"a number":          {bind: map[string]tool.Source{"n": "scope.stream"}, raw: `{"z":"a","id":"b"}`, args: `{"z":"a","id":"b","n":42}`},
		"no number":         {bind: map[string]tool.Source{"n": "scope.word"}, lacks: "does not fit"},
		"too long":          {bind: map[string]tool.Source{"id": "scope.long"}, lacks: "does not fit"},
		"missing":           {bind: map[string]tool.Source{"id": "scope.report"}, lacks: "scope.report has no value here"},
		"no tenant":         {bind: map[string]tool.Source{"id": "principal.tenant"}, lacks: "principal.tenant has no value here"},
		"roles":             {bind: map[string]tool.Source{"roles": "principal.roles"}, raw: `{"z":"a","id":"b"}`, args: `{"z":"a","id":"b","roles":["a","b"]}`},
		"the place":         {bind: map[string]tool.Source{"id": "place.path"}, raw: `{"z":"a"}`, args: `{"z":"a","id":"p/t"}`},
		"an id beats label": {bind: map[string]tool.Source{"rows": "context.rows"}, raw: `{"z":"a","id":"b"}`, args: `{"z":"a","id":"b","rows":[1, 2]}`},
		"a description":     {bind: map[string]tool.Source{"id": "context.d"}, raw: `{"z":"a"}`, args: `{"z":"a","id":"text"}`},
		"chosen":            {bind: map[string]tool.Source{"id": "scope.stream"}, raw: `{"z":"a","id":"43"}`, refusal: `"id" is set by the application`},
		"chosen twice":      {bind: map[string]tool.Source{"id": "scope.stream"}, raw: `{"id":"43","z":"a","id":"42"}`, refusal: "invalid"},
		"sent as it is":     {bind: map[string]tool.Source{"id": "scope.stream"}, raw: `{"id":"\u0034\u0032","z":"a"}`, args: `{"z":"a","id":"42"}`},
		"the rest is wrong": {bind: map[string]tool.Source{"id": "scope.stream"}, raw: `{}`, refusal: "z"},
		"all of them":       {bind: map[string]tool.Source{"id": "scope.stream", "z": "principal.subject"}, raw: ``, args: `{"id":"42","z":"ada"}`, declaredLess: `"required"`},
	} {
		ready := must.Get(bound(t, boundSchema, c.bind))(t)
		if got := ready.Unmet(who, origin); c.lacks == "" && got != "" || !strings.Contains(got, c.lacks) {
			t.Errorf("%s: it lacks %q", name, got)
		}
		if d := string(ready.Declaration()); !strings.Contains(d, c.declaredHas) || c.declaredLess != "" && strings.Contains(d, c.declaredLess) {
			t.Errorf("%s: it is declared as %s", name, d)
		}
		if c.lacks != "" {
			continue
		}
		args, err := ready.ParseArgs(c.raw, who, origin)
		must.Be(t, string(args), c.args, "%s", name)
		must.Be(t, err != nil, c.refusal != "", "%s is refused", name)
		must.Have(t, must.Text(err), c.refusal, "%s", name)
	}
}

// What replaces the arguments of a call keeps those that were bound.
func TestEditedArgumentsKeepWhatIsBound(t *testing.T) {
	ready := must.Get(bound(t, boundSchema, map[string]tool.Source{"id": "scope.stream"}))(t)
	before := json.RawMessage(`{"z":"a","id":"7"}`)
	must.Be(t, string(must.Get(ready.ParseArgsLike(`{"z":"b"}`, before))(t)), `{"z":"b","id":"7"}`, "edited")
	must.Fail(t, must.Err(ready.ParseArgsLike(`{"z":"b","id":"42"}`, before)), "", "another id")
	must.Be(t, string(ready.Unbound(before)), `{"z":"a"}`, "without what is bound")
}

func TestABindingThatCannotBeIsRefused(t *testing.T) {
	for bind, want := range map[string]string{
		"id: principal.subjekt": "did you mean principal.subject?", "id: scope.": "needs a name", "id: user.id": "is no source", "ids: scope.x": `did you mean id?`, "id: place.size": "there is place.path",
	} {
		name, source, _ := strings.Cut(bind, ": ")
		must.Fail(t, must.Err(bound(t, boundSchema, map[string]tool.Source{name: tool.Source(source)})), want, "%s", bind)
	}
	must.Fail(t, must.Err(bound(t, "", map[string]tool.Source{"id": "scope.x"})), "", "a tool without arguments")
}

// Whatever a model writes, the bound argument is the bound value or the call is refused.
func TestNoModelChoosesABoundArgument(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"string"},"z":{}}}`
	ready := must.Get(bound(t, schema, map[string]tool.Source{"id": "scope.stream"}))(t)
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`\{("(id|z|ID|i\\u0064)" ?: ?("42"|"43"|null|\{"id":"9"\}),?){0,4}\}?`).Draw(t, "raw")
		args, err := ready.ParseArgs(raw, auth.Principal{}, origin)
		if err != nil {
			return
		}
		var got map[string]any
		if json.Unmarshal(args, &got) != nil || got["id"] != "42" {
			t.Errorf("%s becomes %s", raw, args)
		}
	})
}
