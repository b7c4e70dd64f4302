package demo

import (
	"fmt"
	"strings"
	"testing"
)

// TestBiggestClients: whatever the words, the biggest clients are those that got the most bytes in
// all. Only a question for one response is about the largest one.
func TestBiggestClients(t *testing.T) {
	d := openSample(t)
	sum := factsOf(newScreen(t, d), "SELECT clientip, sum(bytes) FROM access_log GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5")
	one := factsOf(newScreen(t, d), "SELECT clientip, max(bytes) FROM access_log GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1")
	if sum[1] == one[1] {
		t.Fatal("the log cannot tell them apart")
	}
	for _, question := range []string{
		"Who are the biggest clients?", "largest clients", "biggest clients by traffic", "the heaviest clients", "which client is the biggest?", "who is the largest client", "largest clients by bytes",
		"biggest visitors", "largest IPs", "which client downloaded the most?", "show me the biggest users", "which IP address is the largest", "what are the largest clients?", "top 5 biggest clients",
	} {
		if wrong := compareFacts(sum[:2], newScreen(t, d).ask(question)); wrong != "" {
			t.Errorf("%s: %s", question, wrong)
		}
	}
	for _, question := range []string{"which client got the largest single response?", "biggest clients by size in one response"} {
		if answer := newScreen(t, d).ask(question); !strings.Contains(answer, "**"+newAnswerNumber(one[1])+"** bytes in one response") {
			t.Errorf("%s: %s", question, answer)
		}
	}
	least := factsOf(newScreen(t, d), "SELECT clientip, coalesce(sum(bytes), 0) FROM access_log GROUP BY 1 ORDER BY 2, 1 LIMIT 1")
	if answer := newScreen(t, d).ask("smallest clients"); !strings.Contains(answer, "**"+newAnswerNumber(least[1])+"**") {
		t.Error(answer)
	}
	browser := factsOf(newScreen(t, d), "SELECT browser, sum(bytes) FROM access_log GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1")
	if wrong := compareFacts(browser, newScreen(t, d).ask("biggest browsers by traffic")); wrong != "" {
		t.Error(wrong)
	}
}

// newAnswerNumber writes digits with separators.
func newAnswerNumber(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// TestFiltersAreNamed: what is still on stands in each answer, with a way to take it off that
// works.
func TestFiltersAreNamed(t *testing.T) {
	d := openSample(t)
	for question, says := range map[string]string{
		"how many requests": "**9** requests.", "what is the average response size": "The average answer has **", "which pages give the most 404s?": "`status is 404` contradicts the filter `status = 500`",
		"how many 404s are there": "**0** requests: `status is 404`.", "show only GET requests": "**9** of 13,448 requests: `method is GET`", "Show the last 2 hours": "requests: 12 Mar 2026 21:58–23:58 UTC.",
		"what share of requests failed": "**100.0%** of the requests are like `status >= 400`: 9 of 9.", "Draw a chart of requests by hour": "The chart shows",
	} {
		s := newScreen(t, d)
		s.ask("only 500s please")
		answer := s.ask(question)
		if !strings.Contains(answer, says) || !strings.Contains(answer, "That is with your filter `status = 500`.") {
			t.Errorf("%s: %s", question, answer)
		}
		if fmt.Sprint(s.suggested) != "[Remove the filter status = 500]" {
			t.Fatalf("%s: it offers %v", question, s.suggested)
		}
		s.ask(s.suggested[0])
		for _, f := range s.request.Filters {
			if f.Field == "status" {
				t.Errorf("%s: the filter is still there", question)
			}
		}
	}
}

// TestNothingHasNoAverage: an average of nothing is not 0.
func TestNothingHasNoAverage(t *testing.T) {
	d := openSample(t)
	for question, says := range map[string]string{
		"average response size of 418":      "No request matches: `status is 418`, so there is no average.",
		"largest response size of /nowhere": "No request matches: `path is /nowhere`, so there is no largest answer.",
		"smallest response size of 418":     "so there is no smallest answer.",
		"average size per browser of 418":   "No request is like that: `status is 418`.",
	} {
		if answer := newScreen(t, d).ask(question); !strings.Contains(answer, says) || strings.Contains(answer, "**0**") {
			t.Errorf("%s: %s", question, answer)
		}
	}
	s := newScreen(t, d)
	s.ask("only 404s")
	s.ask("only 500s")
	answer := s.ask("what's the average response size")
	if !strings.Contains(answer, "No request matches, so there is no average.") || !strings.Contains(answer, "with your filters `status = 404` and `status = 500`") || len(s.suggested) != 2 {
		t.Error(answer, s.suggested)
	}
}

// TestFiltersGo: one by one, all at once, with the time range; and what is not there is said.
func TestFiltersGo(t *testing.T) {
	d := openSample(t)
	for _, tt := range []struct {
		question, says string
		left           int
	}{
		{"Remove the filter status = 404", "with your filter `browser is not Bot`", 1}, {"clear all filters", "The page shows **13,448** of 13,448", 0}, {"remove filters please", "**13,448**", 0},
		{"show everything again", "The page shows **13,448** of 13,448 requests.", 0}, {"reset everything", "**13,448**", 0},
		{"remove the filter status = 403", "There is no filter `status = 403`", 2}, {"show the whole log", "with your filters `browser is not Bot` and `status = 404`", 2},
		{"Remove the filter browser is not Bot", "with your filter `status = 404`", 1},
	} {
		s := newScreen(t, d)
		s.ask("hide bots")
		s.ask("only 404s")
		s.ask("show only the hours between 3 and 4")
		s.request.Time = nil
		if answer := s.ask(tt.question); !strings.Contains(answer, tt.says) || len(s.request.Filters) != tt.left {
			t.Errorf("%s: %s, %d filters", tt.question, answer, len(s.request.Filters))
		}
	}
	s := newScreen(t, d)
	s.ask("show only the hours between 3 and 4")
	if answer := s.ask("how many errors"); !strings.Contains(answer, "in the page's time range, 12 Mar 2026 03:00–03:59 UTC") || fmt.Sprint(s.suggested) != "[Show the whole log]" {
		t.Error(answer, s.suggested)
	}
}
