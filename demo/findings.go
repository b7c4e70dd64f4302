package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/ask"
)

// nouns are what the values of fields are called.
var nouns = map[string]string{
	"path": "pages", "clientip": "clients", "browser": "browsers", "method": "methods", "status": "statuses", "referrer": "referrers", "useragent": "user agents",
	"protocol": "protocols", "query": "query strings",
}

// extremes are what there is none of where nothing matches.
var extremes = map[string]string{"avg": "average", "max": "largest answer", "min": "smallest answer"}

// found says what a query has found.
func (a *answer) found(result object) string {
	list, _ := result["rows"].([]any)
	rows := make([]object, len(list))
	for i := range list {
		rows[i], _ = list[i].(object)
	}
	matched := result["matched"]
	counted := a.q.Kind == ask.Number && (a.q.Agg == "count" || a.q.Agg == "distinct_count" || a.q.Agg == "sum")
	if of := extremes[a.q.Agg]; a.q.Kind == ask.Number && of != "" && (number(matched) == 0 || len(rows) > 0 && rows[0][a.q.Column()] == nil) {
		return fmt.Sprintf("No request matches%s, so there is no %s.", a.about(), of) + a.reach()
	}
	if number(matched) == 0 && !counted || len(rows) == 0 {
		return fmt.Sprintf("No request is like that%s.", a.about()) + a.reach()
	}
	switch a.q.Kind {
	case ask.Number:
		return a.one(rows[0][a.q.Column()]) + a.about() + "." + a.reach()
	case ask.Share:
		part, whole := rows[0]["part"], rows[0]["requests"]
		return fmt.Sprintf("**%s** of the requests%s are like `%s`: %s of %s.", a.pct(part, whole), a.about(), a.q.Part.Label(), a.num(part), a.num(whole))
	case ask.Moment:
		at := timeOf(rows[0][a.q.Column()])
		return fmt.Sprintf("It was at **%s** on %s (UTC)%s.", at.Format("15:04:05"), at.Format("2 January 2006"), a.about())
	case ask.Timeline:
		return a.timeline(rows, matched)
	case ask.List:
		return fmt.Sprintf("**%s** %s%s.\n\n%s", a.num(matched), a.plural(matched), a.about(), a.table(a.q.ListedBy(), "requests", rows))
	}
	return a.ranking(rows, matched)
}

func (a *answer) plural(n any) string {
	if number(n) == 1 {
		return "request"
	}
	return "requests"
}

// reach says from when to when the log is, where a time has nothing.
func (a *answer) reach() string {
	l := a.log()
	if a.q.Time == nil || l.Max.IsZero() {
		return ""
	}
	if from, to := a.q.Time.Resolve(l); !from.After(l.Max) && to.After(l.Min) {
		return ""
	}
	return fmt.Sprintf(" The log reaches from %s to %s UTC.", l.Min.Format("2 Jan 2006 15:04"), l.Max.Format("2 Jan 2006 15:04"))
}

// one is a number with what it counts.
func (a *answer) one(v any) string {
	switch a.q.Agg {
	case "count":
		return fmt.Sprintf("**%s** %s", a.num(v), a.plural(v))
	case "distinct_count":
		return fmt.Sprintf("**%s** different %s", a.num(v), nouns[a.q.Of])
	case "sum":
		return fmt.Sprintf("**%s** bytes were sent", a.num(v))
	case "avg":
		return fmt.Sprintf("The average answer has **%s** bytes", a.num(v))
	case "min":
		return fmt.Sprintf("The smallest answer has **%s** bytes", a.num(v))
	}
	return fmt.Sprintf("The largest answer has **%s** bytes", a.num(v))
}

func (a *answer) timeline(rows []object, matched any) string {
	column := a.q.Column()
	order := "The busiest"
	if a.q.Least {
		order = "The quietest"
	}
	at := timeOf(rows[0]["time"]).Format("15:04 on 2 January 2006")
	text := fmt.Sprintf("%s %s begins at **%s** (UTC), with %s", order, a.q.By, at, a.amount(rows[0][column]))
	if a.q.Agg == "count" {
		text = strings.TrimSuffix(text, " "+a.plural(rows[0][column])) + fmt.Sprintf(" of %s %s", a.num(matched), a.plural(matched))
	}
	text += a.about() + "."
	if len(rows) > 1 {
		text += " After it come:\n"
		for _, row := range rows[1:min(len(rows), 5)] {
			text += fmt.Sprintf("\n- %s: %s", timeOf(row["time"]).Format("15:04, 2 January"), a.num(row[column]))
		}
	}
	return text
}

// ranking names the first, or those that share the lead, and shows the table.
func (a *answer) ranking(rows []object, matched any) string {
	column := a.q.Column()
	first := rows[0][column]
	tied := 0
	for _, row := range rows {
		if row[column] == first {
			tied++
		}
	}
	of := ""
	if a.q.Agg == "count" {
		of = fmt.Sprintf(" of %s %s", a.num(matched), a.plural(matched))
		if tied == 1 {
			of += fmt.Sprintf(" (%s)", a.pct(first, matched))
		}
	} else {
		of = strings.TrimPrefix(a.amount(first), a.num(first)) + map[string]string{"sum": " in all", "max": " in one response", "min": " in one response"}[a.q.Agg]
	}
	lead, share := "leads with", fmt.Sprintf("None leads alone: the first %d have", tied)
	if a.q.Least {
		lead, share = "has the least:", fmt.Sprintf("The last %d have the least:", tied)
	}
	text := fmt.Sprintf("%s %s **%s**%s", value(rows[0][a.q.By]), lead, a.num(first), of)
	if tied > 1 {
		text = fmt.Sprintf("%s **%s**%s%s", share, a.num(first), " each", of)
	}
	return text + a.about() + ".\n\n" + a.table(a.q.By, column, rows)
}

// value is a value of a field as a table shows it.
func value(v any) string {
	if v == nil {
		return "none"
	}
	return "`" + strings.NewReplacer("|", "\\|", "`", "'").Replace(fmt.Sprint(v)) + "`"
}

func (a *answer) table(field, column string, rows []object) string {
	head, ok := map[string]string{"requests": "Requests", "different": "Different"}[column]
	if !ok {
		head = "Bytes"
	}
	singular := strings.TrimSuffix(nouns[field], "s")
	if field == "status" {
		singular = "status"
	}
	lines := []string{"| " + strings.ToUpper(singular[:1]) + singular[1:] + " | " + head + " |", "|---|--:|"}
	for row := range slices.Values(rows) {
		lines = append(lines, fmt.Sprintf("| %s | %s |", value(row[field]), a.num(row[column])))
	}
	return strings.Join(lines, "\n")
}
