package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/demo/ask"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/payload"
)

// filters are those of the page that are on, but for what the question itself has set.
func (a *answer) filters() (on []ask.Filter) {
	own := map[ask.Filter]bool{}
	if a.q.Kind == ask.Narrow {
		for _, c := range a.q.Where {
			list, _ := c.Filters()
			for _, f := range list {
				own[f] = true
			}
		}
	}
	list, _ := a.page()["filters"].([]any)
	for _, item := range list {
		f, _ := item.(object)
		filter := ask.Filter{Field: fmt.Sprint(f["field"]), Op: fmt.Sprint(f["op"]), Value: fmt.Sprint(f["value"])}
		if f["disabled"] != true && !own[filter] {
			on = append(on, filter)
		}
	}
	return on
}

// bounds names what the page narrows, beyond the question, and offers to take it off: a number of a
// part must not pass for one of the whole.
func (a *answer) bounds() string {
	filters, zoom := a.filters(), a.timeRange()
	if len(filters) == 0 && zoom == "" {
		return ""
	}
	var parts []string
	if names := quoted(filters); len(filters) == 1 {
		parts = append(parts, "with your filter "+names)
	} else if len(filters) > 1 {
		parts = append(parts, "with your filters "+names)
	}
	if zoom != "" {
		parts = append(parts, "in the page's time range, "+zoom)
	}
	text := strings.Join(parts, " and ")
	return "\n\nThat is " + text + "." + a.contradiction(filters) + chips(a.wider(filters, zoom != ""))
}

func quoted(filters []ask.Filter) string {
	names := make([]string, len(filters))
	for i, f := range filters {
		names[i] = "`" + f.String() + "`"
	}
	return strings.Join(names, " and ")
}

// timeRange is the range of the page, "" where it shows the whole log or the question has set it.
func (a *answer) timeRange() string {
	shown, _ := a.page()["timeRange"].(object)
	if shown == nil || shown["label"] == "Whole log" || a.q.Kind == ask.Narrow && a.q.Time != nil {
		return ""
	}
	from, to := timeOf(shown["from"]), timeOf(shown["to"])
	const day = "2 Jan 2006 "
	if from.Format(day) == to.Format(day) {
		return from.Format(day+"15:04") + "–" + to.Format("15:04") + " UTC"
	}
	return from.Format(day+"15:04") + " to " + to.Format(day+"15:04") + " UTC"
}

// contradiction says that a filter keeps out all that was asked for.
func (a *answer) contradiction(filters []ask.Filter) string {
	conds := a.q.Where
	if a.q.Part != nil {
		conds = append(conds[:len(conds):len(conds)], *a.q.Part)
	}
	for _, c := range conds {
		for _, f := range filters {
			if f.Contradicts(c) {
				return fmt.Sprintf(" `%s` contradicts the filter `%s`: nothing can be both.", c.Label(), f)
			}
		}
	}
	return ""
}

// wider are the questions that take off what narrows the page.
func (a *answer) wider(filters []ask.Filter, zoomed bool) (questions []string) {
	if len(filters) > 2 {
		questions = append(questions, "Remove all filters")
	} else {
		for _, f := range filters {
			questions = append(questions, "Remove the filter "+f.String())
		}
	}
	if zoomed {
		questions = append(questions, "Show the whole log")
	}
	return questions
}

// chips offers questions below an answer.
func chips(questions []string) string {
	if len(questions) == 0 {
		return ""
	}
	values := make([]map[string]string, len(questions))
	for i, q := range questions {
		values[i] = map[string]string{"label": rest.Clip(q, payload.MaxLabel-2), "value": q}
	}
	list, _ := json.Marshal(values) // texts: it cannot fail
	return "\n\nSUGGESTED_VALUES: " + strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(list))
}

// unfilter is the call that takes off the filter that was named, or all.
func (a *answer) unfilter() toolCall {
	if f := a.q.Filter; f != nil {
		return toolCall{"remove_filter", object{"field": f.Field, "op": f.Op, "value": f.Value}}
	}
	return toolCall{"remove_filter", object{}}
}

// nothingToRemove says that a filter is not there; "" if it is.
func (a *answer) nothingToRemove() string {
	list, _ := a.page()["filters"].([]any)
	switch {
	case a.q.Kind != ask.Unfilter:
		return ""
	case len(list) == 0:
		return "No filter is set on this page."
	case a.q.Filter == nil:
		return ""
	}
	for _, item := range list {
		f, _ := item.(object)
		if strings.EqualFold(fmt.Sprint(f["value"]), a.q.Filter.Value) && f["field"] == a.q.Filter.Field && f["op"] == a.q.Filter.Op {
			return ""
		}
	}
	return fmt.Sprintf("There is no filter `%s` on this page.", a.q.Filter) + a.bounds()
}

// narrowed says what the page shows now.
func (a *answer) narrowed(result object) string {
	source, _ := a.asked.Value("Data source").(object)
	text := fmt.Sprintf("The page shows **%s** of %s requests%s.", a.num(result["matched"]), a.num(source["total"]), a.about())
	if l := a.log(); number(result["matched"]) == 0 && a.q.Time != nil {
		if from, to := a.q.Time.Resolve(l); from.After(l.Max) || !to.After(l.Min) {
			text += fmt.Sprintf(" The log reaches from %s to %s UTC.", l.Min.Format("2 Jan 2006 15:04"), l.Max.Format("2 Jan 2006 15:04"))
		}
	}
	return text + a.bounds()
}
