package openai_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/protocol/openai"
	"github.com/pageside/pageside/protocol/protocoltest"
)

const citySchema = `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"],"additionalProperties":false}`

// asked is a request to either API, with more of its members.
func asked(path, question, more string, stream bool) string {
	body := `{"model":"default",` + more
	if stream {
		body += `"stream":true,`
	}
	if path == "/v1/responses" {
		return body + `"input":"` + question + `"}`
	}
	return body + `"messages":[{"role":"user","content":"` + question + `"}]}`
}

// told asks in all ways and returns what the client gets of the answer, and its error.
func told(t *testing.T, s *protocoltest.Site, path, question, more string, stream bool) (content, failure string) {
	t.Helper()
	resp := s.Do("anns", "POST", path, asked(path, question, more, stream))
	if stream {
		all, _ := chunks(t, s, resp)
		for _, e := range all {
			content += text(e, "choices", 0, "delta", "content")
			if e["type"] == "response.output_text.delta" {
				content += text(e, "delta")
			}
		}
		last := all[len(all)-1]
		return content, text(last, "error", "message") + text(last, "response", "error", "message")
	}
	whole := decode(t, s.Read(resp, resp.StatusCode))
	return text(whole, "choices", 0, "message", "content") + text(whole, "output", 0, "content", 0, "text"), text(whole, "error", "message")
}

// TestForm: an answer has the JSON that was asked for, and nothing else: what the model has written
// around it is left out, prose is written again, and what cannot be had is an error.
func TestForm(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	for path, format := range map[string]string{
		"/v1/chat/completions": `"response_format":{"type":"json_schema","json_schema":{"name":"place","strict":true,"schema":` + citySchema + `}},`,
		"/v1/responses":        `"text":{"verbosity":"low","format":{"type":"json_schema","name":"place","strict":true,"schema":` + citySchema + `}},`,
	} {
		for _, stream := range []bool{false, true} {
			for question, want := range map[string]string{"city as json": `{"city": "Oslo"}`, "city as prose": `{"city":"Oslo"}`} {
				if got, failure := told(t, s, path, question, format, stream); got != want || failure != "" {
					t.Errorf("%s, streamed: %t, %s: %q, %q", path, stream, question, got, failure)
				}
			}
			if got, failure := told(t, s, path, "hello", format, stream); got != "" || !strings.Contains(failure, "does not have the form") {
				t.Errorf("%s, streamed: %t: what cannot be had is %q, %q", path, stream, got, failure)
			}
		}
	}
	if got, failure := told(t, s, "/v1/chat/completions", "city as json", `"response_format":{"type":"json_object"},`, false); got != `{"city": "Oslo"}` {
		t.Errorf("any object: %q, %q", got, failure)
	}
	for path, plain := range map[string]string{"/v1/chat/completions": `"response_format":{"type":"text"},`, "/v1/responses": `"text":{"format":{"type":"text"}},`} {
		if got, _ := told(t, s, path, "city as prose", plain, true); got != "Let me count.\n\nThe city is Oslo." {
			t.Errorf("%s: a text is %q", path, got)
		}
	}
}

// TestToolChoice: a tool that must be called is called first, before the server's tools, or the
// answer is an error.
func TestToolChoice(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	const pick = `"name":"pick","description":"Picks.","parameters":{"type":"object","properties":{"from":{"type":"string"}}}}`
	completion := `"tools":[{"type":"function","function":{` + pick + `}],`
	response := `"tools":[{"type":"function",` + pick + `],`
	for name, c := range map[string]struct{ path, more string }{
		"required":               {"/v1/chat/completions", completion + `"tool_choice":"required",`},
		"one":                    {"/v1/chat/completions", completion + `"tool_choice":{"type":"function","function":{"name":"pick"}},`},
		"required of a response": {"/v1/responses", response + `"tool_choice":"required",`},
		"one of a response":      {"/v1/responses", response + `"tool_choice":{"type":"function","name":"pick"},`},
	} {
		raw := s.Read(s.Do("anns", "POST", c.path, asked(c.path, "choose", c.more, false)), 200)
		whole := decode(t, raw)
		if !strings.Contains(raw, `its own`) || text(whole, "choices", 0, "message", "tool_calls", 0, "function", "name")+text(whole, "output", 0, "name") != "pick" {
			t.Errorf("%s: %s", name, raw)
		}
		for _, stream := range []bool{false, true} {
			if _, failure := told(t, s, c.path, "hello", c.more, stream); !strings.Contains(failure, "has called no tool") {
				t.Errorf("%s, streamed: %t: no call is %q", name, stream, failure)
			}
		}
	}
	if got, failure := told(t, s, "/v1/chat/completions", "hello", completion+`"tool_choice":"auto",`, false); got == "" || failure != "" {
		t.Errorf("a choice of the model's: %q, %q", got, failure)
	}
	if raw := s.Read(s.Do("anns", "POST", "/v1/chat/completions", asked("/v1/chat/completions", "choose", completion, false)), 200); !strings.Contains(raw, "all tools") {
		t.Errorf("a choice of the model's: %s", raw)
	}
}
