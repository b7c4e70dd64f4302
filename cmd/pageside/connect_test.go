package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTheDemoSwitchesModels: the next question is answered by the model that was chosen, without a
// restart.
func TestTheDemoSwitchesModels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(file, []byte("name: other\nrules:\n  - fallback: true\n    steps: [{text: Another one speaks.}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	given := "script/" + file
	s := serving(t, "demo", "--model", given)
	models := func(method, body string, want int) (choices []modelChoice, current string) {
		status, text := s.do(method, "/demo/settings", body)
		var answer settingsJSON
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != want {
			t.Fatalf("%s %s: %d %s", method, body, status, text)
		}
		return answer.Models, answer.Current
	}
	ask := func(run string) string {
		_, text := s.do("POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t-`+run+`","runId":"`+run+`","messages":[{"id":"u-`+run+`","role":"user","content":"Who are you?"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`)
		return text
	}
	choices, current := models("GET", "", 200)
	if current != given || choices[0].Name != scriptedDemo || choices[1].Name != given {
		t.Errorf("%s of %+v", current, choices)
	}
	openai := choices[slices.IndexFunc(choices, func(c modelChoice) bool { return strings.HasPrefix(c.Name, "openai/") })]
	if openai.Available || !strings.Contains(openai.Why, "OPENAI_API_KEY") {
		t.Errorf("without a key: %+v", openai)
	}
	if text := ask("r1"); !strings.Contains(text, "Another") {
		t.Errorf("before: %s", text)
	}
	if _, current = models("PUT", `{"model":"script/demo"}`, 200); current != scriptedDemo {
		t.Errorf("chosen: %s", current)
	}
	if text := ask("r2"); strings.Contains(text, "Another") || !strings.Contains(text, "RUN_FINISHED") {
		t.Errorf("after: %s", text)
	}
	for body, want := range map[string]int{`{"model":"` + openai.Name + `"}`: 409, `{"model":"no/such"}`: 400, `{`: 400, `{"model":"script/demo"} {}`: 400, `{"Model":"script/demo"}`: 400,
		`{"model":"script/demo","more":1}`: 400, `{"model":1}`: 400, `null`: 400, ``: 400, `{"model":"` + strings.Repeat("x", 5000) + `"}`: 413} {
		if status, text := s.do("PUT", "/demo/settings", body); status != want || !strings.Contains(text, "message") {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, text := s.do("DELETE", "/demo/settings", ""); status != 405 || !strings.Contains(text, "method_not_allowed") {
		t.Errorf("DELETE: %d %s", status, text)
	}
	s.chosenAtOnce(given)
	s.ends()
}

// chosenAtOnce has two models chosen at the same time, again and again: what the last answer says
// is current answers.
func (s *started) chosenAtOnce(given string) {
	s.t.Helper()
	var choosing sync.WaitGroup
	for _, name := range []string{scriptedDemo, given} {
		choosing.Go(func() {
			for range 10 {
				if status, text := s.do("PUT", "/demo/settings", `{"model":"`+name+`"}`); status != 200 {
					s.t.Errorf("%s: %d %s", name, status, text)
				}
			}
		})
	}
	choosing.Wait()
	_, settings := s.do("GET", "/demo/settings", "")
	_, answer := s.do("POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t-last","runId":"last","messages":[{"id":"u","role":"user","content":"Who are you?"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`)
	if other := strings.Contains(settings, `"current":"`+given+`"`); other != strings.Contains(answer, "Another") {
		s.t.Errorf("chosen is %s, and it says %s", settings, answer)
	}
}

// TestOtherOriginsCannotChooseTheModel, nor change anything else of the demo.
func TestOtherOriginsCannotChooseTheModel(t *testing.T) {
	s := serving(t, "demo")
	for _, path := range []string{"PUT /demo/settings", "POST /demo/research/streams", "POST /demo/research/reports", "DELETE /demo/discover/alerts/1", "POST /demo/discover/query", "POST /_plugins/_ppl"} {
		method, path, _ := strings.Cut(path, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "https://evil.example")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	// what refuses is the origin: the demo's own page may ask
	if status, answer := s.do("POST", "/_plugins/_ppl", `{"query":"source=access_log | head 1"}`); status != http.StatusOK || !strings.Contains(answer, `"size":1`) {
		t.Errorf("%d %s", status, answer)
	}
	s.ends()
}

// TestAnOllamaIsFoundWhileTheDemoRuns: people start one when they read that they could.
func TestAnOllamaIsFoundWhileTheDemoRuns(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"llama3.2"},{"id":"nomic-embed-text"}]}`))
	}))
	defer ollama.Close()
	s := &modelSettings{env: environment(map[string]string{"OLLAMA_HOST": ollama.URL, "GEMINI_API_KEY": "k"})}
	available := func() string {
		var names []string
		for _, c := range s.choices(t.Context()) {
			if c.Available {
				names = append(names, c.Name)
			}
		}
		return strings.Join(names, " ")
	}
	const want = "script/demo gemini/gemini-2.5-flash ollama/llama3.2"
	got := available()
	// it is waited for a moment only, and asked again the next time
	for until := time.Now().Add(time.Minute); got != want && time.Now().Before(until); got = available() {
		time.Sleep(20 * time.Millisecond)
	}
	if got != want {
		t.Errorf("available are %s, want %s", got, want)
	}
}
