package demo

import (
	"fmt"
	"strings"
	"testing"
)

// TestFiltersAreNamed: what is still on stands in each answer, with a way to take it off that
// works.
func TestFiltersAreNamed(t *testing.T) {
	d := openSample(t)
	for question, says := range map[string]string{
		"how many requests": "**9** requests.", "what is the average response size": "The average answer has **", "which pages give the most 404s?": "No request is like that: `status is 404`.",
		"how many 404s are there": "**0** requests: `status is 404`.", "show only GET requests": "**9** of 13,448 requests: `method is GET`", "Show the last 2 hours": "requests: 12 Mar 2026 21:58–23:58 UTC.",
		"what share of requests failed": "**100.0%** of the requests are like `status >= 400`: 9 of 9.",
	} {
		s := newScreen(t, d)
		s.ask("only 500s please")
		answer := s.ask(question)
		if !strings.Contains(answer, says) || !strings.Contains(answer, "our filter `status is 500`") {
			t.Errorf("%s: %s", question, answer)
		}
		if fmt.Sprint(s.Suggested) != "[Remove the filter status is 500]" {
			t.Fatalf("%s: it offers %v", question, s.Suggested)
		}
		s.ask(s.Suggested[0])
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
		"average response size of 418":      "No request is like that: `status is 418`.",
		"largest response size of /nowhere": "No request is like that: `path is /nowhere`.",
		"smallest response size of 418":     "No request is like that: `status is 418`.",
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
	if !strings.Contains(answer, "No request is like that.") || !strings.Contains(answer, "with your filter `status is 404` and with your filter `status is 500`") || len(s.Suggested) != 2 {
		t.Error(answer, s.Suggested)
	}
}

// TestFiltersGo: one by one, all at once, with the time range; and what is not there is said.
func TestFiltersGo(t *testing.T) {
	d := openSample(t)
	for _, tt := range []struct {
		question, says string
		left           int
	}{
		{"Remove the filter status = 404", "Your filter `browser is not Bot` is on", 1}, {"clear all filters", "The page shows **13,448** of 13,448", 0}, {"remove filters please", "**13,448**", 0},
		{"show everything again", "The page shows **13,448** of 13,448 requests.", 0}, {"reset everything", "**13,448**", 0},
		{"remove the filter status = 403", "There is no such filter", 2}, {"show the whole log", "Your filter `browser is not Bot` is on. Your filter `status is 404` is on.", 2},
		{"Remove the filter browser is not Bot", "Your filter `status is 404` is on.", 1},
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
	if answer := s.ask("how many errors"); !strings.Contains(answer, "in the page's time range, 12 Mar 2026 03:00 to 12 Mar 2026 03:59 UTC") || fmt.Sprint(s.Suggested) != "[Show the whole log]" {
		t.Error(answer, s.Suggested)
	}
}
