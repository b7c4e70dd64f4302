package demo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ask"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
)

// answer answers one question: first with calls of the page's tools, then with what they found.
type answer struct {
	asked script.Asked
	q     *ask.Question
	tools []llm.ToolDecl
}

// object is a JSON object of the page's context or of a result.
type object = map[string]any

func (a *answer) page() object {
	page, _ := a.asked.Value("Discover: query and results").(object)
	return page
}

// next is the calls that a question takes, or the answer once they are there.
func (a *answer) next() step {
	if len(a.asked.Calls) > 0 {
		return step{text: a.text()}
	}
	if a.q.Kind == ask.PPL {
		query, _ := a.page()["query"].(string)
		return step{text: fmt.Sprintf("**PPL** is the Piped Processing Language, which the query bar takes: commands with `|` between them, each of which works on what the one before leaves. `source=access_log | where status = 404 | stats count() by path` counts the 404s of each page. On the page now: `%s`.", query)}
	}
	if text := a.nothingToRemove(); text != "" {
		return step{text: text}
	}
	calls := a.calls()
	for _, c := range calls {
		if !a.offered(c.name) {
			return step{text: fmt.Sprintf("This page has no tool for that (`%s`).", c.name)}
		}
	}
	return step{calls: calls}
}

func (a *answer) offered(name string) bool {
	for _, t := range a.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func (a *answer) calls() []toolCall {
	l := a.log()
	switch a.q.Kind {
	case ask.Undo:
		return []toolCall{{"undo_change", object{}}}
	case ask.Export:
		return []toolCall{{"export_results", object{"format": "csv"}}}
	case ask.Whole:
		return []toolCall{wholeLog}
	case ask.All:
		if len(a.filters()) == 0 {
			return []toolCall{wholeLog}
		}
		return []toolCall{{"remove_filter", object{}}, wholeLog}
	case ask.Unfilter:
		return []toolCall{a.unfilter()}
	case ask.Narrow:
		return a.narrow(l)
	}
	if a.q.Chart {
		return []toolCall{a.chart(l)}
	}
	return []toolCall{runQuery(a.q.PPL(l), a.q.Title())}
}

var wholeLog = toolCall{"set_time_range", object{"from": "all", "to": "all"}}

func runQuery(text, title string) toolCall {
	return toolCall{"execute_ppl_query", object{"query": text, "description": title}}
}

// narrow sets the time range and filters. What no filter can say becomes the query; a query that
// counts gives way to one that shows requests.
func (a *answer) narrow(l ask.Log) (calls []toolCall) {
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
		from, to := a.q.Time.Resolve(l)
		calls = append(calls, toolCall{"set_time_range", object{"from": iso(from), "to": iso(to.Add(-time.Millisecond))}})
	}
	current, _ := a.page()["query"].(string)
	if counts := strings.Contains(current, "stats") || strings.Contains(current, "top") || strings.Contains(current, "timechart"); counts || len(rest.Where) > 0 {
		calls = append([]toolCall{runQuery(rest.Rows(l), a.q.Title())}, calls...)
	}
	return calls
}

func iso(t time.Time) string {
	return strings.Replace(t.UTC().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1)
}

func (a *answer) chart(l ask.Log) toolCall {
	kind := "bar"
	if a.q.Kind == ask.Timeline {
		kind = "line"
	} else if a.q.By == "browser" || a.q.By == "status" || a.q.By == "method" {
		kind = "donut"
	}
	args := object{"type": kind, "title": a.q.Title(), "unit": a.q.Column(), "query": a.q.ChartPPL(l)}
	if source, _ := a.page()["source"].(string); source == "access_log" {
		args["filters"] = a.page()["filters"]
	}
	shown, _ := a.page()["timeRange"].(object)
	args["from"], args["to"] = shown["from"], shown["to"]
	return toolCall{"make_chart", args}
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
	last := a.asked.Calls[len(a.asked.Calls)-1]
	result, _ := last.Result.(object)
	if failed := failure(result); failed != "" || result == nil {
		return fmt.Sprintf("The page could not do that: %s", failed)
	}
	switch a.q.Kind {
	case ask.Undo:
		return fmt.Sprintf("The page is as it was before: **%s** requests match.", a.num(result["matched"]))
	case ask.Export:
		return fmt.Sprintf("**%v** has %s rows, those on the page.", result["file"], a.num(result["rows"]))
	case ask.Whole, ask.All, ask.Unfilter, ask.Narrow:
		return a.narrowed(result)
	}
	if a.q.Chart {
		return a.drawn(result)
	}
	return a.found(result) + a.bounds()
}

// failure is why a call was of no use; "" if it was.
func failure(result object) string {
	switch e := result["error"].(type) {
	case string:
		return e
	case object:
		return fmt.Sprint(e["message"])
	}
	return ""
}

func (a *answer) drawn(result object) string {
	points, _ := result["data"].([]any)
	if len(points) == 0 {
		return "No request matches, so there is nothing to draw." + a.bounds()
	}
	top, sum := object{}, 0.0
	for _, p := range points {
		p, _ := p.(object)
		sum += number(p["value"])
		if len(top) == 0 || number(p["value"]) > number(top["value"]) {
			top = p
		}
	}
	text := fmt.Sprintf("The chart shows %d values%s. The largest is **%v** with %s.", len(points), a.about(), top["label"], a.amount(top["value"]))
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
func (a *answer) num(v any) string {
	digits := strconv.FormatInt(int64(math.Round(number(v))), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// amount is a value with its unit.
func (a *answer) amount(v any) string {
	unit := "requests"
	switch {
	case a.q.Agg == "distinct_count":
		unit = "different " + nouns[a.q.Of]
	case a.q.Of == "bytes":
		unit = "bytes"
	case number(v) == 1:
		unit = "request"
	}
	return a.num(v) + " " + unit
}

func (a *answer) pct(part, whole any) string {
	share := 0.0
	if number(whole) > 0 {
		share = 100 * number(part) / number(whole)
	}
	text := strconv.FormatFloat(share, 'f', 1, 64) + "%"
	return text
}
