package seeds

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// cutOff is an answer in words that the model's limit cuts off.
func cutOff(text string) []llm.Part {
	return []llm.Part{{Kind: llm.TextDelta, Delta: text}, {Kind: llm.FinishPart, Finish: llm.FinishLength}}
}

// answerID returns the id of the first text in a stream.
func answerID(t testing.TB, all []event) string {
	t.Helper()
	starts := named(all, "TEXT_MESSAGE_START")
	if len(starts) == 0 {
		t.Fatalf("there is no answer: %v", all)
	}
	_, id, _ := strings.Cut(string(starts[0].Raw), `"messageId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// continuing returns the request that continues a message.
func continuing(thread, run, message string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[],"tools":[],"context":[],"forwardedProps":{"pageside":{"continues":%q}}}`, thread, run, message)
}

// TestCutAnswerContinues: an answer that reached the model's limit says so, also after a restart,
// and continues in the same message. What cannot be continued is refused, with the name of the
// field.
func TestCutAnswerContinues(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.model.will(cutOff("Two parts. This is the first pa"), says("rt, and this the second."))
	all := w.ask("t1", "r1", "Tell me both.")
	end := string(named(all, "TEXT_MESSAGE_END")[0].Raw)
	must.Have(t, end, `"metadata":{"pageside":{"status":"cut","reason":"length"}}`, "the answer ends with")
	w.restart()
	must.Have(t, w.get("/v1/threads/t1/messages"), `"status":"cut","reason":"length"`, "stored is")
	id := answerID(t, all)
	refused := map[string]string{
		continuing("t1", "no1", "nope"): `the thread has no message \"nope\"`,
		continuing("t1", "no2", "r1-q"): "is not the thread's last answer",
		continuing("new", "no3", id):    "the thread has no message",
		strings.Replace(continuing("t1", "no4", id), `"messages":[]`, `"messages":[{"id":"x","role":"user","content":"and?"}]`, 1): "bring new ones",
	}
	for body, want := range refused {
		for _, says := range []string{`"field":"forwardedProps.pageside.continues"`, want} {
			w.refuses(http.StatusUnprocessableEntity, says, http.MethodPost, runPath, body)
		}
	}
	all = w.run(continuing("t1", "r2", id))
	must.Be(t, answerID(t, all), id, "it goes on with")
	must.Be(t, len(named(all, "RUN_FINISHED")), 1, "ends of what goes on")
	w.restart()
	body := w.get("/v1/threads/t1/messages")
	if !strings.Contains(body, `"content":"Two parts. This is the first part, and this the second."`) || strings.Contains(body, `"cut"`) || strings.Count(body, `"assistant"`) != 1 {
		t.Errorf("stored is %s", body)
	}
	w.refuses(http.StatusUnprocessableEntity, "was not cut off", http.MethodPost, runPath, continuing("t1", "r3", id))
}

// TestContinuedAnswerAndBranches: an edited question begins a branch beside the continued answer,
// and the way back leads to all of it.
func TestContinuedAnswerAndBranches(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.model.will(cutOff("Half of"), says(" it."), says("Another."))
	id := answerID(t, w.ask("t1", "r1", "Tell me."))
	w.run(continuing("t1", "r2", id))
	w.ask("t1", "r3", "Tell me again.", at(`{"replaces":"r1-q"}`))
	must.Lack(t, w.get("/v1/threads/t1/messages"), "Half", "the branch")
	must.Have(t, w.get("/v1/threads/t1/messages"), "Another.", "the branch")
	if status, answer := w.do(http.MethodPatch, "/v1/threads/t1", `{"head":"r2"}`); status != http.StatusOK {
		t.Fatalf("back: %d %s", status, answer)
	}
	must.Have(t, w.get("/v1/threads/t1/messages"), "Half of it.", "the branch")
	must.Lack(t, w.get("/v1/threads/t1/messages"), "Another.", "the branch")
}

// TestStepLimitGoesOn: an answer at the limit on steps says so, and the tools are there again when
// it goes on.
func TestStepLimitGoesOn(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page "+r.URL.Query().Get("n")) }))
	defer page.Close()
	w := start(t, fmt.Sprintf(`
models: {m: {use: test/fake}}
egress: {private: ["127.0.0.1"]}
agents: [{id: default, model: m, maxSteps: 1}]
tools:
  - {name: read, description: Reads., url: "%s/?n={{.n}}", effect: read, global: true, input: {type: object, properties: {n: {type: string}}}}
`, page.URL), nil)
	w.model.will(calls("c1", "read", `{"n":"1"}`), says("I got to page 1."), calls("c2", "read", `{"n":"2"}`), says("Page 2 has it."))
	all := w.ask("t1", "r1", "Read on until you have it.")
	ends := named(all, "TEXT_MESSAGE_END")
	must.Have(t, string(ends[len(ends)-1].Raw), `"status":"cut","reason":"steps"`, "the answer ends with")
	all = w.run(continuing("t1", "r2", answerID(t, all)))
	if results := named(all, "TOOL_CALL_RESULT"); len(results) != 1 || !strings.Contains(string(results[0].Raw), "page 2") {
		t.Errorf("it goes on with %v", results)
	}
	must.Have(t, w.get("/v1/threads/t1/messages"), "Page 2 has it.", "stored is")
}

// TestLongResultIsShortened: a result of some megabytes is no error if the tool may return that
// much: the model sees an excerpt, and reads the rest.
func TestLongResultIsShortened(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, strings.Repeat("x", 5_000_000)+"THE END")
	}))
	defer page.Close()
	w := start(t, fmt.Sprintf(`
models: {m: {use: test/fake}}
egress: {private: ["127.0.0.1"]}
agents: [{id: default, model: m}]
tools: [{name: read, description: Reads., url: "%s", effect: read, global: true, maxBytes: 20000000}]
`, page.URL), nil)
	w.model.will(calls("c1", "read", "{}"), calls("c2", "read_result", `{"id":"c1","offset":4999990}`), says("Read."))
	w.ask("t1", "r1", "Read it.")
	if got := w.last(); !strings.Contains(got, "xxxTHE END") || strings.Contains(got, "too_large") || len(got) > 200_000 {
		t.Errorf("the model is shown %d bytes: %.500s", len(got), got)
	}
}
