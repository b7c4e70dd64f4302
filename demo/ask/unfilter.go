package ask

import (
	"regexp"
	"strings"
)

// unfilterRe is what takes filters off. It stands apart from the lexicon, because a filter's value
// may be any text: "Remove the filter useragent contains curl/8".
var (
	unfilterRe = regexp.MustCompile(`(?i)^\W*(?:please |can you |could you )?(?:remove|clear|delete|drop|reset|undo|take off|take away|get rid of)\s+(?:(?:the|my|all|every|each|these|those|of|page's|active)\s+)*filters?\b\s*(.*?)[\s?!.]*$`)
	filterRe   = regexp.MustCompile(`^(\w+) (=|is not|is|contains|>=|<=) (.+)$`)
	ofThePage  = regexp.MustCompile(`(?i)^(?:(?:off|again|please|now|on|of|from|the|this|page)\s*)*$`)
)

// readUnfilter reads a wish for fewer filters. One filter must be named as answers name it.
func readUnfilter(text string) (*Question, bool) {
	m := unfilterRe.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, false
	}
	if ofThePage.MatchString(m[1]) {
		return &Question{Kind: Unfilter}, true
	}
	f := filterRe.FindStringSubmatch(strings.ReplaceAll(m[1], "`", ""))
	if f == nil {
		return nil, false
	}
	op := f[2]
	if op == "=" {
		op = "is"
	}
	return &Question{Kind: Unfilter, Filter: &Filter{Field: f[1], Op: op, Value: f[3]}}, true
}

// String names a filter: status = 500.
func (f Filter) String() string {
	op := f.Op
	if op == "is" {
		op = "="
	}
	return f.Field + " " + op + " " + f.Value
}

// Contradicts reports whether no request can pass the filter and be like the condition.
func (f Filter) Contradicts(c Cond) bool {
	if f.Field != c.Field || len(c.Or) > 0 {
		return false
	}
	low, high, isRange := strings.Cut(c.Value, " and ")
	switch {
	case c.Op == "like", c.Not && (c.Op != "=" && c.Op != ">="):
		return false
	case c.Not && c.Op == "=":
		return f.Op == "is" && f.Value == c.Value
	case c.Not: // status < 400
		return (f.Op == "is" || f.Op == ">=") && f.Value >= c.Value
	case !isRange:
		high = low
	}
	if c.Op == ">=" {
		high = "599"
	}
	switch f.Op {
	case "is":
		return f.Value < low || f.Value > high
	case "is not":
		return low == high && f.Value == low
	case ">=":
		return f.Value > high
	case "<=":
		return f.Value < low
	}
	return false
}
