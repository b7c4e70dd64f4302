package research_test

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/research"
)

// rawArticle and rawTrial are the files' own, read here without the library.
type rawArticle struct {
	PMID, Title, Journal, Date, Abstract string
	Types, Mesh                          []string
}

// rawLibrary is a demo with a library, and what is in that.
type rawLibrary struct {
	demo     *demo.Demo
	articles []rawArticle
	trials   []map[string]string // by the names of the file's columns
}

// eachLibrary plays a test on the generated library, whose articles and trials it has one by one
// from the API, and on the real one, with those of its files.
func eachLibrary(t *testing.T, test func(t *testing.T, lib rawLibrary)) {
	t.Run("generated", func(t *testing.T) {
		d := openDemo(t)
		test(t, rawLibrary{d, generatedArticles(t, d), generatedTrials(t, d)})
	})
	t.Run("real", func(t *testing.T) {
		d := openReal(t)
		test(t, rawLibrary{d, rawArticles(t), rawTrials(t)})
	})
}

// decode reads what the API said once more, as something else.
func decode[T any](t *testing.T, v any) (out T) {
	t.Helper()
	if err := json.Unmarshal([]byte(compact(v)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func generatedArticles(t *testing.T, d *demo.Demo) (list []rawArticle) {
	t.Helper()
	for page, total := 1, 1; len(list) < total; page++ {
		found := post(t, d, "articles/search", object{"query": "", "page": page, "pageSize": 200})
		total = int(found["total"].(float64))
		for _, a := range decode[[]rawArticle](t, found["articles"]) {
			list = append(list, decode[rawArticle](t, get(t, d, "articles/"+a.PMID)))
		}
	}
	return list
}

func generatedTrials(t *testing.T, d *demo.Demo) (list []map[string]string) {
	t.Helper()
	for _, trial := range decode[[]struct {
		NCT, Title, Status, Sponsor, Start     string
		Phases, Interventions, PrimaryOutcomes []string
	}](t, post(t, d, "trials/search", object{"pageSize": 250})["trials"]) {
		list = append(list, map[string]string{
			"NCT Number": trial.NCT, "Study Title": trial.Title, "Study Status": trial.Status, "Sponsor": trial.Sponsor, "Start Date": trial.Start,
			"Phases": strings.Join(trial.Phases, "|"), "Interventions": strings.Join(trial.Interventions, "|"), "Primary Outcome Measures": strings.Join(trial.PrimaryOutcomes, "|"),
		})
	}
	return list
}

func rawArticles(t *testing.T) []rawArticle {
	t.Helper()
	lines := bufio.NewScanner(unzip(t, realArticles))
	lines.Buffer(nil, 1<<20)
	var list []rawArticle
	for lines.Scan() {
		var a rawArticle
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func rawTrials(t *testing.T) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(unzip(t, realTrials)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[strings.TrimPrefix(name, "\ufeff")] = row[i]
		}
		list = append(list, m)
	}
	return list
}

func unzip(t *testing.T, file string) *gzip.Reader {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// word finds a whole word, ignoring case.
func word(s string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])` + s + `(?:$|[^\pL\pN])`)
}

func countWhere[T any](list []T, keep func(T) bool) (n int) {
	for _, v := range list {
		if keep(v) {
			n++
		}
	}
	return n
}

// TestSearches compares what the API finds with counts over all the articles.
func TestSearches(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d, articles, trials := lib.demo, lib.articles, lib.trials
		info := get(t, d, "info")
		if n := info["library"].(object)["articles"]; n != float64(len(articles)) || info["trials"].(object)["count"] != float64(len(trials)) {
			t.Error(info["library"], info["trials"])
		}
		ven, flt := word("venetoclax"), word("flt3")
		journal, year := articles[0].Journal, articles[0].Date[:4]
		joined := func(list []string) string { return strings.Join(list, ", ") }
		for query, keep := range map[string]func(rawArticle) bool{
			"venetoclax[ti]":                                func(a rawArticle) bool { return ven.MatchString(a.Title) },
			"venetoclax[tiab]":                              func(a rawArticle) bool { return ven.MatchString(a.Title) || ven.MatchString(a.Abstract) },
			"FLT3[ti] NOT venetoclax[ti]":                   func(a rawArticle) bool { return flt.MatchString(a.Title) && !ven.MatchString(a.Title) },
			"2020:2024[dp]":                                 func(a rawArticle) bool { return a.Date >= "2020" && a.Date < "2025" },
			fmt.Sprintf("%q[ta] AND %s[dp]", journal, year): func(a rawArticle) bool { return a.Journal == journal && strings.HasPrefix(a.Date, year) },
			"randomized controlled trial[pt]":               func(a rawArticle) bool { return slices.Contains(a.Types, "Randomized Controlled Trial") },
			"clinical trial, phase iii[pt]": func(a rawArticle) bool {
				return strings.Contains(joined(a.Types), "Clinical Trial, Phase III")
			},
			`"Leukemia, Myeloid, Acute"[mh]`: func(a rawArticle) bool { return strings.Contains(joined(a.Mesh)+",", "Leukemia, Myeloid, Acute,") },
			"cytarabine[mh:noexp]":           func(a rawArticle) bool { return slices.Contains(a.Mesh, "Cytarabine") },
		} {
			found := post(t, d, "articles/search", object{"query": query})
			if want := countWhere(articles, keep); found["total"] != float64(want) || want == 0 {
				t.Errorf("%s finds %v, want %d", query, found["total"], want)
			}
		}
		filtered := post(t, d, "articles/search", object{"query": "venetoclax", "filters": object{"from": "2022", "types": []string{"Multicenter Study"}}, "sort": "date", "dir": "asc", "pageSize": 200})
		last := ""
		for _, a := range filtered["articles"].([]any) {
			date := a.(object)["date"].(string)
			if date < last[:min(4, len(last))] || date < "2022" || !strings.Contains(fmt.Sprint(a.(object)["types"]), "Multicenter Study") {
				t.Error(a)
			}
			last = date
		}
	})
}

// TestTrialSearches does the same for trials, and for their facets.
func TestTrialSearches(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d, trials := lib.demo, lib.trials
		ven := word("venetoclax")
		hits := func(m map[string]string) bool {
			return ven.MatchString(m["Interventions"]) || ven.MatchString(m["Study Title"])
		}
		found := post(t, d, "trials/search", object{"intervention": "venetoclax", "statuses": []string{"RECRUITING"}, "pageSize": 250})
		if want := countWhere(trials, func(m map[string]string) bool { return hits(m) && m["Study Status"] == "RECRUITING" }); found["total"] != float64(want) || len(found["trials"].([]any)) != want {
			t.Errorf("%v, want %d", found["total"], want)
		}
		// without the filter by status
		for _, f := range found["facets"].(object)["statuses"].([]any) {
			f := f.(object)
			if want := countWhere(trials, func(m map[string]string) bool { return hits(m) && m["Study Status"] == f["value"] }); f["count"] != float64(want) {
				t.Errorf("%v, want %d", f, want)
			}
		}
		for _, f := range found["facets"].(object)["phases"].([]any) { // with it
			f := f.(object)
			want := countWhere(trials, func(m map[string]string) bool {
				return hits(m) && m["Study Status"] == "RECRUITING" && slices.Contains(strings.Split(m["Phases"], "|"), f["value"].(string))
			})
			if f["count"] != float64(want) {
				t.Errorf("%v, want %d", f, want)
			}
		}
	})
}

// loaded are the trials that the page of the scenarios has: the newest 100 at most on acute myeloid
// leukemia, as the API sorts them.
func loaded(t *testing.T, s *screen, trials []map[string]string) []map[string]string {
	t.Helper()
	by := map[string]map[string]string{}
	for _, m := range trials {
		by[m["NCT Number"]] = m
	}
	var list []map[string]string
	for _, item := range s.items["Research: trial search"] {
		list = append(list, by[item.(object)["nct"].(string)])
	}
	if len(list) != min(100, len(trials)) {
		t.Fatal(len(list))
	}
	return list
}

func label(phases string) string {
	return strings.NewReplacer("EARLY_PHASE1", "Early Phase 1", "NA", "Not applicable", "PHASE", "Phase ", "|", "/").Replace(phases)
}

// TestCommonPhaseCountsTheLoadedTrials: each line of the answer is a count over the rows of the
// file.
func TestCommonPhaseCountsTheLoadedTrials(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		s := newScreen(t, lib.demo, scenario(t, "common-phase"))
		answer := s.ask(scenario(t, "common-phase").Text)
		counts := map[string]int{}
		for _, m := range loaded(t, s, lib.trials) {
			counts[label(m["Phases"])]++
		}
		lines := regexp.MustCompile(`(?m)^- (.*): (\d+) trials? \(`).FindAllStringSubmatch(answer, -1)
		got := map[string]int{}
		for _, l := range lines {
			n := 0
			_, _ = fmt.Sscan(l[2], &n)
			got[l[1]] = n
		}
		if !maps.Equal(got, counts) {
			t.Errorf("%v, want %v\n%s", got, counts, answer)
		}
		most := slices.MaxFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int { return counts[a] - counts[b] })
		if !strings.Contains(answer, "**"+most+"** is the most common") {
			t.Errorf("want %s: %s", most, answer)
		}
	})
}

// TestCommonPhaseWithoutRetrieve: a client that cannot be asked for more gets the count of what it
// sent, and is told of how many.
func TestCommonPhaseWithoutRetrieve(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		s := newScreen(t, lib.demo, scenario(t, "common-phase"))
		s.bare = true
		if answer := s.ask("What's the most common phase among these?"); !regexp.MustCompile(fmt.Sprintf(`Looking at the (\d+ of your )?%d loaded trials`, min(100, len(lib.trials)))).MatchString(answer) || len(s.calls) != 0 {
			t.Error(answer, s.calls)
		}
	})
}

// TestPrimaryEndpoint: the trials that are named are those whose first outcome measures say so.
func TestPrimaryEndpoint(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		s := newScreen(t, lib.demo, scenario(t, "primary-endpoint"))
		answer := s.ask(scenario(t, "primary-endpoint").Text)
		re := regexp.MustCompile(`(?i)\boverall survival\b|\bOS\b`)
		want := 0
		rows := loaded(t, s, lib.trials)
		for _, m := range rows {
			for measure := range strings.SplitSeq(m["Primary Outcome Measures"], "|") {
				name, _, _ := strings.Cut(strings.TrimSpace(measure), ", ")
				if re.MatchString(name) {
					want++
					if !strings.Contains(answer, m["NCT Number"]) {
						t.Errorf("%s is not named", m["NCT Number"])
					}
					break
				}
			}
		}
		if !strings.HasPrefix(answer, fmt.Sprintf("**%d** of the %d loaded trials", want, len(rows))) {
			t.Errorf("want %d: %s", want, answer)
		}
	})
}

// TestPatterns: phases, statuses and sponsors are counted over the loaded rows.
func TestPatterns(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		s := newScreen(t, lib.demo, scenario(t, "patterns"))
		answer := s.ask(scenario(t, "patterns").Text)
		rows := loaded(t, s, lib.trials)
		recruiting := countWhere(rows, func(m map[string]string) bool { return m["Study Status"] == "RECRUITING" })
		sponsors, years := map[string]bool{}, map[string]int{}
		for _, m := range rows {
			sponsors[m["Sponsor"]] = true
			if year, _, _ := strings.Cut(m["Start Date"], "-"); year != "" {
				years[year]++
			}
		}
		late := countWhere(rows, func(m map[string]string) bool {
			return strings.Contains(m["Phases"], "PHASE3") || strings.Contains(m["Phases"], "PHASE4")
		})
		for _, part := range []string{fmt.Sprintf("%d recruiting", recruiting), fmt.Sprintf("%d different ones", len(sponsors)), fmt.Sprintf("%d are phase 3 or later", late)} {
			if !strings.Contains(answer, part) {
				t.Errorf("%q is not in %s", part, answer)
			}
		}
		most := slices.Max(slices.Collect(maps.Values(years)))
		year := regexp.MustCompile(fmt.Sprintf(`the year with the most is (\d{4}) \(%d of %d\)`, most, len(rows))).FindStringSubmatch(answer)
		if year == nil || years[year[1]] != most {
			t.Errorf("%d of %v is not in %s", most, years, answer)
		}
	})
}

// TestOnlyPhase3 proposes a column whose yes is counted in the file.
func TestOnlyPhase3(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d := lib.demo
		s := newScreen(t, d, scenario(t, "only-phase-3"))
		answer := s.ask(scenario(t, "only-phase-3").Text)
		rows := loaded(t, s, lib.trials)
		want := countWhere(rows, func(m map[string]string) bool { return strings.Contains(m["Phases"], "PHASE3") })
		if !strings.Contains(answer, fmt.Sprintf("**%d** are phase 3", want)) {
			t.Errorf("want %d: %s", want, answer)
		}
		column := s.payloads["ai_column_suggestion"]
		var ncts []string
		for _, m := range rows {
			ncts = append(ncts, m["NCT Number"])
		}
		got, judged := 0, 0
		for batch := range slices.Chunk(ncts, 100) {
			for _, cell := range post(t, d, "columns/judge", object{"criteria": column["criteria"], "type": column["type"], "ncts": batch})["cells"].(object) {
				judged++
				if cell.(object)["value"] == true {
					got++
				}
			}
		}
		if got != want || judged != len(rows) {
			t.Errorf("the column says yes %d times of %d, want %d of %d", got, judged, want, len(rows))
		}
	})
}

// TestPayloadsSayWhatTheirSearchFinds: a total in a payload is what the API finds for the query,
// filters or form on it.
func TestPayloadsSayWhatTheirSearchFinds(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d := lib.demo
		for _, sc := range research.Scenarios() {
			s := newScreen(t, d, sc)
			s.ask(sc.Text)
			data := s.payloads[sc.Payload]
			if data == nil || data["total"] == nil {
				continue
			}
			var found object
			switch sc.Payload {
			case "trial_search_suggestion":
				found = post(t, d, "trials/search", data["form"])
			case "filter_suggestion":
				found = post(t, d, "articles/search", object{"query": *sc.State.Query, "filters": data["filters"]})
			case "query_suggestion":
				found = post(t, d, "articles/search", object{"query": data["query"]})
			case "retrieval_proposal":
				found = post(t, d, "articles/search", object{"query": data["query"], "filters": data["filters"]})
			default:
				continue
			}
			if found["total"] != data["total"] {
				t.Errorf("%s: the payload says %v, the search finds %v", sc.ID, data["total"], found["total"])
			}
		}
	})
}

// TestFewResults names the restriction whose absence helps most, with counts from the file.
func TestFewResults(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d, articles := lib.demo, lib.articles
		s := newScreen(t, d, scenario(t, "few-results"))
		answer := s.ask(scenario(t, "few-results").Text)
		ven := word("venetoclax")
		about := func(a rawArticle) bool { return ven.MatchString(a.Title) || ven.MatchString(a.Abstract) }
		late := func(a rawArticle) bool { return a.Date >= "2024-06" }
		random := func(a rawArticle) bool { return slices.Contains(a.Types, "Randomized Controlled Trial") }
		for _, part := range []string{
			fmt.Sprintf("**%d** ", countWhere(articles, func(a rawArticle) bool { return about(a) && late(a) && random(a) })),
			fmt.Sprintf("without the dates 2024-06 to today: **%d**", countWhere(articles, func(a rawArticle) bool { return about(a) && random(a) })),
			fmt.Sprintf("Randomized Controlled Trial: **%d**", countWhere(articles, func(a rawArticle) bool { return about(a) && late(a) })),
			fmt.Sprintf("without any filter: **%d**", countWhere(articles, about)),
		} {
			if !strings.Contains(answer, part) {
				t.Errorf("%q is not in %s", part, answer)
			}
		}
	})
}

// TestCompareReports: what is new and gone between two years is counted in the file.
func TestCompareReports(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib rawLibrary) {
		d, articles := lib.demo, lib.articles
		s := newScreen(t, d, scenario(t, "compare-reports"))
		answer := s.ask(scenario(t, "compare-reports").Text)
		ven := word("venetoclax")
		in := func(years ...string) int {
			return countWhere(articles, func(a rawArticle) bool {
				return (ven.MatchString(a.Title) || ven.MatchString(a.Abstract)) && len(a.Date) >= 4 && slices.Contains(years, a.Date[:4])
			})
		}
		want := fmt.Sprintf("From **Venetoclax combinations 2024** (%d articles) to **Venetoclax combinations 2025** (%d): %d new, %d gone, %d in both.", in("2023", "2024"), in("2024", "2025"), in("2025"), in("2023"), in("2024"))
		if !strings.Contains(answer, want) {
			t.Errorf("want %s\n%s", want, answer)
		}
		data := s.payloads["report_comparison"]
		// a payload shows no more
		if data["addedTotal"] != float64(in("2025")) || len(data["added"].([]any)) != min(in("2025"), 25) {
			t.Error(data["addedTotal"])
		}
	})
}
