package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/schema"
	"github.com/pageside/pageside/test/must"
)

// allOfBomb is 2^n schemas in a few bytes each: every definition is twice the one below it.
func allOfBomb(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

func deep(n int) string {
	return strings.Repeat(`{"properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
}

func wide(n int) string {
	var b strings.Builder
	b.WriteString(`{"properties":{`)
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{},`, i)
	}
	return b.String() + `"last":{}}}`
}

// Hostile and broken schemas are refused, quickly and with a reason.
func TestSchemasRefused(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"self reference", `{"$ref":"#"}`, `"#" refers back to itself`},
		{"mutual reference", `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{"$ref":"#/$defs/a"}}}}`, "refers back to itself"},
		{"reference to an ancestor", `{"properties":{"a":{"properties":{"b":{"$ref":"#/properties/a"}}}}}`, "refers back to itself"},
		{"escaped self reference", `{"$defs":{"a/b":{"not":{"$ref":"#/$defs/a~1b"}}},"properties":{"x":{"$ref":"#/%24defs/a~1b"}}}`, "refers back to itself"},
		{"doubling", allOfBomb(20), "expands to more than 2000 nodes"},
		{"doubling less often", allOfBomb(9), "expands to more than 2000 nodes"},
		{"too large", `{"description":"` + strings.Repeat("x", 17<<10) + `"}`, "too large"},
		{"too deep", deep(20), "nested deeper than 32"},
		{"very deep", deep(400), "nested deeper than 32"},
		{"too many nodes", wide(1100), "more than 1000 objects and arrays"},
		{"file", `{"$ref":"file:///etc/passwd"}`, "only references into the schema itself"},
		{"http", `{"properties":{"a":{"$ref":"http://169.254.169.254/latest"}}}`, "only references into the schema itself"},
		{"relative file", `{"$ref":"other.json#/a"}`, "only references into the schema itself"},
		{"anchor", `{"$ref":"#there","$defs":{"a":{"$anchor":"there"}}}`, "support"},
		{"dynamic", `{"$dynamicRef":"#x"}`, "$dynamicRef is not supported"},
		{"nested id", `{"properties":{"a":{"$id":"http://x/","$ref":"#/b"}}}`, "only supported at the top"},
		{"nowhere", `{"$ref":"#/$defs/none"}`, "points to nothing"},
		{"own dialect", `{"$schema":"http://example.com/my-schema"}`, "is not supported"},
		{"old dialect", `{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/"}`, "is not supported"},
		{"number bomb", `{"properties":{"a":{"minimum":1e999999999}}}`, "out of range"},
		{"long number", `{"properties":{"a":{"minimum":1` + strings.Repeat("0", 500) + `}}}`, "a number has 501 characters"},
		{"duplicate keys", `{"type":"object","type":"object"}`, `the name "type" occurs twice`},
		{"prototype", `{"properties":{"__proto__":{}}}`, "__proto__"},
		{"not an object schema", `{"type":"string"}`, `type must be "object"`},
		{"a boolean", `true`, "must be a JSON object"},
		{"an array", `[]`, "must be a JSON object"},
		{"cut off", `{"type":`, "ends in the middle"},
		{"blank", " ", "it is empty"},
		{"two values", `{} {}`, "more after"},
		{"wrong type", `{"properties":{"a":{"type":"text"}}}`, "the schema is not valid: $.properties.a.type: must be one of array, "},
		{"no types", `{"properties":{"a":{"type":[]}}}`, "$.properties.a.type: expected a type or a list of different types"},
		{"wrong shape", `{"required":"a"}`, "$.required: expected array, got string"},
		{"names twice", `{"required":["a","a"]}`, "$.required: expected different strings"},
		{"no alternatives", `{"anyOf":[]}`, "$.anyOf: expected array of schemas, at least one"},
		{"wrong schema", `{"properties":{"a":{"items":3}}}`, "$.properties.a.items: expected boolean or object, got number"},
		{"items of an older draft", `{"properties":{"a":{"items":[true]}}}`, "$.properties.a.items: expected boolean or object, got array"},
		{"wrong number", `{"properties":{"a":{"minLength":-1}}}`, "$.properties.a.minLength: must be a whole number, 0 or more"},
		{"half a number", `{"properties":{"a":{"minLength":1.5}}}`, "$.properties.a.minLength: must be a whole number, 0 or more"},
		{"wrong divisor", `{"properties":{"a":{"multipleOf":0}}}`, "$.properties.a.multipleOf: must be a number above 0"},
		{"wrong title", `{"title":1}`, "$.title: expected string, got number"},
		{"wrong needs", `{"dependentRequired":{"a":"b"}}`, "$.dependentRequired: a: expected array, got string"},
		{"wrong in a definition", `{"$defs":{"a":{"enum":1}}}`, "$.$defs.a.enum: expected array, got number"},
		{"reference into data that is a cycle", `{"default":{"a":{"$ref":"#/default/a"}},"properties":{"x":{"$ref":"#/default/a"}}}`, "refers back to itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := schema.Compile(json.RawMessage(tt.schema))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// What honest clients send is taken.
func TestSchemasTaken(t *testing.T) {
	for _, declared := range []string{
		``, `null`, `{}`,
		`{"type":"object","properties":{}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/s","type":"object","properties":{"a":{"type":["string","null"],"default":{"$ref":"#"}}}}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"$ref":{"type":"string"},"enum":{"enum":["$ref"]},"default":{"type":"object","properties":{"x":{}}}}}`,
		`{"properties":{"a":{"$ref":"#/$defs/p"},"b":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"integer"}}}`,
		// what zod 4 writes for an email: Go has no look-ahead
		`{"type":"object","properties":{"mail":{"type":"string","format":"email","pattern":"^(?!\\.)(?!.*\\.\\.)([a-z]+)@x$"}}}`,
		allOfBomb(6), deep(15),
	} {
		start := time.Now()
		must.Be(t, must.Err(schema.Compile(json.RawMessage(declared))), nil, "%.80s", declared)
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%.80s took %v", declared, took)
		}
	}
}

func TestValidationErrors(t *testing.T) {
	const declared = `{
		"type":"object", "required":["from"], "additionalProperties":false,
		"properties":{
			"from":{"type":"string","minLength":2},
			"n":{"type":"integer","minimum":1,"maximum":10},
			"filters":{"type":"array","maxItems":2,"items":{"type":"object","properties":{"op":{"enum":["is","is not"]}},"required":["op"]}},
			"either":{"anyOf":[{"type":"string"},{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}]},
			"few":{"type":"string","enum":["a","b"],"maxLength":0},
			"one":{"oneOf":[{"type":"integer"},{"type":"number"}]},
			"kind":{"const":"x"}, "code":{"pattern":"^[A-Z]+$"}, "never":false, "u":{"uniqueItems":true},
			"names":{"propertyNames":{"maxLength":2},"minProperties":1,"dependentRequired":{"a":["b"]}},
			"some":{"contains":{"type":"string"},"maxContains":2},
			"half":{"multipleOf":0.5,"exclusiveMaximum":3,"not":{"const":1}}
		}}`
	s := must.Get(schema.Compile(json.RawMessage(declared)))(t)
	tests := []struct{ args, want string }{
		{`{"from":"now"}`, ""},
		{`{}`, `$: missing required "from"`},
		{`{"from":1}`, `$.from: expected string, got number`},
		{`{"from":"x"}`, `$.from: must have at least 2 characters, has 1`},
		{`{"from":"now","form":1}`, `$: unknown "form"`},
		{`{"from":"now","n":0}`, `$.n: must be at least 1`},
		{`{"from":"now","n":1.5}`, `$.n: expected integer, got number`},
		{`{"from":"now","filters":[{"op":"is"},{"op":"=="}]}`, `$.filters[1].op: must be one of "is", "is not"`},
		{`{"from":"now","filters":[{},{"op":"is"},{"op":"is"}]}`, `$.filters: must have at most 2 items, has 3; $.filters[0]: missing required "op"`},
		{`{"from":"now","either":{"id":"7"}}`, `$.either: fits none of 2 allowed shapes (closest: $.either.id: expected integer, got string)`},
		{`{"from":"now","few":1}`, `$.few: expected string, got number`},
		{`{"from":"now","few":"cc"}`, `$.few: must be one of "a", "b"`},
		{`{"from":"now","one":1}`, `$.one: fits more than one of the allowed shapes, numbers 1 and 2`},
		{`{"from":"now","kind":"y","code":"a","never":1}`, `$.code: must match the pattern "^[A-Z]+$"; $.kind: must be "x"; $.never: is not allowed here`},
		{`{"from":"now","u":[1,2,1.0]}`, `$.u: items at 0 and 2 are equal`},
		{`{"from":"now","names":{"abc":1}}`, `$.names: the name "abc" must have at most 2 characters, has 3`},
		{`{"from":"now","names":{}}`, `$.names: must have at least 1 properties, has 0`},
		{`{"from":"now","names":{"a":1}}`, `$.names: missing "b", which "a" requires`},
		{`{"from":"now","some":[1]}`, `$.some: must contain at least 1 items of the shape asked for, has 0`},
		{`{"from":"now","some":["a","b","c"]}`, `$.some: must contain at most 2 items of the shape asked for, has 3`},
		{`{"from":"now","half":0.7}`, `$.half: must be a multiple of 0.5`},
		// what clients send is not checked for numbers that take a second each to compute with
		{`{"from":"now","half":1e999999}`, `$.half: is out of range`},
		{`{"from":"now","half":1e-999999}`, `$.half: is out of range`},
		{`{"from":"now","n":1e999999}`, `$.n: expected integer, got number`},
		{`{"from":"now","u":[1e999999,1e-999999,1e999999]}`, `$.u: items at 0 and 2 are equal`},
		{`{"from":"now","half":3}`, `$.half: must be less than 3`},
		{`{"from":"now","half":1}`, `$.half: has a shape that is not allowed`},
		// the problems have an order, and an end
		{`{"b":1,"a":1,"u":[1,1],"n":0,"kind":1,"half":7,"code":"1","from":1}`, `$.code: must match the pattern "^[A-Z]+$"; ` +
			`$.from: expected string, got number; $.half: must be less than 3; $.kind: must be "x"; $.n: must be at least 1; and 2 more problems`},
	}
	for _, tt := range tests {
		err := s.Validate(json.RawMessage(tt.args))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.args, err, tt.want)
		}
	}
}

// A pattern that would take a second to compile and megabytes to keep is not checked; those beside
// it are.
func TestHugePatterns(t *testing.T) {
	huge := strings.Repeat("(a?){1000}", 100) + "$"
	long := "^[" + strings.Repeat("ab", 2600) + "]$"
	for _, tt := range []struct{ declared, value, want string }{
		{`{"properties":{"a":{"pattern":"` + huge + `"}}}`, `{"a":"!"}`, ""},
		{`{"properties":{"a":{"pattern":"` + long + `"}}}`, `{"a":"!"}`, ""},
		{`{"properties":{"a":{"pattern":"` + huge + `"},"b":{"pattern":"^x{999}"}}}`, `{"b":"!"}`, `$.b: must match the pattern "^x{999}"`},
		{`{"properties":{"a":{"pattern":"^[\\p{L} ]{1,60}$"}}}`, `{"a":"!"}`, `$.a: must match the pattern "^[\\p{L} ]{1,60}$"`},
		// all of a schema's are limited together
		{`{"properties":{"a":{"pattern":"^(xy){990}$"},"b":{"pattern":"^(zy){990}$"}}}`, `{"b":"!"}`, ""},
		// what it would match is allowed
		{`{"patternProperties":{"` + huge + `":false},"additionalProperties":false}`, `{"a":1}`, ""},
	} {
		s := must.Get(schema.Compile(json.RawMessage(tt.declared)))(t)
		err := s.Validate(json.RawMessage(tt.value))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%.60s: %v, want %s", tt.declared, err, tt.want)
		}
	}
}

// What a keyword means may depend on the draft.
func TestDrafts(t *testing.T) {
	for _, tt := range []struct {
		declared, value string
		drafts          string // by which it fits
	}{
		{`{"contains":{"type":"string"},"minContains":0}`, `[1]`, "2019-09 2020-12"},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, "draft-07"},
		{`{"contains":{"type":"string"},"unevaluatedItems":false}`, `["a"]`, "draft-07 2020-12"},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a"]`, "draft-07 2019-09"},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, ""},
		{`{"prefixItems":[{"type":"string"}]}`, `[1]`, "draft-07 2019-09"},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, ""},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "draft-07"},
	} {
		for draft, dialect := range map[string]string{
			"draft-07": "http://json-schema.org/draft-07/schema#", "2019-09": "https://json-schema.org/draft/2019-09/schema",
			"2020-12": "https://json-schema.org/draft/2020-12/schema",
		} {
			s, err := schema.Compile(fmt.Appendf(nil, `{"$schema":%q,"properties":{"x":%s}}`, dialect, tt.declared))
			if err == nil {
				err = s.Validate(fmt.Appendf(nil, `{"x":%s}`, tt.value))
			}
			if fits := strings.Contains(tt.drafts, draft); fits != (err == nil) {
				t.Errorf("%s %s by %s: %v", tt.declared, tt.value, draft, err)
			}
		}
	}
}

// draft-07 checks formats, and later drafts note them.
func TestFormats(t *testing.T) {
	right := map[string]string{
		"date-time": "2026-03-12T14:00:00.5Z", "date": "2026-02-28", "time": "23:59:60Z", "email": "a@example.com",
		"hostname": "a-b.example", "ipv4": "127.0.0.1", "ipv6": "::1", "uri": "https://example.com/a", "uri-reference": "/a?b",
		"uuid": "018f3c5a-1b2c-7d3e-8f40-123456789abc", "color": "anything",
	}
	wrong := map[string]string{
		"date-time": "yesterday", "date": "2026-02-30", "time": "12:00", "email": "Ann <a@example.com>", "hostname": "-a",
		"ipv4": "::1", "ipv6": "127.0.0.1", "uri": "/a", "uri-reference": `\\a`, "uuid": "018f3c5a",
	}
	for format, value := range right {
		must.Be(t, checkFormat(t, "http://json-schema.org/draft-07/schema#", format, value), nil, "%s", format)
	}
	for format, value := range wrong {
		err := checkFormat(t, "http://json-schema.org/draft-07/schema#", format, value)
		if err == nil || err.Error() != "$.a: must be a valid "+format {
			t.Errorf("%s %q: %v", format, value, err)
		}
		must.Be(t, checkFormat(t, "https://json-schema.org/draft/2020-12/schema", format, value), nil, "%s", format)
	}
}

func checkFormat(t *testing.T, dialect, format, value string) error {
	t.Helper()
	s := must.Get(schema.Compile(fmt.Appendf(nil, `{"$schema":%q,"properties":{"a":{"format":%q}}}`, dialect, format)))(t)
	return s.Validate(fmt.Appendf(nil, `{"a":%q}`, value))
}

// Many runs compile the same and different schemas at once.
func TestCompileConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 600 {
		wg.Go(func() {
			declared := fmt.Sprintf(`{"type":"object","properties":{"p%d":{"type":"string"}}}`, i%550)
			s, err := schema.Compile(json.RawMessage(declared))
			if err != nil {
				t.Error(err)
				return
			}
			if s.Validate(json.RawMessage(fmt.Sprintf(`{"p%d":1}`, i%550))) == nil {
				t.Error("the wrong schema came back")
			}
		})
	}
	wg.Wait()
}

// FuzzCompile: no schema a client can send takes long or panics, compiled or used.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`{}`, `{"$ref":"#"}`, allOfBomb(10), deep(10), wide(10), `{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"enum":[1]}}}`, `{"pattern":"("}`, `{"multipleOf":0}`, `{"if":true,"then":{"$ref":"#/if"}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, declared string) {
		start := time.Now()
		s, err := schema.Compile(json.RawMessage(declared))
		if err == nil {
			_ = s.Validate(json.RawMessage(`{"a":[{"b":1},{"b":1}],"b":"x","c":1.5}`))
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// TestDeclaration: what a model is told has the type that providers insist on.
func TestDeclaration(t *testing.T) {
	for in, want := range map[string]string{
		``: ``, `null`: ``, `{}`: `{"type":"object","properties":{}}`, ` { } `: `{"type":"object","properties":{}}`,
		`{"properties":{}}`: `{"type":"object","properties":{}}`, `{"type":"object"}`: `{"type":"object"}`,
	} {
		s := must.Get(schema.Compile(json.RawMessage(in)))(t)
		must.Be(t, string(s.Declaration()), want, "%s", in)
	}
}

// A schema is strict where every provider with a strict mode takes it; one of them refuses the
// request for the rest.
func TestStrict(t *testing.T) {
	object := func(properties, required string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + properties + `},"required":[` + required + `]}`
	}
	for declared, want := range map[string]bool{
		object(`"a":{"type":"string","description":"x","enum":["p","q"]},"b":{"type":"array","items":{"type":"integer"}}`, `"a","b"`): true,
		object(`"a":`+object(`"b":{"anyOf":[{"type":"string"},{"type":"null"}]}`, `"b"`), `"a"`):                                      true,
		// more may come
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`: false,
		// b may be left out
		object(`"a":{"type":"string"},"b":{"type":"string"}`, `"a"`):       false,
		object(`"a":{"type":["string","null"]}`, `"a"`):                    false,
		object(`"a":{"type":"string","maxLength":4}`, `"a"`):               false,
		object(`"a":{"type":"number","minimum":4}`, `"a"`):                 false,
		object(`"a":{"type":"array"}`, `"a"`):                              false,
		object(`"a":{}`, `"a"`):                                            false,
		object(`"a":{"type":"object"}`, `"a"`):                             false,
		object(`"a":{"anyOf":[{"type":"string","format":"date"}]}`, `"a"`): false,
		`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"],"$defs":{"a":{"type":"string"}}}`: false,
		`{"type":"object","additionalProperties":false}`: false, ``: false,
	} {
		s, err := schema.Compile(json.RawMessage(declared))
		if err != nil {
			t.Fatal(declared, err)
		}
		if s.Strict() != want {
			t.Errorf("%s: %v", declared, s.Strict())
		}
	}
}
