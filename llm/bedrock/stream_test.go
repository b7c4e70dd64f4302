package bedrock_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// The events of a stream.
func said(block int, text string) string {
	return fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":%d,"delta":{"text":%q}}}`, block, text)
}

func thought(block int, what, value string) string {
	return fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":%d,"delta":{"reasoningContent":{%q:%q}}}}`, block, what, value)
}

func called(block int, id, name string) string {
	return fmt.Sprintf(`{"contentBlockStart":{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":%q,"name":%q}}}}`, block, id, name)
}

func args(block int, text string) string {
	return fmt.Sprintf(`{"contentBlockDelta":{"contentBlockIndex":%d,"delta":{"toolUse":{"input":%q}}}}`, block, text)
}

func over(block int) string {
	return fmt.Sprintf(`{"contentBlockStop":{"contentBlockIndex":%d}}`, block)
}

func stop(reason string) string { return `{"messageStop":{"stopReason":"` + reason + `"}}` }

// shape writes an answer's parts in short.
func shape(a llmtest.Answer) string {
	return a.Shape(func(opaque string) string { return strings.TrimPrefix(opaque, "bedrock:anthropic:") })
}

func TestStream(t *testing.T) {
	for name, tc := range map[string]struct {
		events []string
		want   string
		finish llm.Finish
	}{
		"text":                  {[]string{`{"messageStart":{"role":"assistant"}}`, said(0, "a"), said(0, ""), said(0, "b"), over(0), stop("end_turn")}, "a b", llm.FinishStop},
		"signature in pieces":   {[]string{thought(0, "text", "hm"), thought(0, "signature", "S1"), thought(0, "signature", "S2"), over(0), said(1, "a"), stop("end_turn")}, "t0:hm s0:signature:S1S2 a", llm.FinishStop},
		"signature, no stop":    {[]string{thought(0, "text", "hm"), thought(0, "signature", "S"), stop("end_turn")}, "t0:hm s0:signature:S", llm.FinishStop},
		"hidden thought":        {[]string{thought(0, "redactedContent", "AAEC"), over(0), said(1, "a"), stop("end_turn")}, "s0:redacted:AAEC a", llm.FinishStop},
		"interleaved calls":     {[]string{called(0, "a", "f"), called(1, "b", "g"), args(0, "{"), args(1, "{}"), args(0, "}"), over(0), over(1), stop("tool_use")}, "f0( g1( { {} } ) )", llm.FinishTools},
		"calls, another reason": {[]string{called(0, "a", "f"), over(0), stop("end_turn")}, "f0( )", llm.FinishTools},
		"a nameless call":       {[]string{called(0, "a", " "), args(0, "{}"), over(0), said(1, "a"), stop("tool_use")}, "a", llm.FinishOther},
		"a call of Amazon's":    {[]string{`{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"nova_grounding","type":"server_tool_use"}}}}`, args(0, "{}"), over(0), said(1, "a"), stop("end_turn")}, "a", llm.FinishStop},
		"cut off by length":     {[]string{called(0, "a", "f"), args(0, "{"), stop("max_tokens")}, "f0( {", llm.FinishLength},
		"window exceeded":       {[]string{said(0, "a"), stop("model_context_window_exceeded")}, "a", llm.FinishLength},
		"guardrail":             {[]string{said(0, "a"), stop("guardrail_intervened")}, "a", llm.FinishFilter},
		"malformed tool use":    {[]string{called(0, "a", "f"), args(0, "{"), over(0), stop("malformed_tool_use")}, "f0( {", llm.FinishOther},
		"unknown reason":        {[]string{said(0, "a"), stop("bored")}, "a", llm.FinishOther},
		"unknown events":        {[]string{`{"somethingNew":{"a":1}}`, said(0, "a"), `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"video":{}}}}`, stop("end_turn")}, "a", llm.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			a := play(t, tc.events...)
			if a.Err != nil || shape(a) != tc.want || a.Finish != tc.finish {
				t.Errorf("%v: %q finish %q, want %q", a.Err, shape(a), a.Finish, tc.want)
			}
		})
	}
}

// Tokens read from and written to the cache are part of the input, though Bedrock counts them
// beside it.
func TestUsage(t *testing.T) {
	u := play(t, said(0, "a"), stop("end_turn"), `{"metadata":{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":115,"cacheReadInputTokens":80,"cacheWriteInputTokens":20}}}`).Usage
	if llmtest.Count(u.Input) != 110 || llmtest.Count(u.Output) != 5 || llmtest.Count(u.Total) != 115 || llmtest.Count(u.CacheRead) != 80 || llmtest.Count(u.CacheWrite) != 20 {
		t.Errorf("got %d %d %d %d", llmtest.Count(u.Input), llmtest.Count(u.Output), llmtest.Count(u.CacheRead), llmtest.Count(u.CacheWrite))
	}
	if cost, known := llm.Cost(u, llm.Prices{Input: 1, Output: 1, CacheRead: 0.1, CacheWrite: 2}); !known || cost != (10+8+40+5)/1e6 {
		t.Errorf("cost %v %v", cost, known)
	}
}

func TestStreamFaults(t *testing.T) {
	text := frames(t, said(0, "a"))
	call := frames(t, called(0, "a", "f"), args(0, "{"))
	broken := slices.Clone(text)
	broken[len(broken)-1] ^= 1
	for name, tc := range map[string]struct {
		body []byte
		kind llm.ErrorKind
		text string
	}{
		"nothing":              {nil, llm.KindNetwork, ""},
		"cut after text":       {text, llm.KindNetwork, "a"},
		"cut in a frame":       {text[:len(text)-3], llm.KindNetwork, ""},
		"throttled":            {slices.Concat(text, exception(t, "throttlingException", "slow down")), llm.KindRateLimited, "a"},
		"throttled in a call":  {slices.Concat(call, exception(t, "throttlingException", "slow down")), llm.KindRateLimited, ""},
		"model stream error":   {slices.Concat(text, exception(t, "modelStreamErrorException", "boom")), llm.KindOverloaded, "a"},
		"internal":             {exception(t, "internalServerException", "boom"), llm.KindOverloaded, ""},
		"unavailable":          {exception(t, "serviceUnavailableException", "boom"), llm.KindOverloaded, ""},
		"validation":           {exception(t, "validationException", "malformed"), llm.KindBadRequest, ""},
		"context full":         {exception(t, "validationException", "Input is too long for requested model."), llm.KindContextFull, ""},
		"unheard of exception": {exception(t, "coffeeException", "boom"), llm.KindOverloaded, ""},
		"wrong checksum":       {broken, llm.KindProtocol, ""},
		"not frames":           {[]byte("<html>welcome to nginx, and more of it than a prelude has</html>"), llm.KindProtocol, ""},
		"payload of no kind":   {frames(t, `{"contentBlockDelta":[1,2]}`), llm.KindProtocol, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := llmtest.Ask(t, t.Context(), model(respond(bytes.NewReader(tc.body))), llmtest.Hello)
			if a.Kind() != tc.kind || a.Text != tc.text {
				t.Fatalf("got %q, %+v (%v); want %q", a.Text, a.Err, a.Err.Err, tc.kind)
			}
			if strings.Contains(fmt.Sprintf("%+v", a.Err), "nginx") {
				t.Errorf("the body is in the error: %+v", a.Err)
			}
			for _, c := range a.Calls {
				if c.Ended {
					t.Errorf("a call ended before the error: %+v", c)
				}
			}
		})
	}
}

func TestStatusErrors(t *testing.T) {
	const secrets = "User: arn:aws:iam::123456789012:user/alice with AKIAIOSFODNN7EXAMPLE is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:us-east-1::foundation-model/x"
	for _, tc := range []struct {
		status     int
		code, text string
		kind       llm.ErrorKind
		message    string
	}{
		{403, "AccessDeniedException", secrets, llm.KindAuth, "the AWS credentials may not use this model (AccessDeniedException)"},
		{403, "UnrecognizedClientException", "The security token included in the request is invalid.", llm.KindAuth, "the provider refused the AWS credentials (UnrecognizedClientException)"},
		{403, "ExpiredTokenException", "x", llm.KindAuth, "the AWS credentials have expired (ExpiredTokenException)"},
		{429, "ThrottlingException", "Too many tokens per day, please wait", llm.KindRateLimited, "the provider limits the rate of requests (ThrottlingException)"},
		{400, "ValidationException", "The provided model identifier is invalid.", llm.KindBadRequest, "the provider refused the request (ValidationException)"},
		{400, "ValidationException", "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum", llm.KindContextFull, "the conversation is longer than the model can take (ValidationException)"},
		{400, "ValidationException", "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.", llm.KindContextFull, "the conversation is longer than the model can take (ValidationException)"},
		{404, "ResourceNotFoundException", "x", llm.KindBadRequest, "the provider does not know this model in this region (ResourceNotFoundException)"},
		{424, "ModelErrorException", "x", llm.KindOverloaded, "the model failed (ModelErrorException)"},
		{408, "ModelTimeoutException", "x", llm.KindOverloaded, "the model took too long (ModelTimeoutException)"},
		{500, "InternalServerException", "x", llm.KindOverloaded, "the provider is failing (InternalServerException)"},
		{503, "ServiceUnavailableException", "x", llm.KindOverloaded, "the provider is overloaded (ServiceUnavailableException)"},
	} {
		header := http.Header{"Content-Type": {"application/json"}, "X-Amzn-Errortype": {tc.code + ":http://internal.amazon.com/"}, "Retry-After": {"7"}}
		a := llmtest.Ask(t, t.Context(), model(llmtest.Respond(tc.status, header, strings.NewReader(`{"message":"`+tc.text+`"}`))), llmtest.Hello)
		if a.Kind() != tc.kind || a.Err.Message != tc.message || a.Err.Status != tc.status || a.Err.RetryAfter != 7*time.Second || a.Err.Model != "bedrock/"+claude {
			t.Errorf("%d %s: %+v, want %q", tc.status, tc.code, a.Err, tc.message)
		}
		if all := fmt.Sprintf("%v %v %+v", a.Err, a.Err.Err, a.Err); strings.Contains(all, "1234567") || strings.Contains(all, "AKIA") || strings.Contains(all, "arn:") {
			t.Errorf("the error leaks: %s", all)
		}
	}
	for status, kind := range map[int]llm.ErrorKind{502: llm.KindOverloaded, 429: llm.KindRateLimited, 403: llm.KindAuth, 413: llm.KindContextFull, 418: llm.KindBadRequest} {
		a := llmtest.Ask(t, t.Context(), model(llmtest.Respond(status, nil, strings.NewReader("<html>oops</html>"))), llmtest.Hello)
		if a.Kind() != kind || strings.Contains(fmt.Sprintf("%+v", a.Err), "oops") {
			t.Errorf("%d: %+v (%v)", status, a.Err, a.Err.Err)
		}
	}
}

func TestNoCredentialsNoRegionNoNetwork(t *testing.T) {
	refused := llmtest.Transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
	if a := llmtest.Ask(t, t.Context(), model(refused), llmtest.Hello); a.Kind() != llm.KindNetwork || !a.Err.Retryable() {
		t.Errorf("got %+v (%v)", a.Err, a.Err.Err)
	}
	none := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("no EC2 IMDS role found for 123456789012")
	})
	a := llmtest.Ask(t, t.Context(), bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: none, HTTPClient: refused}), llmtest.Hello)
	if a.Kind() != llm.KindAuth || strings.Contains(fmt.Sprintf("%+v", a.Err), "123456789012") {
		t.Errorf("got %+v (%v)", a.Err, a.Err.Err)
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	a = llmtest.Ask(t, t.Context(), bedrock.New(bedrock.Config{Model: claude, Credentials: keys, HTTPClient: refused}), llmtest.Hello)
	if a.Kind() != llm.KindBadRequest || a.Err.Message != "no AWS region is configured, or not a valid one" {
		t.Errorf("got %+v (%v)", a.Err, a.Err.Err)
	}
}

// slow is a response that writes its pieces with a pause before each and then says nothing more
// until it is closed.
type slow struct {
	pieces [][]byte
	every  time.Duration
	rest   []byte
	closed chan struct{}
	begun  bool
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		if len(s.pieces) == 0 {
			<-s.closed
			return 0, io.ErrClosedPipe
		}
		if s.begun {
			select {
			case <-time.After(s.every):
			case <-s.closed:
				return 0, io.ErrClosedPipe
			}
		}
		s.rest, s.pieces, s.begun = s.pieces[0], s.pieces[1:], true
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *slow) Close() error { close(s.closed); return nil }

func TestTimeouts(t *testing.T) {
	for name, tc := range map[string]struct {
		every  time.Duration
		events []string
		kind   llm.ErrorKind
		text   string
		after  time.Duration
	}{
		"nothing said":        {0, []string{`{"messageStart":{"role":"assistant"}}`}, llm.KindStalled, "", httpmodel.Patience},
		"stops mid-stream":    {50 * time.Second, []string{said(0, "a"), said(0, "b")}, llm.KindStalled, "ab", 110 * time.Second},
		"slow but steady":     {50 * time.Second, []string{said(0, "a"), said(0, "b"), said(0, "c"), stop("end_turn")}, "", "abc", 155 * time.Second},
		"no end of the usage": {0, []string{said(0, "a"), stop("end_turn")}, "", "a", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &slow{every: tc.every, closed: make(chan struct{})}
				for _, e := range tc.events {
					body.pieces = append(body.pieces, frames(t, e))
				}
				m := model(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
				})
				start := time.Now()
				a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
				if a.Kind() != tc.kind || a.Text != tc.text || time.Since(start) != tc.after {
					t.Errorf("after %v: %q %+v", time.Since(start), a.Text, a.Err)
				}
			})
		})
	}
}

func TestNoHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		start := time.Now()
		if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Kind() != llm.KindStalled || a.Err.Message != "no answer from the provider within 5m0s" || time.Since(start) != httpmodel.Patience {
			t.Errorf("after %v: %+v", time.Since(start), a.Err)
		}
	})
}

func TestCancelAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bodies []*slow
		m := model(func(r *http.Request) (*http.Response, error) {
			body := &slow{pieces: [][]byte{frames(t, said(0, "a"))}, closed: make(chan struct{})}
			bodies = append(bodies, body)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
		})
		why := errors.New("the user pressed stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(7*time.Second, func() { cancel(why) })
		if a := llmtest.Ask(t, ctx, m, llmtest.Hello); a.Kind() != llm.KindCancelled || !errors.Is(a.Err, why) || a.Text != "a" {
			t.Errorf("%+v", a.Err)
		}
		<-bodies[0].closed
		for range m.Stream(t.Context(), llmtest.Hello) {
			break
		}
		<-bodies[1].closed
	})
}

// A Pause stands where the stream waits; what the consumer takes of time is not the provider's.
func TestPauseAndSlowConsumer(t *testing.T) {
	for takes, want := range map[time.Duration]string{0: "ab|c|.", 3 * time.Minute: "abc|."} {
		synctest.Test(t, func(t *testing.T) {
			body := &slow{every: 30 * time.Second, closed: make(chan struct{}), pieces: [][]byte{
				frames(t, said(0, "a"), said(0, "b")), frames(t, said(0, "c"), stop("end_turn"), `{"metadata":{}}`),
			}}
			m := model(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
			})
			got := ""
			for p, err := range m.Stream(t.Context(), llmtest.Hello) {
				must.Do(t, err)
				got += p.Delta + map[llm.PartKind]string{llm.Pause: "|", llm.FinishPart: "."}[p.Kind]
				time.Sleep(takes)
			}
			// the decoder may be behind by one
			if got = strings.ReplaceAll(got, "a|b", "ab"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// Streams of one model at the same time do not disturb each other; the race detector watches the
// SDK too.
func TestManyStreamsAtOnce(t *testing.T) {
	body := frames(t, called(0, "a", "f"), args(0, `{"x":`), `{"somethingNew":{"a":1}}`, args(0, "1}"), over(0), stop("tool_use"))
	m := model(func(r *http.Request) (*http.Response, error) { return respond(&llmtest.CutReader{Data: body, N: 7})(r) })
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				got := ""
				for p, err := range m.Stream(t.Context(), llmtest.Hello) {
					if err != nil {
						t.Error(err)
						return
					}
					got += p.Name + p.Delta
				}
				if got != `f{"x":1}` {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	all.Wait()
}

// What comes without end is stopped at the caps.
func TestFloods(t *testing.T) {
	// where reading takes long is no reason for giving up on the provider
	synctest.Test(t, func(t *testing.T) {
		for name, event := range map[string]string{
			"text": said(0, strings.Repeat("a", 10_000)), "thought": thought(0, "text", strings.Repeat("a", 10_000)), "signature": thought(0, "signature", strings.Repeat("a", 10_000)),
			"empty": said(0, ""),
		} {
			want := llmtest.TooLong
			if name == "empty" {
				want = llmtest.TooMuch
			}
			one := frames(t, event)
			m := bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: keys, Limits: httpmodel.Limits{MaxBody: 6 << 20}, HTTPClient: respond(llmtest.Endless(string(one)))})
			if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Err == nil || a.Err.Message != want {
				t.Errorf("%s: %+v", name, a.Err)
			}
		}
		limits := httpmodel.Limits{MaxStep: 1000, MaxBody: 1 << 20}
		endless := respond(llmtest.Endless(string(frames(t, said(0, "a")))))
		m := bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: keys, Limits: limits, HTTPClient: endless})
		if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); len(a.Text) != 1000 || a.Err == nil || a.Err.Message != llmtest.TooLong {
			t.Errorf("an answer of at most 1000 bytes: %d bytes, then %+v", len(a.Text), a.Err)
		}
		var many, blocks []string
		for i := range 2000 {
			many, blocks = append(many, called(i, "", "f")), append(blocks, said(i, ""))
		}
		for _, events := range [][]string{many, blocks} {
			if a := play(t, events...); a.Kind() != llm.KindOutputLimit {
				t.Errorf("%+v", a.Err)
			}
		}
	})
}

// A turn's own reasoning goes back unchanged, and to no other maker's model.
func TestRoundTrip(t *testing.T) {
	a := play(t, thought(0, "text", "hm"), thought(0, "signature", "Ep0C+/=="), over(0), thought(1, "redactedContent", "AAEC"), over(1), called(2, "a", "f"), args(2, `{"x":1}`), over(2), stop("tool_use"))
	history := []llm.Message{llmtest.Hello.Messages[0], {Role: llm.RoleAssistant, Content: []llm.Content{
		llm.Reasoning{Text: a.Reasoning, Opaque: a.Opaques()[0]}, llm.Reasoning{Opaque: a.Opaques()[1]}, llm.ToolCall{ID: a.Calls[0].ID, Name: a.Calls[0].Name, Args: a.Calls[0].Args},
	}}, {Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "a", Content: llm.Text{Text: "x"}}}}}
	got := sent(t, bedrock.Config{Model: claude}, &llm.Request{Messages: history, Tools: weather})
	for _, want := range []string{`"signature":"Ep0C+/=="`, `"text":"hm"`, `"redactedContent":"AAEC"`, `"input":{"x":1}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if got := sent(t, bedrock.Config{Model: "us.amazon.nova-2-lite-v1:0"}, &llm.Request{Messages: history, Tools: weather}); strings.Contains(got, "reasoningContent") {
		t.Errorf("sent to another maker's model: %s", got)
	}
}
