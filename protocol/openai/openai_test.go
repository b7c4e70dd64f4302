package openai_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/protocol/openai"
	"github.com/pageside/pageside/protocol/protocoltest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type object = map[string]any

// at returns a value down a path of names and indexes, or nil.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(object)
			v = o[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func text(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func decode(t *testing.T, body string) (v object) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(body), &v))
	return v
}

// chunks reads the events of a stream. Those of completions end with [DONE], unless they fail.
func chunks(t *testing.T, s *protocoltest.Site, resp *http.Response) (all []object, done bool) {
	t.Helper()
	all = protocoltest.Open(s, resp, func(frame sse.Frame) object {
		if string(frame.Data) == "[DONE]" {
			return nil
		}
		return decode(t, string(frame.Data))
	}).Rest()
	if done = all[len(all)-1] == nil; done {
		all = all[:len(all)-1]
	}
	return all, done
}

func functions(q protocoltest.Question) (list []object) {
	for _, tool := range q.Tools {
		list = append(list, object{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters})
	}
	return list
}

// completionBody continues the history that the client keeps, which is its conversation.
func completionBody(t *testing.T, q protocoltest.Question, stream bool) (object, []any) {
	t.Helper()
	var messages []any
	if q.Conversation != "" {
		must.Do(t, json.Unmarshal([]byte(q.Conversation), &messages))
	}
	for _, r := range q.Results {
		messages = append(messages, object{"role": "tool", "tool_call_id": r.ID, "content": r.Output})
	}
	if q.Text != "" {
		messages = append(messages, object{"role": "user", "content": q.Text})
	}
	body := object{"model": "default", "messages": messages, "stream": stream}
	var tools []object
	for _, f := range functions(q) {
		tools = append(tools, object{"type": "function", "function": f})
	}
	if tools != nil {
		body["tools"] = tools
	}
	return body, messages
}

// remember returns what a client of completions has seen, and its history.
func remember(t *testing.T, messages []any, content string, calls []any, failure any) (s protocoltest.Seen) {
	t.Helper()
	s.Text = content
	for _, c := range calls {
		s.Open = append(s.Open, protocoltest.Call{ID: text(c, "id"), Tool: text(c, "function", "name"), Input: text(c, "function", "arguments")})
	}
	s.Error = text(failure, "message")
	m := object{"role": "assistant", "content": content}
	if calls != nil {
		m["tool_calls"] = calls
	}
	raw := must.Get(json.Marshal(append(messages, m)))(t)
	s.Conversation = string(raw)
	return s
}

func complete(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	body, messages := completionBody(t, q, false)
	resp := s.Do("anns", "POST", "/v1/chat/completions", body)
	if resp.StatusCode != 200 {
		return remember(t, messages, "", nil, at(decode(t, s.Read(resp, resp.StatusCode)), "error"))
	}
	got := decode(t, s.Read(resp, 200))
	calls, _ := at(got, "choices", 0, "message", "tool_calls").([]any)
	if finish := text(got, "choices", 0, "finish_reason"); finish != map[bool]string{true: "tool_calls", false: "stop"}[calls != nil] {
		t.Errorf("finish_reason is %s", finish)
	}
	return remember(t, messages, text(got, "choices", 0, "message", "content"), calls, nil)
}

func completeStream(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	body, messages := completionBody(t, q, true)
	all, done := chunks(t, s, s.Do("anns", "POST", "/v1/chat/completions", body))
	var content string
	var calls []any
	for _, c := range all {
		content += text(c, "choices", 0, "delta", "content")
		more, _ := at(c, "choices", 0, "delta", "tool_calls").([]any)
		calls = append(calls, more...)
	}
	for _, c := range calls {
		delete(c.(object), "index")
	}
	failure := at(all[len(all)-1], "error")
	if done != (failure == nil) {
		t.Errorf("the stream is done: %t, it fails with %v", done, failure)
	}
	return remember(t, messages, content, calls, failure)
}

func responseBody(q protocoltest.Question, stream bool) object {
	body := object{"model": "default", "stream": stream}
	if q.Conversation != "" {
		body["previous_response_id"] = q.Conversation
	}
	if q.Text != "" {
		body["input"] = q.Text
	}
	var outputs []object
	for _, r := range q.Results {
		outputs = append(outputs, object{"type": "function_call_output", "call_id": r.ID, "output": r.Output})
	}
	if outputs != nil {
		body["input"] = outputs
	}
	var tools []object
	for _, f := range functions(q) {
		f["type"] = "function"
		tools = append(tools, f)
	}
	if tools != nil {
		body["tools"] = tools
	}
	return body
}

func seenIn(response any) (s protocoltest.Seen) {
	s.Conversation = text(response, "id")
	s.Error = text(response, "error", "message")
	output, _ := at(response, "output").([]any)
	for _, item := range output {
		switch text(item, "type") {
		case "message":
			s.Text += text(item, "content", 0, "text")
		case "function_call":
			s.Open = append(s.Open, protocoltest.Call{ID: text(item, "call_id"), Tool: text(item, "name"), Input: text(item, "arguments")})
		}
	}
	return s
}

func respond(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	resp := s.Do("anns", "POST", "/v1/responses", responseBody(q, false))
	return seenIn(decode(t, s.Read(resp, resp.StatusCode)))
}

// respondStream checks that the events say what the response at the end says.
func respondStream(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	all, _ := chunks(t, s, s.Do("anns", "POST", "/v1/responses", responseBody(q, true)))
	var deltas, args string
	for i, e := range all {
		if n, _ := e["sequence_number"].(float64); int(n) != i {
			t.Errorf("event %d has the number %v", i, e["sequence_number"])
		}
		switch e["type"] {
		case "response.output_text.delta":
			deltas += text(e, "delta")
		case "response.function_call_arguments.delta":
			args += text(e, "delta")
		}
	}
	seen := seenIn(all[len(all)-1]["response"])
	var inputs string
	for _, c := range seen.Open {
		inputs += c.Input
	}
	if seen.Error == "" && deltas != seen.Text || args != inputs {
		t.Errorf("the events say %q and %q, the response %q and %q", deltas, args, seen.Text, inputs)
	}
	return seen
}

// leave closes the connection after the first words. Nobody could read the rest of a completion.
func leave(t *testing.T, s *protocoltest.Site, q protocoltest.Question) protocoltest.Seen {
	body, messages := completionBody(t, q, true)
	resp := s.Do("anns", "POST", "/v1/chat/completions", body)
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		if content := text(decode(t, data), "choices", 0, "delta", "content"); content != "" {
			return remember(t, messages, strings.TrimSpace(content), nil, object{"message": "left"})
		}
	}
	t.Fatal("the answer has no text")
	return protocoltest.Seen{}
}

func TestScenarios(t *testing.T) {
	const once, asks = "nothing is told before the end", "the API cannot ask a person: TestApprovalsAreRefused"
	completions, responses := "an answer that nobody reads has ended", "there is no route to read a response again"
	stays := "there is no route to stop a response, which goes on without its client"
	for name, p := range map[string]protocoltest.Protocol{
		"completions":          {Ask: complete, Lacks: map[protocoltest.Need]string{protocoltest.Cuts: once, protocoltest.Cancels: once}},
		"completions streamed": {Ask: completeStream, Cancel: leave, Lacks: map[protocoltest.Need]string{protocoltest.Cuts: completions}},
		"responses":            {Ask: respond, Lacks: map[protocoltest.Need]string{protocoltest.Cuts: once, protocoltest.Cancels: once}},
		"responses streamed":   {Ask: respondStream, Lacks: map[protocoltest.Need]string{protocoltest.Cuts: responses, protocoltest.Cancels: stays}},
	} {
		t.Run(name, func(t *testing.T) {
			p.DropIn, p.Lacks[protocoltest.Approvals] = openai.Protocol{}, asks
			protocoltest.Play(t, p)
		})
	}
}

func TestGuards(t *testing.T) {
	protocoltest.Guards(t, openai.Protocol{}, "/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"hello"}]}`)
	protocoltest.Guards(t, openai.Protocol{}, "/v1/responses", `{"model":"default","input":"hello"}`)
}

// TestNothingOfACompletionIsKept: its client keeps the conversation. Responses are kept unless the
// request says otherwise.
func TestNothingOfACompletionIsKept(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	threads := func() int {
		list, _ := at(decode(t, s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200)), "threads").([]any)
		return len(list)
	}
	s.Read(s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"hello"}]}`), 200)
	s.Read(s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"hello","store":false}`), 200)
	if n := threads(); n != 0 {
		t.Errorf("%d threads are kept", n)
	}
	s.Read(s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"hello"}`), 200)
	if n := threads(); n != 1 {
		t.Errorf("%d threads are kept, want 1", n)
	}
}

// TestLeavingACompletionCancelsIt: nobody can come back to it.
func TestLeavingACompletionCancelsIt(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	resp := s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","stream":true,"messages":[{"role":"user","content":"for ever"}]}`)
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"content":"one`) {
	}
	run := text(decode(t, strings.TrimPrefix(lines.Text(), "data: ")), "id")
	_ = resp.Body.Close()
	// until its end
	events := s.Read(s.Do("anns", "GET", "/v1/runs/"+run+"/events?protocolVersion=1.0", nil), 200)
	if !strings.Contains(events, `"outcome":{"type":"cancelled"}`) {
		t.Errorf("the run ended with %s", events)
	}
}

// TestApprovalsAreRefused: the protocol cannot ask, so the answer fails and says why.
func TestApprovalsAreRefused(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	got := decode(t, s.Read(s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"erase it"}]}`), 403))
	if text(got, "error", "code") != "approval_required" || text(got, "error", "type") != "permission_error" {
		t.Errorf("the error is %v", got)
	}
	// a tool of the client that the operator has said nothing of is the client's to run
	body := `{"model":"default","messages":[{"role":"user","content":"change"}],"tools":[{"type":"function","function":{"name":"change"}}]}`
	if got := s.Read(s.Do("anns", "POST", "/v1/chat/completions", body), 200); !strings.Contains(got, `"finish_reason":"tool_calls"`) {
		t.Errorf("the client is not given its call: %s", got)
	}
	all, _ := chunks(t, s, s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"erase it","stream":true}`))
	if last := all[len(all)-1]; last["type"] != "response.failed" || text(last, "response", "error", "code") != "approval_required" {
		t.Errorf("the last event is %v", last)
	}
}

// TestUsageAndModels: what was used is told as OpenAI does, and models are agents.
func TestUsageAndModels(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	all, _ := chunks(t, s, s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"spend"}]}`))
	want := object{"prompt_tokens": 90.0, "completion_tokens": 30.0, "total_tokens": 120.0, "prompt_tokens_details": object{"cached_tokens": 20.0}, "completion_tokens_details": object{"reasoning_tokens": 10.0}}
	if last := all[len(all)-1]; !reflect.DeepEqual(last["usage"], want) || len(last["choices"].([]any)) != 0 {
		t.Errorf("the last chunk is %v, want the usage %v", last, want)
	}
	for _, c := range all[:len(all)-1] {
		if u, has := c["usage"]; !has || u != nil {
			t.Errorf("a chunk before it has the usage %v", u)
		}
	}
	got := decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"spend"}`), 200))
	if at(got, "usage", "total_tokens") != 120.0 || at(got, "usage", "input_tokens_details", "cached_tokens") != 20.0 {
		t.Errorf("the usage is %v", at(got, "usage"))
	}
	got = decode(t, s.Read(s.Do("anns", "GET", "/v1/models", nil), 200))
	if text(got, "data", 0, "id") != "default" || text(got, "object") != "list" {
		t.Errorf("the models are %v", got)
	}
	s.Read(s.Do("anns", "GET", "/v1/models/default", nil), 200)
	s.Read(s.Do("anns", "GET", "/v1/models/gpt", nil), 404)
	got = decode(t, s.Read(s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"long"}]}`), 200))
	if text(got, "choices", 0, "finish_reason") != "length" {
		t.Errorf("a text that was cut ends with %v", got)
	}
}

// TestRequestsOfFrontEnds are taken as they send them.
func TestRequestsOfFrontEnds(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	for name, body := range map[string]string{
		"LibreChat": `{"model":"default","user":"66f0","stream":true,"temperature":1,"top_p":1,"presence_penalty":0,"frequency_penalty":0,"n":1,"stream_options":{"include_usage":true},
			"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"hello"}]}]}`,
		"Open WebUI": `{"stream":true,"model":"default","tools":null,"tool_choice":null,"response_format":null,"stream_options":null,"n":null,"messages":[{"role":"user","content":"think"},{"role":"assistant","content":"Thought over."},{"role":"user","content":"hello"}]}`,
		"LangChain":  `{"model":"default","temperature":1.0,"n":1,"stream":false,"stop":null,"logprobs":false,"tool_choice":"auto","parallel_tool_calls":true,"messages":[{"role":"user","content":"hello","name":"ann"}]}`,
	} {
		got := s.Read(s.Do("anns", "POST", "/v1/chat/completions", body, "OpenAI-Beta", "x", "X-Stainless-Lang", "js"), 200)
		if !strings.Contains(got, "Hello") {
			t.Errorf("%s gets %s", name, got)
		}
	}
	body := `{"model":"default","instructions":"Be brief.","metadata":{"a":"b"},"text":null,"tool_choice":null,"previous_response_id":null,"store":null,"input":[{"role":"user","content":[{"type":"input_text","text":"think"}]},
		{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Thought over.","annotations":[],"logprobs":[]}]},
		{"type":"function_call","id":"fc_1","status":"completed","call_id":"c1","name":"pick","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"x"},
		{"role":"user","content":"hello"}]}`
	got := decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", body), 200))
	if seenIn(got).Text != "Hello to <you> & all." || text(got, "metadata", "a") != "b" ||
		text(got, "tool_choice") != "auto" || text(got, "text", "format", "type") != "text" {
		t.Errorf("the response is %v", got)
	}
}

// TestIgnored: what belongs to the agent's model, and what nothing here knows, is ignored and
// named.
func TestIgnored(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"default","temperature":0,"top_p":0.5,"max_tokens":10,"stop":["x"],"seed":1,"parallel_tool_calls":false,"reasoning_effort":"low","store":true,
			"metadata":{"a":"b"},"chat_id":"c","a b":1,"n":1,"user":"ann","messages":[{"role":"user","content":"hello"}]}`,
		"/v1/responses": `{"model":"default","temperature":0,"top_p":0.5,"max_output_tokens":10,"seed":1,"parallel_tool_calls":false,"reasoning":{"effort":"low"},"chat_id":"c","a b":1,"input":"hello"}`,
	} {
		resp := s.Do("anns", "POST", path, body)
		want := "chat_id, max_tokens, metadata, parallel_tool_calls, reasoning_effort, seed, stop, store, temperature, top_p"
		if path == "/v1/responses" {
			want = "chat_id, max_output_tokens, parallel_tool_calls, reasoning, seed, temperature, top_p"
		}
		if got := resp.Header.Get("Pageside-Ignored"); got != want {
			t.Errorf("%s ignores %q, want %q", path, got, want)
		}
		if got := s.Read(resp, 200); !strings.Contains(got, "Hello to") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := s.Do("anns", "POST", "/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"hello"}]}`).Header.Get("Pageside-Ignored"); got != "" {
		t.Errorf("of nothing %q is ignored", got)
	}
}

// TestUnsupported: what would change what an answer is is refused with its name, and so is what
// does not fit.
func TestUnsupported(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	question := `"model":"default","messages":[{"role":"user","content":"hello"}]`
	for body, param := range map[string]string{
		`{` + question + `,"logprobs":true}`:                                                                                    "logprobs",
		`{` + question + `,"modalities":["audio"]}`:                                                                             "modalities",
		`{` + question + `,"n":2}`:                                                                                              "n",
		`{` + question + `,"response_format":{"type":"grammar"}}`:                                                               "response_format.type",
		`{` + question + `,"response_format":{"type":"json_schema"}}`:                                                           "response_format.schema",
		`{` + question + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"array"}}}}`:                 "response_format.json_schema.schema",
		`{` + question + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":7}}}}`: "response_format.json_schema.schema",
		`{` + question + `,"tool_choice":"required"}`:                                                                           "tool_choice",
		`{` + question + `,"tool_choice":{"type":"function","function":{"name":"pick"}}}`:                                       "tool_choice",
		`{` + question + `,"tool_choice":"sometimes"}`:                                                                          "tool_choice",
		`{` + question + `,"user":7}`:                                                                                           "user",
		`{` + question + `,"stream":"yes"}`:                                                                                     "stream",
		`{` + question + `,"stream_options":{"include_usage":true}}`:                                                            "stream_options",
		`{` + question + `,"tools":[{"type":"web_search"}]}`:                                                                    "tools[0].type",
		`{` + question + `,"tools":[{"type":"function","function":{}}]}`:                                                        "tools[0].function.name",
		`{"messages":[{"role":"user","content":"hello"}]}`:                                                                      "model",
		`{"model":"default","messages":[]}`:                                                                                     "messages",
		`{"model":"default","messages":[{"role":"user"}]}`:                                                                      "messages[0].content",
		`{"model":"default","messages":[{"role":"robot","content":"x"}]}`:                                                       "messages[0].role",
		`{"model":"default","messages":[{"role":"user","content":7}]}`:                                                          "messages[0].content",
		`{"model":"default","messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`:                                   "messages[0].content[0].type",
		`{"model":"default","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}}]}]}`:        "messages[0].content[0].image_url",
		`{"model":"default","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`:                     "messages",
		`{"model":"default","messages":[{"role":"tool","tool_call_id":"c","content":"y"}]}`:                                     "messages[0]",
		`{"model":"default","messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"pick","arguments":"{}"}}]},{"role":"user","content":"x"}]}`: "messages[1]",
	} {
		got := decode(t, s.Read(s.Do("anns", "POST", "/v1/chat/completions", body), 400))
		if text(got, "error", "param") != param || text(got, "error", "type") != "invalid_request_error" {
			t.Errorf("%s: %v, want the parameter %s", body, got, param)
		}
	}
	for body, param := range map[string]string{
		`{"model":"default"}`:                                                      "input",
		`{"model":"default","input":[]}`:                                           "input",
		`{"model":"default","input":"x","background":true}`:                        "background",
		`{"model":"default","input":[{"type":"reasoning"}]}`:                       "input[0].type",
		`{"model":"default","input":[{"role":"user"}]}`:                            "input[0].content",
		`{"model":"default","input":"x","tools":[{"type":"mcp"}]}`:                 "tools[0].type",
		`{"model":"default","input":"x","previous_response_id":"r","store":false}`: "store",
		`{"model":"default","input":"x","stream":true,"text":{"verbosity":` + strings.Repeat("[", 9998) + strings.Repeat("]", 9998) + `}}`: "",
	} {
		got := decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", body), 400))
		if text(got, "error", "param") != param {
			t.Errorf("%s: %v, want the parameter %s", body, got, param)
		}
	}
	got := decode(t, s.Read(s.Do("anns", "POST", "/v1/chat/completions", strings.Replace(`{`+question+`}`, "default", "gpt", 1)), 404))
	if text(got, "error", "code") != "model_not_found" {
		t.Errorf("an unknown model: %v", got)
	}
	got = decode(t, s.Read(s.Do("", "POST", "/v1/chat/completions", `{}`), 401))
	if text(got, "error", "type") != "authentication_error" {
		t.Errorf("without a key: %v", got)
	}
}

// TestAnotherUsersResponseIsUnknown: it cannot be gone on with.
func TestAnotherUsersResponseIsUnknown(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	id := text(decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"hello"}`), 200)), "id")
	for _, user := range []string{"bobs", "twins"} {
		got := decode(t, s.Read(s.Do(user, "POST", "/v1/responses", `{"model":"default","input":"hello","previous_response_id":"`+id+`"}`), 404))
		if text(got, "error", "code") != "previous_response_not_found" {
			t.Errorf("%s is told %v", user, got)
		}
	}
}

// TestResultsGoOnWhereTheyWereAskedFor, and another user's nowhere.
func TestResultsGoOnWhereTheyWereAskedFor(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	asked := complete(t, s, protocoltest.Question{Text: "mix", Tools: []agui.Tool{protocoltest.Pick}})
	answer := func(user, output string) string {
		q := protocoltest.Question{Conversation: asked.Conversation, Tools: []agui.Tool{protocoltest.Pick}, Results: []protocoltest.Call{{ID: asked.Open[0].ID, Output: output}}}
		body, _ := completionBody(t, q, false)
		resp := s.Do(user, "POST", "/v1/chat/completions", body)
		return s.Read(resp, resp.StatusCode)
	}
	if got := s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200); !strings.Contains(got, `"threads":[]`) {
		t.Errorf("the thread is in the list: %s", got)
	}
	// without the thread there is no result of the server's tool
	if got := answer("bobs", "mine"); strings.Contains(got, "18 trials") {
		t.Errorf("another user is told %s", got)
	}
	picked := complete(t, s, protocoltest.Question{Text: "pick", Tools: []agui.Tool{protocoltest.Pick}})
	q := protocoltest.Question{Conversation: picked.Conversation, Tools: []agui.Tool{protocoltest.Pick}, Results: []protocoltest.Call{{ID: picked.Open[0].ID, Output: "mine"}}}
	body, _ := completionBody(t, q, false)
	for _, user := range []string{"bobs", "anns", "anns"} { // the second time the thread is gone
		if got := s.Read(s.Do(user, "POST", "/v1/chat/completions", body), 200); !strings.Contains(got, "You picked mine.") {
			t.Errorf("%s's history is answered with %s", user, got)
		}
	}
	if got := answer("anns", "two"); !strings.Contains(got, "Of 18 trials you picked two.") {
		t.Errorf("the answer is %s", got)
	}
	if got := answer("anns", "two"); strings.Contains(got, "18 trials") {
		t.Errorf("the thread outlives its answer: %s", got)
	}
}

// TestAResponseGoesOnFromTheOneItNames, be it the last of its conversation or not.
func TestAResponseGoesOnFromTheOneItNames(t *testing.T) {
	s := protocoltest.Serve(t, openai.Protocol{})
	next := func(previous string) string {
		return text(decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", object{"model": "default", "input": "hello", "previous_response_id": previous}), 200)), "id")
	}
	first := text(decode(t, s.Read(s.Do("anns", "POST", "/v1/responses", `{"model":"default","input":"hello"}`), 200)), "id")
	second, again := next(first), next(first)
	threads := decode(t, s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200))
	list, _ := at(decode(t, s.Read(s.Do("anns", "GET", "/v1/threads/"+text(threads, "threads", 0, "id")+"/runs", nil), 200)), "runs").([]any)
	parents := map[string]string{}
	for _, r := range list {
		parents[text(r, "id")] = text(r, "parentRunId")
	}
	if want := map[string]string{first: "", second: first, again: first}; !reflect.DeepEqual(parents, want) {
		t.Errorf("the responses continue %v, want %v", parents, want)
	}
}
