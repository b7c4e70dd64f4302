package ask

import (
	"fmt"
	"strings"

	"github.com/pageside/pageside/demo/ppl"
)

// PPL returns the query that answers a question.
func (q *Question) PPL(l Log) string {
	return "source=access_log" + q.where(l) + q.tail()
}

// Rows returns the query of the requests that a question is about.
func (q *Question) Rows(l Log) string { return "source=access_log" + q.where(l) }

func (q *Question) where(l Log) string {
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
		return ""
	}
	return " | where " + strings.Join(all, " and ")
}

// tail is what is made of the requests.
func (q *Question) tail() string {
	value := q.Agg + "(" + q.Of + ") as " + q.Column()
	order := "- "
	if q.Least {
		order = ""
	}
	switch q.Kind {
	case Number, Moment:
		return " | stats " + value
	case Share:
		return " | stats count() as requests, count(eval(" + q.Part.PPL() + ")) as part"
	case List:
		return fmt.Sprintf(" | stats count() as requests by %s | sort - requests | head 10", q.ListedBy())
	case Ranking:
		return fmt.Sprintf(" | stats %s by %s | sort %s%s | head %d", value, q.By, order, q.Column(), q.rows())
	case Timeline:
		return fmt.Sprintf(" | stats %s by span(timestamp, 1%.1s) as time | sort %s%s | head %d", value, q.By, order, q.Column(), q.rows())
	}
	return ""
}

// ChartPPL returns the query whose result is drawn.
func (q *Question) ChartPPL(l Log) string {
	if q.Kind == Timeline {
		return fmt.Sprintf("%s | timechart span=1%.1s %s(%s)", q.Rows(l), q.By, q.Agg, q.Of)
	}
	if q.Agg == "count" && !q.Least {
		return fmt.Sprintf("%s | top 8 %s", q.Rows(l), q.By)
	}
	return q.PPL(l)
}

// rows is how many rows a ranking has: fields with few values are shown whole.
func (q *Question) rows() int {
	few := q.By == "status" || q.By == "browser" || q.By == "method" || q.By == "protocol"
	switch {
	case q.N > 0:
		return q.N
	case few || q.Kind == Timeline:
		return 10
	}
	return 5
}

// Column is the name of the value in the result.
func (q *Question) Column() string {
	switch {
	case q.Agg == "count":
		return "requests"
	case q.Agg == "distinct_count":
		return "different"
	case q.Kind == Moment:
		return "moment"
	case q.Agg == "sum":
		return "bytes"
	}
	return q.Agg + "_bytes"
}

// ListedBy is the field that a list shows: the page, but the status of errors, and not one that is
// asked for.
func (q *Question) ListedBy() string {
	for _, c := range q.Where {
		if c.Field == "path" || c.Field == "status" && c.Op == ">=" && !c.Not {
			return "status"
		}
	}
	return "path"
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
	op := map[string]string{"=": "is", ">=": ">=", "like": "is", "between": "is"}[c.Op]
	if c.Not {
		op = map[string]string{"is": "is not", ">=": "<"}[op]
	}
	label := c.Field + " " + op + " " + strings.ReplaceAll(strings.ReplaceAll(c.Value, "%", "*"), " and ", "–")
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
