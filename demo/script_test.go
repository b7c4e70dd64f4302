package demo

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

func TestScriptLoads(t *testing.T) {
	model := must.Get(NewScripted())(t)
	if i := model.Info(); i.Name() != "script/demo" || !i.Scripted {
		t.Errorf("%+v", i)
	}
	known := []string{"describe_fields", "top_values", "execute_ppl_query", "set_time_range", "add_filter", "look_up_client", "make_chart", "create_alert", "list_alerts", "delete_alert", "delete_saved_query",
		"select_data_source", "ask_user", "undo_change", "export_results", "remove_filter"}
	calls := regexp.MustCompile(`\btool: ?["']?([^"',}\s]*)`)
	for _, name := range calls.FindAllStringSubmatch(string(scriptRules)+string(askedRules), -1) {
		if !slices.Contains(known, name[1]) {
			t.Errorf("a rule calls %s", name[1])
		}
	}
}

// TestQuestions asks about the sample and checks what was called and what the answer says: also
// that numbers of a part of the log are not passed off as the whole, nor the other way round.
func TestQuestions(t *testing.T) {
	d := openSample(t)
	for _, row := range demotest.Rows(t, "testdata/answers.txt") {
		questions, call, says := strings.Split(row[0], " > "), row[1], strings.Split(row[2], " && ")
		s, answer := newScreen(t, d), ""
		for _, question := range questions {
			answer = s.ask(question)
		}
		calls := strings.Join(s.Calls, "\n")
		if !strings.Contains(calls, call) || call == "" && calls != "" {
			t.Errorf("%s: calls %s", row[0], calls)
		}
		for _, part := range says {
			must.Have(t, answer, part, "%s: answer", row[0])
		}
		if len(questions) == 1 && strings.Contains(answer, "our filter `") {
			t.Errorf("%s, whole log: %s", row[0], answer)
		}
		if offers := strings.Join(s.Suggested, " > "); len(row) > 3 && offers != row[3] {
			t.Errorf("%s: it offers %s", row[0], offers)
		}
	}
}

func TestWhySoFew(t *testing.T) {
	d := openSample(t)
	const narrowRange = `{"from":"2026-03-12T03:00:00Z","to":"2026-03-12T03:10:00Z"}`
	for _, test := range []struct {
		name   string
		set    [][2]string
		answer []string
	}{
		{"nothing", nil, []string{"Nothing on the page keeps requests out", "13,448"}},
		{"time range", [][2]string{{"set_time_range", narrowRange}, {"add_filter", `{"field":"status","op":"is","value":"404"}`}},
			[]string{"without the time range 12 Mar 03:00 to 12 Mar 03:10: **599**", "It is mostly the time range", "show the whole log"}},
		{"filter", [][2]string{{"add_filter", `{"field":"status","op":"is","value":"502"}`}},
			[]string{"**50 of 13,448**", "It is mostly the filter `status is 502`: without it there would be 13,448 requests, 13,398 more"}},
		{"query", [][2]string{{"execute_ppl_query", `{"query":"source=access_log | where path = '/api/checkout' | head 3"}`}},
			[]string{"It is mostly the condition in the query", "keeps only 3 rows", "where command out"}},
		{"disabled filter", [][2]string{{"set_time_range", narrowRange}}, []string{"It is mostly the time range"}},
		{"together", [][2]string{{"set_time_range", narrowRange}, {"add_filter", `{"field":"clientip","op":"is","value":"192.0.2.300"}`}, {"add_filter", `{"field":"status","op":"is","value":"999"}`},
			{"execute_ppl_query", `{"query":"source=access_log | where status = 998"}`}}, []string{"**0 of 13,448**", "No single one of them explains it"}},
	} {
		s := newScreen(t, d)
		for _, step := range test.set {
			if r := s.apply(step[0], step[1]); r["success"] != true {
				t.Fatal(r)
			}
		}
		answer := s.ask("Why are there so few results?")
		for _, part := range test.answer {
			if !strings.Contains(answer, part) {
				t.Errorf("%s: %q is not in %s", test.name, part, answer)
			}
		}
	}
}

// TestWhySoFewNamesTheFilter has two filters and, as the page has it, what there would be without
// each.
func TestWhySoFewNamesTheFilter(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.apply("add_filter", `{"field":"status","op":"is","value":"502"}`)
	s.apply("add_filter", `{"field":"method","op":"is","value":"POST"}`)
	context := maps.Clone(s.context())
	context["matchedWithout"] = []map[string]any{{"label": "status is 502", "matched": 494}, {"label": "method is POST", "matched": 50}}
	contexts[fmt.Sprintf("%p %s", s.demo, compact(s.request))] = context
	answer := s.ask("why so few results?")
	for _, part := range []string{"without the filters `status is 502, method is POST` together: **13,448**", "without only the filter `status is 502`: **494**", "without only the filter `method is POST`: **50**"} {
		if !strings.Contains(answer, part) {
			t.Errorf("%q is not in %s", part, answer)
		}
	}
}

func TestOpenRow(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.open = 17
	if answer := s.ask("explain this request"); !strings.Contains(answer, "The open row is `GET /assets/app.js`") || !strings.Contains(answer, "**304**") {
		t.Error(answer)
	}
}

// TestBrokenQueryOnThePage has an error on the page, where context has no numbers.
func TestBrokenQueryOnThePage(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.request.Query = "source=access_log | where statu = 4"
	for _, question := range []string{"why is it empty?", "summarise this page"} {
		must.Have(t, s.ask(question), "did you mean status?", "%s", question)
	}
}

// TestPlainClient has neither frontend tools nor context: whatever is asked, there is an answer,
// and what went wrong is told in words.
func TestPlainClient(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.bare = true
	for _, question := range []string{"hi", "Which pages give the most 404s?", "Show errors by status", "What happened?", "last 6 hours", "between 10 and 12", "hide bots", "404", "who is hammering us", "error rate", "average size", "yesterday",
		"why so few results?", "summarise this page", "describe the fields", "what is this row?", "busiest hour", "how many requests", "1.2.3.4", "largest pages by bytes", "nonsense"} {
		if answer := s.ask(question); strings.Contains(answer, "map[") || answer == "" {
			t.Errorf("%s: %s", question, answer)
		}
	}
}

// TestCallsThatCannotBeMade: without the tool, or where no more calls may be made, that is said.
func TestCallsThatCannotBeMade(t *testing.T) {
	model := must.Get(scripted())(t)
	const narrow, count = "only 404s after 6pm", "how many requests"
	for _, tt := range []struct {
		question, choice string
		tools            []string
		want             string
	}{
		{count, "", nil, "This page has no tool for that (`execute_ppl_query`)."},
		{narrow, "", []string{"add_filter"}, "This page has no tool for that (`set_time_range`)."},
		{narrow, "", []string{"set_time_range"}, "This page has no tool for that (`add_filter`)."},
		{narrow, "none", nil, "I stop here: the limit of steps for one answer is reached."},
	} {
		req := &llm.Request{Choice: llm.Choice(tt.choice), Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: tt.question}}}}}
		for _, name := range tt.tools {
			req.Tools = append(req.Tools, llm.ToolDecl{Name: name})
		}
		text := ""
		for part := range model.WithPace(0).Stream(t.Context(), req) {
			text += part.Delta
		}
		must.Be(t, text, tt.want, "%s with %v", tt.question, tt.tools)
	}
}

// TestRefusalsAreShort: one line that says why, with three questions that are answered.
func TestRefusalsAreShort(t *testing.T) {
	d := openSample(t)
	for question, begins := range map[string]string{
		"who will win the cup": "I cannot answer that: ", "wie wird das Wetter morgen": "I cannot answer that: ",
	} {
		s := newScreen(t, d)
		answer := s.ask(question)
		if !strings.HasPrefix(answer, begins) || len(strings.Fields(answer)) > 50 {
			t.Errorf("%s: %s", question, answer)
		}
		must.Be(t, len(s.Suggested), 3, "%s: it offers %q", question, s.Suggested)
		for _, offered := range s.Suggested {
			if a := newScreen(t, d).ask(offered); refused(a) {
				t.Errorf("%s: it offers %s, which is refused", question, offered)
			}
		}
	}
}
