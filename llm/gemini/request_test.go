package gemini_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg gemini.Config, req *llm.Request) string {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return gemini.New(cfg) }
	return llmtest.Sent(t, create, vendor.Over, req)
}

var flash = gemini.Config{Model: "gemini-2.5-flash"}

func TestSchemas(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"no properties":  {`{"type":"object","properties":{},"additionalProperties":false}`, ``},
		"no schema":      {`true`, ``},
		"what is known":  {`{"type":"object","title":"T","description":"d","properties":{"a":{"type":["string","null"],"enum":["x","y"]},"b":{"type":"array","items":{"type":"number","minimum":1,"maximum":2},"minItems":1,"maxItems":9}},"required":["a"],"additionalProperties":false}`, `same`},
		"what is not":    {`{"$schema":"s","$id":"i","$comment":"c","type":"object","properties":{"a":{"type":"string","pattern":"^x$","minLength":1,"maxLength":2,"default":"x","examples":["x"],"format":"uri","not":{},"if":{},"then":{},"deprecated":true},"d":{"type":"string","format":"date-time"}},"patternProperties":{"x":{}},"dependentRequired":{},"unevaluatedProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"},"d":{"type":"string","format":"date-time"}}}`},
		"other names":    {`{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9},"c":{"const":true},"d":{"exclusiveMinimum":true,"minimum":3},"e":{"$ref":"#/definitions/E","description":"beside"}},"definitions":{"E":{"type":"string","minLength":1}}}`, `{"type":"object","properties":{"a":{"enum":["x"]},"b":{"type":"integer","minimum":0,"maximum":9},"c":{},"d":{"minimum":3},"e":{"$ref":"#/$defs/E"}},"$defs":{"E":{"type":"string"}}}`},
		"unions":         {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}]},"b":{"oneOf":[{"const":1},true]},"c":{"allOf":[{"$ref":"#/$defs/C"}],"default":1},"d":{"allOf":[{"type":"string"},{"minLength":1}],"description":"kept"}},"$defs":{"C":{"type":"object","additionalProperties":{"type":"string","pattern":"x"}}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"oneOf":[{"enum":[1]},{}]},"c":{"anyOf":[{"$ref":"#/$defs/C"}]},"d":{"description":"kept"}},"$defs":{"C":{"type":"object","additionalProperties":{"type":"string"}}}}`},
		"enum of others": {`{"type":"object","properties":{"a":{"enum":["x",null,true,1,{}]},"b":{"type":"boolean","enum":[true]}},"required":["a","missing",7]}`, `{"type":"object","properties":{"a":{"enum":["x",1]},"b":{"type":"boolean"}},"required":["a"]}`},
		"required only":  {`{"type":"object","properties":{"a":{}},"required":["b"]}`, `{"type":"object","properties":{"a":{}}}`},
		"tuple":          {`{"type":"object","properties":{"a":{"items":[{"type":"string"}]},"b":{"prefixItems":[{"type":"string","pattern":"x"}],"items":false}}}`, `{"type":"object","properties":{"a":{},"b":{"prefixItems":[{"type":"string"}]}}}`},
		"odd keys":       {`{"type":"object","properties":{"type":{"type":"string","pattern":"x"},"$ref":{"type":"string"},"a\"b":{"const":2}}}`, `{"type":"object","properties":{"type":{"type":"string"},"$ref":{"type":"string"},"a\"b":{"enum":[2]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.want == "same" {
				tc.want = tc.schema
			}
			got := ""
			for range 2 { // the second time from memory
				got = string(gemini.CutSchema(json.RawMessage(tc.schema)))
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000)
	if got := gemini.CutSchema(json.RawMessage(deep)); !json.Valid(got) || len(got) > 10_000 {
		t.Errorf("a deep schema: %d bytes", len(got))
	}
}

func TestHeaders(t *testing.T) {
	for base, want := range map[string]string{
		"":                          "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/":             "https://host/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/sub/v1alpha/": "https://host/sub/v1alpha/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
	} {
		cfg := gemini.Config{
			BaseURL: base, Model: "models/gemini-2.5-flash", APIKey: " key\n", Headers: http.Header{"x-extra": {"a"}, "X-Goog-Api-Key": {"no"}},
		}
		create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return gemini.New(cfg) }
		got := llmtest.Asked(t, create, vendor.Over)
		must.Be(t, got.Method+" "+got.URL.String(), "POST "+want, "the request")
		llmtest.HasHeaders(t, got, map[string]string{"X-Goog-Api-Key": "key", "X-Extra": "a", "Accept-Encoding": "identity"})
	}
}
