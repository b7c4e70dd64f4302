package ask

import (
	"fmt"
	"strings"

	"github.com/pageside/pageside/demo/ppl"
)

// PPL returns the query that answers a question.
func (q *Question) PPL(l Log) string {
	value := q.Agg + "(" + q.Of + ") as " + q.Column()
	order := "- "
	if q.Least {
		order = ""
	}
	ranked := fmt.Sprintf(" | sort %s%s | head %d", order, q.Column(), q.rows())
	tail := map[Kind]string{
		Number: " | stats " + value, Moment: " | stats " + value,
		List:     " | stats count() as requests by path | sort - requests | head 10",
		Ranking:  " | stats " + value + " by " + q.By + ranked,
		Timeline: fmt.Sprintf(" | stats %s by span(timestamp, 1%.1s) as time%s", value, q.By, ranked),
	}[q.Kind]
	if q.Kind == Share {
		tail = " | stats count() as requests, count(eval(" + q.Part.PPL() + ")) as part"
	}
	return q.Rows(l) + tail
}

// Rows returns the query of the requests that a question is about.
func (q *Question) Rows(l Log) string {
	var all []string
	for _, c := range q.Where {
		all = append(all, c.PPL())
	}
	if q.Time != nil {
		from, to := q.Time.Resolve(l)
		const layout = "2006-01-02 15:04:05.999"
		all = append(all, "timestamp >= "+ppl.Quote(from.Format(layout)), "timestamp < "+ppl.Quote(to.Format(layout)))
	}
	if q.Kind == Ranking && (q.By == "referrer" || q.By == "query") {
		all = append(all, "isnotnull("+q.By+")") // most requests have none
	}
	if len(all) == 0 {
		return "source=access_log"
	}
	return "source=access_log | where " + strings.Join(all, " and ")
}

// rows is how many rows a ranking has: fields with few values are shown whole.
func (q *Question) rows() int {
	switch {
	case q.N > 0:
		return q.N
	case q.Kind == Timeline, strings.Contains("status browser method protocol", q.By):
		return 10
	}
	return 5
}

// Column is the name of the value in the result.
func (q *Question) Column() string {
	if q.Kind == Moment {
		return "moment"
	}
	name, ok := map[string]string{"count": "requests", "distinct_count": "different", "sum": "bytes"}[q.Agg]
	if !ok {
		return q.Agg + "_bytes"
	}
	return name
}

// PPL returns a condition as queries write it. Requests without the field are not like the value.
func (c Cond) PPL() string {
	text := c.simple()
	for _, other := range c.Or {
		text += " or " + other.simple()
	}
	switch {
	case c.Not && c.Field == "status" && c.Op == "=":
		return "status != " + c.Value
	case c.Not && (c.Field == "status" || c.Field == "clientip"):
		return "not (" + text + ")"
	case c.Not:
		return fmt.Sprintf("(not (%s) or isnull(%s))", text, c.Field)
	case len(c.Or) > 0:
		return "(" + text + ")"
	}
	return text
}

func (c Cond) simple() string {
	value := c.Value
	if c.Field != "status" {
		value = ppl.Quote(value)
	}
	return c.Field + " " + c.Op + " " + value
}

// Label names a condition for people.
func (c Cond) Label() string {
	op := "is"
	switch {
	case c.Op == ">=" && c.Not:
		op = "<"
	case c.Op == ">=":
		op = ">="
	case c.Not:
		op = "is not"
	}
	label := c.Field + " " + op + " " + strings.NewReplacer("%", "*", " and ", "–").Replace(c.Value)
	for _, other := range c.Or {
		label += " or " + other.Value
	}
	return label
}

// Filter is a filter of the page: field, operator, value.
type Filter struct{ Field, Op, Value string }

// Filters returns the filters of the page that a condition is, or false where it is none.
func (c Cond) Filters() ([]Filter, bool) {
	low, high, _ := strings.Cut(c.Value, " and ")
	switch {
	case len(c.Or) > 0 || c.Op == "like" || c.Op == "between" && c.Not:
		return nil, false
	case c.Op == "between":
		return []Filter{{c.Field, ">=", low}, {c.Field, "<=", high}}, true
	case c.Op == ">=" && c.Not:
		return []Filter{{c.Field, "<=", map[string]string{"400": "399", "500": "499"}[c.Value]}}, true
	case c.Op == ">=":
		return []Filter{{c.Field, ">=", c.Value}}, true
	case c.Not:
		return []Filter{{c.Field, "is not", c.Value}}, true
	}
	return []Filter{{c.Field, "is", c.Value}}, true
}
