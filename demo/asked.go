package demo

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/ask"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/payload"
)

// askedRules answer from the context item "Asked".
//
//go:embed asked.yaml
var askedRules []byte

// object is a JSON object of the page's context or of a result.
type object = map[string]any

// question is one about the log, on a page that shows some of it.
type question struct {
	asked script.Asked
	*ask.Question
	page object // the context item of the page's query and results
}

// item is what the rules know of a question: how to find the answer, and what to say with it.
func (q *question) item() object {
	o := object{
		"kind": string(q.Kind), "title": titleOf(q.asked.Text), "agg": q.Agg, "of": q.Of, "by": q.By, "least": q.Least,
		"column": q.Column(), "about": q.about(), "reach": q.reach(), "filters": []object{},
	}
	if q.Part != nil {
		o["part"] = q.Part.Label()
	}
	if q.Kind == ask.Narrow {
		q.narrow(o)
	} else {
		o["query"] = q.PPL(q.log())
	}
	o["narrowed"], o["chips"] = q.narrowed()
	return o
}

// missing is the answer where the page lacks a tool that the question takes.
func missing(item object, tools []llm.ToolDecl) string {
	for _, needs := range []struct {
		tool string
		is   bool
	}{
		{"execute_ppl_query", item["query"] != nil}, {"add_filter", len(item["filters"].([]object)) > 0}, {"set_time_range", item["range"] != nil},
	} {
		if needs.is && !slices.ContainsFunc(tools, func(t llm.ToolDecl) bool { return t.Name == needs.tool }) {
			return fmt.Sprintf("This page has no tool for that (`%s`).", needs.tool)
		}
	}
	return ""
}

// narrow sets the time range and filters. What no filter can say becomes the query; a query that
// counts gives way to one that shows requests.
func (q *question) narrow(o object) {
	rest := *q.Question
	rest.Where, rest.Time = nil, nil
	filters := []object{}
	for _, c := range q.Where {
		list, ok := c.Filters()
		if !ok {
			rest.Where = append(rest.Where, c)
		}
		for _, f := range list {
			var value any = f.Value
			if n, err := strconv.Atoi(f.Value); err == nil {
				value = n
			}
			filters = append(filters, object{"field": f.Field, "op": f.Op, "value": value})
		}
	}
	if o["filters"] = filters; q.Time != nil {
		from, to := q.Time.Resolve(q.log())
		o["range"] = object{"from": formatTime(from), "to": formatTime(to.Add(-time.Millisecond))}
	}
	current, _ := q.page["query"].(string)
	counts := strings.Contains(current, "stats") || strings.Contains(current, "top") || strings.Contains(current, "timechart")
	if counts || len(rest.Where) > 0 {
		o["query"] = rest.Rows(q.log())
	}
}

// log is when the log begins and ends, and what the page shows.
func (q *question) log() (l ask.Log) {
	source, _ := q.asked.Value("Data source").(object)
	times, _ := source["time"].(object)
	shown, _ := q.page["timeRange"].(object)
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

// about is the conditions of a question, as the answer names them: what was counted must be plain.
func (q *question) about() string {
	var all []string
	for _, c := range q.Where {
		all = append(all, "`"+c.Label()+"`")
	}
	if q.Time != nil {
		all = append(all, ask.Label(q.Time.Resolve(q.log())))
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

const minute = "2 Jan 2006 15:04"

// reach says from when to when the log is, where a time has nothing.
func (q *question) reach() string {
	l := q.log()
	if q.Time == nil || l.Max.IsZero() {
		return ""
	}
	if from, to := q.Time.Resolve(l); !from.After(l.Max) && to.After(l.Min) {
		return ""
	}
	return fmt.Sprintf(" The log reaches from %s to %s UTC.", l.Min.Format(minute), l.Max.Format(minute))
}

// narrowed names what the page narrows, beyond the question, and offers to take it off.
func (q *question) narrowed() (parts []string, chips []object) {
	offer := func(text string) {
		chips = append(chips, object{"label": visible.Clip(text, payload.MaxLabel-2), "value": text})
	}
	for _, f := range q.filters() {
		parts = append(parts, "with your filter `"+f+"`")
		offer("Remove the filter " + f)
	}
	if shown, _ := q.page["timeRange"].(object); shown != nil && shown["label"] != "Whole log" && !(q.Kind == ask.Narrow && q.Time != nil) {
		parts = append(parts, fmt.Sprintf("in the page's time range, %s to %s UTC", timeOf(shown["from"]).Format(minute), timeOf(shown["to"]).Format(minute)))
		offer("Show the whole log")
	}
	return parts, chips
}

// filters are those of the page that are on, but for what the question itself has set.
func (q *question) filters() (on []string) {
	own := map[ask.Filter]bool{}
	for _, c := range q.Where {
		list, _ := c.Filters()
		for _, f := range list {
			own[f] = q.Kind == ask.Narrow
		}
	}
	list, _ := q.page["filters"].([]any)
	for _, item := range list {
		f, _ := item.(object)
		filter := ask.Filter{Field: fmt.Sprint(f["field"]), Op: fmt.Sprint(f["op"]), Value: fmt.Sprint(f["value"])}
		if f["disabled"] != true && !own[filter] {
			on = append(on, filter.Field+" "+filter.Op+" "+filter.Value)
		}
	}
	return on
}
