package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// goodKey is the key that the fake vendor takes. It must show nowhere.
const goodKey = "sk-secret-0123456789abcdefghijklmnop"

// vendor is the API of every provider, with a note of all that it was asked.
type vendor struct {
	*httptest.Server
	hold chan struct{} // answers to "wait" end when it is closed

	mu    sync.Mutex
	asked []string // path and credentials
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{hold: make(chan struct{})}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	return v
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key")
	v.mu.Lock()
	v.asked = append(v.asked, r.URL.String()+" "+key)
	v.mu.Unlock()
	switch {
	case strings.Contains(key, "moved"):
		http.Redirect(w, r, strings.TrimPrefix(key, "sk-moved-to-"), http.StatusTemporaryRedirect)
		return
	case key != goodKey:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s. Find yours at our site.","type":"invalid_request_error","code":"invalid_api_key"}}`, key)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Vendor of pageside speaks"}}]}`+"\n\n")
	w.(http.Flusher).Flush()
	if strings.Contains(string(body), "please wait") {
		<-v.hold
	}
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" to the end"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func (v *vendor) requests() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.asked)
}

// demoPage is the demo's page in a browser. It keeps all that it is answered.
type demoPage struct {
	*started
	answers *strings.Builder
}

// demoWith serves the demo, whose providers are all at the fake vendor.
func demoWith(t *testing.T, v *vendor, env map[string]string, args ...string) demoPage {
	t.Helper()
	s := servingBy(t, func(ctx context.Context, stdout, stderr io.Writer) error {
		c, err := (&app{environment(env), stdout, stderr}).parseDemo(append(args, "--listen", "127.0.0.1:0", "--log-level", "debug", "--log-requests"))
		if err != nil {
			return err
		}
		c.addresses = map[string]string{"openai": v.URL, "anthropic": v.URL, "gemini": v.URL}
		return c.run(ctx)
	})
	return demoPage{s, new(strings.Builder)}
}

// call sends what the page sends, with other headers in place of a browser's.
func (p demoPage) call(method, path, body string, headers map[string]string) (int, string) {
	p.t.Helper()
	all := map[string]string{"Origin": p.url, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
	maps.Copy(all, headers)
	resp, answer := p.send(method, path, body, all)
	fmt.Fprintln(p.answers, resp.Header, answer)
	return resp.StatusCode, answer
}

// model calls /demo/model, which must answer with the status.
func (p demoPage) model(method, body string, want int) (c connectionJSON) {
	p.t.Helper()
	status, answer := p.call(method, "/demo/model", body, nil)
	if err := json.Unmarshal([]byte(answer), &c); err != nil || status != want {
		p.t.Fatalf("%s %s: %d %s", method, body, status, answer)
	}
	return c
}

// asks begins a thread with a question.
func (p demoPage) asks(run, text string) string {
	p.t.Helper()
	_, answer := p.call("POST", "/v1/agents/default/run", aguiBody("t-"+run, run, text), nil)
	return answer
}

// TestAKeyConnectsAModel: the runs to come are its own, until the scripted model is back. The key
// is sent to the provider, and is in no answer and no line of the log.
func TestAKeyConnectsAModel(t *testing.T) {
	v := newVendor(t)
	p := demoWith(t, v, nil)
	if c := p.model("GET", "", 200); c.Model != scriptedDemo || !c.Scripted || namesOf(c.Providers) != "openai, anthropic, gemini" || c.Providers[0].HasKey || c.Providers[0].Host != "api.openai.com" {
		t.Errorf("before: %+v", c)
	}
	if c := p.model("PUT", `{"model":"openai/gpt-5-mini","key":" `+goodKey+`\n"}`, 200); c.Model != "openai/gpt-5-mini" || c.Scripted || !c.Providers[0].HasKey || c.Providers[1].HasKey {
		t.Errorf("connected: %+v", c)
	}
	must.Have(t, p.asks("r1", "Who are you?"), "Vendor of pageside", "a new run")
	if _, told := p.call("GET", "/v1/agents/default/capabilities", "", nil); !strings.Contains(told, `"model":"openai/gpt-5-mini"`) || strings.Contains(told, `"scripted":true`) {
		t.Errorf("the tray is told %s", told)
	}
	if c := p.model("PUT", `{"model":"openai/gpt-5"}`, 200); c.Model != "openai/gpt-5" {
		t.Errorf("another model with the same key: %+v", c)
	}
	if c := p.model("DELETE", "", 200); c.Model != scriptedDemo || !c.Scripted || c.Providers[0].HasKey {
		t.Errorf("back: %+v", c)
	}
	if answer := p.asks("r2", "Who are you?"); strings.Contains(answer, "Vendor") || !strings.Contains(answer, "RUN_FINISHED") {
		t.Errorf("after: %s", answer)
	}
	p.model("PUT", `{"model":"openai/gpt-5"}`, 400) // the key is forgotten
	p.hides(goodKey)
	for _, asked := range v.requests() {
		must.Be(t, asked, "/chat/completions "+goodKey, "the vendor was asked")
	}
	p.ends()
}

// hides looks for a key in all answers, those of the inspector too, and in the log.
func (p demoPage) hides(key string) {
	p.t.Helper()
	_, runs := p.call("GET", "/v1/inspector/runs", "", nil)
	var list struct{ Runs []struct{ ID string } }
	if err := json.Unmarshal([]byte(runs), &list); err != nil || len(list.Runs) == 0 {
		p.t.Errorf("the inspector has %s %v", runs, err)
	}
	for _, run := range list.Runs {
		p.call("GET", "/v1/inspector/runs/"+run.ID, "", nil)
	}
	p.call("GET", "/metrics", "", nil)
	p.call("GET", "/demo/model", "", nil)
	if strings.Contains(p.answers.String(), key) {
		p.t.Errorf("an answer holds the key:\n%s", p.answers)
	}
	if !strings.Contains(p.log.String(), "/demo/model") || strings.Contains(p.log.String(), key) {
		p.t.Errorf("the log holds the key, or not the requests:\n%s", p.log.String())
	}
}

// TestARefusedKeyIsNotConnected, with any provider: the answer says why, and the key is told to
// nobody, not even where the provider repeats it or sends the request elsewhere.
func TestARefusedKeyIsNotConnected(t *testing.T) {
	v := newVendor(t)
	elsewhere := newVendor(t)
	p := demoWith(t, v, nil)
	for _, tt := range []struct{ model, key, want string }{
		{"openai/gpt-5-mini", "sk-wrong-abcdefgh", "refused the API key"},
		{"anthropic/claude-haiku-4-5", "plainwrong1", "refused the API key"},
		{"gemini/gemini-2.5-flash", "plainwrong2", "refused the API key"},
		{"openai/gpt-5-mini", "sk-moved-to-" + elsewhere.URL, "307"},
	} {
		status, answer := p.call("PUT", "/demo/model", `{"model":"`+tt.model+`","key":"`+tt.key+`"}`, nil)
		if status != 422 || !strings.Contains(answer, tt.want) || strings.Contains(tt.want, "key") != strings.Contains(answer, `"field":"key"`) {
			t.Errorf("%s with %s: %d %s", tt.model, tt.key, status, answer)
		}
		if asked := v.requests(); !strings.HasSuffix(asked[len(asked)-1], " "+tt.key) || strings.Contains(strings.Fields(asked[len(asked)-1])[0], tt.key) {
			t.Errorf("%s: asked %s", tt.model, asked)
		}
		if strings.Contains(p.answers.String(), tt.key) || strings.Contains(p.log.String(), tt.key) {
			t.Errorf("%s is told:\n%s\n%s", tt.key, p.answers, p.log.String())
		}
	}
	if asked := elsewhere.requests(); len(asked) > 0 {
		t.Errorf("the redirect was followed: %s", asked)
	}
	if c := p.model("GET", "", 200); c.Model != scriptedDemo {
		t.Errorf("it answers now: %+v", c)
	}
	p.ends()
}

// TestALiveRunKeepsItsModel to its end, whatever is connected meanwhile.
func TestALiveRunKeepsItsModel(t *testing.T) {
	v := newVendor(t)
	p := demoWith(t, v, nil)
	p.model("PUT", `{"model":"openai/gpt-5-mini","key":"`+goodKey+`"}`, 200)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/v1/agents/default/run", strings.NewReader(aguiBody("t-live", "live", "please wait")))
	must.Do(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp := must.Get(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	begun := make([]byte, 4096)
	for text := ""; !strings.Contains(text, "Vendor"); {
		n, err := resp.Body.Read(begun)
		if text += string(begun[:n]); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	p.model("DELETE", "", 200)
	if answer := p.asks("r1", "Who are you?"); strings.Contains(answer, "Vendor") || !strings.Contains(answer, "RUN_FINISHED") {
		t.Errorf("a new run: %s", answer)
	}
	close(v.hold)
	if rest, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(rest), "to the end") || !strings.Contains(string(rest), "RUN_FINISHED") {
		t.Errorf("the live run ends with %s %v", rest, err)
	}
	p.ends()
}

// TestOnlyTheDemosPageConnectsAModel, with a request that names it and is as it must be.
func TestOnlyTheDemosPageConnectsAModel(t *testing.T) {
	v := newVendor(t)
	p := demoWith(t, v, nil, "--origin", "http://127.0.0.1:9999")
	port := p.url[strings.LastIndex(p.url, ":"):]
	good := `{"model":"openai/gpt-5-mini","key":"` + goodKey + `"}`
	headers := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for pair := range slices.Chunk(pairs, 2) {
			m[pair[0]] = pair[1]
		}
		return m
	}
	for _, tt := range []struct {
		method, body string
		headers      map[string]string
		status       int
		want         string
	}{
		{"PUT", good, headers("Host", "demo.example"), 403, "Host"},
		{"PUT", good, headers("Host", "rebound.example"+port, "Origin", "http://rebound.example"+port), 403, "Host"},
		{"GET", "", headers("Host", "192.168.1.5"+port, "Origin", ""), 403, "Host"},
		{"PUT", good, headers("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"), 403, "Origin"},
		{"PUT", good, headers("Origin", "https://evil.example", "Sec-Fetch-Site", ""), 403, "Origin"},
		{"PUT", good, headers("Origin", "http://127.0.0.1:9999"), 403, "Origin"},
		{"PUT", good, headers("Origin", "http://localhost"+port), 403, "Origin"},
		{"PUT", good, headers("Origin", "null"), 403, "Origin"},
		{"PUT", good, headers("Origin", "", "Sec-Fetch-Site", ""), 403, "Origin"},
		{"PUT", good, headers("Sec-Fetch-Site", "same-site"), 403, "forbidden_origin"},
		{"PUT", good, headers("Sec-Fetch-Site", "none"), 403, "Sec-Fetch-Site"},
		{"DELETE", "", headers("Origin", ""), 403, "Origin"},
		{"GET", "", headers("Origin", "http://127.0.0.1:9999", "Sec-Fetch-Site", ""), 403, "Origin"},
		{"GET", "", headers("Origin", "", "Sec-Fetch-Site", "cross-site"), 403, "Sec-Fetch-Site"},
		{"PUT", good, headers("X-Forwarded-For", "203.0.113.9"), 403, "X-Forwarded-For"},
		{"PUT", good, headers("Content-Type", "text/plain"), 415, "application/json"},
		{"PUT", good, headers("Content-Type", ""), 415, "application/json"},
		{"PUT", `{"model":"openai/gpt-5-mini","key":"` + strings.Repeat("x", 4<<10) + `"}`, nil, 413, "4 KiB"},
		{"PUT", `{"model":"openai/gpt-5-mini","key":"k","baseUrl":"https://evil.example"}`, nil, 400, `"field":"baseUrl"`},
		{"PUT", `{"Model":"script/demo"}`, nil, 400, `"field":"Model"`},
		{"PUT", `{"model":1}`, nil, 400, `"field":"model"`},
		{"PUT", `{"model":"openai/gpt-5-mini","key":["k"]}`, nil, 400, `"field":"key"`},
		{"PUT", `{"model":"openai/gpt-5-mini","key":"two words"}`, nil, 400, `"field":"key"`},
		{"PUT", `{"model":"openai/gpt-5-mini","key":"` + strings.Repeat("x", 513) + `"}`, nil, 400, `"field":"key"`},
		{"PUT", `{"model":"openai/gpt-5-mini"}`, nil, 400, `"field":"key"`},
		{"PUT", `{"model":"openai/","key":"k"}`, nil, 400, `"field":"model"`},
		{"PUT", `{"model":"groq/llama","key":"k"}`, nil, 400, "openai, anthropic, gemini"},
		{"PUT", `{"model":"ollama/llama3.2"}`, nil, 400, `"field":"model"`}, // none runs
		{"PUT", `{`, nil, 400, `"field":"body"`},
		{"PUT", ``, nil, 400, `"field":"body"`},
		{"POST", good, nil, 405, ""},
	} {
		status, answer := p.call(tt.method, "/demo/model", tt.body, tt.headers)
		if status != tt.status || !strings.Contains(answer, tt.want) || status != 405 && !strings.Contains(answer, `{"error":{"code":`) {
			t.Errorf("%s %.60s with %v: %d %s", tt.method, tt.body, tt.headers, status, answer)
		}
	}
	if asked := v.requests(); len(asked) > 0 {
		t.Errorf("the vendor was asked %s", asked)
	}
	p.model("PUT", good, 200) // as it must be
	p.ends()
}

// TestAGivenKeyGoesToItsProvidersAddress, whatever the environment says: that address may be of a
// proxy that has no business with this key.
func TestAGivenKeyGoesToItsProvidersAddress(t *testing.T) {
	s := &modelSwitch{env: environment(map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:2", "ANTHROPIC_BASE_URL": "http://127.0.0.1:2", "GEMINI_BASE_URL": "http://127.0.0.1:2"})}
	for model, want := range map[string]string{"openai/gpt-5-mini": "api.openai.com", "anthropic/claude-haiku-4-5": "api.anthropic.com", "gemini/gemini-2.5-flash": "generativelanguage.googleapis.com"} {
		m, err := s.openConnection(t.Context(), connection{name: model, key: "k"})
		if err != nil || m.Info().Host != want || m.Info().Name() != model {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// TestTheModelOfTheCommandLineIsOffered beside the others. Two choices at once leave one of them.
func TestTheModelOfTheCommandLineIsOffered(t *testing.T) {
	file := fileOf(t, "other.yaml", "name: other\nrules:\n  - fallback: true\n    steps: [{text: Another one speaks.}]\n")
	given := "script/" + file
	p := demoWith(t, newVendor(t), map[string]string{"GEMINI_API_KEY": goodKey}, "--model", given)
	c := p.model("GET", "", 200)
	if last := c.Providers[len(c.Providers)-1]; c.Model != given || last.Name != "script" || !slices.Equal(last.Models, []string{file}) || !c.Providers[2].HasKey {
		t.Errorf("offered: %+v", c)
	}
	must.Have(t, p.asks("r1", "Who are you?"), "Another", "before")
	var choosing sync.WaitGroup
	for body, method := range map[string]string{"": "DELETE", `{"model":"` + given + `"}`: "PUT"} {
		choosing.Go(func() {
			for range 10 {
				p.wants(person{}, method, "/demo/model", body, 403)
				demoPage{p.started, new(strings.Builder)}.model(method, body, 200)
			}
		})
	}
	choosing.Wait()
	now := p.model("GET", "", 200).Model
	if answer := p.asks("r2", "Who are you?"); (now == given) != strings.Contains(answer, "Another") {
		t.Errorf("%s is connected, and it says %s", now, answer)
	}
	p.ends()
}

// TestOtherOriginsCannotChangeTheDemo: what its users make is theirs.
func TestOtherOriginsCannotChangeTheDemo(t *testing.T) {
	p := demoWith(t, newVendor(t), nil)
	for _, route := range []string{"POST /demo/research/streams", "POST /demo/research/reports", "DELETE /demo/discover/alerts/1", "POST /demo/discover/query", "POST /_plugins/_ppl"} {
		method, path, _ := strings.Cut(route, " ")
		if status, answer := p.call(method, path, `{}`, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": ""}); status != http.StatusForbidden {
			t.Errorf("%s: %d %s", route, status, answer)
		}
	}
	// what refuses is the origin: the demo's own page may ask
	p.wants(person{}, "POST", "/_plugins/_ppl", `{"query":"source=access_log | head 1"}`, http.StatusOK, `"size":1`)
	p.ends()
}

// TestAnOllamaIsFoundWhileTheDemoRuns: people start one when they read that they could. It needs no
// key and is not asked before it is connected: it may take minutes to load its model.
func TestAnOllamaIsFoundWhileTheDemoRuns(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"llama3.2"},{"id":"nomic-embed-text"}]}`))
	}))
	defer ollama.Close()
	p := demoWith(t, newVendor(t), map[string]string{"OLLAMA_HOST": ollama.URL}, "--model", scriptedDemo)
	offered := func() (c connectionJSON) {
		for range 60 { // it is waited for a moment only, and asked again the next time
			if c = p.model("GET", "", 200); len(c.Providers) == 4 {
				return c
			}
		}
		return c
	}
	if c := offered(); len(c.Providers) != 4 || c.Providers[3].Name != "ollama" || !slices.Equal(c.Providers[3].Models, []string{"llama3.2"}) || c.Providers[3].Host != "" {
		t.Fatalf("offered: %+v", c)
	}
	for body, status := range map[string]int{`{"model":"ollama/llama3.2","key":"k"}`: 400, `{"model":"ollama/other"}`: 400} {
		p.model("PUT", body, status)
	}
	if c := p.model("PUT", `{"model":"ollama/llama3.2"}`, 200); c.Model != "ollama/llama3.2" || c.Scripted {
		t.Errorf("connected: %+v", c)
	}
	p.ends()
}
