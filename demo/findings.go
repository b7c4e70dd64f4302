package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/ask"
)

// nouns are what the values of fields are called, in English and German.
var nouns = map[string][2]string{
	"path": {"pages", "Seiten"}, "clientip": {"clients", "Clients"}, "browser": {"browsers", "Browser"}, "method": {"methods", "Methoden"}, "status": {"statuses", "Status"},
	"referrer": {"referrers", "Referrer"}, "useragent": {"user agents", "User-Agents"}, "protocol": {"protocols", "Protokolle"}, "query": {"query strings", "Suchparameter"},
	"hour": {"hour", "Stunde"}, "minute": {"minute", "Minute"}, "day": {"day", "Tag"},
}

func (a *answer) noun(field string) string {
	n := nouns[field]
	return a.say("%[1]s", "%[2]s", n[0], n[1])
}

// found says what a query has found.
func (a *answer) found(result object) string {
	list, _ := result["rows"].([]any)
	rows := make([]object, len(list))
	for i := range list {
		rows[i], _ = list[i].(object)
	}
	matched := result["matched"]
	if number(matched) == 0 && a.q.Kind != ask.Number || len(rows) == 0 {
		return a.say("No request is like that%s.", "Keine Anfrage ist so%s.", a.about()) + a.reach()
	}
	switch a.q.Kind {
	case ask.Number:
		return a.one(rows[0][a.q.Column()]) + a.about() + "." + a.reach()
	case ask.Share:
		part, whole := rows[0]["part"], rows[0]["requests"]
		return a.say("**%s** of the requests%s are like `%s`: %s of %s.", "**%s** der Anfragen%s sind so: `%s`, %s von %s.", a.pct(part, whole), a.about(), a.q.Part.Label(), a.num(part), a.num(whole))
	case ask.Moment:
		at := timeOf(rows[0][a.q.Column()])
		return a.say("It was at **%s** on %s (UTC)%s.", "Das war um **%s** Uhr (UTC) am %s%s.", at.Format("15:04:05"), at.Format(a.say("2 January 2006", "2.1.2006")), a.about())
	case ask.Timeline:
		return a.timeline(rows, matched)
	case ask.List:
		return fmt.Sprintf("**%s** %s%s.\n\n%s", a.num(matched), a.plural(matched), a.about(), a.table(a.q.ListedBy(), "requests", rows))
	}
	return a.ranking(rows, matched)
}

func (a *answer) plural(n any) string {
	if number(n) == 1 {
		return a.say("request", "Anfrage")
	}
	return a.say("requests", "Anfragen")
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
	return a.say(" The log reaches from %s to %s UTC.", " Das Log reicht von %s bis %s UTC.", l.Min.Format("2 Jan 2006 15:04"), l.Max.Format("2 Jan 2006 15:04"))
}

// one is a number with what it counts.
func (a *answer) one(v any) string {
	switch a.q.Agg {
	case "count":
		return fmt.Sprintf("**%s** %s", a.num(v), a.plural(v))
	case "distinct_count":
		return a.say("**%s** different %s", "**%s** verschiedene %s", a.num(v), a.noun(a.q.Of))
	case "sum":
		return a.say("**%s** bytes were sent", "**%s** Bytes wurden gesendet", a.num(v))
	case "avg":
		return a.say("The average answer has **%s** bytes", "Die Antworten haben im Durchschnitt **%s** Bytes", a.num(v))
	case "min":
		return a.say("The smallest answer has **%s** bytes", "Die kleinste Antwort hat **%s** Bytes", a.num(v))
	}
	return a.say("The largest answer has **%s** bytes", "Die größte Antwort hat **%s** Bytes", a.num(v))
}

func (a *answer) timeline(rows []object, matched any) string {
	column := a.q.Column()
	order := a.say("The busiest", "Die stärkste")
	if a.q.Least {
		order = a.say("The quietest", "Die ruhigste")
	}
	if a.q.By == "day" {
		order = strings.Replace(order, "Die ", "Der ", 1)
	}
	at := timeOf(rows[0]["time"]).Format(a.say("15:04 on 2 January 2006", "15:04 am 2.1.2006"))
	text := a.say("%s %s begins at **%s** (UTC), with %s", "%s %s beginnt um **%s** (UTC), mit %s", order, a.noun(a.q.By), at, a.amount(rows[0][column]))
	if a.q.Agg == "count" {
		text = strings.TrimSuffix(text, " "+a.plural(rows[0][column])) + a.say(" of %s %s", " von %s %s", a.num(matched), a.plural(matched))
	}
	text += a.about() + "."
	if len(rows) > 1 {
		text += a.say(" After it come:\n", " Danach kommen:\n")
		for _, row := range rows[1:min(len(rows), 5)] {
			text += fmt.Sprintf("\n- %s: %s", timeOf(row["time"]).Format(a.say("15:04, 2 January", "15:04, 2.1.")), a.num(row[column]))
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
		of = a.say(" of %s %s", " von %s %s", a.num(matched), a.plural(matched))
		if tied == 1 {
			of += fmt.Sprintf(" (%s)", a.pct(first, matched))
		}
	} else {
		of = strings.TrimPrefix(a.amount(first), a.num(first))
	}
	lead, share := a.say("leads with", "führt mit"), a.say("None leads alone: the first %d have", "Keiner führt allein: Die ersten %d haben je", tied)
	if a.q.Least {
		lead, share = a.say("has the least:", "hat am wenigsten:"), a.say("The last %d have the least:", "Die letzten %d haben am wenigsten:", tied)
	}
	text := fmt.Sprintf("%s %s **%s**%s", value(rows[0][a.q.By]), lead, a.num(first), of)
	if tied > 1 {
		text = fmt.Sprintf("%s **%s**%s%s", share, a.num(first), a.say(" each", ""), of)
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
	heads := map[string][2]string{"requests": {"Requests", "Anfragen"}, "different": {"Different", "Verschiedene"}}
	head, ok := heads[column]
	if !ok {
		head = [2]string{"Bytes", "Bytes"}
	}
	singular := strings.TrimSuffix(nouns[field][0], "s")
	if field == "status" {
		singular = "status"
	}
	label := a.say("%[1]s", "%[2]s", strings.ToUpper(singular[:1])+singular[1:], nouns[field][1])
	lines := []string{"| " + label + " | " + a.say("%[1]s", "%[2]s", head[0], head[1]) + " |", "|---|--:|"}
	for row := range slices.Values(rows) {
		lines = append(lines, fmt.Sprintf("| %s | %s |", value(row[field]), a.num(row[column])))
	}
	return strings.Join(lines, "\n")
}
