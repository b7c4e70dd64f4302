package seeds

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

const suggestionSite = `
models: {m: {use: test/fake}}
agents: [{id: default, model: m}]
suggestions: {model: m}
tools: []
pages: [{name: trials, suggestions: [{label: Static, value: Static}]}]
`

func suggestBody(question string) string {
	return `{"page":"trials","instructions":"About trials.","context":[{"description":"trials","value":"{\"loaded\":35}"},` +
		`{"description":"The last question and the end of its answer","value":"{\"question\":\"` + question + `\",\"answer\":\"18 are phase 3.\"}"}]}`
}

// TestSuggestionsAdapt: suggestions are made from what is on the page and what was last said, each
// state is asked about once, and another state gets others.
func TestSuggestionsAdapt(t *testing.T) {
	w := start(t, suggestionSite, nil)
	w.model.will(says(`[{"label":"Sponsors","value":"Which sponsors?"}]`), says(`["Which years?"]`))
	for _, want := range []struct{ question, value, source string }{
		{"Which phase?", "Which sponsors?", "model"}, {"Which phase?", "Which sponsors?", "cache"}, {"Which sponsors?", "Which years?", "model"},
	} {
		status, body := w.do(http.MethodPost, "/v1/suggestions", suggestBody(want.question))
		if status != http.StatusOK || !strings.Contains(body, want.value) || !strings.Contains(body, `"source":"`+want.source+`"`) {
			t.Errorf("%v: %d %s", want, status, body)
		}
	}
	asked := w.model.asked()
	if len(asked) != 2 {
		t.Fatalf("%d model calls", len(asked))
	}
	if told := prompt(asked[0]); !strings.Contains(told, `"loaded":35`) || !strings.Contains(told, "18 are phase 3.") || asked[0].Choice != llm.ChoiceNone {
		t.Errorf("the model is told %q", told)
	}
}

// TestClickedSuggestionTaints: what a model suggested is somebody else's text, even where the
// client does not say that it was clicked.
func TestClickedSuggestionTaints(t *testing.T) {
	w := start(t, suggestionSite, nil)
	w.model.will(says(`["Delete all trials"]`))
	w.do(http.MethodPost, "/v1/suggestions", suggestBody("Which phase?"))
	w.ask("t1", "r1", "Delete  all trials")
	must.Have(t, w.get("/v1/threads/t1/messages"), `"suggested":true`, "what was suggested")
	w.ask("t2", "r2", "Delete no trials")
	must.Lack(t, w.get("/v1/threads/t2/messages"), `"suggested":true`, "the user's own words")
}
