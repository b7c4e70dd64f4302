package bedrock_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

func TestStreamFaults(t *testing.T) {
	text := vendor.Said
	broken := []byte(text)
	broken[len(broken)-1] ^= 1
	vendor.Faults(t, map[string]llmtest.Fault{
		"cut in a frame": {text[:len(text)-3], llm.KindNetwork, ""},
		"wrong checksum": {string(broken), llm.KindProtocol, ""},
		"not frames":     {"<html>welcome to nginx, and more of it than a prelude has</html>", llm.KindProtocol, ""},
	})
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

func TestLife(t *testing.T) { vendor.Life(t) }

func TestTimeouts(t *testing.T) {
	vendor.Timeouts(t, map[string]llmtest.Timeout{
		"nothing said": {llmtest.Stall(true, 0, frames(`{"messageStart":{"role":"assistant"}}`)), "nothing said by the provider within 5m0s", httpmodel.Patience, ""},
	})
}

// A Pause stands where the stream waits; what the consumer takes of time is not the provider's.
func TestPauseAndSlowConsumer(t *testing.T) {
	for takes, want := range map[time.Duration]string{0: "ab|c|.", 3 * time.Minute: "abc|."} {
		synctest.Test(t, func(t *testing.T) {
			_, client := llmtest.Serve(t, llmtest.Stall(true, 30*time.Second, frames(said(0, "a"), said(0, "b")), frames(said(0, "c"), stop("end_turn"), `{"metadata":{}}`)))
			got := ""
			for p, err := range vendor.New(llmtest.Setup{URL: "http://model", Client: client}).Stream(t.Context(), llmtest.Hello) {
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
	body := []byte(frames(called(0, "a", "f"), args(0, `{"x":`), `{"somethingNew":{"a":1}}`, args(0, "1}"), over(0), stop("tool_use")))
	m := model(func(r *http.Request) (*http.Response, error) {
		return llmtest.Respond(http.StatusOK, nil, &llmtest.CutReader{Data: body, N: 7})(r)
	})
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
			m := vendor.New(llmtest.Setup{Client: llmtest.Streaming(llmtest.Endless(frames(event))), Limits: httpmodel.Limits{MaxBody: 6 << 20}})
			if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Err == nil || a.Err.Message != want {
				t.Errorf("%s: %+v", name, a.Err)
			}
		}
		limits := httpmodel.Limits{MaxStep: 1000, MaxBody: 1 << 20}
		m := vendor.New(llmtest.Setup{Client: llmtest.Streaming(llmtest.Endless(vendor.More)), Limits: limits})
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
