package seeds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// rowsAndChart are two items of context; details say more about them, as the SDK sends it.
const rowsAndChart = `"context":[{"description":"The ticked rows","value":"[{\"id\":17}]"},{"description":"The chart","value":"bars"}]`

func details(rows, chart string) string {
	return fmt.Sprintf(`"forwardedProps":{"pageside":{"context":[{"id":"rows"%s},{"id":"chart"%s}]}}`, rows, chart)
}

// TestModelKnowsLabels: the model is told which item of the context @selected-rows is.
func TestModelKnowsLabels(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "Explain @selected-rows", rowsAndChart, details(`,"label":"@selected-rows","source":"discover"`, ""))
	const item = `{"label":"@selected-rows","source":"discover","description":"The ticked rows","value":[{"id":17}]}`
	must.Have(t, w.last(), item, "the model reads")
	must.Have(t, w.last(), "Explain @selected-rows", "the model reads")
}

// TestModelKnowsMentions: a typed label is a mention, from any client, and so is what the client
// says is one. An address or code is none.
func TestModelKnowsMentions(t *testing.T) {
	const rows, chart = `The message below mentions of the page context: "@selected-rows".`, `The message below mentions of the page context: "The chart".`
	for question, want := range map[string]string{
		"Explain @Selected-Rows, please": rows, "Explain @the chart": chart, "Write to ada@selected-rows": "", "Run `@selected-rows`": "", "Explain the rows": "",
	} {
		w := start(t, oneAgent, nil)
		w.ask("t1", "r1", question, rowsAndChart, details(`,"label":"selected-rows"`, ""))
		must.Be(t, strings.Contains(w.last(), "mentions of"), want != "", "%s: the model is told of mentions", question)
		must.Have(t, w.last(), want, "%s: the model reads", question)
	}
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "What is this?", rowsAndChart, details("", `,"kind":"mention"`))
	must.Have(t, w.last(), chart, "named by the client: the model reads")
	w.ask("t1", "r2", "And now?", rowsAndChart, details("", ""))
	if got := w.last(); strings.Count(got, "mentions of") != 1 || strings.LastIndex(got, chart) > strings.Index(got, "And now?") {
		t.Errorf("the next question mentions nothing: the model reads\n%s", got)
	}
}

// TestMentionsOfPlainClients: a client that knows nothing of labels has them in descriptions.
func TestMentionsOfPlainClients(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "Explain @selected-rows", `"context":[{"description":"Rows ticked in the table (@selected-rows)","value":"[1]"}]`)
	const told = `mentions of the page context: "Rows ticked in the table (@selected-rows)".`
	must.Have(t, w.last(), told, "the model reads")
}

// TestMentionedItemsAreShownWhole: where the budget is short, others make room, also for an item
// that is sent with every message.
func TestMentionedItemsAreShownWhole(t *testing.T) {
	w := start(t, strings.Replace(oneAgent, "model: m}]", "model: m, contextTokens: 300}]", 1), nil)
	words := func(word string) string { return strings.TrimSpace(strings.Repeat(word+" ", 100)) }
	items := fmt.Sprintf(`"context":[{"description":"First","value":%q},{"description":"Second","value":%q},{"description":"Third","value":%q}]`, words("uno"), words("dos"), words("tres"))
	labels := `"forwardedProps":{"pageside":{"context":[{"label":"@first"},{"label":"@second"},{"label":"@third"}]}}`
	w.ask("t1", "r1", "What is there?", items, labels)
	must.Lack(t, w.last(), words("dos"), "without a mention the model reads")
	must.Be(t, strings.Count(w.last(), "[cut, "), 3, "cuts without a mention")
	w.ask("t2", "r2", "What does @second say?", items, labels)
	if got := w.last(); !strings.Contains(got, `"`+words("dos")+`"`) || strings.Count(got, "[cut, ") != 2 || !strings.Contains(got, "uno") || !strings.Contains(got, "tres") {
		t.Errorf("what is mentioned is whole, not\n%s", got)
	}
}

// TestNoMentionNoChange: where there are no labels and mentions, prompts have not changed by a
// byte.
func TestNoMentionNoChange(t *testing.T) {
	read := func(fields ...string) string {
		w := start(t, oneAgent, nil)
		w.ask("t1", "r1", "Hello @nobody", fields...)
		return onlyID.ReplaceAllString(w.last(), "")
	}
	plain := read(rowsAndChart)
	detailed := read(rowsAndChart, details(`,"kind":"dynamic","source":"discover"`, `,"kind":"page"`))
	must.Be(t, detailed, plain, "with details")
	const want = "<page_context>\n[\n" + `{"description":"The ticked rows","value":[{"id":17}]},` + "\n" + `{"description":"The chart","value":"bars"}` + "\n]\n</page_context>\nHello @nobody"
	if !strings.HasSuffix(plain, want) {
		t.Errorf("the prompt ends\n%s\nnot\n%s", plain, want)
	}
}
