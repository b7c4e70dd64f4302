package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ask"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/payload"
)

// object is a JSON object of the page's context or of a result.
type object = map[string]any

// answer answers one question about the log: first with calls of the page's tools, then with what
// they found.
type answer struct {
	asked script.Asked
	q     *ask.Question
}

func (a *answer) page() object {
	page, _ := a.asked.Value("Discover: query and results").(object)
	return page
}

// next is the calls that a question takes, or the answer once they are there.
func (a *answer) next() step {
	if len(a.asked.Calls) > 0 {
		return step{text: a.text()}
	}
	if a.q.Kind == ask.Narrow {
		return step{calls: a.narrow()}
	}
	return step{calls: []toolCall{runQuery(a.q.PPL(a.log()), titleOf(a.asked.Text))}}
}

func runQuery(text, title string) toolCall {
	return toolCall{"execute_ppl_query", object{"query": text, "description": title}}
}

// narrow sets the time range and filters. What no filter can say becomes the query; a query that
// counts gives way to one that shows requests.
func (a *answer) narrow() (calls []toolCall) {
	rest := *a.q
	rest.Where, rest.Time = nil, nil
	for _, c := range a.q.Where {
		filters, ok := c.Filters()
		if !ok {
			rest.Where = append(rest.Where, c)
		}
		for _, f := range filters {
			var value any = f.Value
			if n, err := strconv.Atoi(f.Value); err == nil {
				value = n
			}
			calls = append(calls, toolCall{"add_filter", object{"field": f.Field, "op": f.Op, "value": value}})
		}
	}
	if a.q.Time != nil {
		from, to := a.q.Time.Resolve(a.log())
		calls = append(calls, toolCall{"set_time_range", object{"from": formatTime(from), "to": formatTime(to.Add(-time.Millisecond))}})
	}
	current, _ := a.page()["query"].(string)
	counts := strings.Contains(current, "stats") || strings.Contains(current, "top") || strings.Contains(current, "timechart")
	if counts || len(rest.Where) > 0 {
		calls = append([]toolCall{runQuery(rest.Rows(a.log()), titleOf(a.asked.Text))}, calls...)
	}
	return calls
}

// log is when the log begins and ends, and what the page shows.
func (a *answer) log() (l ask.Log) {
	source, _ := a.asked.Value("Data source").(object)
	times, _ := source["time"].(object)
	shown, _ := a.page()["timeRange"].(object)
	l.Min, l.Max, l.Shown = timeOf(times["min"]), timeOf(times["max"]), timeOf(shown["from"])
	if l.Shown.IsZero() {
		l.Shown = l.Min
	}
	return l
}

func timeOf(v any) time.Time {
	text, _ := v.(string)
	t, _ := ppl.ParseTime(text)
	return t
}

// text says what the calls have found.
func (a *answer) text() string {
	result, _ := a.asked.Calls[len(a.asked.Calls)-1].Result.(object)
	if failed := result["error"]; failed != nil || result == nil {
		if e, ok := failed.(object); ok {
			failed = e["message"]
		}
		return fmt.Sprintf("The page could not do that: %v", failed)
	}
	text := ""
	if a.q.Kind == ask.Narrow {
		source, _ := a.asked.Value("Data source").(object)
		text = fmt.Sprintf("The page shows **%s** of %s requests%s.", num(result["matched"]), num(source["total"]), a.about()) + a.reach()
	} else {
		text = a.found(result)
	}
	return text + a.bounds()
}

// about is the conditions of a question, as the answer names them: what was counted must be plain.
func (a *answer) about() string {
	var all []string
	for _, c := range a.q.Where {
		all = append(all, "`"+c.Label()+"`")
	}
	if a.q.Time != nil {
		all = append(all, ask.Label(a.q.Time.Resolve(a.log())))
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
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
	const minute = "2 Jan 2006 15:04"
	return fmt.Sprintf(" The log reaches from %s to %s UTC.", l.Min.Format(minute), l.Max.Format(minute))
}

// bounds names what the page narrows, beyond the question, and offers to take it off: a number of a
// part must not pass for one of the whole.
func (a *answer) bounds() string {
	var parts, questions []string
	for _, f := range a.filters() {
		parts = append(parts, "with your filter `"+f+"`")
		questions = append(questions, "Remove the filter "+f)
	}
	if shown, _ := a.page()["timeRange"].(object); shown != nil && shown["label"] != "Whole log" && !(a.q.Kind == ask.Narrow && a.q.Time != nil) {
		const minute = "2 Jan 2006 15:04"
		parts = append(parts, fmt.Sprintf("in the page's time range, %s to %s UTC", timeOf(shown["from"]).Format(minute), timeOf(shown["to"]).Format(minute)))
		questions = append(questions, "Show the whole log")
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n\nThat is " + strings.Join(parts, " and ") + "." + chips(questions)
}

// filters are those of the page that are on, but for what the question itself has set.
func (a *answer) filters() (on []string) {
	own := map[ask.Filter]bool{}
	for _, c := range a.q.Where {
		list, _ := c.Filters()
		for _, f := range list {
			own[f] = a.q.Kind == ask.Narrow
		}
	}
	list, _ := a.page()["filters"].([]any)
	for _, item := range list {
		f, _ := item.(object)
		filter := ask.Filter{Field: fmt.Sprint(f["field"]), Op: fmt.Sprint(f["op"]), Value: fmt.Sprint(f["value"])}
		if f["disabled"] != true && !own[filter] {
			on = append(on, filter.Field+" "+filter.Op+" "+filter.Value)
		}
	}
	return on
}

// chips offers questions below an answer.
func chips(questions []string) string {
	values := make([]object, len(questions))
	for i, q := range questions {
		values[i] = object{"label": rest.Clip(q, payload.MaxLabel-2), "value": q}
	}
	list, _ := json.Marshal(values) // texts: it cannot fail
	return "\n\nSUGGESTED_VALUES: " + strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(list))
}

// found says what a query has found.
func (a *answer) found(result object) string {
	list, _ := result["rows"].([]any)
	rows := make([]object, len(list))
	for i := range list {
		rows[i], _ = list[i].(object)
	}
	matched, column := result["matched"], a.q.Column()
	counted := a.q.Kind == ask.Number && slices.Contains([]string{"count", "distinct_count", "sum"}, a.q.Agg)
	if len(rows) == 0 || !counted && (number(matched) == 0 || a.q.Kind == ask.Number && rows[0][column] == nil) {
		return fmt.Sprintf("No request is like that%s.", a.about()) + a.reach()
	}
	first := rows[0][column]
	switch a.q.Kind {
	case ask.Number:
		return fmt.Sprintf(sentences[a.q.Agg], a.amount(first)) + a.about() + "." + a.reach()
	case ask.Share:
		part, whole := rows[0]["part"], rows[0]["requests"]
		return fmt.Sprintf("**%s** of the requests%s are like `%s`: %s of %s.", pct(part, whole), a.about(), a.q.Part.Label(), num(part), num(whole))
	case ask.Moment:
		at := timeOf(first)
		return fmt.Sprintf("It was at **%s** on %s (UTC)%s.", at.Format("15:04:05"), at.Format("2 January 2006"), a.about())
	case ask.Timeline:
		return a.timeline(rows, matched)
	case ask.List:
		return fmt.Sprintf("**%s** %s%s.\n\n%s", num(matched), plural(matched), a.about(), table("path", "requests", rows))
	}
	return a.ranking(rows, matched)
}

// sentences say a number with what it counts.
var sentences = map[string]string{
	"count": "%s", "distinct_count": "%s", "sum": "%s were sent", "avg": "The average answer has %s",
	"min": "The smallest answer has %s", "max": "The largest answer has %s",
}

// amount is a value with its unit.
func (a *answer) amount(v any) string { return "**" + num(v) + "** " + a.unit(v) }

func (a *answer) unit(v any) string {
	switch {
	case a.q.Agg == "distinct_count":
		return "different " + nouns[a.q.Of]
	case a.q.Of == "bytes":
		return "bytes"
	}
	return plural(v)
}

func plural(n any) string {
	if number(n) == 1 {
		return "request"
	}
	return "requests"
}

func (a *answer) timeline(rows []object, matched any) string {
	column := a.q.Column()
	order := map[bool]string{false: "busiest", true: "quietest"}[a.q.Least]
	at := timeOf(rows[0]["time"]).Format("15:04 on 2 January 2006")
	of := " " + a.unit(rows[0][column])
	if a.q.Agg == "count" {
		of = fmt.Sprintf(" of %s %s", num(matched), plural(matched))
	}
	text := fmt.Sprintf("The %s %s begins at **%s** (UTC), with %s%s%s.", order, a.q.By, at, num(rows[0][column]), of, a.about())
	if len(rows) > 1 {
		text += " After it come:\n"
	}
	for _, row := range rows[1:min(len(rows), 5)] {
		text += fmt.Sprintf("\n- %s: %s", timeOf(row["time"]).Format("15:04, 2 January"), num(row[column]))
	}
	return text
}

// ranking names the first, or those that share the lead, and shows the table.
func (a *answer) ranking(rows []object, matched any) string {
	column := a.q.Column()
	first, tied := rows[0][column], 0
	for _, row := range rows {
		if row[column] == first {
			tied++
		}
	}
	in := map[string]string{"sum": " in all", "max": " in one response", "min": " in one response"}
	of := " " + a.unit(first) + in[a.q.Agg]
	if a.q.Agg == "count" {
		of = fmt.Sprintf(" of %s %s", num(matched), plural(matched))
	}
	lead, share := "leads with", fmt.Sprintf("None leads alone: the first %d have", tied)
	if a.q.Least {
		lead, share = "has the least:", fmt.Sprintf("The last %d have the least:", tied)
	}
	text := fmt.Sprintf("%s **%s** each%s", share, num(first), of)
	if tied == 1 {
		text = fmt.Sprintf("%s %s **%s**%s", value(rows[0][a.q.By]), lead, num(first), of)
		if a.q.Agg == "count" {
			text += fmt.Sprintf(" (%s)", pct(first, matched))
		}
	}
	return text + a.about() + ".\n\n" + table(a.q.By, column, rows)
}

// nouns are what the values of fields are called.
var nouns = map[string]string{
	"path": "pages", "clientip": "clients", "browser": "browsers", "method": "methods",
	"status": "statuses", "referrer": "referrers", "useragent": "user agents",
	"protocol": "protocols", "query": "query strings",
}

func table(field, column string, rows []object) string {
	head, ok := map[string]string{"requests": "Requests", "different": "Different"}[column]
	if !ok {
		head = "Bytes"
	}
	noun := strings.TrimSuffix(nouns[field], "s")
	if field == "status" {
		noun = field
	}
	text := fmt.Sprintf("| %s | %s |\n|---|--:|", strings.ToUpper(noun[:1])+noun[1:], head)
	for _, row := range rows {
		text += fmt.Sprintf("\n| %s | %s |", value(row[field]), num(row[column]))
	}
	return text
}

// plainWords is text that Markdown shows as it is.
var plainWords = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} -]*$`)

// value is a value of a field as an answer shows it: addresses, paths and whatever has marks of
// Markdown as code, all else as text.
func value(v any) string {
	if v == nil {
		return "none"
	}
	if text := fmt.Sprint(v); plainWords.MatchString(text) {
		return text
	}
	return "`" + strings.NewReplacer("|", "\\|", "`", "'").Replace(fmt.Sprint(v)) + "`"
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// num writes a whole number with separators.
func num(v any) string { return thousands(int64(number(v) + 0.5)) }

func pct(part, whole any) string {
	return strconv.FormatFloat(100*number(part)/max(1, number(whole)), 'f', 1, 64) + "%"
}
