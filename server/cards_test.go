package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

// repeats answers a question with the question itself, in pieces of three characters, and a request
// to repair a card with a card.
func repeats(repairs *atomic.Int64) func(role, words string) []string {
	return func(_, words string) (pieces []string) {
		if strings.HasPrefix(words, "The card ") {
			repairs.Add(1)
			words = `{"name":"repaired"}`
		}
		for piece := range slices.Chunk([]rune(words), 3) {
			pieces = append(pieces, `"delta":{"content":`+quoted(string(piece))+`}`)
		}
		return append(pieces, `"delta":{},"finish_reason":"stop"`)
	}
}

// newCardSite is a server whose model says what it is told to, and a count of the repaired cards.
func newCardSite(t *testing.T) (s *site, repairs *atomic.Int64) {
	t.Helper()
	repairs = new(atomic.Int64)
	url := newProvider(t, llmtest.Chat, &provider{says: repeats(repairs)})
	payloads, err := payload.NewRegistry(&payload.Type{
		Name: "proposal", Source: payload.FromLLM, Global: true, Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
	})
	must.Do(t, err)
	pages := must.Get(page.NewRegistry(nil, payloads))(t)
	return newSite(t, withAgent(t, func(a *agent.Agent) {
		a.Pages, a.Model = pages, openai.New(openai.Config{BaseURL: url, Model: "gpt-4o", APIKey: "k"})
	})), repairs
}

// seen is what the user of a stream sees in the end: texts, and cards in ⟦ ⟧ where they began.
func seen(t *testing.T, stream string) string {
	t.Helper()
	var order []string
	at := map[string]string{}
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		e := must.JSON[struct {
			Type, MessageID, Delta string
			Content                json.RawMessage
		}](t, data)
		if _, begun := at[e.MessageID]; !begun && (e.Type == "TEXT_MESSAGE_CONTENT" || e.Type == "ACTIVITY_SNAPSHOT") {
			order = append(order, e.MessageID)
		}
		switch e.Type {
		case "TEXT_MESSAGE_CONTENT":
			at[e.MessageID] += e.Delta
		case "ACTIVITY_SNAPSHOT":
			at[e.MessageID] = "⟦" + string(e.Content) + "⟧"
		case "RUN_ERROR":
			t.Error(data)
		}
	}
	var all strings.Builder
	for _, id := range order {
		all.WriteString(at[id])
	}
	return all.String()
}

// What models make of a marker, over HTTP: the card is shown, and the rest of the answer, and
// nothing of the marker.
func TestCardsAsModelsWriteThem(t *testing.T) {
	s, repaired := newCardSite(t)
	const card, shown = `{"name":"x"}`, `⟦{"name":"x"}⟧`
	for i, marker := range []string{
		"PROPOSAL: ", "**PROPOSAL:** ", "**PROPOSAL**: ", "### PROPOSAL: ", "### PROPOSAL:\n", "1. PROPOSAL: ", "- **PROPOSAL**: ", "`PROPOSAL:` ", "`PROPOSAL`: ", "**`PROPOSAL`**: ",
		"PROPOSAL : ", "PROPOSAL：", "proposal: ", "\ufeffPROPOSAL: ", "\u200bPROPOSAL:\u00a0",
	} {
		for j, data := range []string{card, "\n```json\n" + card + "\n```", "\n~~~json\n" + card + "\n~~~"} {
			if j > 0 && marker == "proposal: " {
				continue // a heading above an example
			}
			answer := "First.\n" + marker + data + "\nThe rest."
			if got, want := seen(t, s.read(s.post(input(fmt.Sprint("t", i, "-", j), fmt.Sprint("r", i, "-", j), answer)), http.StatusOK)), "First.\n"+shown+"The rest."; got != want {
				t.Errorf("%q: %q, want %q", answer, got, want)
			}
		}
	}
	for i, tt := range [][2]string{
		{"Here it is: PROPOSAL: " + card + " as you said.", "Here it is: " + shown + " as you said."},
		{"PROPOSAL: " + card + " PROPOSAL: " + card + "\nB.", shown + shown + "B."},
		{"PROPOSAL: " + card + "PROPOSAL: " + card, shown + shown},
		{"Say `PROPOSAL: " + card + "` for a card.", "Say `PROPOSAL: " + card + "` for a card."},
		{"| a | PROPOSAL: " + card + " |", "| a | PROPOSAL: " + card + " |"},
	} {
		if got := seen(t, s.read(s.post(input(fmt.Sprint("t", i), fmt.Sprint("r", i), tt[0])), http.StatusOK)); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
	if n := repaired.Load(); n > 0 {
		t.Errorf("%d repairs of cards that are right", n)
	}
}

// The rest of an answer after a broken card is shown, and the card is repaired: here if that adds
// nothing of its own, else by the model.
func TestTheRestAfterABrokenCardIsShown(t *testing.T) {
	s, repaired := newCardSite(t)
	for i, tt := range []struct {
		json, card string
		repairs    int64
	}{
		{`{"name":"x"`, `{"name":"x"}`, 0},
		{`{"name":"x","more":{"a":1}`, `{"name":"x","more":{"a":1}}`, 0},
		{`{"title":"x`, `{"name":"repaired"}`, 1},
		{`{"title":"x}`, `{"name":"repaired"}`, 1},
		{"\n```json\n{\"title\":\"x}\n```", `{"name":"repaired"}`, 1},
	} {
		before := repaired.Load()
		rest := "The important rest, \"quoted\".\n\nPROPOSAL: {\"name\":\"second\"}\nThe end."
		want := "First.\n⟦" + tt.card + "⟧The important rest, \"quoted\".\n\n⟦{\"name\":\"second\"}⟧The end."
		got := seen(t, s.read(s.post(input(fmt.Sprint("t", i), fmt.Sprint("r", i), "First.\nPROPOSAL: "+tt.json+"\n\n"+rest)), http.StatusOK))
		if repairs := repaired.Load() - before; got != want || repairs != tt.repairs {
			t.Errorf("%s: %d repairs, %q", tt.json, repairs, got)
		}
	}
}
