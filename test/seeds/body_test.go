package seeds

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// printed is the example body of the text on ml-commons: its messages have no ids.
func printed(run string, more ...string) string {
	messages := append([]string{
		`{"role": "user", "content": "Search for documents"}`,
		`{"role": "assistant", "toolCalls": [{"id": "call_123", "type": "function", "function": {"name": "show_results", "arguments": "{}"}}]}`,
		`{"role": "tool", "content": "3 documents", "toolCallId": "call_123"}`,
	}, more...)
	return fmt.Sprintf(`{"threadId": "thread_abc123", "runId": %q, "messages": [%s], "tools": [{"name": "show_results", "description": "Shows results.", "parameters": {"type": "object"}}], "context": []}`,
		run, strings.Join(messages, ","))
}

// users counts the messages of the user in a thread, and those with a text.
func (w *world) users(thread, text string) (all, same int) {
	w.t.Helper()
	body := w.get("/v1/threads/" + thread + "/messages")
	return strings.Count(body, `"role":"user"`), strings.Count(body, text)
}

// TestTheTextsBodyIsAccepted: as it is printed, without ids, state and forwardedProps.
func TestTheTextsBodyIsAccepted(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.model.will(says("There are 3."))
	if all := w.run(printed("run_def456")); len(named(all, "RUN_FINISHED")) != 1 || len(named(all, "TEXT_MESSAGE_CONTENT")) == 0 {
		t.Fatalf("the run is %v", all)
	}
	must.Have(t, w.last(), "Search for documents", "the model reads")
	must.Have(t, w.last(), "3 documents", "the model reads")
	// the whole history again, with a question behind it
	w.run(printed("run_2", `{"role":"assistant","content":"There are 3."}`, `{"role":"user","content":"And in English?"}`))
	if all, first := w.users("thread_abc123", "Search for documents"); all != 2 || first != 1 {
		t.Errorf("the thread has %d messages of the user, %d times the first", all, first)
	}
	if asked := w.model.asked(); len(asked) != 2 || strings.Count(prompt(asked[1]), "Search for documents") != 1 || strings.Count(prompt(asked[1]), "There are 3.") != 1 {
		t.Errorf("the model reads\n%s", w.last())
	}
}

// TestARequestWithoutIDs: the text on page tools prints a request of four members. It gets a thread
// and a run of its own, and goes on in them.
func TestARequestWithoutIDs(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.model.will(says("There are 3."), says("Drei."))
	const request = `{"state": {}, "context": [{"value": {"path": "/"}, "description": "Current page", "source": "page-context", "type": "page"}], "tools": [],
		"messages": [{"role": "user", "content": "How many?"}]%s}`
	all := w.run(fmt.Sprintf(request, ""))
	if len(named(all, "RUN_FINISHED")) != 1 || len(named(all, "TEXT_MESSAGE_CONTENT")) == 0 {
		t.Fatalf("the run is %v", all)
	}
	var begun struct{ ThreadID, RunID string }
	if err := json.Unmarshal(all[0].Raw, &begun); err != nil || begun.ThreadID == "" || begun.RunID == "" {
		t.Fatalf("it begins with %s", all[0].Raw)
	}
	w.run(fmt.Sprintf(request, fmt.Sprintf(`, "threadId": %q`, begun.ThreadID)))
	if all, _ := w.users(begun.ThreadID, "How many?"); all == 0 {
		t.Error("the thread is not there")
	}
	for _, body := range []string{`{}`, `{"messages": []}`, `{"messages": [], "runId": "r"}`, `{"threadId": 1, "messages": [{"role": "user", "content": "Hi"}]}`} {
		w.refuses(http.StatusBadRequest, "threadId", http.MethodPost, runPath, body)
	}
}

// TestABodyTwice: the same body, the same with another run id, and after a restart, adds nothing.
func TestABodyTwice(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.run(printed("r1"))
	w.run(printed("r1"))
	w.run(printed("r2"))
	w.restart()
	w.run(printed("r3"))
	if all, _ := w.users("thread_abc123", ""); all != 1 || len(w.model.asked()) != 1 {
		t.Errorf("%d messages of the user, the model was asked %d times", all, len(w.model.asked()))
	}
}

// TestTheSameWordsLater: messages with the same words at other positions are others, whether the
// client sends the history or only what is new.
func TestTheSameWordsLater(t *testing.T) {
	const yes = `{"role":"user","content":"yes"}`
	for name, bodies := range map[string][]string{
		"the history":      {yes, yes + `,{"role":"assistant","content":"Done."},` + yes, yes + `,{"role":"assistant","content":"Done."},` + yes + `,{"role":"assistant","content":"Done."},` + yes},
		"only what is new": {`{"role":"user","content":"Shall we?"}`, yes, yes},
	} {
		w := start(t, oneAgent, nil)
		for i, body := range bodies {
			w.run(fmt.Sprintf(`{"threadId":"t1","runId":"r%d","messages":[%s],"tools":[],"context":[]}`, i, body))
		}
		if all, _ := w.users("t1", ""); all != 3 || len(w.model.asked()) != 3 {
			t.Errorf("%s: %d messages of the user, the model was asked %d times", name, all, len(w.model.asked()))
		}
	}
}

// TestContextOfAnyJSON: a context item's value may be any JSON, and its source and type are told.
func TestContextOfAnyJSON(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "Hi", `"context":[
		{"description":"Current page state and user interactions","value":{"query":"source=logs","n":[1, 2.50]},"source":"page-context","type":"page"},
		{"description":"count","value":7},{"description":"on","value":true},{"description":"none","value":null},{"description":"list","value":["a"]}]`)
	for _, want := range []string{
		`{"source":"page-context","type":"page","description":"Current page state and user interactions","value":{"query":"source=logs","n":[1,2.50]}}`,
		`{"description":"count","value":"7"}`, `{"description":"on","value":"true"}`, `{"description":"none","value":"null"}`, `{"description":"list","value":["a"]}`,
	} {
		must.Have(t, w.last(), want, "the model reads")
	}
}

// TestToolsOfTheText: the tools and payloads of the text on the chat system are where it says, and
// one that would be nowhere is refused at the start.
func TestToolsOfTheText(t *testing.T) {
	const text = oneAgent + `tools:
  - {name: search_pubmed, description: Searches., url: "https://pubmed.example", global: true}
  - {name: compare_reports, description: Compares., url: "https://reports.example"%s}
pages:
  - name: reports
    tools: [compare_reports]
`
	w := start(t, fmt.Sprintf(text, ", global: false"), nil)
	w.ask("t1", "r1", "Hi", at(`{"page":"reports"}`))
	w.ask("t2", "r2", "Hi")
	for i, want := range []bool{true, false} {
		req := w.model.asked()[i]
		if declared(req, "search_pubmed") == nil || (declared(req, "compare_reports") != nil) != want {
			t.Errorf("request %d has the tools %v", i, req.Tools)
		}
	}
	for name, yaml := range map[string]string{
		"tools[1]":    strings.Replace(fmt.Sprintf(text, ""), "tools: [compare_reports]", "tools: []", 1),
		"payloads[0]": oneAgent + "payloads: [{name: help_card, source: llm}]\n",
	} {
		source, err := config.Parse("pageside.yaml", []byte(yaml))
		if err == nil {
			_, err = config.Build(t.Context(), source, config.Options{Logger: quiet, OpenModel: func(config.ModelSpec) (llm.Model, error) { return w.model, nil }})
		}
		must.Fail(t, err, name, "what is nowhere")
		must.Fail(t, err, "is neither global nor on a page", "what is nowhere")
	}
}
