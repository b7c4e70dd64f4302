package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// attempt is one schema applied to one value: what is wrong, and for the keywords that ask, what of
// the value it has evaluated.
type attempt struct {
	tracks    bool
	work      *int // what the check of the whole value may still cost; negative once it is too much
	problems  []problem
	evaluated map[any]bool // by name of the member, or index of the item
}

type problem struct {
	at   *place
	deep int // how far inside the value the problem is, or the closest of several shapes fails
	text string
}

// place is where a value is inside another.
type place struct {
	in    *place
	name  string // of the member
	index int    // of the item, where there is no name
	deep  int
}

// outside is the place of the whole value.
var outside = &place{}

func (p *place) member(name string) *place { return &place{in: p, name: "." + name, deep: p.deep + 1} }
func (p *place) item(i int) *place         { return &place{in: p, index: i, deep: p.deep + 1} }

func (p *place) String() string {
	if p.in == nil {
		return "$"
	}
	if p.name != "" {
		return p.in.String() + p.name
	}
	return p.in.String() + "[" + strconv.Itoa(p.index) + "]"
}

// maxWork limits what checking one value may cost, in rules that are applied to a member, an item
// or a short text. Unlimited, a page's tool of 12 KB takes minutes for arguments of 256 KiB.
const maxWork = 1 << 20

// spend counts work.
func (a *attempt) spend(work int) { *a.work -= work }

// try applies a schema.
func (a *attempt) try(n *node, value any, at *place) *attempt {
	sub := &attempt{tracks: a.tracks, work: a.work}
	a.spend(1)
	cost := 1 + breadth(value)
	for i, check := range n.rules {
		if i <= n.decisive && len(sub.problems) > 0 || *a.work < 0 {
			break
		}
		a.spend(cost)
		check(sub, value, at)
	}
	return sub
}

// breadth returns how much there is for a rule to look at in a value, without what its parts hold.
func breadth(value any) int {
	switch v := value.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	case string:
		return len(v) / 64
	}
	return 0
}

// inside applies a schema to a member or an item.
func (a *attempt) inside(n *node, value any, at *place) {
	a.problems = append(a.problems, a.try(n, value, at).problems...)
}

// also applies another schema to the same value.
func (a *attempt) also(n *node, value any, at *place) {
	a.take(a.try(n, value, at))
}

// take adds the outcome of another schema for the same value.
func (a *attempt) take(sub *attempt) {
	a.problems = append(a.problems, sub.problems...)
	for key := range sub.evaluated {
		a.evaluate(key)
	}
}

func (a *attempt) ok() bool { return len(a.problems) == 0 }

// evaluate notes that a member or an item has been evaluated.
func (a *attempt) evaluate(key any) {
	if !a.tracks {
		return
	}
	if a.evaluated == nil {
		a.evaluated = map[any]bool{}
	}
	a.evaluated[key] = true
}

func (a *attempt) wrong(at *place, format string, args ...any) {
	a.spend(len(args) + 1)
	a.problems = append(a.problems, problem{at, at.deep, fmt.Sprintf(format, args...)})
}

// fitsNone notes that none of several schemas fits, and what is wrong with the closest one, which
// fails deepest inside the value.
func (a *attempt) fitsNone(failed []*attempt, at *place) {
	closest, deepest := problem{}, -1
	for _, f := range failed {
		for _, p := range f.problems {
			if p.deep > deepest {
				closest, deepest = p, p.deep
			}
		}
	}
	text := fmt.Sprintf("fits none of %d allowed shapes (closest: %s)", len(failed), closest)
	a.problems = append(a.problems, problem{at, deepest, text})
}

func (p problem) String() string { return p.at.String() + ": " + p.text }

// maxProblems limits the problems listed in an error. A model corrects a few at a time.
const maxProblems = 5

// explain lists the problems: "$.filters[0].op: must be one of "is", "is not"; $.to: missing".
func explain(problems []problem) string {
	var texts []string
	for _, p := range problems[:min(len(problems), maxProblems)] {
		texts = append(texts, p.String())
	}
	if more := len(problems) - maxProblems; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(texts, "; ")
}
