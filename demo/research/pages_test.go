package research_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
)

func at(place string) scene { return scene{Place: place} }

// TestApprovalDecides: the schema is saved only when the user agrees.
func TestApprovalDecides(t *testing.T) {
	d := newDemo(t)
	sc := scenario(t, "save-field")
	s := newScreen(t, d, sc)
	s.approve = false
	if answer := s.ask(sc.Text); !strings.Contains(answer, "Nothing was changed") {
		t.Error(answer)
	}
	if get(t, d, "streams/1")["version"] != float64(1) {
		t.Error("it was saved all the same")
	}
	s = newScreen(t, d, sc)
	if answer := s.ask(sc.Text); !strings.Contains(answer, "has version 2 now and 6 fields") {
		t.Error(answer)
	}
	fields := get(t, d, "streams/1")["schema"].(object)["fields"].([]any)
	if fields[5].(object)["key"] != "follow_up" {
		t.Error(fields)
	}
	// The page still shows version 1: the tool refuses to write over what was changed since.
	if answer := s.ask("Add a field for safety and save it"); !strings.Contains(answer, "Nothing was changed: the stream was changed since it was read") {
		t.Error(answer)
	}
}

// TestQuestionBack: without enough to choose by, the user is asked, and may decline.
func TestQuestionBack(t *testing.T) {
	d := openDemo(t)
	s := newScreen(t, d, scenario(t, "ask-reports"))
	if answer := s.ask("Compare reports"); !strings.Contains(answer, "Then I leave it") || len(s.Calls) != 1 {
		t.Error(answer, s.Calls)
	}
	older, newer := s.reportName(3), s.reportName(0)
	s.answers = []string{older, newer}
	if answer := s.ask("Compare reports"); !strings.Contains(answer, "From **"+older+"**") || !strings.Contains(answer, "to **"+newer+"**") {
		t.Error(answer)
	}
}

// TestSelectedReportsAreCompared whatever their order.
func TestSelectedReportsAreCompared(t *testing.T) {
	d := openDemo(t)
	list := get(t, d, "reports")["reports"].([]any)
	newer, older := list[0].(object), list[6].(object)
	sc := at("reports")
	sc.State = &state{Selected: []string{newer["id"].(string), older["id"].(string)}}
	s := newScreen(t, d, sc)
	if answer := s.ask("compare these"); !strings.Contains(answer, "From **"+older["name"].(string)+"**") {
		t.Error(answer)
	}
}

// TestAnalysisTellsItsStages while it works.
func TestAnalysisTellsItsStages(t *testing.T) {
	s := newScreen(t, openDemo(t), scenario(t, "analysis"))
	s.ask("Analyse this report by year")
	if want := []string{"collect", "year", "type", "mesh", "journal", "pairs"}; !slices.Equal(s.Stages, want) {
		t.Errorf("%v, want %v", s.Stages, want)
	}
	chart := s.Payloads["chart"]
	if chart["title"] != "Venetoclax combinations 2025 by year" || len(chart["data"].([]any)) != 2 {
		t.Error(chart)
	}
}

// TestToolsStandWhereTheyBelong: compare_reports only on reports, run_analysis only on its tab,
// writing only on semantic.
func TestToolsStandWhereTheyBelong(t *testing.T) {
	d := openDemo(t)
	for place, want := range map[string]string{
		"streams":                                "count_library fetch_article search_pubmed search_trials",
		"edit_research_stream/semantic":          "count_library fetch_article search_pubmed search_trials update_stream_schema validate_stream",
		"edit_research_stream/execute/workbench": "count_library fetch_article search_pubmed search_trials",
		"reports":                                "compare_reports count_library fetch_article search_pubmed search_trials",
		"reports/analysis":                       "compare_reports count_library fetch_article run_analysis search_pubmed search_trials",
		"elsewhere":                              "search_pubmed",
	} {
		s := newScreen(t, d, at("streams"))
		view := s.agent.Pages.Resolve(page.ParsePlace(place))
		var names []string
		for _, tl := range view.Tools {
			names = append(names, tl.Name)
		}
		must.Be(t, strings.Join(names, " "), want, "%s", place)
	}
}

// TestContextBuilders write what matters about the page.
func TestContextBuilders(t *testing.T) {
	d := openDemo(t)
	for id, want := range map[string]string{
		"find-articles": `The user edits the stream "FLT3 inhibitors" (id 2, version 1), tab execute/workbench. Its schema has 4 fields. The search "for everything" finds 320 articles, 50 of them are on screen.`,
		"only-phase-3":  "The search finds 80 trials; 80 are loaded",
	} {
		s := newScreen(t, d, scenario(t, id))
		var items []page.Item
		for _, c := range s.context {
			items = append(items, page.Item{Description: c.Description, Value: c.Value})
		}
		built, err := s.agent.Pages.Resolve(s.place).Describe(items, nil)
		if err != nil || !strings.Contains(built.Data, want) {
			t.Errorf("%s: %s %v", id, built.Data, err)
		}
	}
}

// TestQuestionsOfPages asks what people ask, and looks for what must stand in the answer. A refusal
// is one line, with three questions that work there and a real model.
func TestQuestionsOfPages(t *testing.T) {
	d := openDemo(t)
	data := must.Get(os.ReadFile("testdata/questions.txt"))(t)
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimRight(line, "\n"), " | ")
		if len(parts) != 3 || parts[0] == "# where" {
			continue
		}
		where, question, want := parts[0], strings.ReplaceAll(parts[1], `\n`, "\n"), parts[2]
		s := newScreen(t, d, scenario(t, where))
		answer := s.ask(question)
		if want != "refuse" {
			if !strings.Contains(answer, want) {
				t.Errorf("%s: %s: %s\n%v", where, question, answer, s.Calls)
			}
			continue
		}
		offered := s.Suggested
		if !refused(answer) || strings.Contains(answer, "\n") || len(offered) != 3 || !strings.Contains(string(s.Metadata), `"action":"connect_model"`) {
			t.Errorf("%s: %s: %s %v", where, question, answer, offered)
		}
		for _, chip := range offered {
			if answer := newScreen(t, d, scenario(t, where)).ask(chip); refused(answer) {
				t.Errorf("%s: it offers %s, which is refused", where, chip)
			}
		}
	}
}

var refused = demotest.Refused

// TestArticlePage: one article, what is in it, and what is like it.
func TestArticlePage(t *testing.T) {
	d := openDemo(t)
	article := get(t, d, "articles/99000001")
	s := newScreen(t, d, at("article"))
	s.add("Research: article", article)
	if answer := s.ask("Summarise this article"); !strings.Contains(answer, article["title"].(string)) || !strings.Contains(answer, "This abstract was generated") {
		t.Error(answer)
	}
	answer := s.ask("Find similar articles")
	data := s.Payloads["query_suggestion"]
	if data == nil || !strings.Contains(answer, "the same main headings") {
		t.Fatal(answer)
	}
	if found := post(t, d, "articles/search", object{"query": data["query"]}); found["total"] != data["total"] || found["total"] == 0.0 {
		t.Error(found["total"], data)
	}
}

// TestEmptyPages: no results, no selection, no context at all. There is always an answer.
func TestEmptyPages(t *testing.T) {
	d := openDemo(t)
	questions := []string{"hi", "patterns?", "most common phase", "only phase 3", "why so few results", "am I missing articles", "better query", "compare the last two reports", "analyse this", "check this stream",
		"which fields are missing", "find articles about x", "find trials with y", "since 2020", "add a column for z", "Which trials have OS as primary endpoint?", "summarise"}
	for _, place := range []string{"streams", "trials", "reports", "reports/analysis", "article", "edit_research_stream/semantic", "edit_research_stream/execute/workbench", "nowhere"} {
		s := newScreen(t, d, at("streams"))
		s.place = page.ParsePlace(place)
		s.context = s.context[:1]
		var none json.RawMessage = []byte(`{}`)
		for _, name := range []string{"Research: trial search", "Research: reports", "Research: stream", "Research: article search"} {
			s.add(name, none)
		}
		for _, q := range questions {
			s.ask(q)
		}
	}
}
