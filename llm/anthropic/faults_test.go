package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
)

func TestStreamFaults(t *testing.T) {
	text := sse(started, start(0, textStart), delta(0, textDelta("a")))
	over := sse(stop(0), finish("end_turn"), stopped)
	for name, tc := range map[string]struct {
		body string
		kind llm.ErrorKind
		text string
	}{
		"nothing":                     {"", llm.KindNetwork, ""},
		"comments alone":              {": hi\n\n: hi\n\n", llm.KindNetwork, ""},
		"message alone":               {sse(started), llm.KindNetwork, ""},
		"stopped at once":             {sse(started, stopped), llm.KindProtocol, ""},
		"cut after text":              {text, llm.KindNetwork, "a"},
		"cut after the block":         {text + sse(stop(0)), llm.KindNetwork, "a"},
		"no message_stop":             {text + sse(stop(0), finish("end_turn")), "", "a"},
		"no content_block_stop":       {text + sse(finish("end_turn"), stopped), "", "a"},
		"no message_start":            {sse(start(0, textStart), delta(0, textDelta("a"))) + over, "", "a"},
		"not JSON":                    {text + sse("nope"), llm.KindProtocol, "a"},
		"JSON of another kind":        {sse(`[1,2]`), llm.KindProtocol, ""},
		"null":                        {text + sse("null"), llm.KindProtocol, "a"},
		"no type":                     {sse(`{}`), llm.KindProtocol, ""},
		"text of another kind":        {sse(start(0, textStart), delta(0, `"type":"text_delta","text":{"a":1}`)), llm.KindProtocol, ""},
		"id of another kind":          {sse(start(0, `"type":"tool_use","id":7,"name":"f"`)), llm.KindProtocol, ""},
		"stop reason of another kind": {text + sse(`{"type":"message_delta","delta":{"stop_reason":7}}`), llm.KindProtocol, "a"},
		"half an event":               {text + sse(delta(0, textDelta("b"))[:40], stopped), llm.KindProtocol, "a"},
		"two events in one":           {sse(started + started), llm.KindProtocol, ""},
		"deep":                        {sse(strings.Repeat("[", 20000)), llm.KindProtocol, ""},
		"deep inside":                 {sse(`{"type":"content_block_delta","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
		"bytes":                       {sse("\x00\xff\xfe{"), llm.KindProtocol, ""},
		"unknown event":               {sse(`{"type":"news","error":null}`) + text + over, "", "a"},
		"unknown block":               {sse(start(1, `"type":"hologram","text":"x"`), delta(1, `"type":"text_delta","text":"x"`)) + text + over, "", "a"},
		"unknown delta":               {text + sse(delta(0, `"type":"citations_delta","citation":{}`)) + over, "", "a"},
		"delta of no block":           {sse(started, delta(7, textDelta("x")), `{"type":"content_block_delta"}`) + text + over, "", "a"},
		"text after the finish":       {text + sse(finish("end_turn"), start(1, textStart), delta(1, textDelta("x")), stopped), "", "a"},
		"garbage after message_stop":  {text + over + sse("nope"), "", "a"},
		"overloaded":                  {text + sse(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindOverloaded, "a"},
		"overloaded at once":          {"event: error\n" + sse(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindOverloaded, ""},
		"api error":                   {sse(`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`), llm.KindOverloaded, ""},
		"rate limit":                  {sse(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`), llm.KindRateLimited, ""},
		"unheard-of error":            {sse(`{"type":"error","error":{"type":"new_error"}}`), llm.KindOverloaded, ""},
		"gateway's error":             {sse(`{"error":{"message":"upstream"}}`), llm.KindOverloaded, ""},
		"gateway's text":              {sse(`{"error":"upstream"}`), llm.KindOverloaded, ""},
		"key expired mid-way":         {text + sse(`{"type":"error","error":{"type":"authentication_error"}}`), llm.KindAuth, "a"},
		"context overflow":            {sse(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`), llm.KindContextFull, ""},
		"error after the finish":      {text + sse(finish("end_turn"), `{"type":"error","error":{"type":"overloaded_error"}}`), llm.KindOverloaded, "a"},
		"data without a document":     {"data:\n\ndata: \n\n" + text + over, "", "a"},
		"NUL and lone surrogates":     {sse(start(0, textStart), delta(0, `"type":"text_delta","text":"\u0000\ud83d"`)) + over, "", "\x00\uFFFD"},
		"bytes that are not UTF-8":    {sse(start(0, textStart), delta(0, "\"type\":\"text_delta\",\"text\":\"\xff\"")) + over, "", "\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			a := play(t, tc.body)
			if a.kind() != tc.kind || a.text != tc.text {
				t.Fatalf("got %q, %+v; want %q", a.text, a.err, tc.kind)
			}
			for _, c := range a.calls {
				if a.err != nil && c.ended {
					t.Errorf("a call ended before the error: %+v", c)
				}
			}
			if tc.kind == llm.KindOverloaded && !a.err.Retryable() {
				t.Errorf("not to be tried again: %v", a.err)
			}
		})
	}
}

// Calls of several blocks may interleave; each keeps its pieces.
func TestInterleavedCalls(t *testing.T) {
	a := play(t, sse(started,
		start(0, toolStart("x", "f")), start(1, toolStart("y", "g")), delta(0, argsDelta(`{"a":`)), delta(1, argsDelta(`{"b"`)), delta(0, argsDelta(`1}`)), stop(0),
		start(2, toolStart("z", "h")), delta(1, argsDelta(`:2}`)), stop(2), stop(1),
		start(3, `"type":"tool_use","id":"","name":"f","input":{"whole":true}`), stop(3), // no id
		// an id for the second time
		start(4, toolStart("x", "f")), delta(4, argsDelta(``)), stop(4),
		start(5, toolStart("n", " ")), delta(5, argsDelta(`{}`)), stop(5), // no name
		finish("tool_use"), stopped))
	if a.err != nil || a.finish != llm.FinishTools || len(a.calls) != 5 {
		t.Fatalf("%+v", a)
	}
	ids := map[string]bool{}
	for i, want := range []call{{"x", "f", `{"a":1}`, 0, true}, {"y", "g", `{"b":2}`, 0, true}, {"z", "h", `{}`, 0, true}, {"", "f", `{"whole":true}`, 0, true}, {"", "f", `{}`, 0, true}} {
		got := a.calls[i]
		if got.name != want.name || got.args != want.args || !got.ended || (want.id != "" && got.id != want.id) || ids[got.id] {
			t.Errorf("call %d: %+v, want %+v", i, got, want)
		}
		ids[got.id] = true
	}
}

// An id of the thread's history is not used again.
func TestIDsAreUniqueInTheThread(t *testing.T) {
	body := sse(started, start(0, toolStart("toolu_1", "f")), stop(0), finish("tool_use"), stopped)
	req := &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "toolu_1", Name: "f"}}},
		{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "toolu_1"}}},
	}}
	a := ask(t, t.Context(), model(respond(strings.NewReader(body))), req)
	if len(a.calls) != 1 || a.calls[0].id == "toolu_1" || !strings.HasPrefix(a.calls[0].id, "toolu_") {
		t.Errorf("%+v", a.calls)
	}
}

// What the model did not get to finish is never executed.
func TestCutCallsDoNotEnd(t *testing.T) {
	for reason, want := range map[string]llm.Finish{"max_tokens": llm.FinishLength, "model_context_window_exceeded": llm.FinishLength, "refusal": llm.FinishFilter} {
		a := play(t, sse(started, start(0, toolStart("x", "f")), delta(0, argsDelta(`{"a":1}`)), stop(0), start(1, toolStart("y", "f")), delta(1, argsDelta(`{"a":`)), stop(1), finish(reason), stopped))
		if a.err != nil || a.finish != want || len(a.calls) != 2 || a.calls[0].ended || a.calls[1].ended || a.calls[1].args != `{"a":` {
			t.Errorf("%s: %+v", reason, a)
		}
	}
	for reason, want := range map[string]llm.Finish{"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "pause_turn": llm.FinishOther, "tool_use": llm.FinishOther, "new": llm.FinishOther} {
		if a := play(t, sse(started, start(0, textStart), finish(reason), stopped)); a.finish != want {
			t.Errorf("%s: %q, want %q", reason, a.finish, want)
		}
	}
}

// The input is a total: the API counts what the cache served, and what went into it, beside it.
func TestUsageIsATotal(t *testing.T) {
	a := play(t, sse(`{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50,"output_tokens_details":{"thinking_tokens":30}}}`, stopped))
	if u := a.usage; count(u.Input) != 127 || count(u.Output) != 50 || count(u.CacheRead) != 100 || count(u.CacheWrite) != 20 || count(u.Reasoning) != 30 {
		t.Errorf("%d %d %d %d %d", count(u.Input), count(u.Output), count(u.CacheRead), count(u.CacheWrite), count(u.Reasoning))
	}
	a = play(t, sse(`{"type":"message_start","message":{"usage":{"input_tokens":-7,"output_tokens":"many"}}}`, start(0, textStart), `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, stopped))
	if a.err != nil || a.usage != (llm.Usage{}) {
		t.Errorf("nonsense: %+v %v", a.usage, a.err)
	}
}

// A server that does not stream answers in one piece.
func TestWholeAnswer(t *testing.T) {
	body := `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"a"},
		{"type":"tool_use","id":"x","name":"f","input":{"n": 1.0}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`
	a := ask(t, t.Context(), model(respondWith(200, http.Header{"Content-Type": {"application/json"}}, strings.NewReader(body))), hello)
	if a.err != nil || a.text != "a" || a.reasoning != "hm" || a.opaque[0] != "anthropic:thinking:c2ln" || a.finish != llm.FinishTools || len(a.calls) != 1 ||
		a.calls[0].args != `{"n": 1.0}` || !a.calls[0].ended || count(a.usage.Input) != 3 {
		t.Errorf("%+v", a)
	}
}

func TestStatusErrors(t *testing.T) {
	const key = "sk-ant-secret-0123456789"
	body := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for _, tc := range []struct {
		status  int
		body    string
		kind    llm.ErrorKind
		message string
	}{
		{401, body("authentication_error", "invalid x-api-key "+key), llm.KindAuth, "the provider refused the API key (authentication_error)"},
		{401, key, llm.KindAuth, "the provider refused the API key"},
		{401, body(key, ""), llm.KindAuth, "the provider refused the API key"},
		{403, body("permission_error", ""), llm.KindAuth, "the provider refused the API key (permission_error)"},
		{400, body("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.KindAuth, "the provider's account has no credit left (invalid_request_error)"},
		{402, body("billing_error", ""), llm.KindAuth, "the provider's account has no credit left (billing_error)"},
		{429, body("rate_limit_error", "This request would exceed the rate limit of 30,000 input tokens per minute"), llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_error)"},
		{500, body("api_error", "Internal server error"), llm.KindOverloaded, "the provider is overloaded or failing, status 500 (api_error)"},
		{504, body("timeout_error", ""), llm.KindOverloaded, "the provider is overloaded or failing, status 504 (timeout_error)"},
		{529, body("overloaded_error", "Overloaded"), llm.KindOverloaded, "the provider is overloaded or failing, status 529 (overloaded_error)"},
		{503, `<html>oops</html>`, llm.KindOverloaded, "the provider is overloaded or failing, status 503"},
		{404, body("not_found_error", "model: claude-x"), llm.KindBadRequest, "the provider does not know this model or address (not_found_error)"},
		{400, body("invalid_request_error", "messages: at least one message is required"), llm.KindBadRequest, "the provider refused the request, status 400 (invalid_request_error)"},
		{302, ``, llm.KindBadRequest, "the provider's address answered with status 302 instead of an answer"},
		{413, body("request_too_large", ""), llm.KindContextFull, "the conversation is longer than the model can take (request_too_large)"},
		{400, body("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), llm.KindContextFull, "the conversation is longer than the model can take (invalid_request_error)"},
		{400, body("invalid_request_error", "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000"), llm.KindContextFull, "the conversation is longer than the model can take (invalid_request_error)"},
	} {
		header := http.Header{"Content-Type": {"application/json"}, "Location": {"https://elsewhere/"}}
		a := ask(t, t.Context(), model(respondWith(tc.status, header, strings.NewReader(tc.body))), hello)
		if a.kind() != tc.kind || a.err.Message != tc.message || a.err.Status != tc.status || a.err.Model != "anthropic/claude-sonnet-4-6" {
			t.Errorf("%d %s: %+v, want %q", tc.status, tc.body, a.err, tc.message)
		}
		if all := fmt.Sprintf("%v %v %+v", a.err, a.err.Err, a.err); strings.Contains(all, key) || strings.Contains(all, "0123456789") || strings.Contains(all, "<html>") {
			t.Errorf("%d: the error holds the key or the body: %s", tc.status, all)
		}
	}
}

func TestNotAStream(t *testing.T) {
	for name, tc := range map[string]struct {
		header http.Header
		body   string
	}{
		"web page":         {http.Header{"Content-Type": {"text/html"}}, "\n<!doctype html><title>Welcome to nginx!</title>"},
		"untyped web page": {nil, "<html></html>"},
		"JSON error page":  {http.Header{"Content-Type": {"application/json"}}, `{"status":"ok"}`},
		"JSON list":        {http.Header{"Content-Type": {"application/json"}}, `[]`},
		"broken JSON":      {http.Header{"Content-Type": {"application/json"}}, `{"type":"message","content":[`},
		"unknown JSON":     {http.Header{"Content-Type": {"application/json"}}, `{"type":"news"}`},
		"one event":        {http.Header{"Content-Type": {"application/json"}}, started},
		"no content":       {http.Header{"Content-Type": {"application/json"}}, `{"type":"message"}`},
		"compressed":       {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, "\x1f\x8b"},
	} {
		a := ask(t, t.Context(), model(respondWith(200, tc.header, strings.NewReader(tc.body))), hello)
		if a.kind() != llm.KindProtocol {
			t.Errorf("%s: %+v", name, a.err)
		}
		if a.err != nil && strings.Contains(fmt.Sprintf("%+v", a.err), "nginx") {
			t.Errorf("%s: the body is in the error: %+v", name, a.err)
		}
	}
}

// After what one read from the network brought comes a Pause, and none where it brought nothing.
func TestPauseFollowsEveryRead(t *testing.T) {
	reads := &readList{}
	for _, read := range []string{sse(started), sse(start(0, textStart), delta(0, textDelta("a")), delta(0, textDelta("b"))), sse(delta(0, textDelta("c"))), sse(ping), sse(stop(0), finish("end_turn"), stopped)} {
		reads.left = append(reads.left, []byte(read))
	}
	a := ask(t, t.Context(), model(respond(reads)), hello)
	var got []string
	for _, p := range a.parts {
		got = append(got, map[llm.PartKind]string{llm.TextDelta: p.Delta, llm.Pause: "|", llm.UsagePart: "usage", llm.FinishPart: "finish"}[p.Kind])
	}
	if s := strings.Join(got, " "); s != "a b | c | usage finish" {
		t.Errorf("%s", s)
	}
}

// readList gives one of its slices per read.
type readList struct{ left [][]byte }

func (r *readList) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.left[0])
	if r.left[0] = r.left[0][n:]; len(r.left[0]) == 0 {
		r.left = r.left[1:]
	}
	return n, nil
}
