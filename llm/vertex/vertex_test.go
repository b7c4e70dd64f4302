package vertex_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/vertex"
	"github.com/pageside/pageside/test/must"
)

// google is a server that gives tokens to a service account and keeps what models are asked.
type google struct {
	*httptest.Server
	tokens   int
	asked    *http.Request
	body     string
	response string
	silent   bool // it never answers
}

func newGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			g.tokens++
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"granted","token_type":"Bearer","expires_in":3600}`)
			return
		}
		raw, _ := io.ReadAll(r.Body)
		g.asked, g.body = r, string(raw)
		if g.silent {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, g.response)
	}))
	t.Cleanup(g.Close)
	return g
}

// env is the environment of a service account of g.
func (g *google) env(t *testing.T) func(string) string {
	t.Helper()
	key := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	file, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "a@b.example", "private_key": string(block), "token_uri": g.URL + "/token"})
	must.Do(t, err)
	path := filepath.Join(t.TempDir(), "key.json")
	must.Do(t, os.WriteFile(path, file, 0o600))
	vars := map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "europe-west1", "GOOGLE_APPLICATION_CREDENTIALS": path, "VERTEX_BASE_URL": g.URL}
	return func(name string) string { return vars[name] }
}

// TestModels: Gemini and Claude are asked at their addresses, in their own words, with a token that
// is fetched once.
func TestModels(t *testing.T) {
	for _, tc := range []struct{ name, path, response, inBody, notInBody string }{
		{"vertex/gemini-2.5-flash", "/v1/projects/p/locations/europe-west1/publishers/google/models/gemini-2.5-flash:streamGenerateContent",
			`data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP"}]}` + "\n\n", `"contents":`, `"model":"gemini`},
		{"vertex/claude-sonnet-4-5@20250929", "/v1/projects/p/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
			strings.Join([]string{
				`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}`,
				`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello."}}`,
				`data: {"type":"content_block_stop","index":0}`,
				`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
				`data: {"type":"message_stop"}`, "",
			}, "\n\n"), `"anthropic_version":"vertex-2023-10-16"`, `"model":`},
	} {
		g := newGoogle(t)
		g.response = tc.response
		cfg := must.Get(vertex.ConfigOf(tc.name, g.env(t)))(t)
		cfg.Headers = http.Header{"X-Team": {"search"}}
		m := vertex.New(cfg)
		for range 2 {
			if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Text != "Hello." || a.Err != nil {
				t.Fatalf("%s answers %+v", tc.name, a)
			}
		}
		if g.asked.URL.Path != tc.path || g.asked.Header.Get("Authorization") != "Bearer granted" || g.tokens != 1 {
			t.Errorf("%s is asked at %s with %q, %d tokens", tc.name, g.asked.URL.Path, g.asked.Header.Get("Authorization"), g.tokens)
		}
		must.Be(t, g.asked.Header.Get("X-Team"), "search", "%s is asked with the headers %v", tc.name, g.asked.Header)
		if !strings.Contains(g.body, tc.inBody) || strings.Contains(g.body, tc.notInBody) {
			t.Errorf("%s is asked %s", tc.name, g.body)
		}
		if info := m.Info(); info.Name() != tc.name || info.ContextWindow == 0 || !info.Tools {
			t.Errorf("%+v", info)
		}
	}
}

// TestTimeout: a model that says nothing ends after what its configuration says.
func TestTimeout(t *testing.T) {
	for _, name := range []string{"vertex/gemini-2.5-flash", "vertex/claude-sonnet-4-5"} {
		g := newGoogle(t)
		g.silent = true
		cfg := must.Get(vertex.ConfigOf(name, g.env(t)))(t)
		cfg.HeaderTimeout = time.Second
		if a := llmtest.Ask(t, t.Context(), vertex.New(cfg), llmtest.Hello); a.Kind() != llm.KindStalled {
			t.Errorf("%s ends with %v", name, a.Err)
		}
	}
}

// TestResolve: what is missing is named, and bad credentials fail the call and not the start.
func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"vertex/":                 `model "vertex/": write vertex/NAME, such as vertex/gemini-2.5-flash`,
		"vertex/gemini-2.5-flash": `model "vertex/gemini-2.5-flash": GOOGLE_CLOUD_PROJECT is not set`,
	} {
		if _, err := vertex.Resolve(name, func(string) string { return "" }); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "key.json")
	must.Do(t, os.WriteFile(path, []byte(`{"type":"service_account","private_key":"no key"}`), 0o600))
	m := vertex.New(vertex.Config{Project: "p", Model: "gemini-2.5-flash", CredentialsFile: path})
	a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	if a.Err == nil || strings.Contains(a.Err.Error(), "no key") {
		t.Errorf("%v", a.Err)
	}
}
