package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// of makes a rule for the values of one type.
func of[T any](check func(a *attempt, value T, at *place)) rule {
	return func(a *attempt, value any, at *place) {
		if v, ok := value.(T); ok {
			check(a, v, at)
		}
	}
}

func refuseAll(a *attempt, _ any, at *place) { a.wrong(at, "is not allowed here") }

func (o object) types() rule {
	want := o.names("type")
	if one, ok := o.text("type"); ok {
		want = []string{one}
	}
	if len(want) == 0 {
		return nil
	}
	integers := slices.Contains(want, "integer")
	return func(a *attempt, value any, at *place) {
		got := typeName(value)
		if slices.Contains(want, got) {
			return
		}
		if n, ok := value.(json.Number); ok && integers && isWhole(n) {
			return
		}
		a.wrong(at, "expected %s, got %s", strings.Join(want, " or "), got)
	}
}

func (o object) constant() rule {
	want, ok := o.values["const"]
	if !ok {
		return nil
	}
	canon := canonical(want)
	return func(a *attempt, value any, at *place) {
		if a.canonical(value) != canon {
			a.wrong(at, "must be %s", list([]any{want}))
		}
	}
}

func (o object) enum() rule {
	want, ok := o.values["enum"].([]any)
	if !ok {
		return nil
	}
	allowed := map[string]bool{}
	for _, v := range want {
		allowed[canonical(v)] = true
	}
	return func(a *attempt, value any, at *place) {
		if !allowed[a.canonical(value)] {
			a.wrong(at, "must be one of %s", list(want))
		}
	}
}

// formatted checks formats as draft-07 does. For later drafts they are notes for a reader.
func (o object) formatted() rule {
	name, _ := o.text("format")
	valid, known := formats[name]
	if !known || o.c.draft != 7 {
		return nil
	}
	return of(func(a *attempt, s string, at *place) {
		if !valid(s) {
			a.wrong(at, "must be a valid %s", name)
		}
	})
}

func (o object) reference() rule {
	ref, ok := o.text("$ref")
	if !ok {
		return nil
	}
	target, pointer, err := resolve(o.c.root, strings.TrimPrefix(ref, "#"))
	if err != nil {
		o.c.fail(o.below("$ref"), err.Error())
		return nil
	}
	n := o.c.schema(target, pointer)
	return func(a *attempt, value any, at *place) { a.also(n, value, at) }
}

func (o object) memberCount() rule {
	return counted(o, "minProperties", "maxProperties", "properties", func(m map[string]any) int { return len(m) })
}

func (o object) itemCount() rule {
	return counted(o, "minItems", "maxItems", "items", func(items []any) int { return len(items) })
}

func (o object) length() rule {
	return counted(o, "minLength", "maxLength", "characters", utf8.RuneCountInString)
}

// counted makes the rule of a minimum and a maximum of what a value has.
func counted[T any](o object, minimum, maximum, what string, size func(T) int) rule {
	least, hasLeast := o.count(minimum)
	most, hasMost := o.count(maximum)
	if !hasLeast && !hasMost {
		return nil
	}
	return of(func(a *attempt, value T, at *place) {
		n := size(value)
		if hasLeast && n < least {
			a.wrong(at, "must have at least %d %s, has %d", least, what, n)
		}
		if hasMost && n > most {
			a.wrong(at, "must have at most %d %s, has %d", most, what, n)
		}
	})
}

func (o object) required() rule {
	names := o.names("required")
	if len(names) == 0 {
		return nil
	}
	return of(func(a *attempt, value map[string]any, at *place) {
		if missing := missing(value, names); len(missing) > 0 {
			a.wrong(at, "missing required %s", quoteAll(missing))
		}
	})
}

func missing(value map[string]any, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := value[name]
		return ok
	})
}

// dependencies are what a member asks for if it is there: other members, or a schema for the whole.
func (o object) dependencies() rule {
	needs := map[string][]string{}
	schemas := o.byName("dependencies")
	lists := []string{"dependencies"}
	if o.c.draft > 7 {
		schemas = append(schemas, o.byName("dependentSchemas")...)
		lists = append(lists, "dependentRequired")
	}
	for _, keyword := range lists {
		members, _ := o.values[keyword].(map[string]any)
		for name, v := range members {
			needs[name] = append(needs[name], texts(v)...)
		}
	}
	if len(needs) == 0 && len(schemas) == 0 {
		return nil
	}
	return of(func(a *attempt, value map[string]any, at *place) {
		for _, name := range slices.Sorted(maps.Keys(needs)) {
			if _, ok := value[name]; !ok {
				continue
			}
			if missing := missing(value, needs[name]); len(missing) > 0 {
				a.wrong(at, "missing %s, which %q requires", quoteAll(missing), name)
			}
		}
		for _, s := range schemas {
			if _, ok := value[s.name]; ok {
				a.also(s.node, value, at)
			}
		}
	})
}

// pattern is a regular expression for the names of members, with their schema.
type pattern struct {
	matches func(a *attempt, name string) bool
	node    *node
}

// patterns returns those of patternProperties. One that is not checked allows any member anything.
func (o object) patterns() []pattern {
	var patterns []pattern
	for _, p := range o.byName("patternProperties") {
		known := pattern{o.c.matcher(p.name), p.node}
		if known.matches == nil {
			known = pattern{func(*attempt, string) bool { return true }, &node{}}
		}
		patterns = append(patterns, known)
	}
	return patterns
}

// properties checks members: by name, by pattern, and those that neither declares.
func (o object) properties() rule {
	declared := map[string]*node{}
	for _, p := range o.byName("properties") {
		declared[p.name] = p.node
	}
	patterns := o.patterns()
	others := o.schema("additionalProperties")
	closed := o.values["additionalProperties"] == false
	if len(declared) == 0 && len(patterns) == 0 && others == nil {
		return nil
	}
	return of(func(a *attempt, value map[string]any, at *place) {
		var unknown []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			nodes := a.candidates(declared, patterns, name)
			switch {
			case len(nodes) > 0:
			case closed:
				unknown = append(unknown, name)
			case others != nil:
				nodes = append(nodes, others)
			}
			for _, n := range nodes {
				a.inside(n, value[name], at.member(name))
				a.evaluate(name)
			}
		}
		if len(unknown) > 0 {
			a.wrong(at, "unknown %s", quoteAll(unknown))
		}
	})
}

// candidates returns the schemas of a member.
func (a *attempt) candidates(declared map[string]*node, patterns []pattern, name string) []*node {
	var nodes []*node
	if n, ok := declared[name]; ok {
		nodes = append(nodes, n)
	}
	for _, p := range patterns {
		if p.matches(a, name) {
			nodes = append(nodes, p.node)
		}
	}
	return nodes
}

func (o object) propertyNames() rule {
	n := o.schema("propertyNames")
	if n == nil {
		return nil
	}
	return of(func(a *attempt, value map[string]any, at *place) {
		for _, name := range slices.Sorted(maps.Keys(value)) {
			for _, p := range a.try(n, name, at).problems {
				a.wrong(at, "the name %q %s", name, p.text)
			}
		}
	})
}

func (o object) uniqueItems() rule {
	if o.values["uniqueItems"] != true {
		return nil
	}
	return of(func(a *attempt, items []any, at *place) {
		first := map[string]int{}
		for i, item := range items {
			canon := a.canonical(item)
			if j, twice := first[canon]; twice {
				a.wrong(at, "items at %d and %d are equal", j, i)
				return
			}
			first[canon] = i
		}
	})
}

// itemSchemas checks items: the first by place, the others alike.
func (o object) itemSchemas() rule {
	prefix, others := o.schemas("prefixItems"), (*node)(nil)
	if o.c.draft < 2020 {
		prefix = nil
	}
	switch _, list := o.values["items"].([]any); {
	case !list:
		others = o.schema("items")
	case o.c.draft < 2020:
		prefix, others = o.schemas("items"), o.schema("additionalItems")
	default:
		o.c.fail(o.below("items"), "expected boolean or object, got array")
	}
	if len(prefix) == 0 && others == nil {
		return nil
	}
	return of(func(a *attempt, items []any, at *place) {
		for i, item := range items {
			n := others
			if i < len(prefix) {
				n = prefix[i]
			}
			if n == nil {
				return
			}
			a.inside(n, item, at.item(i))
			a.evaluate(i)
		}
	})
}

func (o object) contains() rule {
	n := o.schema("contains")
	if n == nil {
		return nil
	}
	least, most, hasMost := 1, 0, false
	if o.c.draft > 7 {
		if n, ok := o.count("minContains"); ok {
			least = n
		}
		most, hasMost = o.count("maxContains")
	}
	return of(func(a *attempt, items []any, at *place) {
		fit := 0
		for i, item := range items {
			if !a.try(n, item, at.item(i)).ok() {
				continue
			}
			fit++
			if o.c.draft >= 2020 {
				a.evaluate(i)
			}
		}
		if fit < least {
			a.wrong(at, "must contain at least %d items of the shape asked for, has %d", least, fit)
		}
		if hasMost && fit > most {
			a.wrong(at, "must contain at most %d items of the shape asked for, has %d", most, fit)
		}
	})
}

func (o object) pattern() rule {
	text, ok := o.text("pattern")
	if !ok {
		return nil
	}
	matches := o.c.matcher(text)
	if matches == nil {
		return nil
	}
	return of(func(a *attempt, s string, at *place) {
		if !matches(a, s) {
			a.wrong(at, "must match the pattern %s", strconv.Quote(text))
		}
	})
}

// bounds are the keywords of numbers, and what they make of a comparison with the value.
var bounds = []struct {
	keyword string
	fits    func(value, bound *big.Rat) bool
	text    string
}{
	{"minimum", func(v, b *big.Rat) bool { return v.Cmp(b) >= 0 }, "must be at least "},
	{"maximum", func(v, b *big.Rat) bool { return v.Cmp(b) <= 0 }, "must be at most "},
	{"exclusiveMinimum", func(v, b *big.Rat) bool { return v.Cmp(b) > 0 }, "must be more than "},
	{"exclusiveMaximum", func(v, b *big.Rat) bool { return v.Cmp(b) < 0 }, "must be less than "},
	{"multipleOf", func(v, b *big.Rat) bool { return new(big.Rat).Quo(v, b).IsInt() }, "must be a multiple of "},
}

func (o object) numbers() rule {
	limits := make([]*big.Rat, len(bounds))
	some := false
	for i, b := range bounds {
		limits[i] = o.number(b.keyword)
		some = some || limits[i] != nil
	}
	if !some {
		return nil
	}
	return of(func(a *attempt, n json.Number, at *place) {
		value := rational(n)
		if value == nil {
			a.wrong(at, "is out of range")
			return
		}
		a.spend(value.Num().BitLen() / 64)
		for i, b := range bounds {
			if limits[i] != nil && !b.fits(value, limits[i]) {
				a.wrong(at, "%s%s", b.text, o.values[b.keyword])
			}
		}
	})
}

func (o object) not() rule {
	n := o.schema("not")
	if n == nil {
		return nil
	}
	return func(a *attempt, value any, at *place) {
		if a.try(n, value, at).ok() {
			a.wrong(at, "has a shape that is not allowed")
		}
	}
}

func (o object) allOf() rule {
	nodes := o.schemas("allOf")
	if len(nodes) == 0 {
		return nil
	}
	return func(a *attempt, value any, at *place) {
		for _, n := range nodes {
			a.also(n, value, at)
		}
	}
}

func (o object) anyOf() rule {
	nodes := o.schemas("anyOf")
	if len(nodes) == 0 {
		return nil
	}
	return func(a *attempt, value any, at *place) {
		var failed []*attempt
		for _, n := range nodes {
			sub := a.try(n, value, at)
			if !sub.ok() {
				failed = append(failed, sub)
				continue
			}
			a.take(sub)
			if !a.tracks {
				return
			}
		}
		if len(failed) == len(nodes) {
			a.fitsNone(failed, at)
		}
	}
}

func (o object) oneOf() rule {
	nodes := o.schemas("oneOf")
	if len(nodes) == 0 {
		return nil
	}
	return func(a *attempt, value any, at *place) {
		var failed []*attempt
		fits := -1
		for i, n := range nodes {
			sub := a.try(n, value, at)
			switch {
			case !sub.ok():
				failed = append(failed, sub)
			case fits >= 0:
				a.wrong(at, "fits more than one of the allowed shapes, numbers %d and %d", fits+1, i+1)
				return
			default:
				fits = i
				a.take(sub)
			}
		}
		if fits < 0 {
			a.fitsNone(failed, at)
		}
	}
}

func (o object) conditional() rule {
	condition, then, otherwise := o.schema("if"), o.schema("then"), o.schema("else")
	if condition == nil {
		return nil
	}
	return func(a *attempt, value any, at *place) {
		next := otherwise
		if tried := a.try(condition, value, at); tried.ok() {
			a.take(tried)
			next = then
		}
		if next != nil {
			a.also(next, value, at)
		}
	}
}

// unevaluated checks what no other keyword has evaluated, those of schemas for the same value
// included.
func (o object) unevaluated() rule {
	if o.c.draft == 7 {
		return nil
	}
	members, items := o.schema("unevaluatedProperties"), o.schema("unevaluatedItems")
	if members == nil && items == nil {
		return nil
	}
	o.c.tracks = true
	return func(a *attempt, value any, at *place) {
		switch value := value.(type) {
		case map[string]any:
			if members != nil {
				a.otherMembers(members, value, at)
			}
		case []any:
			if items != nil {
				a.otherItems(items, value, at)
			}
		}
	}
}

func (a *attempt) otherMembers(n *node, value map[string]any, at *place) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !a.evaluated[name] {
			a.inside(n, value[name], at.member(name))
			a.evaluate(name)
		}
	}
}

func (a *attempt) otherItems(n *node, value []any, at *place) {
	for i, item := range value {
		if !a.evaluated[i] {
			a.inside(n, item, at.item(i))
			a.evaluate(i)
		}
	}
}
