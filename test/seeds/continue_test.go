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
	w := start(t, "models: {m: {use: test/fake}}\nagents: [{id: default, model: m}]\n", nil)
	w.model.will(cutOff("Two parts. This is the first pa"), says("rt, and this the second."))
	all := w.ask("t1", "r1", "Tell me both.")
	end := string(named(all, "TEXT_MESSAGE_END")[0].Raw)
	must.Have(t, end, `"metadata":{"pageside":{"status":"cut","reason":"length"}}`, "the answer ends with")
	w.restart()
	if _, body := w.do(http.MethodGet, "/v1/threads/t1/messages", ""); !strings.Contains(body, `"status":"cut","reason":"length"`) {
		t.Errorf("stored is %s", body)
	}
	id := answerID(t, all)
	refused := map[string]string{
		continuing("t1", "no1", "nope"): `the thread has no message \"nope\"`,
		continuing("t1", "no2", "r1-q"): "is not the thread's last answer",
		continuing("new", "no3", id):    "the thread has no message",
		strings.Replace(continuing("t1", "no4", id), `"messages":[]`, `"messages":[{"id":"x","role":"user","content":"and?"}]`, 1): "bring new ones",
	}
	for body, want := range refused {
		status, answer := w.do(http.MethodPost, "/v1/agents/default/run", body)
		if status != http.StatusUnprocessableEntity || !strings.Contains(answer, `"field":"forwardedProps.pageside.continues"`) || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", want, status, answer)
		}
	}
	all = w.run(continuing("t1", "r2", id))
	must.Be(t, answerID(t, all), id, "it goes on with")
	must.Be(t, len(named(all, "RUN_FINISHED")), 1, "ends of what goes on")
	w.restart()
	_, body := w.do(http.MethodGet, "/v1/threads/t1/messages", "")
	if !strings.Contains(body, `"content":"Two parts. This is the first part, and this the second."`) || strings.Contains(body, `"cut"`) || strings.Count(body, `"assistant"`) != 1 {
		t.Errorf("stored is %s", body)
	}
	if status, answer := w.do(http.MethodPost, "/v1/agents/default/run", continuing("t1", "r3", id)); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "was not cut off") {
		t.Errorf("a whole answer: %d %s", status, answer)
	}
}

// TestContinuedAnswerAndBranches: an edited question begins a branch beside the continued answer,
// and the way back leads to all of it.
func TestContinuedAnswerAndBranches(t *testing.T) {
	w := start(t, "models: {m: {use: test/fake}}\nagents: [{id: default, model: m}]\n", nil)
	w.model.will(cutOff("Half of"), says(" it."), says("Another."))
	id := answerID(t, w.ask("t1", "r1", "Tell me."))
	w.run(continuing("t1", "r2", id))
	w.ask("t1", "r3", "Tell me again.", `"forwardedProps":{"pageside":{"replaces":"r1-q"}}`)
	if _, body := w.do(http.MethodGet, "/v1/threads/t1/messages", ""); strings.Contains(body, "Half") || !strings.Contains(body, "Another.") {
		t.Errorf("the branch is %s", body)
	}
	if status, answer := w.do(http.MethodPatch, "/v1/threads/t1", `{"head":"r2"}`); status != http.StatusOK {
		t.Fatalf("back: %d %s", status, answer)
	}
	if _, body := w.do(http.MethodGet, "/v1/threads/t1/messages", ""); !strings.Contains(body, "Half of it.") || strings.Contains(body, "Another.") {
		t.Errorf("the branch is %s", body)
	}
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
	if ends := named(all, "TEXT_MESSAGE_END"); !strings.Contains(string(ends[len(ends)-1].Raw), `"status":"cut","reason":"steps"`) {
		t.Errorf("the answer ends with %s", ends[len(ends)-1].Raw)
	}
	all = w.run(continuing("t1", "r2", answerID(t, all)))
	if results := named(all, "TOOL_CALL_RESULT"); len(results) != 1 || !strings.Contains(string(results[0].Raw), "page 2") {
		t.Errorf("it goes on with %v", results)
	}
	if _, body := w.do(http.MethodGet, "/v1/threads/t1/messages", ""); !strings.Contains(body, "Page 2 has it.") {
		t.Errorf("stored is %s", body)
	}
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
	asked := w.model.asked()
	if got := prompt(asked[len(asked)-1]); !strings.Contains(got, "xxxTHE END") || strings.Contains(got, "too_large") || len(got) > 200_000 {
		t.Errorf("the model is shown %d bytes: %.500s", len(got), got)
	}
}
