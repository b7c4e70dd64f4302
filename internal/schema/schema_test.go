package schema_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/schema"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
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

func TestSchemas(t *testing.T) {
	talk.Lines(t, "testdata/schemas.txtar", func(t *testing.T, section, declared string) []string {
		compiled, err := schema.Compile(json.RawMessage(declared))
		switch {
		case err != nil:
			return []string{err.Error()}
		case section == "closed":
			closed := must.Get(schema.Closed(json.RawMessage(declared)))(t)
			must.Be(t, must.Err(schema.Compile(closed)), nil, "%s", closed)
			return []string{string(closed)}
		case section == "declared":
			return []string{cmp.Or(string(compiled.Declaration()), "no schema")}
		case compiled.Strict():
			return []string{"strict"}
		}
		return []string{"not strict"}
	})
}

// No schema at all is one without arguments.
func TestNoSchema(t *testing.T) {
	none := must.Get(schema.Compile(nil))(t)
	must.Be(t, string(none.Declaration()), "", "it is declared as")
	must.Be(t, none.Strict(), false, "it is strict")
	blanks := must.Get(schema.Compile(json.RawMessage(" { } ")))(t)
	must.Be(t, string(blanks.Declaration()), `{"type":"object","properties":{}}`, "one of blanks")
	closed := must.Get(schema.Closed(nil))(t)
	must.Be(t, string(closed), `{"type":"object","properties":{},"additionalProperties":false}`, "closed")
	must.Fail(t, must.Err(schema.Closed(json.RawMessage(`{"a":`))), "", "half a schema")
}

// What is closed refuses what is not declared, wherever it stands.
func TestClosedSchemasRefuse(t *testing.T) {
	closed := must.Get(schema.Closed(json.RawMessage(`{"properties":{"a":{"$ref":"#/$defs/x"},` +
		`"l":{"items":{"properties":{"c":{}}}}},"$defs":{"x":{"properties":{"b":{}}}}}`)))(t)
	s := must.Get(schema.Compile(closed))(t)
	for in, ok := range map[string]bool{
		`{"a":{"b":1},"l":[{"c":1}]}`: true, `{"a":{"b":1,"x":1}}`: false, `{"l":[{"x":1}]}`: false, `{"x":1}`: false,
	} {
		must.Be(t, s.Validate(json.RawMessage(in)) == nil, ok, "%s fits", in)
	}
}

// Hostile schemas are refused quickly.
func TestHostileSchemas(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"doubling":            {allOfBomb(20), "expands to more than 2000 nodes"},
		"doubling less often": {allOfBomb(9), "expands to more than 2000 nodes"},
		"too large":           {`{"description":"` + strings.Repeat("x", 17<<10) + `"}`, "too large"},
		"too deep":            {deep(20), "nested deeper than 32"},
		"very deep":           {deep(400), "nested deeper than 32"},
		"too many nodes":      {wide(1100), "more than 1000 objects and arrays"},
		"long number":         {`{"properties":{"a":{"minimum":1` + strings.Repeat("0", 500) + `}}}`, "a number has 501 characters"},
		"blank":               {" ", "it is empty"},
	} {
		start := time.Now()
		must.Fail(t, must.Err(schema.Compile(json.RawMessage(tt.schema))), tt.want, "%s", name)
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %v", name, took)
		}
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

func TestValues(t *testing.T) {
	talk.Open(t, "testdata/values.txtar", func(t *testing.T, file *talk.File) {
		s := must.Get(schema.Compile(file.Section("schema")))(t)
		var out strings.Builder
		talk.Play(&out, file.Lines("values"), new(talk.Names), func(value string) []string {
			return []string{cmp.Or(must.Text(s.Validate(json.RawMessage(value))), "fits")}
		})
		file.Compare(t, "values", out.String())
	})
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
		must.Be(t, must.Text(s.Validate(json.RawMessage(tt.value))), tt.want, "%.60s", tt.declared)
	}
}

// Checking a value ends soon, whatever its schema asks of each part: it is refused where that would
// take minutes.
func TestCostlyValues(t *testing.T) {
	repeat := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	all := func(n int, one string) string { return `{"allOf":[` + repeat(n, one) + `]}` }
	numbers := "[" + repeat(60_000, "123") + "]"
	text := `"` + strings.Repeat("a", 250_000) + `"`
	const tooMuch = "$: is too large for what its schema checks"
	for name, c := range map[string]struct{ schema, value, problem string }{
		"items":    {`{"items":` + all(900, `{"minimum":1}`) + `}`, numbers, tooMuch},
		"empty":    {`{"items":` + all(900, `{}`) + `}`, numbers, tooMuch},
		"problems": {`{"items":` + all(900, `{"minimum":1000}`) + `}`, numbers, tooMuch},
		"rational": {`{"items":` + all(500, `{"multipleOf":1e-300}`) + `}`, "[" + repeat(30_000, "1.5e300") + "]", tooMuch},
		"contains": {all(400, `{"contains":{"const":"x"}}`), numbers, tooMuch},
		"not":      {`{"not":` + all(400, `{"contains":{"const":"x"}}`) + `}`, numbers, tooMuch},
		"equal":    {all(480, `{"enum":[1]}`), numbers, tooMuch},
		"unique":   {all(400, `{"uniqueItems":true}`), "[" + repeat(9, text[:25_000]+`"`) + "]", tooMuch},
		"pattern":  {all(300, `{"pattern":"^(a|aa)*b$"}`), text, tooMuch},
		"large":    {`{"items":{"type":"integer","minimum":1,"maximum":200}}`, numbers, ""},
		"long":     {`{"type":"string","pattern":"^[a-z]+$","maxLength":300000}`, text, ""},
	} {
		t.Run(name, func(t *testing.T) {
			compiled := must.Get(schema.Compile(json.RawMessage(`{"properties":{"a":` + c.schema + `}}`)))(t)
			must.Be(t, must.Text(compiled.Validate(json.RawMessage(`{"a":`+c.value+`}`))), c.problem, "a value")
		})
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
			must.Be(t, err == nil, strings.Contains(tt.drafts, draft), "%s fits %s by %s", tt.value, tt.declared, draft)
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
		must.Be(t, must.Text(err), "$.a: must be a valid "+format, "%s", value)
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
			if err != nil || s.Validate(fmt.Appendf(nil, `{"p%d":1}`, i%550)) == nil {
				t.Errorf("another schema came back, or %v", err)
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
