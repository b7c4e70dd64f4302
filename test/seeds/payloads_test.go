package seeds

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

const payloadSite = `
models: {m: {use: test/fake}}
agents: [{id: default, model: m, titleModel: m}]
payloads:
  - {name: plan, source: llm, description: A plan.}
pages:
  - {name: plans, payloads: [plan]}
  - {name: elsewhere}
`

// inPieces is an answer in pieces of three bytes.
func inPieces(text string) (parts []llm.Part) {
	for text != "" {
		n := min(3, len(text))
		parts, text = append(parts, llm.Part{Kind: llm.TextDelta, Delta: text[:n]}), text[n:]
	}
	return append(parts, llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop})
}

// TestPayloadElsewhereIsReadOnly: a card of a type that the place does not offer cannot be
// accepted, and its JSON is never text: neither while it streams, nor in the thread, nor in
// search, nor in the title, nor in what the model is told.
func TestPayloadElsewhereIsReadOnly(t *testing.T) {
	w := start(t, payloadSite, nil)
	w.model.will(inPieces("Here it is.\n\nPLAN: {\"title\": \"To the moon\"}\n\nPLAN_B_PROPOSAL: {\"title\": \"To Mars\"}\nThat was it."))
	all := w.ask("t1", "r1", "A plan, please", at(`{"page":"elsewhere"}`))
	for _, e := range append(named(all, "TEXT_MESSAGE_CONTENT"), named(all, "CUSTOM")...) {
		if text := string(e.Raw); strings.Contains(text, "PLAN") || strings.Contains(text, "moon") || strings.ContainsAny(text[1:len(text)-1], "{}") && e.Type != "CUSTOM" {
			t.Errorf("the payload is text: %s", text)
		}
	}
	cards := named(all, "ACTIVITY_SNAPSHOT")
	for _, e := range cards {
		must.Have(t, string(e.Raw), `"readOnly":true`, "the card")
	}
	if last := string(cards[len(cards)-1].Raw); !strings.Contains(last, `"activityType":"pageside_block","content":{"name":"PLAN_B_PROPOSAL","data":{"title":"To Mars"}}`) {
		t.Errorf("the unknown payload is no labelled block: %s", last)
	}
	w.restart()
	thread := w.get("/v1/threads/t1/messages")
	must.Lack(t, thread, "PLAN:", "the stored thread")
	must.Be(t, strings.Count(thread, `"readOnly":true`), 2, "cards that are read-only in %s", thread)
	must.Have(t, w.get("/v1/threads?q=moon"), `"t1"`, "the search")
	must.Lack(t, w.get("/v1/threads?q=moon"), `{\"`, "the search")
	card := "/v1/threads/t1/payloads/" + cardID(t, thread)
	w.refuses(http.StatusUnprocessableEntity, "read-only", http.MethodPut, card, `{"status":"accepted"}`)
	w.ask("t1", "r2", "And now?", at(`{"page":"plans"}`))
	for _, req := range w.model.asked() {
		if told := prompt(req); strings.Contains(told, `To the moon`) && (strings.Contains(told, `PLAN: {"title"`) || !strings.Contains(told, "could only read it")) {
			t.Errorf("the model is told %q", told)
		}
	}
}

// TestPayloadOfThePlaceIsACard: where the place offers the type, the same text is a card with a
// decision.
func TestPayloadOfThePlaceIsACard(t *testing.T) {
	w := start(t, payloadSite, nil)
	w.model.will(inPieces("PLAN: {\"title\": \"To the moon\"}"))
	all := w.ask("t1", "r1", "A plan, please", at(`{"page":"plans"}`))
	for _, e := range named(all, "ACTIVITY_SNAPSHOT") {
		must.Lack(t, string(e.Raw), "readOnly", "the card")
	}
	thread := w.get("/v1/threads/t1/messages")
	if status, body := w.do(http.MethodPut, "/v1/threads/t1/payloads/"+cardID(t, thread), `{"status":"accepted"}`); status >= 300 {
		t.Errorf("the card cannot be accepted: %d %s", status, body)
	}
}

// cardID returns the id of the first card in a thread's messages.
func cardID(t *testing.T, thread string) string {
	t.Helper()
	_, rest, ok := strings.Cut(thread, `"card_`)
	if !ok {
		t.Fatalf("no card: %s", thread)
	}
	id, _, _ := strings.Cut(rest, `"`)
	return "card_" + id
}

// TestTitleHasNoPayload: a model that answers the request for a title with a card names nothing.
func TestTitleHasNoPayload(t *testing.T) {
	w := start(t, payloadSite, nil)
	w.model.will(says("Sure."), says("PLAN: {\"title\": \"To the moon\"}\nA plan for the moon"))
	w.ask("t1", "r1", "A plan, please", at(`{"page":"plans"}`))
	must.Have(t, w.get("/v1/threads"), "A plan for the moon", "the threads")
	must.Lack(t, w.get("/v1/threads"), `{\"`, "the threads")
}
