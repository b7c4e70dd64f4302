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

// say writes in the question's language.
func (a *answer) say(english, german string, args ...any) string {
	if a.q.German {
		english = german
	}
	return fmt.Sprintf(english, args...)
}

// next is the calls that a question takes, or the answer once they are there.
func (a *answer) next() step {
	if len(a.asked.Calls) > 0 {
		return step{text: a.text()}
	}
	if a.q.Kind == ask.PPL {
		query, _ := a.page()["query"].(string)
		return step{text: a.say("**PPL** is the Piped Processing Language, which the query bar takes: commands with `|` between them, each of which works on what the one before leaves. `source=access_log | where status = 404 | stats count() by path` counts the 404s of each page. On the page now: `%s`.",
			"**PPL** ist die Piped Processing Language, die Sprache der Abfragezeile: Befehle mit `|` dazwischen, jeder arbeitet mit dem Ergebnis des vorigen. `source=access_log | where status = 404 | stats count() by path` zählt die 404er jeder Seite. Auf der Seite steht jetzt: `%s`.", query)}
	}
	calls := a.calls()
	for _, c := range calls {
		if !a.offered(c.name) {
			return step{text: a.say("This page has no tool for that (`%s`).", "Diese Seite hat dafür kein Werkzeug (`%s`).", c.name)}
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
		return []toolCall{{"set_time_range", object{"from": "all", "to": "all"}}}
	case ask.Narrow:
		return a.narrow(l)
	}
	if a.q.Chart {
		return []toolCall{a.chart(l)}
	}
	return []toolCall{runQuery(a.q.PPL(l), a.q.Title())}
}

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
		return a.say("The page could not do that: %s", "Das konnte die Seite nicht: %s", failed)
	}
	switch a.q.Kind {
	case ask.Undo:
		return a.say("The page is as it was before: **%s** requests match.", "Die Seite ist wieder wie zuvor: **%s** Anfragen passen.", a.num(result["matched"]))
	case ask.Export:
		return a.say("**%v** has %s rows, those on the page.", "**%v** hat %s Zeilen, die der Seite.", result["file"], a.num(result["rows"]))
	case ask.Whole, ask.Narrow:
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

// bounds says that the page narrows what was counted.
func (a *answer) bounds() string {
	shown, _ := a.page()["timeRange"].(object)
	narrowed := shown != nil && shown["label"] != "Whole log"
	filters, _ := a.page()["filters"].([]any)
	for _, f := range filters {
		if f, _ := f.(object); f["disabled"] != true {
			narrowed = true
		}
	}
	if !narrowed {
		return ""
	}
	return a.say("\n\nThe page's time range and filters apply.", "\n\nZeitraum und Filter der Seite gelten dabei.")
}

func (a *answer) narrowed(result object) string {
	total := a.asked.Value("Data source")
	source, _ := total.(object)
	text := a.say("The page shows **%s** of %s requests%s.", "Die Seite zeigt **%s** von %s Anfragen%s.", a.num(result["matched"]), a.num(source["total"]), a.about())
	filters, _ := a.page()["filters"].([]any)
	switch l := a.log(); {
	case a.q.Kind == ask.Whole && len(filters) > 0:
		text += a.say(" Its filters stay.\n\nSUGGESTED_ACTIONS: [{\"label\":\"Remove the filters\",\"action\":\"show_whole_log\"}]", " Die Filter bleiben.\n\nSUGGESTED_ACTIONS: [{\"label\":\"Filter entfernen\",\"action\":\"show_whole_log\"}]")
	case number(result["matched"]) == 0 && a.q.Time != nil:
		text += a.say(" The log reaches from %s to %s UTC.", " Das Log reicht von %s bis %s UTC.", l.Min.Format("2 Jan 2006 15:04"), l.Max.Format("2 Jan 2006 15:04"))
	}
	return text
}

func (a *answer) drawn(result object) string {
	points, _ := result["data"].([]any)
	if len(points) == 0 {
		return a.say("No request matches, so there is nothing to draw.", "Keine Anfrage passt, da gibt es nichts zu zeichnen.")
	}
	top, sum := object{}, 0.0
	for _, p := range points {
		p, _ := p.(object)
		sum += number(p["value"])
		if len(top) == 0 || number(p["value"]) > number(top["value"]) {
			top = p
		}
	}
	text := a.say("The chart shows %d values%s. The largest is **%v** with %s.", "Das Diagramm zeigt %d Werte%s. Der größte ist **%v** mit %s.", len(points), a.about(), top["label"], a.amount(top["value"]))
	if on := a.bounds(); on != "" {
		text += on + a.say("\nSUGGESTED_ACTIONS: [{\"label\":\"Show the whole log\",\"action\":\"show_whole_log\"}]", "\nSUGGESTED_ACTIONS: [{\"label\":\"Das ganze Log\",\"action\":\"show_whole_log\"}]")
	}
	return text
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
		digits = digits[:i] + a.say(",", ".") + digits[i:]
	}
	return digits
}

// amount is a value with its unit.
func (a *answer) amount(v any) string {
	unit := a.say("requests", "Anfragen")
	switch {
	case a.q.Agg == "distinct_count":
		unit = a.say("different ", "verschiedenen ") + a.noun(a.q.Of)
	case a.q.Of == "bytes":
		unit = "Bytes"
		if !a.q.German {
			unit = "bytes"
		}
	case number(v) == 1:
		unit = a.say("request", "Anfrage")
	}
	return a.num(v) + " " + unit
}

func (a *answer) pct(part, whole any) string {
	share := 0.0
	if number(whole) > 0 {
		share = 100 * number(part) / number(whole)
	}
	text := strconv.FormatFloat(share, 'f', 1, 64) + "%"
	if a.q.German {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
