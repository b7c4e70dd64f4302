package ask

import "strings"

// titles are what the values of fields are called in a title.
var titles = map[string]string{
	"path": "pages", "clientip": "clients", "browser": "browsers", "method": "methods", "status": "statuses", "referrer": "referrers", "useragent": "user agents",
	"protocol": "protocols", "query": "query strings",
}

// Title names a question in a few words: "Top clients by requests", "Requests, browser is Firefox".
func (q *Question) Title() string {
	title := map[Kind]string{Whole: "The whole log", Undo: "Undo", Export: "Export", PPL: "What PPL is", Moment: "Last request", Narrow: "Requests", List: "Requests"}[q.Kind]
	what := map[string]string{"count": "requests", "sum": "bytes", "avg": "average size", "max": "largest answer", "min": "smallest answer", "distinct_count": titles[q.Of]}[q.Agg]
	switch {
	case q.Kind == Moment && q.Agg == "min":
		title = "First request"
	case q.Kind == Number:
		title = what
	case q.Kind == Share:
		title = "Share of " + q.Part.Label()
	case q.Kind == Timeline:
		title = what + " by " + q.By
	case q.Kind == Ranking && q.Chart:
		title = what + " by " + strings.TrimSuffix(strings.Replace(titles[q.By], "statuses", "status ", 1), "s")
	case q.Kind == Ranking && q.Least:
		title = "Last " + titles[q.By] + " by " + what
	case q.Kind == Ranking:
		title = "Top " + titles[q.By] + " by " + what
	}
	title = strings.TrimSpace(title)
	for _, c := range q.Where {
		title += ", " + c.Label()
	}
	return strings.ToUpper(title[:1]) + title[1:]
}
