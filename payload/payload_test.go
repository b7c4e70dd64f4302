package payload_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func llm(name, marker string) *payload.Type {
	return &payload.Type{Name: name, Source: payload.FromLLM, Marker: marker}
}

// What cannot work is reported when the types are registered, in a sentence that names the type.
func TestRegistryRefuses(t *testing.T) {
	tests := []struct {
		types []*payload.Type
		want  string
	}{
		{[]*payload.Type{nil}, "payload 0 is nil"},
		{[]*payload.Type{{}}, `payload "": a name is 1 to 64 letters`},
		{[]*payload.Type{{Name: "a b"}}, `payload "a b": a name is`},
		{[]*payload.Type{{Name: "a"}, {Name: "b"}, {Name: "a"}}, `payload "a" is defined twice`},
		{[]*payload.Type{{Name: "pageside_note"}}, `payload "pageside_note": the name is reserved`},
		{[]*payload.Type{{Name: "suggested_values"}}, "reserved"},
		{[]*payload.Type{{Name: "a", Source: "me"}}, `payload "a": "me" is no source: tool or llm`},
		{[]*payload.Type{{Name: "a", Marker: "A:"}}, `payload "a": it comes from tools and must not have a marker`},
		{[]*payload.Type{{Name: "a", Schema: json.RawMessage(`{"$ref":"#"}`)}}, `payload "a": its schema: `},
		{[]*payload.Type{{Name: "a", Schema: json.RawMessage(`{"type":"array"}`)}}, `payload "a": its schema: `},
		{[]*payload.Type{llm(strings.Repeat("x", 60), "")}, "at most 59 characters"},
		{[]*payload.Type{llm("plan", "P:"), llm("b", "X")}, `payload "b": its marker "X" must have`},
		{[]*payload.Type{llm("a", "*A:")}, `its marker "*A:" must not hold`},
		{[]*payload.Type{llm("a", "-A:")}, "must not hold"},
		{[]*payload.Type{llm("a", "A\nB:")}, "must not hold"},
		{[]*payload.Type{llm("a", "A: {")}, "must not hold"},
		{[]*payload.Type{llm("a", "GRÜN:")}, "must not hold"},
		{[]*payload.Type{llm("a", "ABC: ")}, "must not end with a blank"},
		{[]*payload.Type{llm("a", "ABC:"), llm("b", "ABC:")}, `payload "b": its marker "ABC:" is that of payload "a" too`},
		{[]*payload.Type{llm("abc", ""), llm("Abc", "")}, `payload "Abc": its marker "ABC:" is that of payload "abc" too`},
		{[]*payload.Type{llm("a", "ABC"), llm("b", "ABCD:")}, `neither may be the beginning of the other`},
		{[]*payload.Type{llm("a", "ABCD:"), llm("b", "ABC")}, `payload "b": its marker "ABC" and "ABCD:" of payload "a" begin alike`},
		{[]*payload.Type{llm("a", "SUGGESTED_")}, `"SUGGESTED_VALUES:" of payload "suggested_values" begin alike`},
	}
	for _, tt := range tests {
		must.Fail(t, must.Err(payload.NewRegistry(tt.types...)), tt.want, "the types %v", tt.types)
	}
}

func TestRegistry(t *testing.T) {
	plan := llm("schema-Proposal", "")
	r := must.Get(payload.NewRegistry(plan, &payload.Type{Name: "results"}, llm("b", "PROPOSAL:")))(t)
	plan.Description = "changed later"
	got, ok := r.Get("schema-Proposal")
	if !ok || got.Marker != "SCHEMA-PROPOSAL:" || got.Description != "" || got.ToolName() != "emit_schema-Proposal" {
		t.Errorf("%+v", got)
	}
	if got, _ := r.Get("results"); got.Source != payload.FromTool || got.Marker != "" || got.Declaration() != nil {
		t.Errorf("%+v", got)
	}
	var none *payload.Registry
	if _, ok := none.Get("a"); ok {
		t.Error("a nil registry has a type")
	}
	for range none.All() {
		t.Error("a nil registry yields a type")
	}
}

const querySchema = `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"],"additionalProperties":false}`

func one(t *testing.T, p *payload.Type) *payload.Type {
	t.Helper()
	r := must.Get(payload.NewRegistry(p))(t)
	ready, _ := r.Get(p.Name)
	return ready
}

// What a model writes is parsed, repaired, checked against the schema, and kept without its blanks.
func TestRead(t *testing.T) {
	query := one(t, &payload.Type{Name: "q", Source: payload.FromLLM, Schema: json.RawMessage(querySchema)})
	free := one(t, llm("free", ""))
	talk.Lines(t, "testdata/read.txtar", func(t *testing.T, section, written string) []string {
		if section == "values" {
			return []string{string(must.Get(json.Marshal(payload.ReadValues(written)))(t))}
		}
		got, err := map[string]*payload.Type{"a query": query, "anything": free}[section].Read(written)
		return []string{string(got) + must.Text(err)}
	})
	for written, want := range map[string]string{
		"{\n  \"query\": \"<a>\u2028\",\n  \"limit\": 3 }": "{\"query\":\"<a>\u2028\",\"limit\":3}",
		"{\"query\": \"a\nb\"}":                            `{"query":"a\nb"}`,
	} {
		must.Be(t, string(must.Get(query.Read(written))(t)), want, "%q", written)
	}
	deep := strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)
	must.Fail(t, must.Err(free.Read(deep)), "it cannot be shown", "deep JSON")
	must.Fail(t, must.Err(free.Read(`{"a":"`+strings.Repeat("x", payload.MaxBytes)+`"}`)), "too large", "large JSON")
}

// takes checks what became of a payload: its JSON, or the problem that it has.
func takes(t *testing.T, got json.RawMessage, err error, want, problem string, of any) {
	t.Helper()
	if problem != "" {
		must.Fail(t, err, problem, "%.60v", of)
		return
	}
	must.Be(t, err, nil, "%.60v", of)
	must.Be(t, string(got), want, "%.60v", of)
}

// A type's own parser comes between JSON and schema. What it does wrong costs the card.
func TestReadWithAParser(t *testing.T) {
	p := one(t, &payload.Type{Name: "q", Source: payload.FromLLM, Schema: json.RawMessage(querySchema), Parse: func(raw json.RawMessage) (json.RawMessage, error) {
		var in struct{ Q string }
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		switch in.Q {
		case "panic":
			panic("oh")
		case "error":
			return nil, errors.New("there is no such field")
		case "nothing":
			return nil, nil
		case "proto":
			return json.RawMessage(`{"query":{"__proto__":1}}`), nil
		case "broken":
			return json.RawMessage(`{"query":`), nil
		}
		return json.Marshal(map[string]string{"query": in.Q})
	}})
	for written, want := range map[string]string{
		`{"q":"a"}`: `{"query":"a"}`, `{"q":"panic"}`: "its parser failed", `{"q":"error"}`: "there is no such field",
		`{"q":"nothing"}`: "it holds nothing", `{"q":"proto"}`: "it cannot be shown", `{"q":"broken"}`: "it cannot be shown",
	} {
		got, err := p.Read(written)
		must.Have(t, string(got)+must.Text(err), want, "%s", written)
	}
}

// What a tool returns is checked like what a model writes.
func TestEncode(t *testing.T) {
	p := one(t, &payload.Type{Name: "q", Schema: json.RawMessage(querySchema)})
	type query struct {
		Query string `json:"query"`
	}
	tests := []struct {
		value         any
		want, problem string
	}{
		{query{"a<b"}, `{"query":"a\u003cb"}`, ""},
		{map[string]any{"query": "a", "limit": 1}, `{"limit":1,"query":"a"}`, ""},
		{json.RawMessage(` {"query": "a"} `), `{"query":"a"}`, ""},
		{map[string]any{"limit": 1}, "", `missing required "query"`},
		{nil, "", "it must be an object"},
		{[]int{1}, "", "it must be an object"},
		{math.NaN(), "", "it cannot be written as JSON"},
		{json.RawMessage(`{"query":"a","query":"b"}`), "", "occurs twice"},
		{json.RawMessage(`{`), "", "it cannot be written as JSON"},
		{query{strings.Repeat("x", payload.MaxBytes)}, "", "too large"},
	}
	for _, tt := range tests {
		got, err := p.Encode(tt.value)
		takes(t, got, err, tt.want, tt.problem, tt.value)
	}
}

// Suggestions that cannot be used are left out, and nothing is shown of them.
func TestReadValues(t *testing.T) {
	long := strings.Repeat("ü", 40)
	got := payload.ReadValues(`[{"label":"` + long + `ü","value":"x"},{"label":"` + long + `","value":"x"}]`)
	must.Be(t, len(got), 1, "values")
	must.Be(t, got[0].Label, long, "what is no longer than a label may be")
}

// Only actions that the page declared are suggested, and who handles them is not the model's to
// say.
func TestReadActions(t *testing.T) {
	handlers := map[string]string{"open_report": "client", "run": "server"}
	got, err := json.Marshal(payload.ReadActions(`[{"label":"Open","action":"open_report","handler":"server","args":{"id":7}},
		{"label":"Run","action":"run","args":"x"},{"label":"Deep","action":"run","args":{"a":`+strings.Repeat("[", 55)+strings.Repeat("]", 55)+`}},{"label":"Delete all","action":"delete"},{"action":"run"},{"label":"`+strings.Repeat("x", 41)+`","action":"run"}]`,
		func(action string) string { return handlers[action] }))
	const want = `[{"label":"Open","action":"open_report","handler":"client","args":{"id":7}},{"label":"Run","action":"run","handler":"server"}]`
	must.Do(t, err)
	must.Be(t, string(got), want, "actions")
}
