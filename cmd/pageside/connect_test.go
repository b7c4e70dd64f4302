package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
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
	URL  string
	hold chan struct{} // answers to "wait" end when it is closed

	mu    sync.Mutex
	asked []string // path and credentials
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{hold: make(chan struct{})}
	v.URL = serves(t, v.ServeHTTP)
	return v
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	key += r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key")
	v.mu.Lock()
	v.asked = append(v.asked, r.URL.String()+" "+key)
	v.mu.Unlock()
	switch {
	case strings.Contains(key, "moved"):
		http.Redirect(w, r, strings.TrimPrefix(key, "sk-moved-to-"), http.StatusTemporaryRedirect)
		return
	case key != goodKey:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s.","code":"invalid_api_key"}}`, key)
		return
	}
	speaks(w, `"delta":{"role":"assistant","content":"Vendor of pageside speaks"}`)
	if strings.Contains(string(body), "please wait") {
		<-v.hold
	}
	speaks(w, `"delta":{"content":" to the end"},"finish_reason":"stop"`)
	fmt.Fprint(w, done)
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
		args := append(args, "--listen", "127.0.0.1:0", "--log-level", "debug", "--log-requests")
		c, err := (&app{environment(env), stdout, stderr}).parseDemo(args)
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

// connected calls /demo/model, and checks what is connected then: a model, and which providers are
// offered, of which those with a * have a key.
func (p demoPage) connected(method, body, want string) connectionJSON {
	p.t.Helper()
	c := p.model(method, body, http.StatusOK)
	got := c.Model
	if c.Scripted {
		got += " (scripted)"
	}
	for _, o := range c.Providers {
		got += ", " + o.Name
		if o.HasKey {
			got += "*"
		}
	}
	must.Be(p.t, got, want, "%s %s: connected is", method, body)
	return c
}

// asks asks something in a thread of its own, and checks that the answer has a text, as has does.
func (p demoPage) asks(run, want string) {
	p.t.Helper()
	_, answer := p.call("POST", "/v1/agents/default/run", aguiBody("t-"+run, run, "Who are you?"), nil)
	has(p.t, answer, "RUN_FINISHED", want)
}

// TestAKeyConnectsAModel: the runs to come are its own, until the scripted model is back. The key
// is sent to the provider, and is in no answer and no line of the log.
func TestAKeyConnectsAModel(t *testing.T) {
	v := newVendor(t)
	p := demoWith(t, v, nil)
	const scripted = scriptedDemo + " (scripted), openai, anthropic, gemini"
	const withKey = ", openai*, anthropic, gemini"
	c := p.connected("GET", "", scripted)
	must.Be(t, c.Providers[0].Host, "api.openai.com", "where a key goes")
	p.connected("PUT", `{"model":"openai/gpt-5-mini","key":" `+goodKey+`\n"}`, "openai/gpt-5-mini"+withKey)
	p.asks("r1", "Vendor of pageside")
	_, told := p.call("GET", "/v1/agents/default/capabilities", "", nil)
	has(p.t, told, `"model":"openai/gpt-5-mini"`, `!"scripted":true`)
	p.connected("PUT", `{"model":"openai/gpt-5"}`, "openai/gpt-5"+withKey) // with the same key
	p.connected("DELETE", "", scripted)
	p.asks("r2", "!Vendor")
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
	list := must.JSON[struct{ Runs []struct{ ID string } }](p.t, runs)
	must.Be(p.t, len(list.Runs) > 0, true, "whether the inspector has runs")
	for _, run := range list.Runs {
		p.call("GET", "/v1/inspector/runs/"+run.ID, "", nil)
	}
	p.call("GET", "/metrics", "", nil)
	p.call("GET", "/demo/model", "", nil)
	has(p.t, p.answers.String(), "!"+key)
	has(p.t, p.log.String(), "/demo/model", "!"+key)
}

// TestARefusedKeyIsNotConnected, with any provider: the answer says why, and the key is told to
// nobody, not even where the provider repeats it or sends the request elsewhere.
func TestARefusedKeyIsNotConnected(t *testing.T) {
	v := newVendor(t)
	elsewhere := newVendor(t)
	p := demoWith(t, v, nil)
	const refused, ofKey = "refused the API key", `"field":"key"`
	for _, tt := range []struct{ model, key, want, field string }{
		{"openai/gpt-5-mini", "sk-wrong-abcdefgh", refused, ofKey},
		{"anthropic/claude-haiku-4-5", "plainwrong1", refused, ofKey},
		{"gemini/gemini-2.5-flash", "plainwrong2", refused, ofKey},
		{"openai/gpt-5-mini", "sk-moved-to-" + elsewhere.URL, "307", "!" + ofKey},
	} {
		status, answer := p.call("PUT", "/demo/model", `{"model":"`+tt.model+`","key":"`+tt.key+`"}`, nil)
		must.Be(t, status, http.StatusUnprocessableEntity, "%s with %s: status", tt.model, tt.key)
		has(p.t, answer, tt.want, tt.field)
		asked := v.requests()
		path, key, _ := strings.Cut(asked[len(asked)-1], " ")
		must.Be(t, key, tt.key, "%s: the key that was sent", tt.model)
		has(p.t, path+p.answers.String()+p.log.String(), "!"+tt.key)
	}
	must.Be(t, len(elsewhere.requests()), 0, "requests that followed the redirect")
	must.Be(t, p.model("GET", "", 200).Model, scriptedDemo, "what answers now")
	p.ends()
}

// TestALiveRunKeepsItsModel to its end, whatever is connected meanwhile.
func TestALiveRunKeepsItsModel(t *testing.T) {
	v := newVendor(t)
	p := demoWith(t, v, nil)
	p.model("PUT", `{"model":"openai/gpt-5-mini","key":"`+goodKey+`"}`, 200)
	resp := asked(t, p.url, "live", "please wait")
	begun := make([]byte, 4096)
	for text := ""; !strings.Contains(text, "Vendor"); {
		n, err := resp.Body.Read(begun)
		if text += string(begun[:n]); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	p.model("DELETE", "", 200)
	p.asks("r1", "!Vendor")
	close(v.hold)
	has(p.t, string(must.Get(io.ReadAll(resp.Body))(t)), "to the end", "RUN_FINISHED")
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
	must.Be(t, len(v.requests()), 0, "requests to the vendor")
	p.model("PUT", good, 200) // as it must be
	p.ends()
}

// TestAGivenKeyGoesToItsProvidersAddress, whatever the environment says: that address may be of a
// proxy that has no business with this key.
func TestAGivenKeyGoesToItsProvidersAddress(t *testing.T) {
	env := map[string]string{}
	for _, provider := range []string{"OPENAI", "ANTHROPIC", "GEMINI"} {
		env[provider+"_BASE_URL"] = "http://127.0.0.1:2"
	}
	s := &modelSwitch{env: environment(env)}
	for model, host := range map[string]string{
		"openai/gpt-5-mini": "api.openai.com", "anthropic/claude-haiku-4-5": "api.anthropic.com",
		"gemini/gemini-2.5-flash": "generativelanguage.googleapis.com",
	} {
		info := must.Get(s.openConnection(t.Context(), connection{name: model, key: "k"}))(t).Info()
		must.Be(t, info.Name()+" at "+info.Host, model+" at "+host, "the model")
	}
}

// TestTheModelOfTheCommandLineIsOffered beside the others. Two choices at once leave one of them.
func TestTheModelOfTheCommandLineIsOffered(t *testing.T) {
	file := fileOf(t, "other.yaml", "name: other\nrules:\n  - fallback: true\n    steps: [{text: Another one speaks.}]\n")
	given := "script/" + file
	p := demoWith(t, newVendor(t), map[string]string{"GEMINI_API_KEY": goodKey}, "--model", given)
	c := p.connected("GET", "", given+" (scripted), openai, anthropic, gemini*, script")
	must.Be(t, fmt.Sprint(c.Providers[3].Models), "["+file+"]", "models that script offers")
	p.asks("r1", "Another")
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
	p.asks("r2", map[bool]string{true: "Another", false: "!Another"}[p.model("GET", "", 200).Model == given])
	p.ends()
}

// TestOtherOriginsCannotChangeTheDemo: what its users make is theirs.
func TestOtherOriginsCannotChangeTheDemo(t *testing.T) {
	p := demoWith(t, newVendor(t), nil)
	evil := map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": ""}
	for _, route := range []string{
		"POST /demo/research/streams", "POST /demo/research/reports", "DELETE /demo/discover/alerts/1",
		"POST /demo/discover/query", "POST /_plugins/_ppl",
	} {
		method, path, _ := strings.Cut(route, " ")
		status, answer := p.call(method, path, `{}`, evil)
		must.Be(t, status, http.StatusForbidden, "%s: %s: status", route, answer)
	}
	// what refuses is the origin: the demo's own page may ask
	p.wants(person{}, "POST", "/_plugins/_ppl", `{"query":"source=access_log | head 1"}`, http.StatusOK, `"size":1`)
	p.ends()
}

// TestAnOllamaIsFoundWhileTheDemoRuns: people start one when they read that they could. It needs no
// key and is not asked before it is connected: it may take minutes to load its model.
func TestAnOllamaIsFoundWhileTheDemoRuns(t *testing.T) {
	ollama := serves(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"llama3.2"},{"id":"nomic-embed-text"}]}`))
	})
	p := demoWith(t, newVendor(t), map[string]string{"OLLAMA_HOST": ollama}, "--model", scriptedDemo)
	for range 60 { // it is waited for a moment only, and asked again the next time
		if len(p.model("GET", "", 200).Providers) == 4 {
			break
		}
	}
	const providers = ", openai, anthropic, gemini, ollama"
	c := p.connected("GET", "", scriptedDemo+" (scripted)"+providers)
	must.Be(t, fmt.Sprint(c.Providers[3].Models, c.Providers[3].Host), "[llama3.2]", "models of Ollama, and its host")
	p.model("PUT", `{"model":"ollama/llama3.2","key":"k"}`, 400)
	p.model("PUT", `{"model":"ollama/other"}`, 400)
	p.connected("PUT", `{"model":"ollama/llama3.2"}`, "ollama/llama3.2"+providers)
	p.ends()
}
