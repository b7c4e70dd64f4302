package openai_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
)

func TestStreamFaults(t *testing.T) {
	text := delta(`"content":"a"`)
	for name, tc := range map[string]struct {
		body string
		kind llm.ErrorKind
		text string
	}{
		"nothing":                  {"", llm.KindNetwork, ""},
		"comments alone":           {": hi\n\n: hi\n\n", llm.KindNetwork, ""},
		"done at once":             {sse("[DONE]"), llm.KindProtocol, ""},
		"cut after text":           {sse(text), llm.KindNetwork, "a"},
		"not JSON":                 {sse(text, "nope"), llm.KindProtocol, "a"},
		"JSON of another kind":     {sse(`[1,2]`), llm.KindProtocol, ""},
		"choices of another kind":  {sse(`{"choices":"none"}`), llm.KindProtocol, ""},
		"content of another kind":  {sse(delta(`"content":{"a":1}`)), llm.KindProtocol, ""},
		"half a chunk":             {sse(text, text[:len(text)-3], "[DONE]"), llm.KindProtocol, "a"},
		"two chunks in one":        {sse(text + text), llm.KindProtocol, ""},
		"error object":             {sse(text, `{"error":{"message":"Overloaded","type":"server_error"}}`), llm.KindOverloaded, "a"},
		"error text":               {sse(`{"error":"it broke"}`), llm.KindOverloaded, ""},
		"error with status":        {sse(`{"error":{"code":429,"message":"slow"}}`), llm.KindRateLimited, ""},
		"error with status 401":    {sse(`{"error":{"code":401,"message":"no"}}`), llm.KindAuth, ""},
		"error with words":         {sse(`{"error":{"code":"rate_limit_exceeded"}}`), llm.KindRateLimited, ""},
		"error in the request":     {sse(`{"error":{"type":"invalid_request_error","code":"tool_use_failed"}}`), llm.KindBadRequest, ""},
		"context overflow":         {sse(`{"error":{"message":"...","code":"context_length_exceeded"}}`), llm.KindContextFull, ""},
		"vLLM's own error":         {sse(`{"object":"error","message":"boom","type":"InternalServerError","code":500}`), llm.KindOverloaded, ""},
		"error in a choice":        {sse(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"down"}}]}`), llm.KindOverloaded, ""},
		"finish error":             {sse(text, finish("error")), llm.KindOverloaded, "a"},
		"error event":              {"event: error\ndata: {\"error\":{\"message\":\"x\"}}\n\n", llm.KindOverloaded, ""},
		"nested error":             {sse(`{"error":{"error":{"message":"x","type":"authentication_error"}}}`), llm.KindAuth, ""},
		"deep":                     {sse(strings.Repeat("[", 20000)), llm.KindProtocol, ""},
		"deep inside":              {sse(`{"choices":[{"delta":{"content":"a","x":` + strings.Repeat(`{"a":`, 20000) + `1`), llm.KindProtocol, ""},
		"bytes":                    {sse("\x00\xff\xfe{"), llm.KindProtocol, ""},
		"10,000 calls":             {sse(piece(strings.Repeat(`{"id":"a","function":{"name":"f","arguments":"{}"}},`, 9999) + `{"function":{"name":"f"}}`)), llm.KindOutputLimit, ""},
		"10,000 calls in 10,000":   {sse(strings.Split(strings.Repeat(piece(`{"function":{"name":"f","arguments":"{}"}}`)+"\n", 9999)+"x", "\n")...), llm.KindOutputLimit, ""},
		"10,000 nameless calls":    {sse(piece(strings.Repeat(`{"function":{"arguments":"{}"}},`, 9999) + `{}`)), llm.KindOutputLimit, ""},
		"wrong order":              {sse(finish("stop"), text, "[DONE]"), "", ""},
		"index out of range":       {sse(piece(`{"index":-3,"id":"a","function":{"name":"f"}},{"index":99999999,"id":"b","function":{"name":"g"}}`), finish("stop")), "", ""},
		"error after the finish":   {sse(text, finish("stop"), `{"error":{"message":"late"}}`), llm.KindOverloaded, "a"},
		"garbage after [DONE]":     {sse(text, finish("stop"), "[DONE]", "nope"), "", "a"},
		"null chunk":               {sse("null", text, finish("stop")), "", "a"},
		"data without a document":  {"data:\n\ndata: \n\n" + sse(text, finish("stop")), "", "a"},
		"empty delta, null fields": {sse(`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`, text, finish("stop")), "", "a"},
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
		})
	}
}

func TestStatusErrors(t *testing.T) {
	const key = "sk-secret-0123456789"
	for _, tc := range []struct {
		status  int
		body    string
		kind    llm.ErrorKind
		message string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: ` + key + `. Find it at …","code":"invalid_api_key"}}`, llm.KindAuth, "the provider refused the API key (invalid_api_key)"},
		{401, key, llm.KindAuth, "the provider refused the API key"},
		{401, `{"error":{"message":"x","code":"` + key + `"}}`, llm.KindAuth, "the provider refused the API key"},
		{403, `{"error":"forbidden"}`, llm.KindAuth, "the provider refused the API key"},
		{402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.KindAuth, "the provider's account has no credit left"},
		{429, `{"error":{"code":"insufficient_quota"}}`, llm.KindAuth, "the provider's account has no credit left (insufficient_quota)"},
		{429, `{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}`, llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_exceeded)"},
		{500, `<html>oops</html>`, llm.KindOverloaded, "the provider is overloaded or failing, status 500"},
		{529, `{"type":"error","error":{"type":"overloaded_error"}}`, llm.KindOverloaded, "the provider is overloaded or failing, status 529 (overloaded_error)"},
		{503, ``, llm.KindOverloaded, "the provider is overloaded or failing, status 503"},
		{404, `{"error":{"message":"model 'x' not found, try pulling it first"}}`, llm.KindBadRequest, "the provider does not know this model or address"},
		{400, `{"error":{"message":"bad","type":"invalid_request_error"}}`, llm.KindBadRequest, "the provider refused the request, status 400 (invalid_request_error)"},
		{400, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`, llm.KindBadRequest, "the provider refused the request, status 400"},
		{422, `{"detail":"nope"}`, llm.KindBadRequest, "the provider refused the request, status 422"},
		{302, ``, llm.KindBadRequest, "the provider's address answered with status 302 instead of an answer"},
		{204, ``, llm.KindBadRequest, "the provider's address answered with status 204 instead of an answer"},
		{413, ``, llm.KindContextFull, "the conversation is longer than the model can take"},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, llm.KindContextFull, "the conversation is longer than the model can take (context_length_exceeded)"},
		{400, `{"error":{"message":"However, the model's context length is only 1024 tokens","type":"BadRequestError","code":400}}`, llm.KindContextFull, "the conversation is longer than the model can take"},
		{500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, llm.KindContextFull, "the conversation is longer than the model can take"},
		{413, `{"error":{"message":"Request too large, tokens per minute","code":"rate_limit_exceeded"}}`, llm.KindRateLimited, "the provider limits the rate of requests (rate_limit_exceeded)"},
	} {
		header := http.Header{"Content-Type": {"application/json"}, "Location": {"https://elsewhere/"}}
		a := ask(t, t.Context(), model(respondWith(tc.status, header, strings.NewReader(tc.body))), hello)
		if a.kind() != tc.kind || a.err.Message != tc.message || a.err.Status != tc.status || a.err.Model != "openai/test" {
			t.Errorf("%d %s: %+v, want %q", tc.status, tc.body, a.err, tc.message)
		}
		if all := fmt.Sprintf("%v %v %+v", a.err, a.err.Err, a.err); strings.Contains(all, key) || strings.Contains(all, "0123456789") || strings.Contains(all, "<html>") {
			t.Errorf("%d: the error holds the key or the body: %s", tc.status, all)
		}
	}
}

func TestErrorDetailsAreScrubbed(t *testing.T) {
	body := `{"error":{"message":"bad key sk-proj-abcdef************wxyz or\n Bearer abcdefghijkl, request 0123456789abcdef0123456789abcdef: ` + strings.Repeat("long ", 1000) + `"}}`
	a := ask(t, t.Context(), model(respondWith(400, nil, strings.NewReader(body))), hello)
	got := a.err.Err.Error()
	if want := "bad key [redacted] or [redacted], request [redacted]: long long"; !strings.HasPrefix(got, want) || len(got) > 320 {
		t.Errorf("got %q", got)
	}
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			name, value string
			want        time.Duration
		}{
			{"Retry-After", "2", 2 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond}, {"Retry-After", "600", 10 * time.Minute},
			{"Retry-After", time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), 90 * time.Second},
			{"Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0},
			{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "1e99", 0}, {"Retry-After", "NaN", 0}, {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		} {
			a := ask(t, t.Context(), model(respondWith(429, http.Header{tc.name: {tc.value}}, strings.NewReader(""))), hello)
			if a.kind() != llm.KindRateLimited || a.err.RetryAfter != tc.want || !a.err.Retryable() {
				t.Errorf("%s: %s: got %+v, want %v", tc.name, tc.value, a.err, tc.want)
			}
		}
	})
}

// stall is a handler step: it writes what it is told and then does nothing until the client has
// gone.
func stall(headers bool, every time.Duration, texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if headers {
			w.(http.Flusher).Flush()
		}
		for _, text := range texts {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(every):
			case <-r.Context().Done():
				return
			}
		}
		<-r.Context().Done()
	}
}

func TestTimeouts(t *testing.T) {
	text := sse(delta(`"content":"a"`))
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		message string
		after   time.Duration
		text    string
	}{
		"no headers":       {stall(false, 0), "no answer from the provider within 30s", 30 * time.Second, ""},
		"nothing after":    {stall(true, 0), "nothing said by the provider within 1m0s", time.Minute, ""},
		"drips comments":   {stall(true, time.Second, slices.Repeat([]string{": processing\n\n"}, 500)...), "nothing said by the provider within 1m0s", time.Minute, ""},
		"drips bytes":      {stall(true, time.Second, strings.Split(strings.Repeat("x", 500), "")...), "nothing said by the provider within 1m0s", time.Minute, ""},
		"drips roles":      {stall(true, time.Second, slices.Repeat([]string{sse(delta(`"role":"assistant","content":""`))}, 500)...), "nothing said by the provider within 1m0s", time.Minute, ""},
		"stops mid-stream": {stall(true, 20*time.Second, text, text, text), "no further word from the provider within 30s", 70 * time.Second, "aaa"},
		"comments mid-way": {stall(true, 10*time.Second, text, ": a\n\n", ": b\n\n", ": c\n\n", text), "no further word from the provider within 30s", 30 * time.Second, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := ask(t, t.Context(), inMemory(t, tc.handler), hello)
				if a.kind() != llm.KindStalled || a.err.Message != tc.message || a.text != tc.text || !a.err.Retryable() {
					t.Errorf("%q %+v", a.text, a.err)
				}
				if took := time.Since(start); took != tc.after {
					t.Errorf("took %v, want %v", took, tc.after)
				}
			})
		})
	}
}

// A provider that has finished but neither says [DONE] nor closes does not hold the step up for
// long.
func TestNoEndAfterTheFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := ask(t, t.Context(), inMemory(t, stall(true, 0, sse(delta(`"content":"a"`), finish("stop")))), hello)
		if a.err != nil || a.text != "a" || time.Since(start) != 5*time.Second {
			t.Errorf("%v %+v", time.Since(start), a)
		}
	})
}

// The time the consumer takes is not the provider's.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := sse(delta(`"content":"a"`))
		m := inMemory(t, stall(true, 20*time.Second, text, text, text, sse(finish("stop"), "[DONE]")))
		got := ""
		for part, err := range m.Stream(t.Context(), hello) {
			if err != nil {
				t.Fatal(err)
			}
			got += part.Delta
			time.Sleep(10 * time.Minute)
		}
		if got != "aaa" {
			t.Errorf("got %q", got)
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, handler := range map[string]http.HandlerFunc{"before headers": stall(false, 0), "in the stream": stall(true, 0, sse(delta(`"content":"a"`)))} {
			gone := make(chan struct{})
			m := inMemory(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
			why := errors.New("the user pressed stop")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(7*time.Second, func() { cancel(why) })
			start := time.Now()
			a := ask(t, ctx, m, hello)
			if a.kind() != llm.KindCancelled || !errors.Is(a.err, why) || time.Since(start) != 7*time.Second {
				t.Errorf("%s: after %v: %+v", name, time.Since(start), a.err)
			}
			<-gone // the upstream connection is closed
		}
	})
}

func TestLeavingTheLoopClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		handler := stall(true, 0, sse(delta(`"content":"a"`)))
		m := inMemory(t, func(w http.ResponseWriter, r *http.Request) { handler(w, r); close(gone) })
		for range m.Stream(t.Context(), hello) {
			break
		}
		<-gone
	})
}

// Steps of one run use one connection, also where the end of the response comes after [DONE].
func TestConnectionIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipeNet()
		m := served(t, network, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, sse(delta(`"content":"a"`), finish("stop"), "[DONE]"))
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		})
		for range 5 {
			if a := ask(t, t.Context(), m, hello); a.err != nil {
				t.Fatal(a.err)
			}
		}
		if n := network.dials.Load(); n != 1 {
			t.Errorf("%d connections for 5 calls", n)
		}
	})
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := ask(t, t.Context(), openai.New(openai.Config{BaseURL: server.URL, Model: "m"}), hello)
	if a.kind() != llm.KindNetwork || !a.err.Retryable() {
		t.Errorf("got %+v", a.err)
	}
	a = ask(t, t.Context(), openai.New(openai.Config{BaseURL: "http://user:hunter2@127.0.0.1:1", Model: "m"}), hello)
	if a.kind() != llm.KindNetwork || strings.Contains(fmt.Sprintf("%+v %v", a.err, a.err.Err), "hunter2") {
		t.Errorf("got %+v", a.err)
	}
	a = ask(t, t.Context(), openai.New(openai.Config{BaseURL: "http://[broken", Model: "m"}), hello)
	if a.kind() != llm.KindBadRequest {
		t.Errorf("got %+v", a.err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var other int
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other++ }))
	defer target.Close()
	server := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	a := ask(t, t.Context(), openai.New(openai.Config{BaseURL: server.URL, Model: "m", APIKey: "k"}), hello)
	if a.kind() != llm.KindBadRequest || other > 0 {
		t.Errorf("%d requests elsewhere, %+v", other, a.err)
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
		"broken JSON":      {http.Header{"Content-Type": {"application/json"}}, `{"choices":[`},
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
	a := ask(t, t.Context(), model(respondWith(200, nil, strings.NewReader(`{"error":{"message":"x","code":"context_length_exceeded"}}`))), hello)
	if a.kind() != llm.KindContextFull {
		t.Errorf("an error with status 200: %+v", a.err)
	}
}

// What comes without end is stopped at the caps, with little memory.
func TestFloods(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.Copy(z, io.LimitReader(&endless{text: ": bomb\n"}, 20<<20))
	_ = z.Close()
	for name, tc := range map[string]struct {
		header http.Header
		body   io.Reader
		kind   llm.ErrorKind
	}{
		"one line":      {nil, &endless{text: "data: x"}, llm.KindOutputLimit},
		"one frame":     {nil, &endless{text: "data: xxxxxxxxxxxxxxxxx\n"}, llm.KindOutputLimit},
		"much text":     {nil, &endless{text: sse(delta(`"content":"` + strings.Repeat("a", 1000) + `"`))}, llm.KindOutputLimit},
		"much thought":  {nil, &endless{text: sse(delta(`"reasoning":"` + strings.Repeat("a", 1000) + `"`))}, llm.KindOutputLimit},
		"long argument": {nil, &endless{text: sse(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"` + strings.Repeat("a", 1000) + `"}}`))}, llm.KindOutputLimit},
		"nameless":      {nil, &endless{text: sse(piece(`{"index":0,"function":{"arguments":"` + strings.Repeat("a", 1000) + `"}}`))}, llm.KindOutputLimit},
		"nameless bits": {nil, &endless{text: sse(piece(`{"index":0,"function":{"arguments":"ab"}}`))}, llm.KindOutputLimit},
		"empty chunks":  {nil, &endless{text: sse(`{"choices":[]}`)}, llm.KindOutputLimit},
		"comments":      {nil, &endless{text: ": hi\n\n"}, llm.KindOutputLimit},
		"JSON":          {http.Header{"Content-Type": {"application/json"}}, &endless{text: `{"a":`}, llm.KindOutputLimit},
		"blanks":        {http.Header{"Content-Type": {"application/json"}}, &endless{text: " "}, llm.KindOutputLimit},
		"gzip bomb":     {http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, &bomb, llm.KindProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			// where reading takes long is no reason for giving up on the provider
			synctest.Test(t, func(t *testing.T) {
				header := tc.header
				if header == nil {
					header = http.Header{"Content-Type": {"text/event-stream"}}
				}
				body := &counter{r: tc.body}
				m := openai.New(openai.Config{Model: "m", HTTPClient: respondWith(200, header, body), MaxBody: 6 << 20})
				before := heap()
				kind := llm.ErrorKind("")
				for _, err := range m.Stream(t.Context(), hello) {
					if e, ok := errors.AsType[*llm.Error](err); ok {
						kind = e.Kind
					}
				}
				if kind != tc.kind {
					t.Errorf("ended with %q", kind)
				}
				if body.n > 7<<20 {
					t.Errorf("%d bytes read", body.n)
				}
				if body.peak > before+16<<20 {
					t.Errorf("%d MB more in use", (body.peak-before)>>20)
				}
			})
		})
	}
	long := ask(t, t.Context(), model(respondWith(500, nil, &endless{text: "x"})), hello)
	if long.kind() != llm.KindOverloaded {
		t.Errorf("an endless error: %+v", long.err)
	}
}

// counter counts the bytes read through it, and looks at the heap once per megabyte.
type counter struct {
	r    io.Reader
	n    int
	peak uint64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if (c.n+n)>>20 > c.n>>20 {
		c.peak = max(c.peak, heap())
	}
	c.n += n
	return n, err
}

// heap is what is in use, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// endless repeats one text for ever.
type endless struct {
	text string
	off  int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.text[e.off:])
		n += c
		e.off = (e.off + c) % len(e.text)
	}
	return n, nil
}
