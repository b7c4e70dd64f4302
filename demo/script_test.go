package demo

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm/script"
)

func TestScriptLoads(t *testing.T) {
	model, err := script.Parse("demo", scriptRules) // Discover's own
	if err != nil {
		t.Fatal(err)
	}
	if i := model.Info(); i.Name() != "script/demo" || !i.Scripted {
		t.Errorf("%+v", i)
	}
	known := []string{"describe_fields", "top_values", "execute_ppl_query", "set_time_range", "add_filter", "look_up_client", "make_chart", "create_alert", "list_alerts", "delete_alert", "delete_saved_query",
		"select_data_source", "ask_user"}
	for _, r := range model.Rules() {
		for _, name := range r.Tools {
			if !slices.Contains(known, name) {
				t.Errorf("rule %.40s calls %s", r.Match, name)
			}
		}
	}
}

// TestQuestions asks about the sample and checks what was called and what the answer says.
func TestQuestions(t *testing.T) {
	d := openSample(t)
	for _, test := range []struct{ question, call, answer string }{
		{"Hi!", "", "no language model"},
		{"What can you do?", "", "scripted model"},
		{"Are you a real AI?", "", "scripted model"},
		{"Show errors by status", "where status >= 400 | stats count() as requests by status | sort - requests", "`404` leads with **599** of 682 requests (87.8%)"},
		{"which status codes are there?", "source=access_log | stats count() as requests by status", "| `200` | 9,030 |"},
		{"WHICH PAGES GIVE THE MOST 404S?", "where status = 404 | stats count() as requests by path | sort - requests | head 5", "`/favicon.ico` leads with **69** of 599"},
		{"top 10 pages", "stats count() as requests by path | sort - requests | head 10", "| Page | Requests |"},
		{"Who are the top clients?", "by clientip", "`203.0.113.66` leads with **518**"},
		{"who causes the most server errors? list clients", "where status >= 500 | stats count() as requests by clientip", "| Client | Requests |"},
		{"top browsers with 5xx", "where status between 500 and 599 | stats count() as requests by browser", "| Browser | Requests |"},
		{"which referrers send most visitors", "", "I cannot answer that"},
		{"What happened in this log?", "", "`/api/checkout` answered **502** 50 times in the hour from 14:00 on 12 March 2026 (UTC)."},
		{"any incidents?", "", "`203.0.113.66` got 518 in the hour from 03:00 on 12 March 2026 (UTC), 83.1% of all. One client with so many is often a scanner."},
		{"Show the last 6 hours", `"from":"2026-03-12T17:58:41Z","to":"2026-03-12T23:58:41Z"`, "The page shows **"},
		{"zoom to the last hour of the log", `"from":"2026-03-12T22:58:41Z"`, "The page shows **374** of 13,448 requests"},
		{"and the last 30 minutes?", `"from":"2026-03-12T23:28:41Z"`, "The page shows **"},
		{"last two days", `"from":"2026-03-10T23:58:41Z"`, "The page shows **"},
		{"Show only the hours between 10 and 12 on 12 March", `"from":"2026-03-12T10:00:00Z","to":"2026-03-12T11:59:59.999Z"`, "12 Mar 2026 10:00–12:00 UTC"},
		{"show only the hours between 10 and 12", `"from":"2026-03-12T10:00:00Z","to":"2026-03-12T11:59:59.999Z"`, "12 Mar 2026 10:00–12:00 UTC"},
		{"from 10:30 to 2 pm on 2026-03-12", `"from":"2026-03-12T10:30:00Z","to":"2026-03-12T13:59:59.999Z"`, "The page shows **"},
		{"between 2 and 4 pm", `"from":"2026-03-12T14:00:00Z","to":"2026-03-12T15:59:59.999Z"`, "The page shows **"},
		{"between 12 am and 1 am on March 12th", `"from":"2026-03-12T00:00:00Z","to":"2026-03-12T00:59:59.999Z"`, "The page shows **"},
		{"from 9 to 10:05", `"from":"2026-03-12T09:00:00Z","to":"2026-03-12T10:04:59.999Z"`, "The page shows **"},
		{"between 22 and 24", `"from":"2026-03-12T22:00:00Z","to":"2026-03-12T23:59:59.999Z"`, "The page shows **"},
		{"only 11 March please", `"from":"2026-03-11T00:00:00Z","to":"2026-03-11T23:59:59.999Z"`, "The log reaches from 12 Mar 2026 00:00 to 12 Mar 2026 23:58 UTC"},
		{"between 14 and 10", "", "I cannot answer that"},
		{"show the whole log", `set_time_range {"from":"all","to":"all"}`, "**13,448** of 13,448 requests"},
		{"hide bots", `{"field":"browser","op":"is not","value":"Bot"}`, "**12,644** of 13,448"},
		{"only show client 203.0.113.66", `{"field":"clientip","op":"is","value":"203.0.113.66"}`, "**518** of 13,448"},
		{"exclude 203.0.113.66", `{"field":"clientip","op":"is not","value":"203.0.113.66"}`, "**12,930** of 13,448"},
		{"show only 2001:db8::1", `{"field":"clientip","op":"is","value":"2001:db8::1"}`, "**0** of 13,448"},
		{"only 404s", `{"field":"status","op":"is","value":404}`, "**599** of 13,448"},
		{"only client errors", `{"field":"status","op":"<=","value":499}`, "**623** of 13,448"},
		{"only server errors", `{"field":"status","op":">=","value":500}`, "**59** of 13,448"},
		{"only POST requests", `{"field":"method","op":"is","value":"POST"}`, "**494** of 13,448"},
		{"show only /api/checkout", `{"field":"path","op":"is","value":"/api/checkout"}`, "**492** of 13,448"},
		{"what did 203.0.113.66 do?", "where clientip = '203.0.113.66'", "**518** requests: `clientip is 203.0.113.66`"},
		{"Summarise this page", "top_values", "**13,448** of 13,448 requests match"},
		{"what's on my screen?", "top_values", "| 404 | 599 | 4.5% |"},
		{"describe the fields", "describe_fields {}", "| `status` | number | 8 | HTTP status"},
		{"values of browser", "by browser", "| `Safari` | 4,095 |"},
		{"when is the busiest hour?", "by span(timestamp, 1h) as time", "**19:00 on 12 March 2026**"},
		{"which hour had the most 404s", "where status = 404 | stats count() as requests by span(timestamp, 1h)", "**03:00 on 12 March 2026**"},
		{"how many 404s are there?", "where status = 404 | stats count()", "**599** requests: `status is 404`"},
		{"how many requests per client", "by clientip", "| Client | Requests |"},
		{"largest downloads", "max(bytes)", "The largest answer has **89,962** bytes"},
		{"remove the filter", "", "No filter is set"},
		{"what is this row?", "", "No row is open"},
		{"Write me a poem about logs", "", "A real model answers freely"},
		{"zeig mir die Fehler", "", "versteht nur Englisch"},
		{"show me the slowest pages", "", "no response times"},
		{"which pages are slow?", "", "no response times"},
		{"which country do visitors come from?", "", "cannot look places up"},
		{"how many errors did we have yesterday?", "", "to 23:58 on 12 March 2026 (UTC)"},
		{"show the errors at 3am", "timestamp >= '2026-03-12 03:00:00'", "**518** requests: `status >= 400`, 12 Mar 2026 03:00–04:00 UTC"},
		{"who is hammering us?", "stats count() as requests by clientip", "`203.0.113.66` leads with **518** of 13,448 requests (3.9%)"},
		{"is anyone attacking us?", "Client errors by hour and client", `("what did 203.0.113.66 do?")`},
		{"what broke?", "Server errors by hour, status and page", `"show the hours between 14 and 15"`},
		{"404", "where status = 404", "**599** requests: `status is 404`."},
		{"show me 5xx", "where status between 500 and 599", "**59** requests: `status is 500–599`."},
		{"show me 418", "where status = 418", "No request is like that: `status is 418`."},
		{"top 3 ips with 500s", "where status = 500 | stats count() as requests by clientip", "None leads alone: the first 3 have **1** each of 9 requests"},
		{"Which pages give the most 404s?", "where status = 404", "leads with"},
		{"what is the error rate?", "count(eval(status >= 400))", "**5.1%** of the requests are like `status >= 400`: 682 of 13,448."},
		{"what is the average response size?", "avg(bytes)", "The average answer has **"},
		{"only chrome", `{"field":"browser","op":"is","value":"Chrome"}`, "**3,788** of 13,448"},
		{"everything except 200", "where status != 200", "**4,418** requests: `status is not 200`"},
		{"how many requests per hour?", "span(timestamp, 1h)", "The busiest hour begins at **19:00 on 12 March 2026** (UTC), with 985 of 13,448 requests."},
		{"Show me what I can do in this application", "", "draw a chart of requests by hour"},
		{"Analyze the current data and show key insights", "make_chart", "**5.1%** failed: 682 with status 400 or above"},
		{"Draw a chart of requests by hour", "timechart span=1h count()", "The chart shows 24 values. The largest is **12 Mar 19:00** with 985 requests."},
		{"chart the browsers", `"type":"donut"`, "**Safari**"},
		{"plot the 404s by client", "where status = 404 | top 8 clientip", "**203.0.113.66**"},
		{"Alert me when there are more than 20 404s in an hour", `"threshold":20`, "**More than 20 404s in an hour** is saved. Over the whole log it would have fired **"},
		{"warn us about more than 500 requests per minute", `"name":"More than 500 requests in a minute","query":"source=access_log","threshold":500,"interval":"1m"`, "it would have fired **0** times"},
		{"which alerts are there?", "list_alerts", "| More than 20 404s in an hour | "},
		{"delete the alert called nonsense", "list_alerts", "There is no alert of that name. There are: More than 20"},
		{"look up 203.0.113.66", "look_up_client", "made **518** requests (3.9% of the log)"},
		{"who is 192.0.2.300?", "look_up_client", "no request of"},
		{"use the error summary", `select_data_source {"source":"error_summary"}`, "The page shows Error summary. Its fields are timestamp, status, path"},
		{"what about the selected rows?", "", "I see no selected rows"},
		{"ok", "", "Ask again"},
		{"which files are missing?", "where status = 404 | stats count() as requests by path", "`/favicon.ico` leads with **69** of 599"},
		{"why is checkout failing?", "", "cannot tell why"},
		{"what is the biggest file?", "max(bytes) as max_bytes by path", "`/assets/app.css` leads with **89,962** bytes"},
	} {
		s := newScreen(t, d)
		answer := s.ask(test.question)
		calls := strings.Join(s.calls, "\n")
		if !strings.Contains(calls, test.call) || test.call == "" && test.answer[0] != '`' && calls != "" {
			t.Errorf("%s: calls %s", test.question, calls)
		}
		if !strings.Contains(answer, test.answer) {
			t.Errorf("%s: answer %s", test.question, answer)
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

// TestNarrowedPageIsTold asks about a page that shows only a part of the log: numbers of the part
// are not passed off as the whole.
func TestNarrowedPageIsTold(t *testing.T) {
	d := openSample(t)
	for _, question := range []string{"what happened?", "any errors?", "404", "how many requests?", "busiest hour", "largest pages", "average size", "Which pages give the most 404s?"} {
		s := newScreen(t, d)
		if answer := s.ask(question); strings.Contains(answer, "your filter") {
			t.Errorf("%s, whole log: %s", question, answer)
		}
		s = newScreen(t, d)
		s.apply("add_filter", `{"field":"browser","op":"is not","value":"Bot"}`)
		if answer := s.ask(question); !strings.Contains(answer, "your filter `browser is not Bot`") {
			t.Errorf("%s, filtered: %s", question, answer)
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
		if answer := s.ask(question); !strings.Contains(answer, "did you mean status?") {
			t.Errorf("%s: %s", question, answer)
		}
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

// TestLogNumbers compares an answer with numbers that are counted here, from the lines of the log.
func TestLogNumbers(t *testing.T) {
	eachLog(t, func(t *testing.T, d *Demo, lines []string) {
		s := newScreen(t, d)
		answer := s.ask("Which pages give the most 404s?")
		rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| ([\\d,]+) \\|$").FindAllStringSubmatch(answer, -1)
		want := countPaths(lines, "404")
		if len(rows) != 5 {
			t.Fatalf("%d rows in %s", len(rows), answer)
		}
		for i, row := range rows {
			if got := fmt.Sprintf("%s %s", row[2], row[1]); got != fmt.Sprintf("%d %s", want[i].count, want[i].path) {
				t.Errorf("row %d is %s, want %v", i, got, want[i])
			}
		}
		total := 0
		for _, w := range want {
			total += w.count
		}
		if !strings.Contains(answer, fmt.Sprintf("leads with **%d** of %d requests", want[0].count, total)) {
			t.Error(answer)
		}
		s = newScreen(t, d)
		day := dayOf(t, lines)
		if answer := s.ask("show only the hours between 10 and 12 on " + day.Format("January 2")); !strings.Contains(answer, fmt.Sprintf("shows **%s** of", thousands(int64(countHours(lines, day, 10, 11))))) {
			t.Error(answer)
		}
	})
}

// TestOnlyAfterTotals: after a question whose answer is a table of totals, those requests that are
// asked for are on the page, not the totals over them.
func TestOnlyAfterTotals(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.ask("top 5 pages by bytes")
	if r, err := s.results(); err != nil || r.Kind == "rows" {
		t.Fatalf("no totals: %v", err)
	}
	answer := s.ask("show only POST requests")
	r, err := s.results()
	if err != nil || r.Kind != "rows" || r.Matched != 494 || len(s.request.Filters) != 1 {
		t.Errorf("the page shows %q with %+v: %v", s.request.Query, s.request.Filters, err)
	}
	if answer != "The page shows **494** of 13,448 requests: `method is POST`." {
		t.Error(answer)
	}
}

// TestRefusalsAreShort: one line that says why, with three questions that are answered.
func TestRefusalsAreShort(t *testing.T) {
	d := openSample(t)
	for question, begins := range map[string]string{
		"who will win the cup": "I cannot answer that: ", "wie wird das Wetter morgen": "Dieses Demo-Skript versteht nur Englisch; ",
	} {
		s := newScreen(t, d)
		answer := s.ask(question)
		if !strings.HasPrefix(answer, begins) || len(strings.Fields(answer)) > 50 {
			t.Errorf("%s: %s", question, answer)
		}
		if len(s.suggested) != 3 {
			t.Errorf("%s: it offers %q", question, s.suggested)
		}
		for _, offered := range s.suggested {
			if a := newScreen(t, d).ask(offered); refused(a) {
				t.Errorf("%s: it offers %s, which is refused", question, offered)
			}
		}
	}
}
