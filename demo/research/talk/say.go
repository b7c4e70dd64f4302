package talk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// shownItems and shownGroups are how many an answer lists.
const (
	shownItems  = 10
	shownGroups = 5
)

// say says what a count has found.
func (a *answer) say(result object) string {
	total := number(result["total"])
	switch {
	case a.Do == "distinct" && total > 0:
		return fmt.Sprintf("**%s** different %s %s%s.", num(number(result["distinct"])), plural(fields[a.Of][a.By]), a.among(), a.about()) + a.bounds()
	case a.Do == "count":
		return a.howMany(total) + "." + a.hint(total) + a.bounds()
	case total == 0:
		return fmt.Sprintf("No %s %s is like that%s.", strings.TrimSuffix(a.Of, "s"), a.where(), a.about()) + a.hint(total) + a.bounds()
	case a.Do == "list":
		return a.howMany(total) + ":\n\n" + a.items(result, shownItems, total) + a.bounds()
	case a.Do == "newest" || a.Do == "oldest":
		return a.ends(result) + a.bounds()
	}
	return a.ranking(result) + a.bounds()
}

// howMany is "**22** of the 80 trials in the library: `status is recruiting`".
func (a *answer) howMany(total int) string {
	all := a.all()
	if !a.some() || all < total {
		noun := a.Of
		if total == 1 {
			noun = strings.TrimSuffix(noun, "s")
		}
		return fmt.Sprintf("**%s** %s %s", num(total), noun, a.where())
	}
	return fmt.Sprintf("**%s** of the %s %s %s%s", num(total), num(all), a.Of, a.where(), a.about())
}

// all is how many there are without the question's conditions.
func (a *answer) all() int {
	if search := a.scope(); search != nil {
		return number(search["total"])
	}
	library, _ := a.asked.Value("Research: library").(object)
	return number(library[a.Of])
}

// where says what is counted: the page's search, or the library.
func (a *answer) where() string {
	search := a.scope()
	form, _ := search["form"].(object)
	query, _ := search["query"].(string)
	filters, _ := search["filters"].(object)
	switch {
	case search == nil, a.Of == "trials" && settings(form) == "", a.Of == "articles" && query == "" && settings(filters) == "":
		return "in the library"
	case a.Of == "trials":
		return "that the page's form finds"
	}
	return "that the page's search finds"
}

func (a *answer) among() string { return "among the " + a.Of + " " + a.where() }

func (a *answer) about() string {
	if !a.some() {
		return ""
	}
	return ": " + strings.Join(a.Labels(), ", ")
}

// hint says how names must be written, where one finds nothing.
func (a *answer) hint(total int) string {
	switch {
	case total > 0:
		return ""
	case a.Author != "":
		return " Authors are looked up by their last name, or the whole name."
	case a.Journal != "":
		return " A journal needs its whole name."
	case a.Topic != "":
		return " Other words for it are not looked for."
	}
	return ""
}

// bounds names what the page itself has set, and offers to clear it.
func (a *answer) bounds() string {
	search := a.scope()
	filters, _ := search["filters"].(object)
	if on := settings(filters); a.Of == "articles" && on != "" {
		return "\n\nThat is with the page's filters: " + on + "." + chips("Clear the filters")
	}
	form, _ := search["form"].(object)
	if on := settings(form); a.Of == "trials" && on != "" {
		return "\n\nThat is with what the form asks for: " + on + "." + chips("Clear the form")
	}
	return ""
}

// settings names what is set in filters or a form.
func settings(set object) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		switch v := set[key].(type) {
		case string:
			if v != "" {
				parts = append(parts, fmt.Sprintf("`%s: %s`", key, v))
			}
		case []any:
			values := make([]string, len(v))
			for i := range v {
				values[i] = fmt.Sprint(v[i])
			}
			if len(v) > 0 {
				parts = append(parts, fmt.Sprintf("`%s: %s`", key, strings.Join(values, ", ")))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// found are the articles or trials of a result.
func (a *answer) found(result object) (items []object) {
	list, _ := result[a.Of].([]any)
	for _, one := range list {
		if item, ok := one.(object); ok {
			items = append(items, item)
		}
	}
	return items
}

func (a *answer) items(result object, most, total int) string {
	var lines []string
	for _, item := range a.found(result)[:min(most, len(a.found(result)))] {
		lines = append(lines, a.item(item))
	}
	if more := total - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %s more", num(more)))
	}
	return strings.Join(lines, "\n")
}

func (a *answer) item(item object) string {
	if a.Of == "trials" {
		return fmt.Sprintf("- `%v` %v (%v, %v, start %v)", item["nct"], item["title"], item["phase"], item["status"], item["start"])
	}
	return fmt.Sprintf("- %v *%v*, %v", item["title"], item["journal"], item["date"])
}

// ends names the newest or the oldest: all of that day, unless a number was asked for.
func (a *answer) ends(result object) string {
	items := a.found(result)
	key := map[string]string{"articles": "date", "trials": "start"}[a.Of]
	dated := slices.DeleteFunc(items, func(i object) bool { return i[key] == "" || i[key] == nil })
	if len(dated) == 0 {
		return fmt.Sprintf("None of the %s %s has a date%s.", a.Of, a.where(), a.about())
	}
	n := a.N
	if n == 0 {
		for n = 1; n < len(dated) && dated[n][key] == dated[0][key]; n++ {
		}
	}
	n = min(n, len(dated))
	lines := make([]string, n)
	for i := range n {
		lines[i] = a.item(dated[i])
	}
	what := a.Of
	if n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("The %s %s %s%s, **%v**:\n\n%s", a.Do, what, a.where(), a.about(), dated[0][key], strings.Join(lines, "\n"))
}

// group is a value with how many have it.
type group struct {
	value string
	count int
}

// ranking names the most frequent value, or those that share the lead, and lists the first.
func (a *answer) ranking(result object) string {
	list, _ := result["groups"].([]any)
	var groups []group
	for _, one := range list {
		g, _ := one.(object)
		groups = append(groups, group{fmt.Sprint(g["value"]), number(g["count"])})
	}
	label := fields[a.Of][a.By]
	if len(groups) == 0 {
		return fmt.Sprintf("None of the %s %s names a %s%s.", a.Of, a.where(), label, a.about())
	}
	total := number(result["total"])
	text := lead(groups, label, a.Least) + fmt.Sprintf(" of %s %s %s%s.\n", num(total), a.Of, a.where(), a.about())
	shown := shownGroups
	if a.N > 0 {
		shown = a.N
	}
	if total := number(result["distinct"]); a.N == 0 && total <= 2*shownGroups {
		shown = total
	}
	shown = min(shown, len(groups))
	for _, g := range groups[:shown] {
		noun := a.Of
		if g.count == 1 {
			noun = strings.TrimSuffix(noun, "s")
		}
		text += fmt.Sprintf("\n- %s: %s %s", g.value, num(g.count), noun)
	}
	if more := number(result["distinct"]) - shown; more > 0 {
		text += fmt.Sprintf("\n- and %s more", num(more))
	}
	return text
}

// lead says who is first; several may be.
func lead(groups []group, label string, least bool) string {
	var tied []string
	for _, g := range groups {
		if g.count == groups[0].count {
			tied = append(tied, g.value)
		}
	}
	most := map[bool]string{false: "most common", true: "rarest"}[least]
	n := num(groups[0].count)
	switch {
	case len(tied) == 1:
		return fmt.Sprintf("**%s** is the %s %s: **%s**", tied[0], most, label, n)
	case len(tied) > 3:
		return fmt.Sprintf("No %s is the %s alone, %d of them have **%s** each", label, most, len(tied), n)
	}
	return fmt.Sprintf("**%s** are equally common and the %s %s: **%s** each", strings.Join(tied, "** and **"), most, plural(label), n)
}

func plural(label string) string {
	switch {
	case label == "year of start":
		return "years of start"
	case strings.HasSuffix(label, "s"):
		return label + "es"
	}
	return label + "s"
}

func number(v any) int {
	switch v := v.(type) {
	case float64:
		return int(v)
	case int64:
		return int(v)
	}
	return 0
}

// num writes a number with separators.
func num(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// chips offers questions below an answer.
func chips(questions ...string) string {
	var list []object
	for _, q := range questions {
		list = append(list, object{"label": q, "value": q})
	}
	return "\n\nSUGGESTED_VALUES: " + encoded(list)
}

func encoded(v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and numbers: it cannot fail
	return strings.TrimSpace(text.String())
}
