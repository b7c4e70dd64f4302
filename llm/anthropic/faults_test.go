package anthropic_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

func TestStreamFaults(t *testing.T) {
	text := llmtest.SSE(started, start(0, textStart), delta(0, textDelta("a")))
	over := llmtest.SSE(stop(0), finish("end_turn"), stopped)
	vendor.Faults(t, map[string]llmtest.Fault{
		"message alone":               {llmtest.SSE(started), llm.KindNetwork, ""},
		"stopped at once":             {llmtest.SSE(started, stopped), llm.KindProtocol, ""},
		"cut after the block":         {text + llmtest.SSE(stop(0)), llm.KindNetwork, "a"},
		"no message_stop":             {text + llmtest.SSE(stop(0), finish("end_turn")), "", "a"},
		"no content_block_stop":       {text + llmtest.SSE(finish("end_turn"), stopped), "", "a"},
		"no message_start":            {llmtest.SSE(start(0, textStart), delta(0, textDelta("a"))) + over, "", "a"},
		"null":                        {text + llmtest.SSE("null"), llm.KindProtocol, "a"},
		"no type":                     {llmtest.SSE(`{}`), llm.KindProtocol, ""},
		"text of another kind":        {llmtest.SSE(start(0, textStart), delta(0, `"type":"text_delta","text":{"a":1}`)), llm.KindProtocol, ""},
		"id of another kind":          {llmtest.SSE(start(0, `"type":"tool_use","id":7,"name":"f"`)), llm.KindProtocol, ""},
		"stop reason of another kind": {text + llmtest.SSE(`{"type":"message_delta","delta":{"stop_reason":7}}`), llm.KindProtocol, "a"},
		"half an event":               {text + llmtest.SSE(delta(0, textDelta("b"))[:40], stopped), llm.KindProtocol, "a"},
		"two events in one":           {llmtest.SSE(started + started), llm.KindProtocol, ""},
		"deep inside":                 {llmtest.SSE(`{"type":"content_block_delta","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
		"unknown event":               {llmtest.SSE(`{"type":"news","error":null}`) + text + over, "", "a"},
		"unknown block":               {llmtest.SSE(start(1, `"type":"hologram","text":"x"`), delta(1, `"type":"text_delta","text":"x"`)) + text + over, "", "a"},
		"unknown delta":               {text + llmtest.SSE(delta(0, `"type":"citations_delta","citation":{}`)) + over, "", "a"},
		"delta of no block":           {llmtest.SSE(started, delta(7, textDelta("x")), `{"type":"content_block_delta"}`) + text + over, "", "a"},
		"text after its block":        {text + llmtest.SSE(stop(0), delta(0, textDelta("x"))) + over, "", "a"},
		"text after the finish":       {text + llmtest.SSE(finish("end_turn"), start(1, textStart), delta(1, textDelta("x")), stopped), "", "a"},
		"garbage after message_stop":  {text + over + llmtest.SSE("nope"), "", "a"},
		"overloaded":                  {text + llmtest.SSE(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindOverloaded, "a"},
		"overloaded at once":          {"event: error\n" + llmtest.SSE(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindOverloaded, ""},
		"api error":                   {llmtest.SSE(`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`), llm.KindOverloaded, ""},
		"rate limit":                  {llmtest.SSE(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`), llm.KindRateLimited, ""},
		"unheard-of error":            {llmtest.SSE(`{"type":"error","error":{"type":"new_error"}}`), llm.KindOverloaded, ""},
		"gateway's error":             {llmtest.SSE(`{"error":{"message":"upstream"}}`), llm.KindOverloaded, ""},
		"gateway's text":              {llmtest.SSE(`{"error":"upstream"}`), llm.KindOverloaded, ""},
		"key expired mid-way":         {text + llmtest.SSE(`{"type":"error","error":{"type":"authentication_error"}}`), llm.KindAuth, "a"},
		"context overflow":            {llmtest.SSE(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`), llm.KindContextFull, ""},
		"error after the finish":      {text + llmtest.SSE(finish("end_turn"), `{"type":"error","error":{"type":"overloaded_error"}}`), llm.KindOverloaded, "a"},
		"NUL and lone surrogates":     {llmtest.SSE(start(0, textStart), delta(0, `"type":"text_delta","text":"\u0000\ud83d"`)) + over, "", "\x00\uFFFD"},
		"bytes that are not UTF-8":    {llmtest.SSE(start(0, textStart), delta(0, "\"type\":\"text_delta\",\"text\":\"\xff\"")) + over, "", "\uFFFD"},
	})
}

// The first reason to stop counts, and the tokens of all events, also where the stream pauses
// between them.
func TestFinishedTwice(t *testing.T) {
	begun := llmtest.SSE(started, start(0, toolStart("x", "f")), delta(0, argsDelta("{}")))
	for first, want := range map[string]llm.Finish{"tool_use": llm.FinishTools, "max_tokens": llm.FinishLength} {
		for _, second := range []string{"max_tokens", "tool_use", ""} {
			a := vendor.Play(t, llmtest.Reads(begun, llmtest.SSE(finish(first)), llmtest.SSE(ping, finish(second)), llmtest.SSE(stopped)))
			if a.Err != nil || a.Finish != want || len(a.Calls) != 1 || a.Calls[0].Ended != (want == llm.FinishTools) {
				t.Errorf("%q, then %q: %+v", first, second, a)
			}
			if llmtest.Count(a.Usage.Input) != 7 || llmtest.Count(a.Usage.Output) != 9 {
				t.Errorf("usage %+v", a.Usage)
			}
		}
	}
}

// Calls of several blocks may interleave; each keeps its pieces.
func TestInterleavedCalls(t *testing.T) {
	a := play(t, llmtest.SSE(started,
		start(0, toolStart("x", "f")), start(1, toolStart("y", "g")), delta(0, argsDelta(`{"a":`)), delta(1, argsDelta(`{"b"`)), delta(0, argsDelta(`1}`)), stop(0),
		start(2, toolStart("z", "h")), delta(1, argsDelta(`:2}`)), stop(2), stop(1),
		start(3, `"type":"tool_use","id":"","name":"f","input":{"whole":true}`), stop(3), // no id
		// an id for the second time
		start(4, toolStart("x", "f")), delta(4, argsDelta(``)), stop(4),
		start(5, toolStart("n", " ")), delta(5, argsDelta(`{}`)), stop(5), // no name
		finish("tool_use"), stopped))
	if a.Err != nil || a.Finish != llm.FinishTools || len(a.Calls) != 5 {
		t.Fatalf("%+v", a)
	}
	ids := map[string]bool{}
	for i, want := range []llmtest.Call{{ID: "x", Name: "f", Args: `{"a":1}`, Ended: true}, {ID: "y", Name: "g", Args: `{"b":2}`, Ended: true}, {ID: "z", Name: "h", Args: `{}`, Ended: true}, {ID: "", Name: "f", Args: `{"whole":true}`, Ended: true}, {ID: "", Name: "f", Args: `{}`, Ended: true}} {
		got := a.Calls[i]
		if got.Name != want.Name || got.Args != want.Args || !got.Ended || (want.ID != "" && got.ID != want.ID) || ids[got.ID] {
			t.Errorf("call %d: %+v, want %+v", i, got, want)
		}
		ids[got.ID] = true
	}
}

// An id of the thread's history is not used again.
func TestIDsAreUniqueInTheThread(t *testing.T) {
	body := llmtest.SSE(started, start(0, toolStart("toolu_1", "f")), stop(0), finish("tool_use"), stopped)
	req := &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "toolu_1", Name: "f"}}},
		{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "toolu_1"}}},
	}}
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(body))), req)
	if len(a.Calls) != 1 || a.Calls[0].ID == "toolu_1" || !strings.HasPrefix(a.Calls[0].ID, "toolu_") {
		t.Errorf("%+v", a.Calls)
	}
}

// What the model did not get to finish is never executed.
func TestCutCallsDoNotEnd(t *testing.T) {
	for reason, want := range map[string]llm.Finish{"max_tokens": llm.FinishLength, "model_context_window_exceeded": llm.FinishLength, "refusal": llm.FinishFilter} {
		a := play(t, llmtest.SSE(started, start(0, toolStart("x", "f")), delta(0, argsDelta(`{"a":1}`)), stop(0), start(1, toolStart("y", "f")), delta(1, argsDelta(`{"a":`)), stop(1), finish(reason), stopped))
		if a.Err != nil || a.Finish != want || len(a.Calls) != 2 || a.Calls[0].Ended || a.Calls[1].Ended || a.Calls[1].Args != `{"a":` {
			t.Errorf("%s: %+v", reason, a)
		}
	}
	for reason, want := range map[string]llm.Finish{"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "pause_turn": llm.FinishOther, "tool_use": llm.FinishOther, "new": llm.FinishOther} {
		if a := play(t, llmtest.SSE(started, start(0, textStart), finish(reason), stopped)); a.Finish != want {
			t.Errorf("%s: %q, want %q", reason, a.Finish, want)
		}
	}
}

// The input is a total: the API counts what the cache served, and what went into it, beside it.
func TestUsageIsATotal(t *testing.T) {
	a := play(t, llmtest.SSE(`{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50,"output_tokens_details":{"thinking_tokens":30}}}`, stopped))
	must.Be(t, llmtest.Counts(a.Usage), [6]int64{127, 50, -1, 30, 100, 20}, "the counts")
	a = play(t, llmtest.SSE(`{"type":"message_start","message":{"usage":{"input_tokens":-7,"output_tokens":"many"}}}`, start(0, textStart), `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, stopped))
	if a.Err != nil || a.Usage != (llm.Usage{}) {
		t.Errorf("nonsense: %+v %v", a.Usage, a.Err)
	}
}

// A server that does not stream answers in one piece.
func TestWholeAnswer(t *testing.T) {
	body := `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"a"},
		{"type":"tool_use","id":"x","name":"f","input":{"n": 1.0}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, llmtest.JSONBody, strings.NewReader(body))), llmtest.Hello)
	if a.Err != nil || a.Text != "a" || a.Reasoning != "hm" || a.Opaque[0] != "anthropic:thinking:c2ln" || a.Finish != llm.FinishTools || len(a.Calls) != 1 ||
		a.Calls[0].Args != `{"n": 1.0}` || !a.Calls[0].Ended || llmtest.Count(a.Usage.Input) != 3 {
		t.Errorf("%+v", a)
	}
}

func TestStatusErrors(t *testing.T) {
	body := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	vendor.StatusErrors(t, []llmtest.StatusError{
		{401, body("authentication_error", "invalid x-api-key "+key), llm.KindAuth, "the provider refused the API key (authentication_error)", 0},
		{401, body(key, ""), llm.KindAuth, "the provider refused the API key", 0},
		{403, body("permission_error", ""), llm.KindAuth, "the provider refused the API key (permission_error)", 0},
		{400, body("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.KindAuth, "the provider's account has no credit left (invalid_request_error)", 0},
		{402, body("billing_error", ""), llm.KindAuth, "the provider's account has no credit left (billing_error)", 0},
		{429, body("rate_limit_error", "This request would exceed the rate limit of 30,000 input tokens per minute"), llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_error)", 0},
		{500, body("api_error", "Internal server error"), llm.KindOverloaded, "the provider is overloaded or failing, status 500 (api_error)", 0},
		{504, body("timeout_error", ""), llm.KindOverloaded, "the provider is overloaded or failing, status 504 (timeout_error)", 0},
		{529, body("overloaded_error", "Overloaded"), llm.KindOverloaded, "the provider is overloaded or failing, status 529 (overloaded_error)", 0},
		{404, body("not_found_error", "model: claude-x"), llm.KindBadRequest, "the provider does not know this model or address (not_found_error)", 0},
		{400, body("invalid_request_error", "messages: at least one message is required"), llm.KindBadRequest, "the provider refused the request, status 400 (invalid_request_error)", 0},
		{413, body("request_too_large", ""), llm.KindContextFull, "the conversation is longer than the model can take (request_too_large)", 0},
		{400, body("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), llm.KindContextFull, "the conversation is longer than the model can take (invalid_request_error)", 0},
		{400, body("invalid_request_error", "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000"), llm.KindContextFull, "the conversation is longer than the model can take (invalid_request_error)", 0},
	})
}

func TestNotAStream(t *testing.T) {
	vendor.NotAStream(t, map[string]llmtest.Body{
		"broken JSON":  {llmtest.JSONBody, `{"type":"message","content":[`},
		"unknown JSON": {llmtest.JSONBody, `{"type":"news"}`},
		"one event":    {llmtest.JSONBody, started},
		"no content":   {llmtest.JSONBody, `{"type":"message"}`},
	})
}

func TestPauseFollowsEveryRead(t *testing.T) {
	vendor.Pauses(t, "a b | c | usage .", llmtest.SSE(started), llmtest.SSE(start(0, textStart), delta(0, textDelta("a")), delta(0, textDelta("b"))), llmtest.SSE(delta(0, textDelta("c"))), llmtest.SSE(ping), llmtest.SSE(stop(0), finish("end_turn"), stopped))
}
