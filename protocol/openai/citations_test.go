package openai_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pageside/pageside/protocol/openai"
	"github.com/pageside/pageside/protocol/protocoltest"
)

// Marks in the text are annotations where their source has an address of the web.
func TestCitations(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	const found = `{"end_index":%d,"start_index":%d,"title":"First study","url":"https://example.com/1"}`
	// Positions are in characters: ö and ß are one each.
	first, second := fmt.Sprintf(found, 9, 6), fmt.Sprintf(found, 28, 22)
	flat := func(citation string) string {
		return citation[:len(citation)-len(`,"url":"https://example.com/1"}`)] + `,"type":"url_citation","url":"https://example.com/1"}`
	}
	wantResponse := "[" + flat(first) + "," + flat(second) + "]"
	wantCompletion := `[{"type":"url_citation","url_citation":` + first + `},{"type":"url_citation","url_citation":` + second + "}]"
	compare := func(what string, got any, want string) {
		t.Helper()
		if raw, _ := json.Marshal(got); string(raw) != want {
			t.Errorf("%s has the annotations\n%s\nwant\n%s", what, raw, want)
		}
	}
	body, _ := completionBody(t, protocoltest.Question{Text: "cite"}, false)
	compare("the completion", at(decode(t, s.Read(s.Do("anns", "POST", "/v1/chat/completions", body), 200)), "choices", 0, "message", "annotations"), wantCompletion)
	body["stream"] = true
	all, _ := chunks(t, s, s.Do("anns", "POST", "/v1/chat/completions", body))
	compare("the streamed completion", at(all[len(all)-2], "choices", 0, "delta", "annotations"), wantCompletion)

	question := protocoltest.Question{Text: "cite"}
	compare("the response", at(decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", responseBody(question, false)), 200)), "output", 0, "content", 0, "annotations"), wantResponse)
	all, _ = chunks(t, s, s.Do("anns", "POST", "/v1/responses", responseBody(question, true)))
	var added []any
	for _, e := range all {
		switch e["type"] {
		case "response.output_text.annotation.added":
			added = append(added, e["annotation"])
		case "response.content_part.done":
			compare("the part", at(e, "part", "annotations"), wantResponse)
		}
	}
	compare("the stream", added, wantResponse)
	compare("the streamed response", at(all[len(all)-1], "response", "output", 0, "content", 0, "annotations"), wantResponse)
}
