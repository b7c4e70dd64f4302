package openai_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

func TestStreamFaults(t *testing.T) {
	text := delta(`"content":"a"`)
	vendor.Faults(t, map[string]llmtest.Fault{
		"done at once":             {llmtest.SSE("[DONE]"), llm.KindProtocol, ""},
		"choices of another kind":  {llmtest.SSE(`{"choices":"none"}`), llm.KindProtocol, ""},
		"content of another kind":  {llmtest.SSE(delta(`"content":{"a":1}`)), llm.KindProtocol, ""},
		"half a chunk":             {llmtest.SSE(text, text[:len(text)-3], "[DONE]"), llm.KindProtocol, "a"},
		"two chunks in one":        {llmtest.SSE(text + text), llm.KindProtocol, ""},
		"error object":             {llmtest.SSE(text, `{"error":{"message":"Overloaded","type":"server_error"}}`), llm.KindOverloaded, "a"},
		"error text":               {llmtest.SSE(`{"error":"it broke"}`), llm.KindOverloaded, ""},
		"error with status":        {llmtest.SSE(`{"error":{"code":429,"message":"slow"}}`), llm.KindRateLimited, ""},
		"error with status 401":    {llmtest.SSE(`{"error":{"code":401,"message":"no"}}`), llm.KindAuth, ""},
		"error with words":         {llmtest.SSE(`{"error":{"code":"rate_limit_exceeded"}}`), llm.KindRateLimited, ""},
		"error in the request":     {llmtest.SSE(`{"error":{"type":"invalid_request_error","code":"tool_use_failed"}}`), llm.KindOverloaded, ""},
		"context overflow":         {llmtest.SSE(`{"error":{"message":"...","code":"context_length_exceeded"}}`), llm.KindContextFull, ""},
		"vLLM's own error":         {llmtest.SSE(`{"object":"error","message":"boom","type":"InternalServerError","code":500}`), llm.KindOverloaded, ""},
		"error in a choice":        {llmtest.SSE(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"down"}}]}`), llm.KindOverloaded, ""},
		"finish error":             {llmtest.SSE(text, finish("error")), llm.KindOverloaded, "a"},
		"error event":              {"event: error\ndata: {\"error\":{\"message\":\"x\"}}\n\n", llm.KindOverloaded, ""},
		"nested error":             {llmtest.SSE(`{"error":{"error":{"message":"x","type":"authentication_error"}}}`), llm.KindAuth, ""},
		"deep inside":              {llmtest.SSE(`{"choices":[{"delta":{"content":"a","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
		"10,000 calls":             {llmtest.SSE(piece(strings.Repeat(`{"id":"a","function":{"name":"f","arguments":"{}"}},`, 9999) + `{"function":{"name":"f"}}`)), llm.KindOutputLimit, ""},
		"10,000 calls in 10,000":   {llmtest.SSE(strings.Split(strings.Repeat(piece(`{"function":{"name":"f","arguments":"{}"}}`)+"\n", 9999)+"x", "\n")...), llm.KindOutputLimit, ""},
		"10,000 nameless calls":    {llmtest.SSE(piece(strings.Repeat(`{"function":{"arguments":"{}"}},`, 9999) + `{}`)), llm.KindOutputLimit, ""},
		"wrong order":              {llmtest.SSE(finish("stop"), text, "[DONE]"), "", ""},
		"index out of range":       {llmtest.SSE(piece(`{"index":-3,"id":"a","function":{"name":"f"}},{"index":99999999,"id":"b","function":{"name":"g"}}`), finish("stop")), "", ""},
		"error after the finish":   {llmtest.SSE(text, finish("stop"), `{"error":{"message":"late"}}`), llm.KindOverloaded, "a"},
		"garbage after [DONE]":     {llmtest.SSE(text, finish("stop"), "[DONE]", "nope"), "", "a"},
		"null chunk":               {llmtest.SSE("null", text, finish("stop")), "", "a"},
		"empty delta, null fields": {llmtest.SSE(`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`, text, finish("stop")), "", "a"},
	})
}

func TestStatusErrors(t *testing.T) {
	vendor.StatusErrors(t, []llmtest.StatusError{
		{401, `{"error":{"message":"Incorrect API key provided: ` + key + `. Find it at …","code":"invalid_api_key"}}`, llm.KindAuth, "the provider refused the API key (invalid_api_key)", 0},
		{401, `{"error":{"message":"x","code":"` + key + `"}}`, llm.KindAuth, "the provider refused the API key", 0},
		{403, `{"error":"forbidden"}`, llm.KindAuth, "the provider refused the API key", 0},
		{402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.KindAuth, "the provider's account has no credit left", 0},
		{429, `{"error":{"code":"insufficient_quota"}}`, llm.KindAuth, "the provider's account has no credit left (insufficient_quota)", 0},
		{429, `{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}`, llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_exceeded)", 0},
		{529, `{"type":"error","error":{"type":"overloaded_error"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 529 (overloaded_error)", 0},
		{503, ``, llm.KindOverloaded, "the provider is overloaded or failing, status 503", 0},
		{404, `{"error":{"message":"model 'x' not found, try pulling it first"}}`, llm.KindBadRequest, "the provider does not know this model or address", 0},
		{400, `{"error":{"message":"bad","type":"invalid_request_error"}}`, llm.KindBadRequest, "the provider refused the request, status 400 (invalid_request_error)", 0},
		{400, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`, llm.KindBadRequest, "the provider refused the request, status 400", 0},
		{422, `{"detail":"nope"}`, llm.KindBadRequest, "the provider refused the request, status 422", 0},
		{204, ``, llm.KindBadRequest, "the provider's address answered with status 204 instead of an answer", 0},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, llm.KindContextFull, "the conversation is longer than the model can take (context_length_exceeded)", 0},
		{400, `{"error":{"message":"However, the model's context length is only 1024 tokens","type":"BadRequestError","code":400}}`, llm.KindContextFull, "the conversation is longer than the model can take", 0},
		{500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, llm.KindContextFull, "the conversation is longer than the model can take", 0},
		{400, `{"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens"}}`, llm.KindContextFull, "the conversation is longer than the model can take (too_many_prompt_tokens)", 0},
		{413, `{"error":{"message":"Request too large, tokens per minute","code":"rate_limit_exceeded"}}`, llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_exceeded)", 0},
	})
}

// TestWordsAboutLength: a refusal whose words are about a length may be about the whole request,
// whatever the provider. Other refusals are not, nor are other errors.
func TestWordsAboutLength(t *testing.T) {
	for body, want := range map[string]bool{
		`{"error":{"message":"Requested token count surpasses the maximum"}}`:    true,
		`{"error":{"message":"Your messages are TOO LONG for this deployment"}}`: true,
		`{"error":{"message":"length limit exceeded","code":"bad"}}`:             true,
		`{"error":{"message":"unknown parameter: tokens"}}`:                      false,
		`{"error":{"message":"too many images"}}`:                                false,
	} {
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(400, nil, strings.NewReader(body))), llmtest.Hello)
		if a.Kind() != llm.KindBadRequest || a.Err.MayBeTooLong != want {
			t.Errorf("%s: %+v", body, a.Err)
		}
	}
	busy := llmtest.RespondWith(429, nil, strings.NewReader(`{"error":{"message":"too many tokens per minute, maximum 100"}}`))
	if a := llmtest.Ask(t, t.Context(), vendor.Model(busy), llmtest.Hello); a.Kind() != llm.KindRateLimited || a.Err.MayBeTooLong {
		t.Errorf("a rate: %+v", a.Err)
	}
}

func TestErrorDetailsAreScrubbed(t *testing.T) {
	body := `{"error":{"message":"bad key sk-proj-abcdef************wxyz or\n Bearer abcdefghijkl, request 0123456789abcdef0123456789abcdef: ` + strings.Repeat("long ", 1000) + `"}}`
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(400, nil, strings.NewReader(body))), llmtest.Hello)
	got := a.Err.Err.Error()
	if want := "bad key [redacted] or [redacted], request [redacted]: long long"; !strings.HasPrefix(got, want) || len(got) > 320 {
		t.Errorf("got %q", got)
	}
	plain := openai.Config{Model: "m", APIKey: "swordfish", HTTPClient: llmtest.RespondWith(400, nil, strings.NewReader(`{"error":"no swordfish"}`))}
	a = llmtest.Ask(t, t.Context(), openai.New(plain), llmtest.Hello)
	must.Be(t, a.Err.Err.Error(), "no [redacted]", "a key that looks like a word")
}

func TestLife(t *testing.T) { vendor.Life(t) }

func TestTimeouts(t *testing.T) {
	vendor.Timeouts(t, map[string]llmtest.Timeout{
		"drips roles": {llmtest.Stall(true, time.Second, slices.Repeat([]string{llmtest.SSE(delta(`"role":"assistant","content":""`))}, 500)...), "nothing said by the provider within 10m0s", 10 * time.Minute, ""},
	})
}

// TestPatience: a model that may think gets five minutes for its headers, wherever it is, and so
// does one that is not known. One that does not think gets 30 s.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		cfg   openai.Config
		after time.Duration
	}{
		{openai.Config{Provider: "azure", Model: "gpt-5.1"}, httpmodel.Patience},
		{openai.Config{Provider: "openrouter", Model: "openai/gpt-5"}, httpmodel.Patience},
		{openai.Config{Model: "deployment-7"}, httpmodel.Patience},
		{openai.Config{Model: "deployment-7", Like: "gpt-4o"}, 30 * time.Second},
		{openai.Config{Model: "gpt-4o"}, 30 * time.Second},
		{openai.Config{Model: "gpt-5", Limits: httpmodel.Limits{HeaderTimeout: time.Minute}}, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, tt.cfg.HTTPClient = llmtest.Serve(t, llmtest.Stall(false, 0))
			tt.cfg.BaseURL = "http://model/v1"
			start := time.Now()
			if a := llmtest.Ask(t, t.Context(), openai.New(tt.cfg), llmtest.Hello); a.Kind() != llm.KindStalled || time.Since(start) != tt.after {
				t.Errorf("%s: after %v: %+v", tt.cfg.Model, time.Since(start), a.Err)
			}
		})
	}
}

func TestNotAStream(t *testing.T) {
	vendor.NotAStream(t, map[string]llmtest.Body{"broken JSON": {llmtest.JSONBody, `{"choices":[`}})
	a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.RespondWith(200, nil, strings.NewReader(`{"error":{"message":"x","code":"context_length_exceeded"}}`))), llmtest.Hello)
	must.Be(t, a.Kind(), llm.KindContextFull, "an error with status 200: %+v", a.Err)
}

func TestFloods(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.Copy(z, io.LimitReader(llmtest.Endless(": bomb\n"), 20<<20))
	_ = z.Close()
	thousand := strings.Repeat("a", 1000)
	vendor.Floods(t, map[string]llmtest.Flood{
		"much text":     {nil, "", llmtest.Endless(llmtest.SSE(delta(`"content":"` + thousand + `"`))), llmtest.TooLong},
		"much thought":  {nil, "", llmtest.Endless(llmtest.SSE(delta(`"reasoning":"` + thousand + `"`))), llmtest.TooLong},
		"long argument": {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"` + thousand + `"}}`))), llmtest.TooLong},
		"nameless":      {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"function":{"arguments":"` + thousand + `"}}`))), llmtest.TooLong},
		"nameless bits": {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"function":{"arguments":"ab"}}`))), llmtest.TooMuch},
		"empty chunks":  {nil, "", llmtest.Endless(llmtest.SSE(`{"choices":[]}`)), llmtest.TooMuch},
		"gzip bomb":     {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, "", &bomb, "the provider compressed its answer though it was asked not to"},
	})
}

// TestLastWords: a stream that breaks off with a line of words keeps them in the detail, without a
// key.
func TestLastWords(t *testing.T) {
	for name, stream := range map[string]string{
		"in a line of its own": llmtest.SSE(delta(`"content":"a"`)) + "error: increase the context size; key " + key + "\n\n",
		"cut off":              llmtest.SSE(delta(`"content":"a"`)) + "error: increase the context size; key " + key,
		"at once":              "error: increase the context size; key " + key + "\n",
	} {
		a := play(t, stream)
		if a.Err == nil || a.Err.Kind != llm.KindNetwork || a.Err.Message != "the provider's answer was cut off" {
			t.Fatalf("%s: %+v", name, a.Err)
		}
		if detail := a.Err.Err.Error(); !strings.Contains(detail, "increase the context size; key [redacted]") || strings.Contains(detail, "0123456789") {
			t.Errorf("%s: %s", name, detail)
		}
	}
	if a := play(t, llmtest.SSE(delta(`"content":"a"`))+"error: nothing\n\n"+llmtest.SSE(finish("stop"), "[DONE]")); a.Err != nil {
		t.Errorf("a stream that goes on: %v", a.Err)
	}
}

// TestNothingIsEmittedToWhoeverHasLeft: an event may hold more than one part, and the end of an
// answer does.
func TestNothingIsEmittedToWhoeverHasLeft(t *testing.T) {
	body := llmtest.SSE(
		delta(`"reasoning":"r","content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]`),
		finish("tool_calls"), "[DONE]")
	for leave := range 9 {
		m := vendor.Model(llmtest.RespondWith(http.StatusOK, llmtest.EventStream, strings.NewReader(body)))
		seen := 0
		for _, err := range m.Stream(t.Context(), llmtest.Hello) { // it panics behind a break
			must.Be(t, err, nil, "after %d", seen)
			if seen++; seen > leave {
				break
			}
		}
	}
}
