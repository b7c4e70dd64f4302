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
	List     Kind = "list"     // how many requests, and their pages
	Narrow   Kind = "narrow"   // the page shall show only some requests
)

// Question is what was asked.
type Question struct {
	Kind  Kind
	Agg   string // count, distinct_count, sum, avg, min, max
	Of    string // the field of Agg, where it has one
	By    string // a field; hour, minute or day of a Timeline
	N     int    // how many of a Ranking; 0 is as usual
	Least bool   // the last ones of a Ranking
	Where []Cond
	Part  *Cond // of a Share
	Time  *Span
}

// Cond is a condition on the requests.
type Cond struct {
	Field, Op, Value string // Op: = >= like between
	Not              bool
	Or               []Cond // others of the same field, one of which is enough
}

// shapes are the kinds of questions with what they may be made of. A question has the first shape
// of which something is asked for; it must not ask for anything else. "field", "unit", "by" and
// "measure" are asked for where they are named.
var shapes = []struct {
	kind  Kind
	needs string // one of these
	may   string // and these
	fits  func(*heard) bool
}{
	{Narrow, "only hide", "show", (*heard).narrow},
	{Share, "share rate", "show", (*heard).share},
	{Moment, "first last", "when", (*heard).moment},
	{Timeline, "unit busiest when", "count distinct sum show top least field by measure", (*heard).timeline},
	{Ranking, "by field", "count distinct sum show top least avg max min single measure", (*heard).ranking},
	{Number, "", "count sum show avg max min single measure", (*heard).number},
}

// heard is what the pieces of a question say, before they make sense together.
type heard struct {
	Question
	dos    map[string]bool // what is asked for
	fields []string
	noun   bool
	size   bool // the measure is that of one response

	not, and, by bool   // wait for what follows
	before       string // the kind of the piece before, skipped words aside
	apart        bool   // words were skipped after it
}

// Read reads a question. It reports false where it does not understand all of it.
func Read(text string) (*Question, bool) {
	pieces, ok := read(text)
	h := &heard{dos: map[string]bool{}}
	for _, p := range pieces {
		ok = ok && h.hear(p)
	}
	if !ok || h.not || h.and || h.by || !h.understand() {
		return nil, false
	}
	return &h.Question, true
}

// hear takes one piece. It reports false where the piece does not fit those before.
func (h *heard) hear(p piece) (ok bool) {
	switch {
	case p.kind == "skip":
		h.apart = true
		return true
	case p.kind == "other" || h.and && p.kind != "is" && p.kind != "not":
		return false
	}
	ok = true
	switch p.kind {
	case "do":
		h.dos[p.value] = true
	case "noun":
		h.noun = true
	case "measure":
		h.dos["measure"], h.by, h.size = true, false, h.size || p.value == "size"
	case "field":
		ok = h.field(p.value)
	case "unit":
		ok = !h.dos["unit"] || h.By == p.value
		h.By, h.by, h.dos["unit"] = p.value, false, true
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
	case h.by && h.By != "":
		return false
	case h.by:
		h.By, h.by, h.dos["by"] = name, false, true
	default:
		h.fields = append(h.fields, name)
	}
	return true
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
	// "status 404", but "clients in 10.x"
	if n := len(h.fields); n > 0 && h.before == "field" && h.fields[n-1] == c.Field && !(h.apart && c.Op == "like") {
		h.fields = h.fields[:n-1]
	}
	c.Not = h.not
	joined := h.and
	h.not, h.and, h.by = false, false, false
	for i := range h.Where {
		other := &h.Where[i]
		switch {
		case other.Field != c.Field || other.Not != c.Not && !joined:
		case joined && other.Not:
			c.Not = true
		case joined && !c.Not:
			other.Or = append(other.Or, c)
			return true
		case c.anyError():
			return true
		case other.anyError():
			*other = c
			return true
		default:
			return false
		}
	}
	if joined && !c.Not && !h.dos["hide"] {
		c.Not = h.Where[len(h.Where)-1].Not
		if !c.Not {
			return false // bots and errors: both, or either?
		}
	}
	h.Where = append(h.Where, c)
	return true
}

// anyError reports whether any other status of an error says more.
func (c Cond) anyError() bool { return c.Op == ">=" && c.Value == "400" && !c.Not && len(c.Or) == 0 }

func (h *heard) any(dos ...string) bool {
	return slices.ContainsFunc(dos, func(do string) bool { return h.dos[do] })
}

// replace asks for something else in place of something.
func (h *heard) replace(do, by string) bool {
	if !h.dos[do] {
		return false
	}
	delete(h.dos, do)
	h.dos[by] = true
	return true
}

// understand finds the shape of a question.
func (h *heard) understand() bool {
	if h.replace("who", "show") && len(h.fields) == 0 {
		h.fields = []string{"clientip"}
		if len(h.Where) == 0 && !h.any("top", "least") || len(h.Where) == 1 && h.Where[0].Field == "clientip" {
			return false // who are you?
		}
	}
	if len(h.fields) == 1 && !h.any("unit", "when") {
		h.replace("busy", "top") // the busiest clients, but the busiest hour
	}
	h.replace("busy", "busiest")
	h.dos["field"] = len(h.fields) > 0
	for _, s := range shapes {
		needs := strings.Fields(s.needs)
		if len(needs) > 0 && !h.any(needs...) {
			continue
		}
		allowed := append(needs, strings.Fields(s.may)...)
		for do, asked := range h.dos {
			if asked && !slices.Contains(allowed, do) {
				return false
			}
		}
		h.Kind = s.kind
		return s.fits(h) && (h.N == 0 || h.Kind == Ranking || h.Kind == Timeline)
	}
	return false
}

func (h *heard) narrow() bool {
	for i := range h.Where {
		h.Where[i].Not = h.Where[i].Not != h.dos["hide"]
	}
	return (len(h.Where) > 0 || h.Time != nil) && !(h.dos["hide"] && (h.Time != nil || h.dos["only"]))
}

// share takes the condition apart that the share is of: the only one, or the status of a rate.
func (h *heard) share() bool {
	at := 0
	if h.dos["rate"] {
		at = slices.IndexFunc(h.Where, func(c Cond) bool { return c.Field == "status" })
	}
	if len(h.Where) == 0 || at < 0 || len(h.Where) > 1 && !h.dos["rate"] {
		return false
	}
	part := h.Where[at]
	h.Part, h.Where = &part, slices.Delete(h.Where, at, at+1)
	return true
}

func (h *heard) moment() bool {
	h.Agg, h.Of = "max", "timestamp"
	if h.dos["first"] {
		h.Agg = "min"
	}
	return h.dos["when"] && !(h.dos["first"] && h.dos["last"]) && (h.noun || len(h.Where) > 0)
}

// timeline is about the times with the most requests, bytes or different values.
func (h *heard) timeline() bool {
	if !h.dos["unit"] {
		if h.By != "" {
			return false
		}
		h.By = "hour"
	}
	h.Least = h.dos["least"]
	if h.dos["when"] && !h.any("top", "busiest", "least") || h.Least && h.any("top", "busiest") {
		return false
	}
	return h.aggregate()
}

// ranking counts, sums or compares by a field; without "by", "how many" counts its values.
func (h *heard) ranking() bool {
	if h.By == "" {
		if len(h.fields) != 1 {
			return false
		}
		if h.any("count", "distinct", "sum") && !h.any("top", "least", "show", "measure") && !h.noun {
			h.Kind = Number
			return h.aggregate()
		}
		h.By, h.fields = h.fields[0], nil
	}
	h.Least = h.dos["least"]
	return !(h.Least && h.dos["top"]) && h.aggregate()
}

// number counts requests, or takes the sum, average or so of their bytes.
func (h *heard) number() bool {
	switch {
	case h.any("count", "sum", "measure", "avg", "max", "min", "single"):
		return (h.noun || h.any("measure", "single") || len(h.Where) > 0) && h.aggregate()
	case len(h.Where) > 0 || h.noun && h.Time != nil:
		h.Kind = List
	case h.Time != nil: // the last 6 hours
		h.Kind = Narrow
	case h.dos["show"] || !h.noun:
		return false
	}
	return h.aggregate()
}

// aggregate says what is counted or summed: requests, bytes, or different values of a field.
func (h *heard) aggregate() bool {
	h.Agg = "count"
	switch {
	case h.any("avg", "max", "min", "single"):
		return h.sized()
	case len(h.fields) > 1 || len(h.fields) == 1 && h.dos["measure"]:
		return false
	case len(h.fields) == 1:
		h.Agg, h.Of = "distinct_count", h.fields[0]
		return !h.any("top", "least") || h.Kind == Timeline
	case h.dos["measure"]:
		h.Agg, h.Of = "sum", "bytes"
	}
	return h.Agg == "sum" || !h.dos["distinct"]
}

// sized is about bytes. The biggest clients are those that got the most in all; only a file has a
// size of its own, and a question may say that it means one response.
func (h *heard) sized() bool {
	one := h.dos["single"]
	single := one || h.Kind == Number || h.By == "path" && (!h.dos["measure"] || h.size)
	h.Of = "bytes"
	switch max, min := h.dos["max"], h.dos["min"]; {
	case h.any("count", "distinct", "least") || len(h.fields) > 0 || h.Kind == Ranking && (h.noun || h.dos["sum"]):
		return false
	case h.dos["avg"]:
		h.Agg = "avg"
		return !max && !min && !one && h.dos["measure"]
	case max == min:
		return false
	case single && max:
		h.Agg = "max"
	case single:
		h.Agg, h.Least = "min", true
	default:
		h.Agg, h.Least = "sum", min
	}
	return h.Kind == Ranking || one || h.dos["measure"]
}
