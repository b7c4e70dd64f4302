package ask

import (
	"slices"
	"strings"
)

// Kind is what a question wants.
type Kind string

// The kinds.
const (
	Number   Kind = "number"   // one number: Agg
	Share    Kind = "share"    // what part of the requests is like Part
	Moment   Kind = "moment"   // when the first or last request was: Agg is min or max
	Ranking  Kind = "ranking"  // Agg for each value of By
	Timeline Kind = "timeline" // Agg for each By, an hour for instance
	List     Kind = "list"     // how many requests, and their pages or statuses
	Narrow   Kind = "narrow"   // the page shall show only some requests
	Whole    Kind = "whole"    // all times again
	All      Kind = "all"      // all times, and no filter
	Unfilter Kind = "unfilter" // a filter shall go, or all of them
	Undo     Kind = "undo"
	Export   Kind = "export"
	PPL      Kind = "ppl" // what that is
)

// Question is what was asked.
type Question struct {
	Kind   Kind
	Agg    string // count, distinct_count, sum, avg, min, max
	Of     string // the field of Agg, where it has one
	By     string // a field; hour, minute or day of a Timeline
	N      int    // how many of a Ranking; 0 is as usual
	Least  bool   // the last ones of a Ranking
	Where  []Cond
	Part   *Cond // of a Share
	Time   *Span
	Chart  bool
	Filter *Filter // the one that Unfilter takes off; nil is all of them
}

// Cond is a condition on the requests.
type Cond struct {
	Field, Op, Value string // Op: = >= like between
	Not              bool
	Or               []Cond // others of the same field, one of which is enough
}

// heard is what the pieces of a question say, before they make sense together.
type heard struct {
	Question
	dos           map[string]bool
	fields, units []string
	noun, measure bool
	size          bool // the measure is that of one response

	not, and, by bool   // wait for what follows
	before       string // the kind of the piece before, skipped words aside
	apart        bool   // words were skipped after it
}

// Read reads a question. It reports false where it does not understand all of it.
func Read(text string) (*Question, bool) {
	if q, ok := readUnfilter(text); ok {
		return q, true
	}
	pieces, ok := read(text)
	h := &heard{dos: map[string]bool{}}
	for _, p := range pieces {
		if ok = ok && h.hear(p); !ok {
			return nil, false
		}
	}
	if !ok || h.not || h.and || h.by || !h.understand() {
		return nil, false
	}
	return &h.Question, true
}

// hear takes one piece. It reports false where the piece does not fit those before.
func (h *heard) hear(p piece) bool {
	if h.and && p.kind != "is" && p.kind != "skip" && p.kind != "not" {
		return false
	}
	ok := true
	switch p.kind {
	case "other":
		return false
	case "skip":
		h.apart = true
		return true
	case "do":
		h.dos[p.value] = true
	case "noun":
		h.noun = true
	case "measure":
		h.measure, h.by, h.size = true, false, h.size || p.value == "size"
	case "field":
		ok = h.field(p.value)
	case "unit":
		ok = h.unit(p.value)
	case "by":
		ok, h.by = !h.by, true
	case "not":
		h.not = true
	case "and":
		ok, h.and = h.before == "is" || h.before == "", h.before != ""
	case "number":
		ok, h.N = h.N == 0, p.n
	case "time":
		ok = h.time(p.span)
	case "is":
		ok = h.cond(p.cond)
	}
	h.before, h.apart = p.kind, false
	return ok
}

func (h *heard) field(name string) bool {
	switch {
	case h.before == "is" && h.Where[len(h.Where)-1].Field == name: // the Firefox browser
	case h.by:
		h.by = false
		if h.By != "" {
			return false
		}
		h.By = name
	default:
		h.fields = append(h.fields, name)
	}
	return true
}

func (h *heard) unit(name string) bool {
	h.by = false
	if slices.Contains(h.units, name) {
		return true
	}
	h.units = append(h.units, name)
	return len(h.units) == 1
}

func (h *heard) time(s Span) (ok bool) {
	if h.Time == nil {
		h.Time = &s
		return true
	}
	*h.Time, ok = h.Time.join(s)
	return ok
}

// cond takes a condition. "404 errors" are 404s; "404s and 403s" are either; "not" goes on after
// "and".
func (h *heard) cond(c Cond) bool {
	c.Not = h.not
	// "status 404", but "clients in 10.x"
	if n := len(h.fields); n > 0 && h.before == "field" && h.fields[n-1] == c.Field && !(h.apart && c.Op == "like") {
		h.fields = h.fields[:n-1]
	}
	joined := h.and
	h.not, h.and, h.by = false, false, false
	for i := range h.Where {
		other := &h.Where[i]
		switch {
		case other.Field != c.Field || other.Not != c.Not && !joined:
			continue
		case joined && other.Not:
			c.Not = true
		case joined && !c.Not:
			other.Or = append(other.Or, c)
			return true
		case other.implies(c):
			return true
		case c.implies(*other):
			*other = c
			return true
		default:
			return false
		}
	}
	if joined && !c.Not && !h.dos["hide"] {
		if !h.Where[len(h.Where)-1].Not {
			return false // bots and errors: both, or either?
		}
		c.Not = true
	}
	h.Where = append(h.Where, c)
	return true
}

// implies reports whether c is a status, and d a class that it is one of.
func (c Cond) implies(d Cond) bool {
	if c.Field != "status" || c.Not || len(c.Or)+len(d.Or) > 0 {
		return false
	}
	low, high := c.Value, c.Value
	if c.Op == "between" {
		low, high, _ = strings.Cut(c.Value, " and ")
	} else if c.Op == ">=" {
		high = "599"
	}
	from, to, isRange := strings.Cut(d.Value, " and ")
	switch d.Op {
	case ">=":
		to = "599"
	case "=":
		to = from
	default:
		if !isRange {
			return false
		}
	}
	return from <= low && high <= to
}

// only reports whether nothing is to be done but some of these.
func (h *heard) only(dos ...string) bool {
	for do := range h.dos {
		if !slices.Contains(dos, do) {
			return false
		}
	}
	return true
}

func (h *heard) any(dos ...string) bool {
	return slices.ContainsFunc(dos, func(do string) bool { return h.dos[do] })
}

// understand puts the pieces together. Each way takes all of them, or does not apply.
func (h *heard) understand() bool {
	if h.dos["chart"] {
		delete(h.dos, "chart")
		h.Chart = true
	}
	if h.dos["who"] {
		delete(h.dos, "who")
		h.dos["show"] = true
		if len(h.fields) == 0 {
			h.fields = []string{"clientip"}
			if len(h.Where) == 0 && !h.any("top", "least") || len(h.Where) == 1 && h.Where[0].Field == "clientip" {
				return false // who are you?
			}
		}
	}
	h.busy()
	plain := !h.measure && len(h.fields)+len(h.units) == 0 && h.By == "" && h.N == 0
	switch {
	case h.any("undo", "export", "ppl", "whole", "all"):
		return plain && h.command()
	case h.any("only", "hide"):
		return plain && h.narrow()
	case h.any("share", "rate"):
		return plain && h.share()
	case h.any("first", "last"):
		return plain && h.moment()
	case len(h.units) > 0 || h.any("busiest", "when") || h.Chart && plain:
		return h.timeline()
	case h.By != "" || len(h.fields) > 0:
		return h.ranking()
	}
	return h.N == 0 && !h.Chart && h.number()
}

// busy takes the busiest clients for those with the most requests, and else means a time.
func (h *heard) busy() {
	if !h.dos["busy"] {
		return
	}
	delete(h.dos, "busy")
	if len(h.fields) == 1 && len(h.units) == 0 && !h.dos["when"] {
		h.dos["top"] = true
	} else {
		h.dos["busiest"] = true
	}
}

func (h *heard) command() bool {
	for do, kind := range map[string]Kind{"undo": Undo, "export": Export, "ppl": PPL, "whole": Whole, "all": All} {
		if h.dos[do] {
			h.Kind = kind
			return h.only(do, "show", "only") && len(h.Where) == 0 && h.Time == nil && !h.Chart
		}
	}
	return false
}

func (h *heard) narrow() bool {
	h.Kind = Narrow
	if h.dos["hide"] {
		for i := range h.Where {
			h.Where[i].Not = !h.Where[i].Not
		}
	}
	return h.only("only", "hide", "show") && (len(h.Where) > 0 || h.Time != nil) && !(h.dos["hide"] && (h.Time != nil || h.dos["only"])) && !h.Chart
}

// share takes the condition apart that the share is of: the only one, or the status of a rate.
func (h *heard) share() bool {
	h.Kind = Share
	at := 0
	if h.dos["rate"] {
		at = slices.IndexFunc(h.Where, func(c Cond) bool { return c.Field == "status" })
	}
	if len(h.Where) == 0 || at < 0 || len(h.Where) > 1 && !h.dos["rate"] || h.Chart {
		return false
	}
	part := h.Where[at]
	h.Part, h.Where = &part, slices.Delete(h.Where, at, at+1)
	return h.only("share", "rate", "show")
}

func (h *heard) moment() bool {
	h.Kind, h.Agg, h.Of = Moment, "max", "timestamp"
	if h.dos["first"] {
		h.Agg = "min"
	}
	return h.only("when", "first", "last") && h.dos["when"] && !(h.dos["first"] && h.dos["last"]) && (h.noun || len(h.Where) > 0) && !h.Chart
}

// timeline is about the times with the most requests, bytes or different values.
func (h *heard) timeline() bool {
	h.Kind, h.By = Timeline, strings.Join(append(h.units, h.By), "")
	if h.By == "" {
		h.By = "hour"
	}
	if h.dos["least"] {
		delete(h.dos, "least")
		h.Least = true
	}
	if h.dos["when"] && !h.any("top", "busiest") && !h.Least {
		return false
	}
	return h.only("count", "distinct", "sum", "show", "top", "busiest", "when") && h.aggregate() && !(h.Least && h.any("top", "busiest"))
}

// ranking counts, sums or compares by a field; without "by", "how many" counts its values.
func (h *heard) ranking() bool {
	h.Kind = Ranking
	if h.By == "" && h.any("count", "distinct", "sum") && !h.any("top", "least", "show") && !h.measure && !h.noun {
		h.Kind = Number
		return h.N == 0 && !h.Chart && h.only("count", "distinct", "sum") && h.aggregate()
	}
	if h.By == "" {
		if len(h.fields) != 1 {
			return false
		}
		h.By, h.fields = h.fields[0], nil
	}
	h.Least = h.dos["least"]
	if h.any("avg", "max", "min") {
		return h.sized()
	}
	return h.only("count", "distinct", "sum", "show", "top", "least") && !(h.Least && h.dos["top"]) && h.aggregate()
}

// sized ranks by bytes. The biggest clients are those that got the most in all; only a file has a
// size of its own, and a question may say that it means one response.
func (h *heard) sized() bool {
	h.Of = "bytes"
	single := h.dos["single"] || h.By == "path" && (!h.measure || h.size)
	switch {
	case h.dos["avg"]:
		h.Agg = "avg"
	case single && h.dos["max"]:
		h.Agg = "max"
	case single:
		h.Agg, h.Least = "min", true
	default:
		h.Agg, h.Least = "sum", h.dos["min"]
	}
	one := !h.dos["single"] || h.Agg == "max" || h.Agg == "min"
	return one && h.only("avg", "max", "min", "show", "top", "single") && h.one("avg", "max", "min") && len(h.fields) == 0 && (h.measure || h.Agg != "avg") && !h.noun
}

// one reports whether exactly one of these is to be done.
func (h *heard) one(dos ...string) bool {
	n := 0
	for _, do := range dos {
		if h.dos[do] {
			n++
		}
	}
	return n == 1
}

// aggregate says what is counted or summed: requests, bytes, or different values of a field.
func (h *heard) aggregate() bool {
	h.Agg = "count"
	switch {
	case len(h.fields) > 1 || len(h.fields) == 1 && h.measure:
		return false
	case len(h.fields) == 1:
		h.Agg, h.Of = "distinct_count", h.fields[0]
		return !h.any("top", "least") || h.Kind == Timeline
	case h.measure:
		h.Agg, h.Of = "sum", "bytes"
	case h.dos["distinct"]:
		return false
	}
	return true
}

// number counts requests, or takes the sum, average or so of their bytes.
func (h *heard) number() bool {
	h.Kind = Number
	for _, agg := range []string{"avg", "max", "min"} {
		if h.dos[agg] {
			h.Agg, h.Of = agg, "bytes"
			return h.only(agg, "show", "sum", "single") && (h.measure || h.dos["single"] && agg != "avg")
		}
	}
	if !h.any("count", "sum") && !h.measure {
		h.Kind = List
		switch {
		case len(h.Where) > 0 || h.noun && h.Time != nil:
		case h.Time != nil: // the last 6 hours
			h.Kind = Narrow
		case len(h.dos) > 0:
			return false
		default:
			h.Kind = Number
		}
	}
	return h.only("count", "sum", "show") && (h.noun || h.measure || len(h.Where) > 0 || h.Kind == Narrow) && h.aggregate()
}
