package talk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm/script"
)

// Step is one answer of the model: text, or calls of tools.
type Step struct {
	Text  string
	Calls []Call
}

// Call is a call of a tool.
type Call struct {
	Name string
	Args map[string]any
}

type object = map[string]any

// answer answers one question.
type answer struct {
	Question
	asked script.Asked
}

// fields are what things are counted by: of what, and what one is called. What has no label is not
// counted.
var fields = map[string]map[string]string{
	"articles": {"year": "year", "journal": "journal", "author": "author", "type": "publication type", "mesh": "heading"},
	"trials":   {"year": "year of start", "phase": "phase", "status": "status", "sponsor": "sponsor", "drug": "drug", "endpoint": "primary endpoint"},
}

// Answer returns the next step of an answer, or false where the question is not understood here.
// Earlier are the questions before it, for "only those of 2020".
func Answer(asked script.Asked, earlier []string) (Step, bool) {
	q, ok := Read(asked.Text)
	if !ok || asked.Value("Research: library") == nil {
		return Step{}, false
	}
	a := &answer{Question: *q, asked: asked}
	if !a.settle() {
		return Step{}, false
	}
	if a.Do == "only" {
		if base := a.base(earlier); base != nil {
			a.Question = base.with(a.Conds)
			if !a.settle() {
				return Step{}, false
			}
		}
	}
	return a.step()
}

// base is the question that "only those" goes on from: the one before, if it is understood and has
// conditions of its own, or a page has no filters to set.
func (a *answer) base(earlier []string) *Question {
	if len(earlier) == 0 {
		return nil
	}
	last := earlier[len(earlier)-1]
	q, ok := Read(last)
	if !ok || q.Do == "clear" {
		return nil
	}
	before := &answer{Question: *q, asked: a.asked}
	if !before.settle() || a.Question.Of != "" && a.explicit() && a.Question.Of != before.Of {
		return nil
	}
	if q.Do == "only" {
		if earlier := before.base(earlier[:len(earlier)-1]); earlier != nil {
			merged := earlier.with(before.Conds)
			return &merged
		}
		return nil
	}
	if !before.some() && a.page(before.Of) != nil {
		return nil
	}
	return &before.Question
}

// explicit reports whether the question says what it is about.
func (a *answer) explicit() bool {
	q, _ := Read(a.asked.Text)
	return q.Of == "articles" || q.Of == "trials"
}

// with adds conditions; a new one replaces one of its kind.
func (q *Question) with(c Conds) Question {
	merged := *q
	for _, text := range []struct{ to, from *string }{{&merged.Author, &c.Author}, {&merged.Topic, &c.Topic}, {&merged.Drug, &c.Drug}, {&merged.Journal, &c.Journal}, {&merged.Sponsor, &c.Sponsor}} {
		if *text.from != "" {
			*text.to = *text.from
		}
	}
	for _, list := range []struct{ to, from *[]string }{{&merged.Types, &c.Types}, {&merged.Statuses, &c.Statuses}, {&merged.Phases, &c.Phases}} {
		if len(*list.from) > 0 {
			*list.to = *list.from
		}
	}
	if c.From != 0 || c.To != 0 {
		merged.From, merged.To = c.From, c.To
	}
	return merged
}

// page is the search of the page for what is asked about; nil where there is none.
func (a *answer) page(of string) object {
	name, key := "Research: article search", "query"
	if of == "trials" {
		name, key = "Research: trial search", "form"
	}
	search, _ := a.asked.Value(name).(object)
	if _, ok := search[key]; !ok {
		return nil
	}
	return search
}

// settle finds out what a question is about: what it says, or what only one kind has, or what the
// page shows. It reports false where that contradicts.
func (a *answer) settle() bool {
	articles, trials := a.page("articles") != nil, a.page("trials") != nil
	if a.Of == "studies" {
		a.Of = map[bool]string{true: "trials", false: "articles"}[trials]
		if articles == trials {
			return false
		}
	}
	onlyArticles := a.Journal != "" || len(a.Types) > 0 || a.By != "" && fields["trials"][a.By] == ""
	onlyTrials := a.Drug != "" && a.Of != "articles" || len(a.Statuses)+len(a.Phases) > 0 || a.By != "" && fields["articles"][a.By] == ""
	switch {
	case a.Of == "" && onlyTrials:
		a.Of = "trials"
	case a.Of == "" && trials && a.By == "" && (onlyArticles || a.Author != ""):
		return false // this page is about trials
	case a.Of == "" && trials && !onlyArticles:
		a.Of = "trials"
	case a.Of == "":
		a.Of = "articles"
	}
	if a.Of == "articles" && a.Drug != "" { // "articles with venetoclax" mention it
		if a.Topic != "" {
			return false
		}
		a.Topic, a.Drug = a.Drug, ""
	}
	if a.Of == "trials" && a.Author != "" {
		a.Sponsor, a.Author = a.Author, ""
	}
	return !(a.Of == "articles" && onlyTrials) && !(a.Of == "trials" && onlyArticles)
}

// step is the calls that a question takes, or the answer once they are there.
func (a *answer) step() (Step, bool) {
	switch a.Do {
	case "clear":
		return a.clear()
	case "only":
		return a.narrow()
	}
	if form, _ := a.scope()["form"].(object); a.clash(form) {
		return Step{Text: fmt.Sprintf("The page's form asks for %s, which contradicts %s: nothing can be both.", settings(form), strings.Join(a.Labels(), ", ")) + chips("Clear the form")}, true
	}
	if len(a.asked.Calls) == 0 {
		return Step{Calls: []Call{a.count(a.Conds, a.By)}}, true
	}
	result, failed := a.result(0)
	if failed != "" {
		return Step{Text: failed}, true
	}
	return Step{Text: a.say(result)}, true
}

// result is that of a call, or why there is none.
func (a *answer) result(n int) (object, string) {
	result, _ := a.asked.Calls[min(n, len(a.asked.Calls)-1)].Result.(object)
	if _, ok := result["total"]; ok {
		return result, ""
	}
	reason := "the tool gave no result"
	if e, ok := result["error"].(object); ok {
		reason = fmt.Sprint(e["message"])
	}
	return nil, "I could not count: " + reason
}

// count is the call that counts what meets the conditions, within what the page shows.
func (a *answer) count(c Conds, by string) Call {
	args := object{"what": a.Of}
	if by != "" {
		args["by"] = by
	}
	if a.Do == "oldest" {
		args["oldest"] = true
	}
	if a.Least {
		args["rarest"] = true
	}
	search := a.scope()
	if a.Of == "trials" {
		form, _ := search["form"].(object)
		args["form"] = c.form(form)
		return Call{"count_library", args}
	}
	query, _ := search["query"].(string)
	filters, _ := search["filters"].(object)
	args["query"] = c.query(query)
	if len(filters) > 0 {
		args["filters"] = filters
	}
	return Call{"count_library", args}
}

// scope is the page's search that a question is about, nil being the library.
func (a *answer) scope() object {
	if a.Whole {
		return nil
	}
	return a.page(a.Of)
}

// query adds the conditions to a search in PubMed's syntax. Only telling words get into it.
func (c Conds) query(search string) string {
	var parts []string
	if strings.TrimSpace(search) != "" {
		parts = append(parts, "("+search+")")
	}
	if c.Author != "" {
		parts = append(parts, authorQuery(c.Author))
	}
	for _, w := range Telling(c.Topic) {
		parts = append(parts, w+"[tiab]")
	}
	if c.Journal != "" {
		parts = append(parts, fmt.Sprintf("%q[ta]", c.Journal))
	}
	for _, t := range c.Types {
		parts = append(parts, fmt.Sprintf("%q[pt]", t))
	}
	if c.From != 0 || c.To != 0 {
		from, to := c.From, c.To
		if from == 0 {
			from = 1800
		}
		if to == 0 {
			to = 3000
		}
		parts = append(parts, fmt.Sprintf("%d:%d[dp]", from, to))
	}
	return strings.Join(parts, " AND ")
}

// authorQuery finds an author in both orders of the names: the library has the last one first.
func authorQuery(name string) string {
	names := strings.Fields(name)
	if len(names) < 2 {
		return fmt.Sprintf("%q[au]", name)
	}
	last := len(names) - 1
	turned := strings.Join(append([]string{names[last]}, names[:last]...), " ")
	return fmt.Sprintf("(%q[au] OR %q[au])", name, turned)
}

// form adds the conditions to the form of the trial search.
func (c Conds) form(page object) object {
	form := maps.Clone(page)
	if form == nil {
		form = object{}
	}
	join := func(key, value string) {
		old, _ := form[key].(string)
		if value != "" {
			form[key] = strings.TrimSpace(old + " " + value)
		}
	}
	join("intervention", c.Drug)
	join("sponsor", c.Sponsor)
	join("text", c.Topic)
	if len(c.Statuses) > 0 {
		form["statuses"] = c.Statuses
	}
	if len(c.Phases) > 0 {
		form["phases"] = c.Phases
	}
	if old, _ := form["startFrom"].(string); c.From != 0 && fmt.Sprint(c.From) > old {
		form["startFrom"] = fmt.Sprint(c.From)
	}
	if old, _ := form["startTo"].(string); c.To != 0 && (old == "" || fmt.Sprint(c.To) < old) {
		form["startTo"] = fmt.Sprint(c.To)
	}
	return form
}

// clash reports whether the page's form keeps out what the conditions ask for: a status and another
// one would be either, not both.
func (c Conds) clash(form object) bool {
	for key, values := range map[string][]string{"statuses": c.Statuses, "phases": c.Phases} {
		set, _ := form[key].([]any)
		if len(values) > 0 && len(set) > 0 && !slices.ContainsFunc(set, func(v any) bool { return slices.Contains(values, fmt.Sprint(v)) }) {
			return true
		}
	}
	return false
}
