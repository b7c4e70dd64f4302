package gemini_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm"
)

func TestStreamFaults(t *testing.T) {
	said := sse(chunk(text("a")))
	over := sse(finish("STOP"))
	for name, tc := range map[string]struct {
		body string
		kind llm.ErrorKind
		text string
	}{
		"nothing":                  {"", llm.KindNetwork, ""},
		"comments alone":           {": hi\n\n: hi\n\n", llm.KindNetwork, ""},
		"cut after text":           {said, llm.KindNetwork, "a"},
		"not JSON":                 {said + sse("nope"), llm.KindProtocol, "a"},
		"JSON of another kind":     {sse(`[1,2]`), llm.KindProtocol, ""},
		"parts of another kind":    {sse(`{"candidates":[{"content":{"parts":"none"}}]}`), llm.KindProtocol, ""},
		"text of another kind":     {sse(chunk(`{"text":{"a":1}}`)), llm.KindProtocol, ""},
		"name of another kind":     {sse(chunk(`{"functionCall":{"name":7}}`)), llm.KindProtocol, ""},
		"reason of another kind":   {sse(`{"candidates":[{"finishReason":7}]}`), llm.KindProtocol, ""},
		"path to nowhere":          {sse(chunk(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"a","stringValue":""}]}}`)), llm.KindProtocol, ""},
		"path through a value":     {sse(chunk(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","stringValue":"x"},{"jsonPath":"$.a.b","stringValue":"x"}]}}`)), llm.KindProtocol, ""},
		"path far away":            {sse(chunk(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a[999999999]","stringValue":"x"}]}}`)), llm.KindProtocol, ""},
		"half a chunk":             {said + sse(chunk(text("b"))[:40]), llm.KindProtocol, "a"},
		"two chunks in one":        {sse(chunk(text("a")) + chunk(text("a"))), llm.KindProtocol, ""},
		"deep":                     {sse(strings.Repeat("[", 20000)), llm.KindProtocol, ""},
		"bytes":                    {sse("\x00\xff\xfe{"), llm.KindProtocol, ""},
		"nothing known":            {sse(`{}`, `{"candidates":null}`, `{"candidates":[]}`, `{"candidates":[{"content":null,"index":0}]}`, chunk(`{"executableCode":{}},7,null,{}`)) + said + over, "", "a"},
		"other candidates":         {sse(`{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"x"}]}}]}`) + over, "", "a"},
		"a piece of nothing":       {sse(chunk(`{"functionCall":{}},{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"x"}]}},{"functionCall":{"name":" "}}`)) + said + over, "", "a"},
		"text after the finish":    {said + over + said, "", "a"},
		"no parts at the end":      {said + sse(`{"candidates":[{"finishReason":"STOP"}]}`), "", "a"},
		"OpenAI's end":             {said + over + sse("[DONE]"), "", "a"},
		"unavailable":              {said + sse(`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), llm.KindOverloaded, "a"},
		"unavailable, in a list":   {sse(`{"error":{"message":"x","status":"UNAVAILABLE"}}`), llm.KindOverloaded, ""},
		"internal":                 {sse(`{"error":{"code":500,"status":"INTERNAL"}}`), llm.KindOverloaded, ""},
		"error without a code":     {sse(`{"error":"it broke"}`), llm.KindOverloaded, ""},
		"exhausted":                {sse(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`), llm.KindRateLimited, ""},
		"exhausted, in a word":     {sse(`{"error":{"status":"RESOURCE_EXHAUSTED"}}`), llm.KindRateLimited, ""},
		"invalid":                  {sse(`{"error":{"status":"INVALID_ARGUMENT"}}`), llm.KindBadRequest, ""},
		"context overflow":         {sse(`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."}}`), llm.KindContextFull, ""},
		"error after the finish":   {said + over + sse(`{"error":{"code":503}}`), llm.KindOverloaded, "a"},
		"malformed call":           {sse(`{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}`), llm.KindOverloaded, ""},
		"unexpected call":          {said + sse(finish("UNEXPECTED_TOOL_CALL")), llm.KindOverloaded, "a"},
		"NUL and lone surrogates":  {sse(chunk(`{"text":"\u0000\ud83d"}`)) + over, "", "\x00\uFFFD"},
		"bytes that are not UTF-8": {sse(chunk("{\"text\":\"\xff\"}")) + over, "", "\uFFFD"},
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

// Several calls of one chunk, or of several, stay apart; those without an id get one that the
// thread does not know.
func TestParallelCalls(t *testing.T) {
	body := sse(chunk(called("f", `{"a": 1.0}`)+`,{"functionCall":{"name":"f","args":{},"id":"x1"},"thoughtSignature":"sig"},{"functionCall":{"name":"g"}}`),
		chunk(`{"functionCall":{"name":"f","args":{"b":2},"id":"x1"}}`), finish("STOP"))
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "old", Name: "f"}}}, {Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "old"}}}}}
	a := ask(t, t.Context(), model(respond(strings.NewReader(body))), req)
	if a.err != nil || a.finish != llm.FinishTools || len(a.calls) != 4 {
		t.Fatalf("%+v", a)
	}
	ids := map[string]bool{}
	for i, want := range []call{{"", "f", `{"a": 1.0}`, 0, true}, {"x1", "f", `{}`, 1, true}, {"", "g", `{}`, 2, true}, {"", "f", `{"b":2}`, 3, true}} {
		got := a.calls[i]
		if got.name != want.name || got.args != want.args || got.index != want.index || !got.ended || ids[got.id] || (want.id == "") != strings.HasPrefix(got.id, "gemini_") {
			t.Errorf("call %d: %+v, want %+v", i, got, want)
		}
		ids[got.id] = true
	}
	if a.opaque[1] != "gemini:sig" || len(a.opaque) != 1 {
		t.Errorf("signatures %v", a.opaque)
	}
	again := ask(t, t.Context(), model(respond(strings.NewReader(body))), &llm.Request{Messages: []llm.Message{{Content: []llm.Content{llm.ToolCall{ID: "x1"}}}}})
	if again.calls[1].id == "x1" {
		t.Error("an id of the history was used again")
	}
}

// Thoughts, texts and signatures keep their order and their blocks.
func TestThoughts(t *testing.T) {
	a := play(t, sse(chunk(`{"text":"one ","thought":true}`), chunk(`{"text":"two","thought":true},{"text":"a"}`), chunk(`{"text":"b"},{"text":"three","thought":true,"thoughtSignature":"s3"}`),
		chunk(`{"text":"four","thought":true},{"text":"c"},{"text":"","thoughtSignature":"s4"}`), finish("STOP")))
	var got []string
	for _, p := range a.parts {
		switch p.Kind {
		case llm.ReasoningDelta, llm.TextDelta, llm.Opaque:
			got = append(got, fmt.Sprintf("%d:%d %s%s", p.Kind, p.Index, p.Delta, p.Opaque))
		}
	}
	want := "2:0 one |2:0 two|1:1 a|1:1 b|2:2 three|6:2 gemini:thought:s3|2:3 four|1:4 c|6:4 gemini:text:s4"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if u := a.usage; count(u.Input) != 11 || count(u.Output) != 15 || count(u.Reasoning) != 3 || count(u.CacheRead) != 4 || u.CacheWrite != nil {
		t.Errorf("usage %+v", u)
	}
}

// What the model did not get to finish is never executed.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]llm.Finish{
		"MAX_TOKENS": llm.FinishLength, "SAFETY": llm.FinishFilter, "RECITATION": llm.FinishFilter, "BLOCKLIST": llm.FinishFilter, "PROHIBITED_CONTENT": llm.FinishFilter, "SPII": llm.FinishFilter,
	} {
		a := play(t, sse(chunk(called("f", `{}`)), chunk(`{"functionCall":{"name":"g","partialArgs":[{"jsonPath":"$.a","stringValue":"x"}],"willContinue":true}}`), finish(reason)))
		if a.err != nil || a.finish != want || len(a.calls) != 2 || a.calls[0].ended || a.calls[1].ended || a.calls[1].args != "" {
			t.Errorf("%s: %+v", reason, a)
		}
	}
	for reason, want := range map[string]llm.Finish{"STOP": llm.FinishStop, "FUNCTION_CALL": llm.FinishOther, "OTHER": llm.FinishOther, "NEW": llm.FinishOther} {
		if a := play(t, sse(chunk(text("a")), finish(reason))); a.finish != want {
			t.Errorf("%s: %q, want %q", reason, a.finish, want)
		}
	}
	a := play(t, sse(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}`))
	if a.err != nil || a.finish != llm.FinishFilter || count(a.usage.Input) != 5 {
		t.Errorf("a prompt that was blocked: %+v", a)
	}
}

// Arguments that come in pieces become the object they describe.
func TestArgumentsInPieces(t *testing.T) {
	piece := func(fields string) string {
		return chunk(`{"functionCall":{"partialArgs":[` + fields + `],"willContinue":true}}`)
	}
	a := play(t, sse(chunk(`{"functionCall":{"name":"f","willContinue":true,"id":"i"}}`),
		piece(`{"jsonPath":"$.text","stringValue":"a \"b"},{"jsonPath":"$.text","stringValue":"\u00fc\n"}`),
		piece(`{"jsonPath":"$.list[0].n","numberValue":1.50},{"jsonPath":"$.list[2]","boolValue":false},{"jsonPath":"$['odd.key']","nullValue":"NULL_VALUE"}`),
		chunk(`{"functionCall":{}}`), chunk(`{"functionCall":{"name":"g","willContinue":true}}`), finish("STOP")))
	if a.err != nil || len(a.calls) != 2 || a.calls[0].args != `{"text":"a \"bü\n","list":[{"n":1.50},null,false],"odd.key":null}` || a.calls[1].args != `{}` || !a.calls[1].ended || a.calls[0].id != "i" {
		t.Errorf("%+v", a)
	}
}

// Servers that do not stream answer in one piece, and those that do not know alt=sse in a list.
func TestWholeAnswer(t *testing.T) {
	header := http.Header{"Content-Type": {"application/json"}}
	for name, body := range map[string]string{
		"one":  `{"candidates":[{"content":{"parts":[{"text":"ab"},` + called("f", `{}`) + `]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`,
		"list": "[" + chunk(text("a")) + ",\r\n" + chunk(text("b")+","+called("f", `{}`)) + ",\r\n" + finish("STOP") + "]",
	} {
		a := ask(t, t.Context(), model(respondWith(200, header, strings.NewReader(body))), hello)
		if a.err != nil || a.text != "ab" || len(a.calls) != 1 || !a.calls[0].ended || a.finish != llm.FinishTools {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := ask(t, t.Context(), model(respondWith(200, header, strings.NewReader(`[`+chunk(text("a"))+`]`))), hello)
	if a.kind() != llm.KindNetwork || a.text != "a" {
		t.Errorf("cut: %+v", a)
	}
}

func TestStatusErrors(t *testing.T) {
	const key = "AIzaSySecret0123456789"
	for _, tc := range []struct {
		status  int
		body    string
		kind    llm.ErrorKind
		message string
		after   time.Duration
	}{
		{400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`,
			llm.KindAuth, "the provider refused the API key (INVALID_ARGUMENT)", 0},
		{400, `{"error":{"message":"API key expired. Please renew the API key ` + key + `."}}`, llm.KindAuth, "the provider refused the API key", 0},
		{401, `{"error":{"code":401,"status":"UNAUTHENTICATED"}}`, llm.KindAuth, "the provider refused the API key (UNAUTHENTICATED)", 0},
		{403, `[{"error":{"code":403,"status":"PERMISSION_DENIED"}}]`, llm.KindAuth, "the provider refused the API key (PERMISSION_DENIED)", 0},
		{403, `{"error":{"status":"PERMISSION_DENIED","details":[{"reason":"BILLING_DISABLED"}]}}`, llm.KindAuth, "the provider's account has no credit left (PERMISSION_DENIED)", 0},
		{401, key, llm.KindAuth, "the provider refused the API key", 0},
		{401, `{"error":{"status":"` + key + `"}}`, llm.KindAuth, "the provider refused the API key", 0},
		{429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"8.941621227s"}]}}`,
			llm.KindRateLimited, "the provider limits the rate of requests (RESOURCE_EXHAUSTED)", 8941621227},
		{429, `{"error":{"details":[{"retryDelay":"soon"},{"retryDelay":"-3s"},7]}}`, llm.KindRateLimited, "the provider limits the rate of requests", 0},
		{503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 503 (UNAVAILABLE)", 0},
		{500, `<html>oops</html>`, llm.KindOverloaded, "the provider is overloaded or failing, status 500", 0},
		{504, `{"error":{"code":504,"status":"DEADLINE_EXCEEDED"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 504 (DEADLINE_EXCEEDED)", 0},
		{404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`, llm.KindBadRequest, "the provider does not know this model or address (NOT_FOUND)", 0},
		{400, `{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`, llm.KindBadRequest, "the provider refused the request, status 400 (INVALID_ARGUMENT)", 0},
		{400, `{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, llm.KindContextFull, "the conversation is longer than the model can take (INVALID_ARGUMENT)", 0},
		{413, ``, llm.KindContextFull, "the conversation is longer than the model can take", 0},
		{302, ``, llm.KindBadRequest, "the provider's address answered with status 302 instead of an answer", 0},
	} {
		header := http.Header{"Content-Type": {"application/json"}, "Location": {"https://elsewhere/"}}
		a := ask(t, t.Context(), model(respondWith(tc.status, header, strings.NewReader(tc.body))), hello)
		if a.kind() != tc.kind || a.err.Message != tc.message || a.err.Status != tc.status || a.err.Model != "gemini/gemini-2.5-pro" || a.err.RetryAfter != tc.after {
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
		kind   llm.ErrorKind
	}{
		"web page":         {http.Header{"Content-Type": {"text/html"}}, "\n<!doctype html><title>Welcome to nginx!</title>", llm.KindProtocol},
		"untyped web page": {nil, "<html></html>", llm.KindProtocol},
		"JSON error page":  {http.Header{"Content-Type": {"application/json"}}, `{"status":"ok"}`, llm.KindProtocol},
		"JSON list":        {http.Header{"Content-Type": {"application/json"}}, `[]`, llm.KindProtocol},
		"broken JSON":      {http.Header{"Content-Type": {"application/json"}}, `{"candidates":[`, llm.KindProtocol},
		"compressed":       {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, "\x1f\x8b", llm.KindProtocol},
	} {
		a := ask(t, t.Context(), model(respondWith(200, tc.header, strings.NewReader(tc.body))), hello)
		if a.kind() != tc.kind {
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
	for _, read := range []string{sse(chunk(text("a")), chunk(text("b"))), sse(chunk(text("c"))), sse(`{}`), sse(finish("STOP"))} {
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
