package research_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/research"
)

// A stranger's question, and what must stand in the answer to it. Without facts it must be refused.
type strange struct {
	question string
	facts    []string
}

// TestStrangers asks, on each page, what somebody asks who has not read the rules. Answers are
// compared with the data of the API; a refusal is one line, with three questions that work there.
func TestStrangers(t *testing.T) {
	d := openDemo(t)
	is := func(facts ...any) []string {
		var said []string
		for _, f := range facts {
			said = append(said, fmt.Sprint(f))
		}
		return said
	}
	streams := list(get(t, d, "streams")["streams"])
	reports := list(get(t, d, "reports")["reports"])
	stream := get(t, d, "streams/1")
	fields := list(stream["schema"].(object)["fields"])
	articles := post(t, d, "articles/search", object{"pageSize": 50})
	found := everything(t, d)
	trials := list(post(t, d, "trials/search", object{"pageSize": 100})["trials"])
	saved := post(t, d, "articles/search", object{"query": "venetoclax[tiab]"})["total"]
	of2023 := post(t, d, "articles/search", object{"filters": object{"from": "2023", "to": "2023"}})["total"]
	author, papers := most(found, func(o object) []string { return unique(o["authors"]) })
	journal, inJournal := most(found, func(o object) []string { return []string{o["journal"].(string)} })
	sponsor, sponsored := most(trials, func(o object) []string { return []string{o["sponsor"].(string)} })
	phase, inPhase := most(trials, func(o object) []string { return []string{o["phase"].(string)} })
	largest := slices.MaxFunc(reports, func(a, b object) int { return cmp.Compare(a["total"].(float64), b["total"].(float64)) })
	busiest := slices.MaxFunc(streams, func(a, b object) int { return cmp.Compare(a["articles"].(float64), b["articles"].(float64)) })
	latest := slices.MaxFunc(trials, func(a, b object) int { return strings.Compare(a["start"].(string), b["start"].(string)) })
	for place, questions := range map[string][]strange{
		"streams": {
			{"What can I do here?", is(320, 80)},
			{"Which streams do I have?", is(len(streams), streams[0]["name"])},
			{"How many trials are there?", is("**80**")},
			{"Which stream found the most articles?", is(busiest["name"], busiest["articles"])},
			{"Open the newest report", is("reports are on their own page")},
			{"How many articles are in the library?", is("**320** articles")},
			{"Welche Streams habe ich?", nil},
			{"Was kann ich hier tun?", nil},
			{"Wie viele Studien gibt es?", nil},
			{"Wie viele Artikel gibt es?", nil},
			{"Was ist ein Stream?", nil},
			{"Who pays for this?", nil},
			{"Lege einen neuen Stream an", nil},
		},
		"edit_research_stream/semantic": {
			{"What is this stream about?", is(stream["purpose"], "venetoclax[tiab]")},
			{"What fields does the schema have?", is(fmt.Sprintf("%d fields", len(fields)), "Population", "Randomized")},
			{"Is anything wrong with this stream?", is(saved, "0 errors")},
			{"Add a field for the age of the patients", nil},
			{"Was bedeutet das Feld?", nil},
			{"Wie viele Felder hat das Schema?", nil},
			{"Stimmt etwas nicht mit diesem Stream?", nil},
			{"Worum geht es hier?", nil},
		},
		"edit_research_stream/retrieval": {
			{"What does the query search for?", is("venetoclax[tiab]")},
			{"How many articles does it find?", is(fmt.Sprintf("**%v**", saved))},
			{"Make the search broader", is("76 articles")},
			{"Why are there no results from 2015?", nil},
			{"Nur Artikel seit 2021", nil},
			{"Suche auch nach Azacitidin", nil},
			{"Wie viele Artikel findet die Suche?", nil},
		},
		"edit_research_stream/execute/workbench": {
			{"How many articles are shown?", is("**50**", articles["total"])},
			{"Who wrote most of these articles?", is(author, papers)},
			{"How many articles are from 2023?", is(fmt.Sprintf("**%v** of the", of2023))},
			{"Which journal publishes most?", is(journal, inJournal)},
			{"Which of these are randomised trials?", is(fmt.Sprintf("**%d** of the 320", count(found, "Randomized Controlled Trial")))},
			{"How many reviews are there?", is(fmt.Sprintf("**%d** of the 320", count(found, "Review")))},
			{"Summarise the first article", nil},
			{"Wie viele Artikel sind von 2023?", nil},
			{"Welche Zeitschrift ist am häufigsten?", nil},
			{"Wer hat die meisten Artikel geschrieben?", nil},
		},
		"reports": {
			{"How many articles are in the newest report?", is(reports[0]["name"], "**37**", "**66**", "**10**")},
			{"Which report is the biggest?", is(largest["name"], largest["total"])},
			{"What is new since the last report?", is("From **Venetoclax combinations 2024** (20 articles) to **Venetoclax combinations 2025** (37)")},
			{"How many reports are there?", is(len(reports))},
			{"Delete this report", nil},
			{"Vergleiche die beiden neuesten Berichte", nil},
			{"Welcher Bericht ist der neueste?", nil},
			{"Welcher Bericht ist am größten?", nil},
			{"Wie viele Berichte gibt es?", nil},
		},
		"reports/analysis": {
			{"What am I looking at?", is("9 reports")},
			{"Break it down by year", is(reports[0]["name"], "37 articles")},
			{"Which report has the most articles?", is(largest["name"], largest["total"])},
			{"Is this peer reviewed?", nil},
			{"Wo bin ich?", nil},
		},
		"trials": {
			{"How many trials are recruiting?", is("**22** of the 80")},
			{"Which sponsor runs most of them?", is(sponsor, sponsored)},
			{"How many patients are enrolled?", nil},
			{"Which trials are in phase 3?", is("**25** of the 80")},
			{"Which phase is most common?", is(phase, inPhase)},
			{"Which trial started last?", is(latest["nct"], latest["start"])},
			{"Wie viele Studien sind abgeschlossen?", nil},
			{"Welche Phase ist am häufigsten?", nil},
			{"Welcher Sponsor hat die meisten Studien?", nil},
			{"Welche Studien sind in Phase 3?", nil},
		},
	} {
		i := slices.IndexFunc(research.Scenarios(), func(s research.Scenario) bool { return s.Place == place })
		at := research.Scenarios()[i]
		if at.State != nil && at.State.Query != nil {
			every, all := "", *at.State
			all.Query, all.PageSize = &every, 50
			at.State = &all
		}
		for _, q := range questions {
			s := newScreen(t, d, at)
			if wrong := judge(t, s, q, func() *screen { return newScreen(t, d, at) }); wrong != "" {
				t.Errorf("%s: %s: %s", place, q.question, wrong)
			}
		}
	}
}

// judge says what is wrong with the answer to a question.
func judge(t *testing.T, s *screen, q strange, again func() *screen) string {
	t.Helper()
	answer := s.ask(q.question)
	if refused(answer) != (len(q.facts) == 0) {
		return answer
	}
	for _, fact := range q.facts {
		if !strings.Contains(answer, fact) {
			return fmt.Sprintf("%q is missing in: %s", fact, answer)
		}
	}
	if len(q.facts) > 0 {
		return ""
	}
	if german := germanRe.MatchString(q.question); german != strings.Contains(answer, "versteht nur Englisch") {
		return "it is refused in another language: " + answer
	}
	if strings.Contains(answer, "\n") || len(chips(t, s)) != 3 {
		return "a refusal is one line and three questions: " + answer
	}
	if !strings.Contains(string(s.actions), `{"label":"Connect a model","action":"connect_model","handler":"client"}`) {
		return "a refusal offers no real model: " + string(s.actions)
	}
	for _, chip := range chips(t, s) {
		if a := again().ask(chip); refused(a) {
			return "it offers " + chip + ", which is refused"
		}
	}
	return ""
}

// germanRe are words of the German questions above.
var germanRe = regexp.MustCompile(`\b(?:Lege|Nur|Suche|Vergleiche|Was|Wie|Wer|Wo|Worum|Stimmt|Welche[rs]?)\b`)

func refused(answer string) bool {
	return strings.HasPrefix(answer, "I cannot answer that") || strings.Contains(answer, "versteht nur Englisch")
}

// chips are the questions that an answer offers.
func chips(t *testing.T, s *screen) (values []string) {
	t.Helper()
	var m struct {
		Pageside struct{ SuggestedValues []struct{ Value string } }
	}
	if err := json.Unmarshal(s.actions, &m); err != nil {
		t.Fatal(err)
	}
	for _, v := range m.Pageside.SuggestedValues {
		values = append(values, v.Value)
	}
	if len(values) == 0 {
		t.Error("it offers nothing")
	}
	return values
}

// everything are all articles of the library.
func everything(t *testing.T, d *demo.Demo) (all []object) {
	t.Helper()
	for page := 1; ; page++ {
		found := list(post(t, d, "articles/search", object{"pageSize": 200, "page": page})["articles"])
		if all = append(all, found...); len(found) < 200 {
			return all
		}
	}
}

func list(v any) (objects []object) {
	for _, one := range v.([]any) {
		objects = append(objects, one.(object))
	}
	return objects
}

func unique(v any) []string {
	set := map[string]bool{}
	for _, one := range v.([]any) {
		set[one.(string)] = true
	}
	return slices.Collect(maps.Keys(set))
}

// most is the most frequent value, and how often it is there.
func most(rows []object, values func(object) []string) (string, int) {
	counts := map[string]int{}
	for _, row := range rows {
		for _, v := range values(row) {
			counts[v]++
		}
	}
	best := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
	return best, counts[best]
}

// count are the articles of a type.
func count(articles []object, kind string) (n int) {
	for _, a := range articles {
		if slices.Contains(unique(a["types"]), kind) {
			n++
		}
	}
	return n
}
