package copilotkit

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	suggesting "github.com/pageside/pageside/suggest"
)

// words is what @copilotkit/core 1.74.0 asks with.
const words = "Suggest what the user could say next. Provide clear, highly relevant suggestions by calling the `copilotkitSuggest` tool.\nProvide at least 1 and at most %s suggestions.\n" +
	"The user has the following tools available: [{\"name\":\"pick\",\"description\":\"a\\nb. \"}].\n %s"

func said(role, text string) agui.Message {
	return agui.Message{ID: text, Role: role, Content: agui.TextContent(text)}
}

// TestWhatIsSuggested: what the application asks for, how many, and what it is about.
func TestWhatIsSuggested(t *testing.T) {
	for _, c := range []struct {
		text, wants string
		most        int
	}{
		{fmt.Sprintf(words, "2", "About trials.\nIn German."), "About trials.\nIn German.", 2},
		{fmt.Sprintf(words, "0", "x"), "x", 1},
		{fmt.Sprintf(words, "99999999999999999999", "x"), "x", 1},
		{fmt.Sprintf(words, "1000", "x"), "x", suggesting.MaxSuggestions},
		{"Other words.", "Other words.", 3},
	} {
		got, err := suggestionsOf(&agui.RunAgentInput{Messages: []agui.Message{said("user", c.text)}})
		if err != nil || got.Instructions != c.wants || got.Max != c.most || got.Context != nil {
			t.Errorf("%q asks for %+v, %v", c.text, got, err)
		}
	}
	in := &agui.RunAgentInput{Context: []agui.ContextItem{{Description: "sort", Value: "year"}}, Messages: []agui.Message{
		said("user", "one"), said("assistant", "two"), said("system", "secret"), said("user", strings.Repeat("é", 500)), said("assistant", ""), said("user", fmt.Sprintf(words, "2", "x")),
	}}
	got, err := suggestionsOf(in)
	want := "user: one\nassistant: two\nuser: " + strings.Repeat("é", 400) + "…"
	if err != nil || len(got.Context) != 2 || got.Context[0].Value != want || got.Context[1] != (page.Item{Description: "sort", Value: "year"}) {
		t.Errorf("they are about %+v, %v", got.Context, err)
	}
	for _, messages := range [][]agui.Message{nil, {said("assistant", "x")}} {
		if _, err := suggestionsOf(&agui.RunAgentInput{Messages: messages}); err == nil || !strings.Contains(err.Error(), "messages: must end with a user message") {
			t.Errorf("%v is taken: %v", messages, err)
		}
	}
}

// FuzzConversation: text stays text, and short.
func FuzzConversation(f *testing.F) {
	f.Add("hello")
	f.Add(strings.Repeat("😀", 600))
	f.Fuzz(func(t *testing.T, text string) {
		got := conversation([]agui.Message{said("user", text)})
		if utf8.ValidString(text) && !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxSaying+len("user: …") {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

// TestARunIsKnownByItsID, also what goes on under it.
func TestARunIsKnownByItsID(t *testing.T) {
	for stored, want := range map[string]bool{"r": true, "r~2": true, "r~x": false, "r~2~2": false, "rr": false, "q": false} {
		if got := isRun(stored, "r"); got != want {
			t.Errorf("%s is r: %t, want %t", stored, got, want)
		}
	}
}
