package bedrock_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg bedrock.Config, req *llm.Request) string {
	t.Helper()
	cfg.Region, cfg.Credentials = "us-east-1", keys
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return bedrock.New(cfg) }
	return llmtest.Sent(t, create, vendor.Finished, req)
}

func TestInfoAndResolve(t *testing.T) {
	for id, want := range map[string]llm.Info{
		claude:                        {ContextWindow: 200_000, Tools: true, ParallelTools: true, Images: true, PDF: true, Reasoning: true},
		"anthropic.claude-sonnet-4-5": {ContextWindow: 200_000, Tools: true, ParallelTools: true, Images: true, PDF: true, Reasoning: true, StrictTools: true},
		"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0": {ContextWindow: 300_000, Tools: true, ParallelTools: true, Images: true, PDF: true},
		"deepseek.r1-v1:0": {ContextWindow: 128_000, PDF: true},
		"acme.model":       {Tools: true, ParallelTools: true},
	} {
		want.Provider, want.Model = "bedrock", id
		m, err := bedrock.Resolve("bedrock/"+id, func(string) string { return "" })
		if err != nil || m.Info() != want {
			t.Errorf("%s: %v %+v", id, err, m.Info())
		}
	}
	if got := bedrock.New(bedrock.Config{Model: "acme.model", Abilities: llm.Profile{ContextWindow: new(5), Images: new(true)}}).Info(); got.ContextWindow != 5 || !got.Images {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"bedrock/", "bedrock", "openai/x"} {
		if _, err := bedrock.Resolve(name, func(string) string { return "" }); err == nil {
			t.Errorf("%s is a model", name)
		}
	}
}

func TestWhereACallGoes(t *testing.T) {
	var got *http.Request
	cfg := bedrock.Config{Model: claude, Region: "eu-west-1", Credentials: keys, HTTPClient: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
		got = r
		return llmtest.Respond(200, nil, strings.NewReader(vendor.Finished))(r)
	})}
	llmtest.Ask(t, t.Context(), bedrock.New(cfg), llmtest.Hello)
	if got.URL.Host != "bedrock-runtime.eu-west-1.amazonaws.com" || !strings.HasSuffix(got.URL.Path, "/converse-stream") || !strings.Contains(got.Header.Get("Authorization"), "AWS4-HMAC-SHA256") {
		t.Errorf("%s %v", got.URL, got.Header)
	}
	cfg.BaseURL = "http://127.0.0.1:9/proxy"
	llmtest.Ask(t, t.Context(), bedrock.New(cfg), llmtest.Hello)
	must.Be(t, got.URL.Host, "127.0.0.1:9", "%s", got.URL)
}

func FuzzRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		return sent(t, bedrock.Config{Model: claude}, req)
	}, "bedrock:anthropic:signature:x", "bedrock:anthropic:redacted:AAEC")
}
