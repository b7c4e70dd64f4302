package opensearch_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/test/must"
)

var pick = []agui.Tool{protocoltest.Pick}

const whole = "/_plugins/_ml/agents/default/_execute"

// answer is an answer in ml-commons' own format.
type answer struct {
	Error   string
	Results []struct {
		Output []struct {
			Name, Result string
			DataAsMap    *struct {
				Content string
				IsLast  bool `json:"is_last"`
			}
		}
	} `json:"inference_results"`
}

// said returns the text, and the ids of the memory and the interaction.
func (a answer) said(t *testing.T) (text, memory, interaction string) {
	t.Helper()
	if len(a.Results) != 1 || len(a.Results[0].Output) != 3 {
		t.Fatalf("no answer of ml-commons: %+v", a)
	}
	out := a.Results[0].Output
	if out[0].Name != "memory_id" || out[1].Name != "parent_interaction_id" || out[2].Name != "response" {
		t.Fatalf("%+v", out)
	}
	text = out[2].Result
	if out[2].DataAsMap != nil {
		text = out[2].DataAsMap.Content
	}
	return text, out[0].Result, out[1].Result
}

func question(memory, text string) object {
	p := object{"question": text, "verbose": false}
	if memory != "" {
		p["memory_id"] = memory
	}
	return object{"parameters": p}
}

func executed(t *testing.T, s *protocoltest.Site, body any) (text, memory string) {
	t.Helper()
	a := must.JSON[answer](t, s.Read(s.Do("anns", "POST", whole, body), 200))
	text, memory, _ = a.said(t)
	return text, memory
}

func streamed(t *testing.T, resp *http.Response) (text, memory, failure string) {
	t.Helper()
	last := false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var a answer
		if err := json.Unmarshal([]byte(data), &a); err != nil || last {
			t.Fatalf("%s after the last: %t, %v", data, last, err)
		}
		if a.Error != "" {
			return text, memory, a.Error
		}
		delta, of, _ := a.said(t)
		text, memory, last = text+delta, of, a.Results[0].Output[2].DataAsMap.IsLast
	}
	if !last {
		t.Error("no chunk is the last one")
	}
	return text, memory, ""
}

func TestNative(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	text, memory := executed(t, s, question("", "count trials"))
	if text != "Let me count.\n\nThere are 18 trials." {
		t.Errorf("%q", text)
	}
	text, same, _ := streamed(t, s.Do("anns", "POST", stream, question(memory, "count reports")))
	if text != "Let me count.\n\nThere are 18 reports." || same != memory {
		t.Errorf("%q of %s", text, same)
	}
	if page, err := s.Store.Messages(t.Context(), owner, memory, 0, 100); err != nil || len(page.Items) < 8 {
		t.Errorf("the memory has %d messages: %v", len(page.Items), err)
	}
	for name, input := range map[string]any{
		"text":   "hello",
		"blocks": []object{{"type": "text", "text": "hello"}, {"type": "image", "source": object{"type": "base64", "format": "png", "data": "iVBORw0KGgo="}}},
		"messages": []object{{"role": "user", "content": []object{{"type": "text", "text": "pick"}}}, {"role": "assistant", "content": []object{{"type": "text", "text": "x"}}},
			{"role": "user", "content": []object{{"type": "text", "text": "hello"}}}},
	} {
		if text, _ := executed(t, s, object{"input": input}); text != "Hello to <you> & all." {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestNativeFailures(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	if _, _, failure := streamed(t, s.Do("anns", "POST", stream, question("", "fail"))); failure == "" {
		t.Error("a model that fails is no failure")
	}
	s.Read(s.Do("anns", "POST", whole, question("", "fail")), 502)
	s.Read(s.Do("anns", "POST", whole, question("", "erase it")), 403)
	if _, _, failure := streamed(t, s.Do("anns", "POST", stream, question("", "erase it"))); !strings.Contains(failure, "waits for a person") {
		t.Errorf("an approval: %q", failure)
	}
}

// refused is an error of OpenSearch.
type refused struct {
	Status int
	Error  struct {
		Type, Reason string
		RootCause    []struct{ Type, Reason string } `json:"root_cause"`
	}
}

func refuse(t *testing.T, s *protocoltest.Site, method, path string, body any, status int) string {
	t.Helper()
	e := must.JSON[refused](t, s.Read(s.Do("anns", method, path, body), status))
	if e.Status != status || e.Error.Type == "" || len(e.Error.RootCause) != 1 || e.Error.RootCause[0].Reason != e.Error.Reason {
		t.Errorf("no error of OpenSearch: %+v", e)
	}
	return e.Error.Reason
}

// TestRefused: what nothing reads is refused, and named.
func TestRefused(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	for body, field := range map[string]string{
		`[]`: "the body", `{`: "is not valid JSON", `{}`: "must be an AG-UI input", `{"a":1,"a":2}`: "a",
		`{"runId":"r","messages":[],"tools":[],"context":[]}`:                                              "threadId",
		`{"threadId":"","runId":"r","messages":[],"tools":[],"context":[]}`:                                "threadId",
		`{"threadId":"t","runId":"r","messages":7,"tools":[],"context":[]}`:                                "messages",
		`{"threadId":"t","runId":"r","messages":[{"role":"ghost","content":"x"}],"tools":[],"context":[]}`: "messages[0].role",
		`{"parameters":{}}`:                                         "parameters.question",
		`{"parameters":{"question":" "}}`:                           "parameters.question",
		`{"parameters":{"question":7}}`:                             "parameters.question",
		`{"parameters":{"question":"x","verbose":true}}`:            "parameters.verbose",
		`{"parameters":{"question":"x","prompt":"y"}}`:              "parameters.prompt",
		`{"parameters":{"question":"x","memory_container_id":"y"}}`: "parameters.memory_container_id",
		`{"parameters":{"question":"x"},"input":"y"}`:               "input",
		`{"parameters":{"question":"x"},"model":"y"}`:               "model",
		`{"input":""}`:                          "input",
		`{"input":[]}`:                          "input",
		`{"input":7}`:                           "input",
		`{"input":[{"type":"video"}]}`:          "input[0].type",
		`{"input":[{"type":"text","text":""}]}`: "input[0].text",
		`{"input":[{"type":"image"}]}`:          "input[0].source.data",
		`{"input":[{"type":"image","source":{"type":"base64","data":"x"}}]}`:       "input[0].source",
		`{"input":[{"role":"system","content":[{"type":"text","text":"x"}]}]}`:     "input[0].role",
		`{"input":[{"role":"user","content":[]}]}`:                                 "input[0].content",
		`{"input":[{"role":"user","content":[{"role":"user"}]}]}`:                  "input[0].content[0].role",
		`{"input":[{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`:  "input",
		`{"parameters":{"agui_run_id":"r"}}`:                                       "parameters.agui_thread_id",
		`{"parameters":{"agui_thread_id":"t","agui_tools":"{"}}`:                   "parameters.agui_tools",
		`{"parameters":{"agui_thread_id":"t","agui_tools":"[{}]"}}`:                "parameters.agui_tools[0].name",
		`{"parameters":{"agui_thread_id":"t","agui_tools":[]}}`:                    "parameters.agui_tools",
		`{"parameters":{"agui_thread_id":"t","agui_other":"x"}}`:                   "parameters.agui_other",
		`{"parameters":{"agui_thread_id":"t","agui_tool_call_results":"[{}]"}}`:    "parameters.agui_tool_call_results[0].tool_call_id",
		`{"parameters":{"agui_thread_id":"t","agui_tool_call_results":"{}"}}`:      "parameters.agui_tool_call_results",
		`{"parameters":{"agui_thread_id":"t","question":"x"},"input":"also this"}`: "input",
	} {
		if reason := refuse(t, s, "POST", stream, body, 400); !strings.Contains(reason, field) {
			t.Errorf("%s: %s, want %s", body, reason, field)
		}
	}
	if page, err := s.Store.Threads(t.Context(), owner, threads); err != nil || len(page.Items) != 0 {
		t.Errorf("refused requests have made %d threads: %v", len(page.Items), err)
	}
	if reason := refuse(t, s, "POST", whole, `{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, 400); !strings.Contains(reason, "AG-UI agents require streaming execution") {
		t.Error(reason)
	}
	refuse(t, s, "POST", whole+"?async=true", question("", "hello"), 400)
	if reason := refuse(t, s, "POST", "/_plugins/_ml/agents/none/_execute/stream", question("", "hello"), 404); reason != "Failed to find agent with the provided agent id: none" {
		t.Error(reason)
	}
	refuse(t, s, "POST", stream, question("none", "hello"), 404)
}

func FuzzRequest(f *testing.F) {
	f.Add(`{"parameters":{"question":"hello"}}`)
	f.Add(`{"input":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`)
	f.Add(`{"parameters":{"agui_thread_id":"t","agui_tool_call_results":"[{\"tool_call_id\":\"approve~i\",\"content\":\"{}\"}]"}}`)
	f.Add(`{"threadId":"t","runId":"r","messages":[{"role":"tool","toolCallId":"~","content":"x"}],"tools":[],"context":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := protocoltest.Serve(t, opensearch.Protocol{})
		resp := s.Do("anns", "POST", stream, body)
		if !slices.Contains([]int{200, 400, 404, 409, 413, 422}, resp.StatusCode) {
			t.Errorf("%s: %s", body, s.Read(resp, resp.StatusCode))
		}
	})
}
