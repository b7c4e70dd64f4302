package ask_test

import (
	"testing"
	"time"

	"github.com/pageside/pageside/demo/ask"
)

var log = ask.Log{
	Min: time.Date(2026, 3, 12, 0, 0, 15, 0, time.UTC), Max: time.Date(2026, 3, 12, 23, 58, 41, 0, time.UTC), Shown: time.Date(2026, 3, 12, 0, 0, 15, 0, time.UTC),
}

// TestRead: all words of a question are in its query, whatever the order.
func TestRead(t *testing.T) {
	for question, want := range map[string]string{
		"how many requests from Firefox": "source=access_log | where browser = 'Firefox' | stats count() as requests",
		"Firefox: how mnay reqeusts?":    "source=access_log | where browser = 'Firefox' | stats count() as requests",
		"how many 404s and 403s at 3am":  "source=access_log | where (status = 404 or status = 403) and timestamp >= '2026-03-12 03:00:00' and timestamp < '2026-03-12 04:00:00' | stats count() as requests",
		"top 3 IPs in 10.x by bytes":     "source=access_log | where clientip like '10.%' | stats sum(bytes) as bytes by clientip | sort - bytes | head 3",
		"how many errors were not 404":   "source=access_log | where status >= 400 and status != 404 | stats count() as requests",
		"404 errors per hour":            "source=access_log | where status = 404 | stats count() as requests by span(timestamp, 1h) as time | sort - requests | head 10",
		"clients per browser":            "source=access_log | stats distinct_count(clientip) as different by browser | sort - different | head 10",
	} {
		q, ok := ask.Read(question)
		if !ok {
			t.Errorf("%s is not read", question)
		} else if got := q.PPL(log); got != want {
			t.Errorf("%s:\n%s, want\n%s", question, got, want)
		}
	}
}

// TestNotRead: a word without a meaning, words that wait for others, and what has two meanings.
func TestNotRead(t *testing.T) {
	for _, question := range []string{
		"", "who are you?", "are you a bot?", "how many requests from Mars", "is the traffic normal", "requests not", "requests by", "bots and errors", "chrome safari requests",
		"top pages per client", "how many requests at 3am and 5am", "hide", "only", "errors between 14 and 10", "more than 10 errors", "compare chrome and firefox", "average errors", "export errors as csv",
		"undo the 404s", "first 404 and last 404", "how many posts about firefox", "stats", "top sites", "what happened at 3am", "top browsers with the fewest errors",
	} {
		if q, ok := ask.Read(question); ok {
			t.Errorf("%q is read as %s", question, q.PPL(log))
		}
	}
}
