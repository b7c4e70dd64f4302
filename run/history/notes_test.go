package history

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// TestNotesSayWhichCard: two cards of one type are told apart by their numbers, because a model
// knows no ids.
func TestNotesSayWhichCard(t *testing.T) {
	thread := messages("u1 c1 c2! c3 u2 c4")
	thread[3].Metadata = json.RawMessage(`{"pageside":{"source":"llm","status":"accepted"}}`)
	thread[5].Metadata = json.RawMessage(`{"pageside":{"source":"llm","status":"dismissed"}}`)
	var got []string
	for _, n := range newNotes(thread, page.Place{}) {
		got = append(got, n.Text)
	}
	want := []string{`The user accepted the card "plan", number 2 of 3.`, `The user dismissed the card "plan", number 3 of 3.`}
	if !slices.Equal(got, want) {
		t.Errorf("notes are %q, want %q", got, want)
	}
}

// TestDecisionsAboutCards: only a card that is whole can be decided about.
func TestDecisionsAboutCards(t *testing.T) {
	for metadata, ok := range map[string]bool{
		`"source":"tool","status":"open"`:                 true,
		`"source":"llm","status":"failed"`:                false,
		`"source":"llm","status":"open","streaming":true`: false,
		`"source":"llm","status":"open","readOnly":true`:  false,
		`"status":"open"`:                                 false,
	} {
		card := &agui.Message{ID: "c", Role: agui.RoleActivity, Metadata: json.RawMessage(`{"pageside":{` + metadata + `}}`)}
		if _, err := WithStatus(card, "accepted"); (err == nil) != ok {
			t.Errorf("%s: %v", metadata, err)
		}
	}
}
