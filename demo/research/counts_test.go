package research_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/research/library"
)

// truth is the library, read from the API and counted here, without any code that answers.
type truth struct{ articles, trials []object }

func readTruth(t *testing.T, d *demo.Demo) *truth {
	t.Helper()
	tr := &truth{trials: list(post(t, d, "trials/search", object{"pageSize": 100})["trials"])}
	for _, a := range everything(t, d) {
		tr.articles = append(tr.articles, get(t, d, "articles/"+a["pmid"].(string)))
	}
	if len(tr.articles) != 320 || len(tr.trials) != 80 {
		t.Fatal(len(tr.articles), len(tr.trials))
	}
	return tr
}

// of is "**n** of the 80 trials", n being those that a test takes.
func of(rows []object, what string, take func(object) bool) string {
	return fmt.Sprintf("**%d** of the %d %s", len(pickRows(rows, take)), len(rows), what)
}

func pickRows(rows []object, take func(object) bool) (taken []object) {
	for _, r := range rows {
		if take(r) {
			taken = append(taken, r)
		}
	}
	return taken
}

func is(key, value string) func(object) bool {
	return func(o object) bool { return o[key] == value }
}

// from, until are about the year of a date.
func from(key, year string) func(object) bool {
	return func(o object) bool { return o[key].(string)[:4] >= year }
}

func until(key, year string) func(object) bool {
	return func(o object) bool { return o[key].(string)[:4] <= year }
}

func both(all ...func(object) bool) func(object) bool {
	return func(o object) bool {
		return !slices.ContainsFunc(all, func(one func(object) bool) bool { return !one(o) })
	}
}

func has(key, part string) func(object) bool {
	return func(o object) bool {
		return slices.ContainsFunc(unique(o[key]), func(v string) bool { return strings.Contains(strings.ToLower(v), part) })
	}
}

// mentions looks for a word in title or abstract.
func mentions(word string) func(object) bool {
	return func(o object) bool {
		return slices.Contains(strings.FieldsFunc(strings.ToLower(o["title"].(string)+" "+o["abstract"].(string)), func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) }), word)
	}
}

// tally counts values, the most frequent first.
func tally(rows []object, values func(object) []string) (facts []string) {
	counts := map[string]int{}
	for _, r := range rows {
		for _, v := range values(r) {
			counts[v]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, n := range names {
		facts = append(facts, fmt.Sprintf("%s: %d ", n, counts[n]))
	}
	return append(facts, fmt.Sprintf("**%d**", counts[names[0]]))
}

func one(key string) func(object) []string {
	return func(o object) []string { return []string{o[key].(string)} }
}

func many(key, prefix string) func(object) []string {
	return func(o object) (values []string) {
		for _, v := range unique(o[key]) {
			values = append(values, strings.TrimPrefix(v, prefix))
		}
		return values
	}
}

func yearsOf(key string) func(object) []string {
	return func(o object) []string { return []string{o[key].(string)[:4]} }
}

// first is the lead of a tally: its value and how many.
func first(facts []string) []string {
	name, _, _ := strings.Cut(facts[0], ": ")
	return []string{"**" + name + "**", facts[len(facts)-1]}
}

// asked are questions and what must stand in each answer. Without facts it must be refused.
type asked map[string][]string

// TestCounts asks what strangers ask about the library, on the pages of Research.
func TestCounts(t *testing.T) {
	d := openDemo(t)
	tr := readTruth(t, d)
	n := 0
	for place, questions := range map[string]asked{"streams": anywhere(tr), "edit_research_stream/execute/workbench": onArticles(tr), "trials": onTrials(tr)} {
		for question, facts := range questions {
			n++
			s := newScreen(t, d, empty(place))
			answer := s.ask(question)
			if refused(answer) != (len(facts) == 0) {
				t.Errorf("%s: %s: %s", place, question, answer)
			}
			for _, fact := range facts {
				if !strings.Contains(answer, fact) {
					t.Errorf("%s: %s: %q is missing in: %s", place, question, fact, answer)
				}
			}
			if len(facts) == 0 && (strings.Contains(answer, "\n") || len(chips(t, s)) != 3) {
				t.Errorf("%s: %s: %s", place, question, answer)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d questions, 60 are wanted", n)
	}
}

// empty is a page with nothing set.
func empty(place string) research.Scenario {
	i := slices.IndexFunc(research.Scenarios(), func(s research.Scenario) bool { return s.Place == place })
	at := research.Scenarios()[i]
	every := ""
	at.State = &research.State{Query: &every, PageSize: 100}
	return at
}

func anywhere(tr *truth) asked {
	journals, authors := tally(tr.articles, one("journal")), tally(tr.articles, many("authors", ""))
	drugs, sponsors := tally(tr.trials, many("interventions", "DRUG: ")), tally(tr.trials, one("sponsor"))
	phases := tally(tr.trials, one("phase"))
	newest := slices.MaxFunc(tr.articles, func(a, b object) int { return strings.Compare(a["date"].(string), b["date"].(string)) })
	oldest := slices.MinFunc(tr.articles, func(a, b object) int { return strings.Compare(a["date"].(string), b["date"].(string)) })
	author := strings.Fields(strings.Split(authors[0], ":")[0])
	byAuthor := of(tr.articles, "articles", func(o object) bool { return slices.Contains(unique(o["authors"]), strings.Join(author, " ")) })
	return asked{
		"How many articles are there?": {"**320** articles"}, "number of papers": {"**320** articles"}, "How many trials?": {"**80** trials"}, "how many clinical trials are in the library": {"**80** trials"},
		"newest article please": {newest["title"].(string), newest["date"].(string)}, "what is the latest paper?": {newest["title"].(string)}, "oldest article": {oldest["title"].(string)},
		"which journal has most articles": first(journals), "articles by journal": journals[:3], "which journal publishes the most papers?": first(journals), "how many journals are there": {fmt.Sprintf("**%d** different", len(journals)-1)},
		"articles per year": tally(tr.articles, yearsOf("date"))[:3], "which year has the most articles": first(tally(tr.articles, yearsOf("date"))),
		"who wrote the most articles": {strings.Join(author, " "), authors[len(authors)-1]}, "top 3 authors": authors[:3],
		"articles by Rossi":                          {of(tr.articles, "articles", has("authors", "rossi "))},
		"how many papers by Okafor since 2020":       {of(tr.articles, "articles", both(has("authors", "okafor "), from("date", "2020")))},
		"articles by " + author[1] + " " + author[0]: {byAuthor}, "articles by " + author[0] + " " + author[1]: {byAuthor},
		"articles by Chen":                                              {"No article in the library is like that: `author is chen`"},
		"how many articles mention venetoclax":                          {of(tr.articles, "articles", mentions("venetoclax"))},
		"how many articles are about the resistance to midostaurin?":    {of(tr.articles, "articles", both(mentions("resistance"), mentions("midostaurin")))},
		"how many articles on quizartinib from 2021 or later are there": {of(tr.articles, "articles", both(mentions("quizartinib"), from("date", "2021")))},
		"how many articles before 2016":                                 {of(tr.articles, "articles", until("date", "2015"))}, "how many articles after 2023": {of(tr.articles, "articles", from("date", "2024"))},
		"how many articles between 2018 and 2020": {of(tr.articles, "articles", both(from("date", "2018"), until("date", "2020")))}, "articles in 2022, how many?": {of(tr.articles, "articles", both(from("date", "2022"), until("date", "2022")))},
		"how many reviews": {of(tr.articles, "articles", has("types", "review"))}, "how many RCTs are there": {of(tr.articles, "articles", has("types", "randomized controlled"))},
		"which drug is most common": first(drugs), "most frequent interventions": drugs[:3], "which sponsor has the most trials?": first(sponsors), "trials by phase": phases[:4], "trials per status": tally(tr.trials, one("statusLabel"))[:4],
		"which trials are completed": {of(tr.trials, "trials", is("status", "COMPLETED"))}, "how many trials are recruiting": {of(tr.trials, "trials", is("status", "RECRUITING"))},
		"how many trials are not completed": nil, "how many trials are completed or terminated": {fmt.Sprintf("**%d** trials", len(pickRows(tr.trials, is("status", "COMPLETED")))+len(pickRows(tr.trials, is("status", "TERMINATED"))))}, "which journal is the best": nil, "articles not by Rossi": nil, "how many patients": nil, "how many trials started last year": nil, "what is the cure rate": nil,
		"articles with more than 5 authors": nil, "which author has most citations": nil, "phase 3 articles": nil, "average number of authors": nil, "trials of children": nil, "trials started after 2020": {of(tr.trials, "trials", from("start", "2021"))}, "what is the most common status": first(tally(tr.trials, one("statusLabel"))), "articles from 2024": {of(tr.articles, "articles", both(from("date", "2024"), until("date", "2024")))},
		"which sponsors have the fewest trials": {"rarest"},
		"hi what is this page":                  {"320 articles and 80 trials"}, "clear filters": {"no filters"},
	}
}

func onArticles(tr *truth) asked {
	return asked{
		"which journal has most articles?": first(tally(tr.articles, one("journal"))), "newest article please": {"The newest article"}, "how many since 2020": {of(tr.articles, "articles", from("date", "2020"))},
		"by publication type": tally(tr.articles, many("types", ""))[:3], "clear filters": {"No filter is set"},
		"only those from 2020 or later": {of(tr.articles, "articles", from("date", "2020"))}, "only reviews": {of(tr.articles, "articles", has("types", "review"))}, "only papers by Rossi": {of(tr.articles, "articles", has("authors", "rossi "))},
		"which sponsor has the most trials": first(tally(tr.trials, one("sponsor"))), "how many trials are completed": {of(tr.trials, "trials", is("status", "COMPLETED"))}, "only the good ones": nil, "export as csv": nil,
	}
}

func onTrials(tr *truth) asked {
	latest := slices.MaxFunc(tr.trials, func(a, b object) int { return strings.Compare(a["start"].(string), b["start"].(string)) })
	drug := drugNamed("venetoclax")
	return asked{
		"which trials are completed": {of(tr.trials, "trials", is("status", "COMPLETED"))}, "how many are withdrawn?": {of(tr.trials, "trials", is("status", "WITHDRAWN"))}, "which are not yet recruiting": {of(tr.trials, "trials", is("status", "NOT_YET_RECRUITING"))},
		"how many phase 2": {of(tr.trials, "trials", has("phases", "phase2"))}, "which trials are in phase III?": {of(tr.trials, "trials", has("phases", "phase3"))}, "how many are completed phase 3 trials": {of(tr.trials, "trials", both(is("status", "COMPLETED"), has("phases", "phase3")))},
		"which endpoint is most common?": first(tally(tr.trials, many("primaryOutcomes", ""))), "which drug is most common": first(tally(tr.trials, many("interventions", "DRUG: "))), "which phase is most common": first(tally(tr.trials, one("phase"))),
		"how many trials with venetoclax": {of(tr.trials, "trials", drug)}, "how many trials test venetoclax since 2020": {of(tr.trials, "trials", both(drug, from("start", "2020")))}, "newest trial": {latest["nct"].(string)}, "which trial started last": {latest["nct"].(string)},
		"trials by Invented Pharma": {of(tr.trials, "trials", is("sponsor", "Invented Pharma AG"))}, "trials per year": tally(tr.trials, yearsOf("start"))[:3], "clear filters": {"No filter is set"}, "only completed": {of(tr.trials, "trials", is("status", "COMPLETED"))},
		"only those from 2020 or later": {of(tr.trials, "trials", from("start", "2020"))}, "which journal has most articles": first(tally(tr.articles, one("journal"))), "find trials that are not completed": nil, "which trials work": nil, "find trials of midostaurin started after 2020": {fmt.Sprintf("**%d** trial", len(pickRows(tr.trials, both(drugNamed("midostaurin"), from("start", "2021")))))}, "find completed trials before 2018": {fmt.Sprintf("**%d** trial", len(pickRows(tr.trials, both(is("status", "COMPLETED"), until("start", "2017")))))}, "how many patients were enrolled": nil,
		"which trials are completed or recruiting": nil, "how many completed trials are there in France": nil, "randomised": nil,
	}
}

// drugNamed looks where the search for an intervention does.
func drugNamed(name string) func(object) bool {
	return func(o object) bool {
		return has("interventions", name)(o) || strings.Contains(strings.ToLower(o["title"].(string)), name)
	}
}

// TestFollowUps: "only those" goes on from the question before, and only from that.
func TestFollowUps(t *testing.T) {
	d := openDemo(t)
	tr := readTruth(t, d)
	rossi := has("authors", "rossi ")
	for _, tt := range []struct {
		place     string
		questions []string
		fact      string
	}{
		{"streams", []string{"articles by Rossi", "only those from 2020 or later"}, of(tr.articles, "articles", both(rossi, from("date", "2020")))},
		{"streams", []string{"articles by Rossi", "only those from 2020 or later", "only reviews"}, of(tr.articles, "articles", both(rossi, from("date", "2020"), has("types", "review")))},
		{"streams", []string{"how many articles are there", "only those from 2020 or later"}, of(tr.articles, "articles", from("date", "2020"))},
		{"trials", []string{"which trials are completed", "only those since 2020"}, of(tr.trials, "trials", both(is("status", "COMPLETED"), from("start", "2020")))},
		{"trials", []string{"which trials are completed", "write a poem", "only those since 2020"}, of(tr.trials, "trials", from("start", "2020"))},
		{"edit_research_stream/execute/workbench", []string{"which journal has most articles", "only those from 2020 or later"}, of(tr.articles, "articles", from("date", "2020"))},
	} {
		s := newScreen(t, d, empty(tt.place))
		answer := s.talk(tt.questions...)
		if !strings.Contains(answer, tt.fact) {
			t.Errorf("%s %q: %q is missing in: %s", tt.place, tt.questions, tt.fact, answer)
		}
	}
	if answer := newScreen(t, d, empty("streams")).talk("only those from 2020 or later"); !refused(answer) {
		t.Error(answer)
	}
}

// TestFiltersOfResearch: cards set and clear what narrows a page, and answers name what is on.
func TestFiltersOfResearch(t *testing.T) {
	d := openDemo(t)
	tr := readTruth(t, d)
	at := empty("edit_research_stream/execute/workbench")
	at.State.Filters = filtersFrom("2022")
	s := newScreen(t, d, at)
	recent := pickRows(tr.articles, from("date", "2022"))
	if answer := s.ask("how many reviews are there"); !strings.Contains(answer, of(recent, "articles", has("types", "review"))) || !strings.Contains(answer, "with the page's filters: `from: 2022`") || fmt.Sprint(chips(t, s)) != "[Clear the filters]" {
		t.Error(answer)
	}
	if answer := s.ask("Clear the filters"); !strings.Contains(answer, "**320** articles") || fmt.Sprint(s.payloads["filter_suggestion"]["filters"]) != "map[]" {
		t.Error(answer, s.payloads)
	}
	if s.ask("only reviews"); compact(s.payloads["filter_suggestion"]["filters"]) != `{"from":"2022","types":["Review"]}` {
		t.Error(s.payloads)
	}
	if answer := s.ask("how many articles are in the library"); !strings.Contains(answer, "**320** articles in the library") {
		t.Error(answer)
	}
	onlyRecruiting := empty("trials")
	onlyRecruiting.State.Form = formOf("RECRUITING")
	s = newScreen(t, d, onlyRecruiting)
	if answer := s.ask("which trials are completed"); !strings.Contains(answer, "contradicts `status is completed`") || fmt.Sprint(chips(t, s)) != "[Clear the form]" {
		t.Error(answer)
	}
	if answer := s.ask("Clear the form"); !strings.Contains(answer, "**80** trials") || s.payloads["trial_search_suggestion"] == nil {
		t.Error(answer)
	}
	if answer := s.ask("which phase is most common"); !strings.Contains(answer, "with what the form asks for: `statuses: RECRUITING`") {
		t.Error(answer)
	}
}

// TestNoStopWords: no word that says nothing of what to look for gets into a search.
func TestNoStopWords(t *testing.T) {
	d := openDemo(t)
	for _, question := range []string{"Find articles about the use of venetoclax in older patients with AML that are not too old", "how many articles are about what happens after the transplantation of cells", "papers about how we can treat it with azacitidine",
		"I want to find some recent EGFR resistance articles", "articles on every child and each of their drugs", "how many articles mention this and that midostaurin"} {
		s := newScreen(t, d, empty("edit_research_stream/execute/workbench"))
		s.ask(question)
		for _, call := range s.calls {
			for _, word := range strings.Fields(strings.NewReplacer(`"what":`, " ", "[tiab]", " ", "(", " ", ")", " ", `"`, " ", `\`, " ", "*", " ", ":", " ").Replace(call)) {
				if slices.Contains(strings.Fields("the of in with that are not too what after how we can it some this every each their and"), word) {
					t.Errorf("%s: %q is in %s", question, word, call)
				}
			}
		}
	}
}

func filtersFrom(year string) *library.Filters { return &library.Filters{From: year} }

func formOf(status string) *library.TrialForm { return &library.TrialForm{Statuses: []string{status}} }
