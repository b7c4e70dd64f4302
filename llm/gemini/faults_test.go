package gemini_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

func TestStreamFaults(t *testing.T) {
	said := llmtest.SSE(chunk(text("a")))
	over := llmtest.SSE(finish("STOP"))
	vendor.Faults(t, map[string]llmtest.Fault{
		"parts of another kind":    {llmtest.SSE(`{"candidates":[{"content":{"parts":"none"}}]}`), llm.KindProtocol, ""},
		"text of another kind":     {llmtest.SSE(chunk(`{"text":{"a":1}}`)), llm.KindProtocol, ""},
		"name of another kind":     {llmtest.SSE(chunk(`{"functionCall":{"name":7}}`)), llm.KindProtocol, ""},
		"reason of another kind":   {llmtest.SSE(`{"candidates":[{"finishReason":7}]}`), llm.KindProtocol, ""},
		"arguments in pieces":      {llmtest.SSE(chunk(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","stringValue":"x"}]}}`)), llm.KindProtocol, ""},
		"arguments to come":        {llmtest.SSE(chunk(`{"functionCall":{"name":"f","willContinue":true}}`)), llm.KindProtocol, ""},
		"half a chunk":             {said + llmtest.SSE(chunk(text("b"))[:40]), llm.KindProtocol, "a"},
		"two chunks in one":        {llmtest.SSE(chunk(text("a")) + chunk(text("a"))), llm.KindProtocol, ""},
		"nothing known":            {llmtest.SSE(`{}`, `{"candidates":null}`, `{"candidates":[]}`, `{"candidates":[{"content":null,"index":0}]}`, chunk(`{"executableCode":{}},7,null,{}`)) + said + over, "", "a"},
		"other candidates":         {llmtest.SSE(`{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"x"}]}}]}`) + over, "", "a"},
		"a piece of nothing":       {llmtest.SSE(chunk(`{"functionCall":{}},{"functionCall":{"name":" "}}`)) + said + over, "", "a"},
		"text after the finish":    {said + over + said, "", "aa"},
		"no parts at the end":      {said + llmtest.SSE(`{"candidates":[{"finishReason":"STOP"}]}`), "", "a"},
		"OpenAI's end":             {said + over + llmtest.SSE("[DONE]"), "", "a"},
		"unavailable":              {said + llmtest.SSE(`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), llm.KindOverloaded, "a"},
		"unavailable, in a list":   {llmtest.SSE(`{"error":{"message":"x","status":"UNAVAILABLE"}}`), llm.KindOverloaded, ""},
		"internal":                 {llmtest.SSE(`{"error":{"code":500,"status":"INTERNAL"}}`), llm.KindOverloaded, ""},
		"error without a code":     {llmtest.SSE(`{"error":"it broke"}`), llm.KindOverloaded, ""},
		"exhausted":                {llmtest.SSE(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`), llm.KindRateLimited, ""},
		"exhausted, in a word":     {llmtest.SSE(`{"error":{"status":"RESOURCE_EXHAUSTED"}}`), llm.KindRateLimited, ""},
		"invalid":                  {llmtest.SSE(`{"error":{"status":"INVALID_ARGUMENT"}}`), llm.KindBadRequest, ""},
		"context overflow":         {llmtest.SSE(`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."}}`), llm.KindContextFull, ""},
		"error after the finish":   {said + over + llmtest.SSE(`{"error":{"code":503}}`), llm.KindOverloaded, "a"},
		"malformed call":           {llmtest.SSE(`{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}`), llm.KindOverloaded, ""},
		"unexpected call":          {said + llmtest.SSE(finish("UNEXPECTED_TOOL_CALL")), llm.KindOverloaded, "a"},
		"NUL and lone surrogates":  {llmtest.SSE(chunk(`{"text":"\u0000\ud83d"}`)) + over, "", "\x00\uFFFD"},
		"bytes that are not UTF-8": {llmtest.SSE(chunk("{\"text\":\"\xff\"}")) + over, "", "\uFFFD"},
	})
}

// A reader that has left is not told of what is wrong with the rest of the chunk.
func TestLeaveABrokenChunk(t *testing.T) {
	for _, wrong := range []string{`{"text":{"a":1}}`, `{"thoughtSignature":7}`, `{"functionCall":{"name":7}}`} {
		llmtest.LeaveAnywhere(t, llmtest.SSE(chunk(text("a")+","+wrong)), func(all llmtest.Transport) llm.Model {
			return vendor.Model(&http.Client{Transport: all})
		})
	}
}

// Several calls of one chunk, or of several, stay apart; those without an id get one that the
// thread does not know.
func TestParallelCalls(t *testing.T) {
	body := llmtest.SSE(chunk(called("f", `{"a": 1.0}`)+`,{"functionCall":{"name":"f","args":{},"id":"x1"},"thoughtSignature":"sig"},{"functionCall":{"name":"g"}}`),
		chunk(`{"functionCall":{"name":"f","args":{"b":2},"id":"x1"}}`), finish("STOP"))
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "old", Name: "f"}}}, {Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "old"}}}}}
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(body))), req)
	if a.Err != nil || a.Finish != llm.FinishTools || len(a.Calls) != 4 {
		t.Fatalf("%+v", a)
	}
	ids := map[string]bool{}
	for i, want := range []llmtest.Call{{ID: "", Name: "f", Args: `{"a": 1.0}`, Index: 0, Ended: true}, {ID: "x1", Name: "f", Args: `{}`, Index: 1, Ended: true}, {ID: "", Name: "g", Args: `{}`, Index: 2, Ended: true}, {ID: "", Name: "f", Args: `{"b":2}`, Index: 3, Ended: true}} {
		got := a.Calls[i]
		if got.Name != want.Name || got.Args != want.Args || got.Index != want.Index || !got.Ended || ids[got.ID] || (want.ID == "") != strings.HasPrefix(got.ID, "gemini_") {
			t.Errorf("call %d: %+v, want %+v", i, got, want)
		}
		ids[got.ID] = true
	}
	if a.Opaque[1] != "gemini:sig" || len(a.Opaque) != 1 {
		t.Errorf("signatures %v", a.Opaque)
	}
	again := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(body))), &llm.Request{Messages: []llm.Message{{Content: []llm.Content{llm.ToolCall{ID: "x1"}}}}})
	if again.Calls[1].ID == "x1" {
		t.Error("an id of the history was used again")
	}
}

// Thoughts, texts and signatures keep their order and their blocks.
func TestThoughts(t *testing.T) {
	a := play(t, llmtest.SSE(chunk(`{"text":"one ","thought":true}`), chunk(`{"text":"two","thought":true},{"text":"a"}`), chunk(`{"text":"b"},{"text":"three","thought":true,"thoughtSignature":"s3"}`),
		chunk(`{"text":"four","thought":true},{"text":"c"},{"text":"","thoughtSignature":"s4"}`), finish("STOP")))
	var got []string
	for _, p := range a.Parts {
		switch p.Kind {
		case llm.ReasoningDelta, llm.TextDelta, llm.Opaque:
			got = append(got, fmt.Sprintf("%d:%d %s%s", p.Kind, p.Index, p.Delta, p.Opaque))
		}
	}
	want := "2:0 one |2:0 two|1:1 a|1:1 b|2:2 three|6:2 gemini:thought:s3|2:3 four|1:4 c|6:4 gemini:text:s4"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	must.Be(t, llmtest.Counts(a.Usage), [6]int64{11, 15, -1, 3, 4, -1}, "the counts")
}

// What the model did not get to finish is never executed.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]llm.Finish{
		"MAX_TOKENS": llm.FinishLength, "SAFETY": llm.FinishFilter, "RECITATION": llm.FinishFilter, "BLOCKLIST": llm.FinishFilter, "PROHIBITED_CONTENT": llm.FinishFilter, "SPII": llm.FinishFilter,
	} {
		a := play(t, llmtest.SSE(chunk(called("f", `{}`)), chunk(called("g", `{}`)), finish(reason)))
		if a.Err != nil || a.Finish != want || len(a.Calls) != 2 || a.Calls[0].Ended || a.Calls[1].Ended {
			t.Errorf("%s: %+v", reason, a)
		}
	}
	for reason, want := range map[string]llm.Finish{"STOP": llm.FinishStop, "FUNCTION_CALL": llm.FinishOther, "OTHER": llm.FinishOther, "NEW": llm.FinishOther} {
		if a := play(t, llmtest.SSE(chunk(text("a")), finish(reason))); a.Finish != want {
			t.Errorf("%s: %q, want %q", reason, a.Finish, want)
		}
	}
	a := play(t, llmtest.SSE(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}`))
	if a.Err != nil || a.Finish != llm.FinishFilter || llmtest.Count(a.Usage.Input) != 5 {
		t.Errorf("a prompt that was blocked: %+v", a)
	}
}

// Servers that do not stream answer in one piece, and those that do not know alt=sse in a list.
func TestWholeAnswer(t *testing.T) {
	header := llmtest.JSONBody
	for name, body := range map[string]string{
		"one":  `{"candidates":[{"content":{"parts":[{"text":"ab"},` + called("f", `{}`) + `]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`,
		"list": "[" + chunk(text("a")) + ",\r\n" + chunk(text("b")+","+called("f", `{}`)) + ",\r\n" + finish("STOP") + "]",
	} {
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, header, strings.NewReader(body))), llmtest.Hello)
		if a.Err != nil || a.Text != "ab" || len(a.Calls) != 1 || !a.Calls[0].Ended || a.Finish != llm.FinishTools {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, header, strings.NewReader(`[`+chunk(text("a"))+`]`))), llmtest.Hello)
	if a.Kind() != llm.KindNetwork || a.Text != "a" {
		t.Errorf("cut: %+v", a)
	}
}

func TestStatusErrors(t *testing.T) {
	vendor.StatusErrors(t, []llmtest.StatusError{
		{400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`,
			llm.KindAuth, "the provider refused the API key (INVALID_ARGUMENT)", 0},
		{400, `{"error":{"message":"API key expired. Please renew the API key ` + key + `."}}`, llm.KindAuth, "the provider refused the API key", 0},
		{401, `{"error":{"code":401,"status":"UNAUTHENTICATED"}}`, llm.KindAuth, "the provider refused the API key (UNAUTHENTICATED)", 0},
		{403, `[{"error":{"code":403,"status":"PERMISSION_DENIED"}}]`, llm.KindAuth, "the provider refused the API key (PERMISSION_DENIED)", 0},
		{403, `{"error":{"status":"PERMISSION_DENIED","details":[{"reason":"BILLING_DISABLED"}]}}`, llm.KindAuth, "the provider's account has no credit left (PERMISSION_DENIED)", 0},
		{401, `{"error":{"status":"` + key + `"}}`, llm.KindAuth, "the provider refused the API key", 0},
		{429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"8.941621227s"}]}}`,
			llm.KindRateLimited, "the provider limits the rate of requests (RESOURCE_EXHAUSTED)", 8941621227},
		{429, `{"error":{"details":[{"retryDelay":"soon"},{"retryDelay":"-3s"},7]}}`, llm.KindRateLimited, "the provider limits the rate of requests", 0},
		{503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 503 (UNAVAILABLE)", 0},
		{504, `{"error":{"code":504,"status":"DEADLINE_EXCEEDED"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 504 (DEADLINE_EXCEEDED)", 0},
		{404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`, llm.KindBadRequest, "the provider does not know this model or address (NOT_FOUND)", 0},
		{400, `{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`, llm.KindBadRequest, "the provider refused the request, status 400 (INVALID_ARGUMENT)", 0},
		{400, `{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, llm.KindContextFull, "the conversation is longer than the model can take (INVALID_ARGUMENT)", 0},
	})
}

func TestNotAStream(t *testing.T) {
	vendor.NotAStream(t, map[string]llmtest.Body{"broken JSON": {llmtest.JSONBody, `{"candidates":[`}})
}

func TestPauseFollowsEveryRead(t *testing.T) {
	vendor.Pauses(t, "a b | c | usage .", llmtest.SSE(chunk(text("a")), chunk(text("b"))), llmtest.SSE(chunk(text("c"))), llmtest.SSE(`{}`), llmtest.SSE(finish("STOP")))
}

// TestUsageWithoutThePrompt: what a chunk counts is kept, though it does not count everything.
func TestUsageWithoutThePrompt(t *testing.T) {
	last := func(usage string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":` + usage + `}`
	}
	for name, tc := range map[string]struct {
		chunks []string
		want   [6]int64
	}{
		"only the answer":            {[]string{last(`{"candidatesTokenCount":5,"totalTokenCount":9}`)}, [6]int64{-1, 5, 9, -1, -1, -1}},
		"the prompt, then the rest":  {[]string{`{"usageMetadata":{"promptTokenCount":7,"cachedContentTokenCount":3}}`, last(`{"candidatesTokenCount":5,"thoughtsTokenCount":2}`)}, [6]int64{7, 7, -1, 2, 3, -1}},
		"the rest, then all of it":   {[]string{`{"usageMetadata":{"candidatesTokenCount":1}}`, last(`{"promptTokenCount":7,"candidatesTokenCount":5}`)}, [6]int64{7, 5, -1, -1, -1, -1}},
		"nothing that counts tokens": {[]string{last(`{"trafficType":"ON_DEMAND"}`)}, [6]int64{-1, -1, -1, -1, -1, -1}},
	} {
		a := play(t, llmtest.SSE(tc.chunks...))
		if a.Err != nil || llmtest.Counts(a.Usage) != tc.want {
			t.Errorf("%s: %v, %+v", name, a.Err, a.Usage)
		}
	}
}
