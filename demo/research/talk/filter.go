package talk

import (
	"fmt"
	"maps"
	"strings"
)

// clear proposes a search without what narrows it, as a card that the user accepts.
func (a *answer) clear() (Step, bool) {
	of, key := "articles", "filters"
	if a.page("trials") != nil {
		of, key = "trials", "form"
	}
	a.Of = of
	search := a.page(of)
	if search == nil {
		return Step{Text: "This page has no filters. The workbench of a stream and the trial search have some."}, true
	}
	set, _ := search[key].(object)
	if settings(set) == "" {
		return Step{Text: "No filter is set on this page."}, true
	}
	if len(a.asked.Calls) == 0 {
		args := object{"what": of, "form": object{}}
		if of == "articles" {
			args = object{"what": of, "query": search["query"]}
		}
		return Step{Calls: []Call{{"count_library", args}}}, true
	}
	result, failed := a.result(0)
	if failed != "" {
		return Step{Text: failed}, true
	}
	total, now := number(result["total"]), number(search["total"])
	text := fmt.Sprintf("Without %s there are **%s** %s, not %s. **Accept** clears it.\n\n", settings(set), num(total), of, num(now))
	if of == "trials" {
		return Step{Text: text + "TRIAL_SEARCH_SUGGESTION: " + encoded(object{"form": object{}, "explanation": "An empty form.", "total": total})}, true
	}
	return Step{Text: text + "FILTER_SUGGESTION: " + encoded(object{"filters": object{}, "explanation": "Without any filter.", "total": total, "currentTotal": now})}, true
}

// narrow proposes more conditions for the page's search, as a card. It leaves phases of trials to
// the rules, which propose a column for them.
func (a *answer) narrow() (Step, bool) {
	search := a.page(a.Of)
	if search == nil || len(a.Phases) > 0 && len(a.Labels()) == 1 {
		return Step{}, false
	}
	if form, _ := search["form"].(object); a.clash(form) {
		return Step{Text: fmt.Sprintf("The page's form asks for %s, which contradicts %s: nothing can be both.", settings(form), strings.Join(a.Labels(), ", ")) + chips("Clear the form")}, true
	}
	if len(a.asked.Calls) == 0 {
		return Step{Calls: []Call{a.count(a.Conds, "")}}, true
	}
	result, failed := a.result(0)
	if failed != "" {
		return Step{Text: failed}, true
	}
	total, now := number(result["total"]), number(search["total"])
	text := fmt.Sprintf("**%s** of the %s %s: %s.\n\n", num(total), num(now), a.Of, strings.Join(a.Labels(), ", "))
	why := strings.ReplaceAll(strings.Join(a.Labels(), ", "), "`", "")
	if a.Of == "trials" {
		form, _ := search["form"].(object)
		return Step{Text: text + "TRIAL_SEARCH_SUGGESTION: " + encoded(object{"form": a.form(form), "explanation": why, "total": total})}, true
	}
	if a.Author != "" || a.Topic != "" || a.Journal != "" {
		query, _ := search["query"].(string)
		return Step{Text: text + "QUERY_SUGGESTION: " + encoded(object{"query": a.query(query), "explanation": why, "total": total, "currentTotal": now})}, true
	}
	filters, _ := search["filters"].(object)
	return Step{Text: text + "FILTER_SUGGESTION: " + encoded(object{"filters": a.filters(filters), "explanation": why, "total": total, "currentTotal": now})}, true
}

// filters adds years and types to the filters of the page. The later start and the earlier end
// hold; a type replaces others, as alternatives would widen the search.
func (c Conds) filters(page object) object {
	all := maps.Clone(page)
	if all == nil {
		all = object{}
	}
	if old, _ := all["from"].(string); c.From != 0 && fmt.Sprint(c.From) > old {
		all["from"] = fmt.Sprint(c.From)
	}
	if old, _ := all["to"].(string); c.To != 0 && (old == "" || fmt.Sprint(c.To) < old) {
		all["to"] = fmt.Sprint(c.To)
	}
	if len(c.Types) > 0 {
		all["types"] = c.Types
	}
	return all
}
