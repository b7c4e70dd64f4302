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
	vendor.Faults(t, map[string]llmtest.Fault{
		"deep inside": {llmtest.SSE(`{"choices":[{"delta":{"content":"a","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
	})
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

func TestFloods(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.Copy(z, io.LimitReader(llmtest.Endless(": bomb\n"), 20<<20))
	_ = z.Close()
	thousand := strings.Repeat("a", 1000)
	const call = `{"function":{"name":"f","arguments":"{}"}}`
	vendor.Floods(t, map[string]llmtest.Flood{
		"much text":       {nil, "", llmtest.Endless(llmtest.SSE(delta(`"content":"` + thousand + `"`))), llmtest.TooLong},
		"much thought":    {nil, "", llmtest.Endless(llmtest.SSE(delta(`"reasoning":"` + thousand + `"`))), llmtest.TooLong},
		"long argument":   {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"` + thousand + `"}}`))), llmtest.TooLong},
		"nameless":        {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"function":{"arguments":"` + thousand + `"}}`))), llmtest.TooLong},
		"nameless bits":   {nil, "", llmtest.Endless(llmtest.SSE(piece(`{"index":0,"function":{"arguments":"ab"}}`))), llmtest.TooMuch},
		"calls":           {nil, "", strings.NewReader(llmtest.SSE(piece(strings.Repeat(call+",", 9999) + call))), llmtest.TooManyCalls},
		"calls in pieces": {nil, "", llmtest.Endless(llmtest.SSE(piece(call))), llmtest.TooManyCalls},
		"nameless calls":  {nil, "", strings.NewReader(llmtest.SSE(piece(strings.Repeat(`{"function":{"arguments":"{}"}},`, 9999) + `{}`))), llmtest.TooManyCalls},
		"empty chunks":    {nil, "", llmtest.Endless(llmtest.SSE(`{"choices":[]}`)), llmtest.TooMuch},
		"gzip bomb":       {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, "", &bomb, "the provider compressed its answer though it was asked not to"},
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

// TestLeaveAnEventOfManyParts: a reader that has left is given nothing more of the event.
func TestLeaveAnEventOfManyParts(t *testing.T) {
	body := llmtest.SSE(
		delta(`"reasoning":"r","content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]`),
		finish("tool_calls"), "[DONE]")
	llmtest.LeaveAnywhere(t, body, func(all llmtest.Transport) llm.Model {
		return vendor.Model(&http.Client{Transport: all})
	})
}
