package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a compiled schema: the rules of its keywords. Without any it accepts everything.
type node struct {
	rules    []rule
	decisive int // of the first so many, one that fails ends the check
}

// rule checks a value and notes what is wrong with it.
type rule func(a *attempt, value any, at *place)

// compiler compiles one schema, which has passed the linter: its references end.
type compiler struct {
	root   map[string]any
	draft  int // 7, 2019 or 2020
	nodes  map[jsontext.Pointer]*node
	tracks bool  // a keyword asks what others have evaluated
	steps  int   // of the patterns so far
	err    error // the first
}

// compileNode compiles what lint accepts.
func compileNode(root map[string]any) (n *node, tracks bool, err error) {
	c := &compiler{root: root, draft: draftOf(root), nodes: map[jsontext.Pointer]*node{}}
	n = c.schema(root, "")
	return n, c.tracks, c.err
}

func draftOf(root map[string]any) int {
	dialect, _ := root["$schema"].(string)
	if draft, ok := dialects[strings.TrimSuffix(dialect, "#")]; ok {
		return draft
	}
	return 2020
}

// schema compiles the schema at a pointer. After an error it returns a node that nobody may use.
func (c *compiler) schema(v any, pointer jsontext.Pointer) *node {
	if n, ok := c.nodes[pointer]; ok {
		return n
	}
	n := &node{}
	c.nodes[pointer] = n
	switch v := v.(type) {
	case bool:
		if !v {
			n.rules = []rule{refuseAll}
		}
	case map[string]any:
		o := object{c, v, pointer}
		if o.checkShapes(); c.err == nil {
			n.compile(o)
		}
	default:
		c.fail(pointer, "expected boolean or object, got "+typeName(v))
	}
	return n
}

// compile adds the rules of an object's keywords, in the order in which problems are told.
func (n *node) compile(o object) {
	// what only references use is compiled as well: a mistake in it is told, used or not
	o.byName("$defs")
	o.byName("definitions")
	if o.c.draft == 7 && o.has("$ref") { // draft-07 ignores what stands beside a reference
		n.add(o.reference())
		return
	}
	// who writes a number for a name need not hear how long the name must be
	n.add(o.types(), o.constant(), o.enum(), o.formatted())
	n.decisive = len(n.rules)
	n.add(o.reference())
	n.add(o.memberCount(), o.required(), o.dependencies(), o.properties(), o.propertyNames())
	n.add(o.itemCount(), o.uniqueItems(), o.itemSchemas(), o.contains())
	n.add(o.length(), o.pattern(), o.numbers())
	n.add(o.not(), o.allOf(), o.anyOf(), o.oneOf(), o.conditional())
	n.add(o.unevaluated())
}

// add adds the rules that there are.
func (n *node) add(rules ...rule) {
	for _, r := range rules {
		if r != nil {
			n.rules = append(n.rules, r)
		}
	}
}

func (c *compiler) fail(pointer jsontext.Pointer, problem string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", Path(pointer), problem)
	}
}

// object is a schema that is being compiled. Its keywords have the shapes they must have.
type object struct {
	c       *compiler
	values  map[string]any
	pointer jsontext.Pointer
}

func (o object) has(name string) bool { _, ok := o.values[name]; return ok }

func (o object) below(names ...string) jsontext.Pointer {
	pointer := o.pointer
	for _, name := range names {
		pointer = pointer.AppendToken(name)
	}
	return pointer
}

// schema compiles the schema that a keyword holds; nil if there is none.
func (o object) schema(name string) *node {
	v, ok := o.values[name]
	if !ok {
		return nil
	}
	return o.c.schema(v, o.below(name))
}

// schemas compiles a keyword's list of schemas.
func (o object) schemas(name string) []*node {
	list, _ := o.values[name].([]any)
	nodes := make([]*node, len(list))
	for i, v := range list {
		nodes[i] = o.c.schema(v, o.below(name, strconv.Itoa(i)))
	}
	return nodes
}

// named is a schema under a name.
type named struct {
	name string
	node *node
}

// byName compiles a keyword's schemas by name, sorted, so that problems have an order.
func (o object) byName(name string) []named {
	members, _ := o.values[name].(map[string]any)
	var nodes []named
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if _, names := members[member].([]any); names {
			continue // of dependencies, which may hold lists of names
		}
		nodes = append(nodes, named{member, o.c.schema(members[member], o.below(name, member))})
	}
	return nodes
}

func (o object) text(name string) (string, bool) { s, ok := o.values[name].(string); return s, ok }

func (o object) names(name string) []string { return texts(o.values[name]) }

func texts(v any) []string {
	list, _ := v.([]any)
	names := make([]string, 0, len(list))
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func (o object) number(name string) *big.Rat {
	if n, ok := o.values[name].(json.Number); ok {
		return rational(n)
	}
	return nil
}

func (o object) count(name string) (int, bool) {
	n := o.number(name)
	if n == nil {
		return 0, false
	}
	return int(n.Num().Int64()), true
}

// rational returns the exact value of a number; nil for one that Check would refuse as too
// expensive, as a client's state or answer may have.
func rational(n json.Number) *big.Rat {
	if checkNumber(string(n)) != nil {
		return nil
	}
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

func isWhole(n json.Number) bool { r := rational(n); return r != nil && r.IsInt() }
