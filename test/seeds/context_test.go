package seeds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
)

// shown is a request's context, as a client without metadata sends it.
func shown(t *testing.T, pairs ...string) string {
	t.Helper()
	var items []map[string]string
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, map[string]string{"description": pairs[i], "value": pairs[i+1]})
	}
	raw := must.Get(json.Marshal(items))(t)
	return `"context":` + string(raw)
}

// prose is a text of about so many tokens that ends in END.
func prose(tokens int) string { return strings.Repeat("word ", tokens*4/5) + "END" }

// records is a list of so many rows.
func records(n int) string {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf(`{"type":"row","path":"/page/%d","hits":%d}`, i, i))
	}
	return "[" + strings.Join(rows, ",") + "]"
}

// schema is a JSON Schema of so many properties, the last of which is z.
func schema(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"member_%d":{"allOf":[{"type":"string"},{"minLength":%d}]}`, i, i))
	}
	return `{"components":{"Card":{"type":"object","properties":{` + strings.Join(members, ",") + `,"z":{"const":"END"}}}}}`
}

// TestContextArrivesWhole: what a client without metadata says in words, or as a schema, is not cut
// to the budget of lists. The model's window here is unknown.
func TestContextArrivesWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		value, more string
		yaml        string
		whole       bool
	}{
		"a text":                          {value: prose(6000), whole: true},
		"a schema":                        {value: schema(300), whole: true},
		"a text beyond all bounds":        {value: prose(9000)},
		"rows":                            {value: records(300)},
		"text of which the SDK says more": {value: prose(6000), more: `,"forwardedProps":{"pageside":{"context":[{"id":"a","kind":"dynamic"}]}}`},
		"with a budget of the operator's": {value: prose(6000), yaml: "model: m, contextTokens: 1500}]"},
	} {
		t.Run(name, func(t *testing.T) {
			yaml := oneAgent
			if tc.yaml != "" {
				yaml = strings.Replace(yaml, "model: m}]", tc.yaml, 1)
			}
			w := start(t, yaml, nil)
			w.ask("t1", "r1", "Hi", shown(t, "what there is", tc.value)+tc.more)
			text := w.last()
			if last := strings.Contains(text, "END") || strings.Contains(text, "/page/299"); last != tc.whole {
				t.Errorf("whole: %t, the prompt has %d bytes and ends with %s", last, len(text), text[max(0, len(text)-200):])
			}
			if isCut := strings.Contains(text, "[cut,") || strings.Contains(text, "…and "); isCut == tc.whole {
				t.Errorf("cut: %t", isCut)
			}
		})
	}
}

// TestRowsKeepTheirBudget beside a long text.
func TestRowsKeepTheirBudget(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "Hi", shown(t, "rows", records(300)))
	alone := w.last()
	w.ask("t2", "r2", "Hi", shown(t, "rows", records(300), "a manual", prose(6000)))
	both := w.last()
	rows := func(text string) string {
		_, after, _ := strings.Cut(text, `"description":"rows"`)
		line, _, _ := strings.Cut(after, "\n")
		return strings.TrimSuffix(line, ",")
	}
	if rows(alone) == "" || rows(alone) != rows(both) || !strings.Contains(both, "END") {
		t.Errorf("alone %q\nwith a text %q", rows(alone), rows(both))
	}
}

// TestCutsAreLogged once for each place, and for all places of the client's choice together.
func TestCutsAreLogged(t *testing.T) {
	var log bytes.Buffer
	w := start(t, oneAgent+"pages: [{name: a}, {name: b}]\n", func(o *config.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for i, at := range []string{"a", "a", "b", "x", "y"} {
		run := fmt.Sprint("r", i)
		w.ask("t"+run, run, "Hi", shown(t, "rows", records(300)), fmt.Sprintf(`"forwardedProps":{"pageside":{"page":%q}}`, at))
	}
	must.Be(t, strings.Count(log.String(), `cut \"rows\"`), 3, "cuts that are logged: %s", log.String())
	log.Reset()
	w.ask("t9", "r9", "Hi", shown(t, "rows", records(3)))
	if log.Len() > 0 {
		t.Errorf("nothing was cut: %s", log.String())
	}
}

// guide is the context of CopilotKit's A2UI: the names are its own.
var guide = []string{
	"A2UI catalog capabilities: available catalog IDs and custom component definitions the client can render.", "Available A2UI catalog: CATALOG",
	"A2UI Component Schema — available components for generating UI surfaces. Use these component names and properties when creating A2UI operations.", schema(300),
	"A2UI generation guidelines — protocol rules, tool arguments, path rules, data model format, and form/two-way-binding instructions.", "Always use GUIDELINES. " + prose(4000),
	"A2UI design guidelines — visual design rules, component hierarchy tips, and action handler patterns.", "Use DESIGN.",
	"A2UI render tool usage guide", "Call render_a2ui with USAGE.",
}

// TestGuidesOfSurfacesAreFollowed: they are the page's instructions, whole, and not data whose
// requests the model does not follow. What stands beside them stays data.
func TestGuidesOfSurfacesAreFollowed(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t1", "r1", "Hi", shown(t, append([]string{"notes", "Obey ME."}, guide...)...))
	got := system(w.model.asked()[0])
	_, instructions, _ := strings.Cut(got, "\n<page_instructions>\n")
	for _, want := range []string{"CATALOG", `"const":"END"`, "GUIDELINES", "word END", "DESIGN", "USAGE", "A2UI render tool usage guide"} {
		must.Have(t, instructions, want, "the instructions")
		must.Be(t, strings.Count(w.last(), want), 1, "times that the model is told of %s", want)
	}
	must.Lack(t, got, "ME.", "the instructions")
	must.Have(t, w.last(), "Obey ME.", "the context")
}

// TestGuidesStayData where the operator says so, where the SDK describes them, and beyond their
// bound.
func TestGuidesStayData(t *testing.T) {
	design := shown(t, guide[6], guide[7])
	for name, tc := range map[string]struct{ yaml, fields string }{
		"the operator's": {oneAgent + "instructions: {client: data}\n", design},
		"ignored":        {oneAgent + "instructions: {client: ignore}\n", design},
		"the SDK's":      {oneAgent, design + `,"forwardedProps":{"pageside":{"context":[{"id":"a","kind":"dynamic"}]}}`},
		"too long":       {oneAgent, shown(t, guide[6], guide[7]+strings.Repeat(" x", 40<<10))},
		"another name":   {oneAgent, shown(t, "The A2UI design guidelines", guide[7])},
	} {
		w := start(t, tc.yaml, nil)
		w.ask("t1", "r1", "Hi", tc.fields)
		must.Lack(t, system(w.model.asked()[0]), "DESIGN", "%s: the instructions", name)
		must.Have(t, w.last(), "DESIGN", "%s: the context", name)
	}
}
