package copilotkit_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/test/must"
)

// recorded is a request as @copilotkit/core 1.74.0 has made it, and what it was answered.
type recorded struct {
	Method, Path string
	Body         json.RawMessage
	IDs          []string // made by the server, in the order they came
	Events       []string // types, each once in a row
	Text         string
}

// withSuggestions gives the server a model for suggestions.
func withSuggestions(t *testing.T) func(*server.Config) {
	const rules = `{"name":"s","rules":[{"fallback":true,"steps":[{"text":
		"[{\"label\":\"More\",\"value\":\"Tell me more\"},{\"label\":\"Less\",\"value\":\"Tell me less\"}]"}]}]}`
	model := must.Get(script.Parse("suggestions", []byte(rules)))(t)
	return func(c *server.Config) { c.Suggester = suggest.New(suggest.Config{Model: model}) }
}

// TestTheRequestsOfTheRealFrontEnd plays sessions of @copilotkit/core 1.74.0: a new thread, a tool
// of the page, an approval, one after a reload, suggestions, stop, and all that is done with
// threads. The ids that the server made then are replaced by those it makes now.
func TestTheRequestsOfTheRealFrontEnd(t *testing.T) {
	for _, name := range []string{"many", "one"} {
		t.Run(name, func(t *testing.T) {
			file := must.Get(os.ReadFile("testdata/core-1.74.0-" + name + ".jsonl"))(t)
			s := protocoltest.Serve(t, copilotkit.Protocol{}, withSuggestions(t))
			ids := map[string]string{}
			for line := range bytes.Lines(file) {
				r := must.JSON[recorded](t, line)
				r.play(t, s, ids)
			}
			// deleted in the end
			s.Read(s.Do("anns", "GET", "/v1/threads/11111111-1111-4111-8111-111111111111/runs", nil), 404)
		})
	}
}

var serverID = regexp.MustCompile(`"(?:messageId|toolCallId|id|runId)":"([a-z]+_[A-Za-z0-9_]+)"`)

func (r *recorded) play(t *testing.T, s *protocoltest.Site, ids map[string]string) {
	t.Helper()
	body := string(r.Body)
	for was, is := range ids {
		body = strings.ReplaceAll(body, `"`+was+`"`, `"`+is+`"`)
	}
	var sent any
	if body != "" {
		sent = body
	}
	resp := s.Do("anns", r.Method, r.Path, sent, "Content-Type", "application/json")
	answer := s.Read(resp, http.StatusOK)
	var now, types []string
	for _, id := range serverID.FindAllStringSubmatch(answer, -1) {
		if !slices.Contains(now, id[1]) {
			now = append(now, id[1])
		}
	}
	text := ""
	for line := range strings.Lines(answer) {
		if data, is := strings.CutPrefix(line, "data: "); is {
			e := must.JSON[struct{ Type, Delta string }](t, data)
			if types = append(types, e.Type); e.Type == "TEXT_MESSAGE_CONTENT" {
				text += e.Delta
			}
		}
	}
	if types = slices.Compact(types); !slices.Equal(types, r.Events) || text != r.Text || len(now) != len(r.IDs) {
		t.Fatalf("%s %s %s\nis answered with %q, want %q: %s", r.Method, r.Path, r.Body, types, r.Events, answer)
	}
	for i, id := range r.IDs {
		ids[id] = now[i]
	}
}
