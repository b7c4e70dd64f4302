package config

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/upstream"
)

// Limits on what aliases can make of a small file.
const (
	maxNodes = 100_000
	maxDepth = 64
)

// reader walks the nodes of a document beside the schema of the file. It notes the line of each
// value and every problem, and leaves wrong values out of what it returns, so that the problems of
// the rest are found too. A key that the schema does not have counts as the one that was meant.
type reader struct {
	*Source
	grammar  grammar
	problems Errors
	broken   bool // the file would mean something else than a reader sees: it is not read on
	nodes    int
	depth    int
}

// decode reads a document into the file and returns what is wrong with it. The error is for a
// document that is refused as a whole.
func (s *Source) decode(root *yaml.Node) (Errors, error) {
	g, err := fileGrammar()
	if err != nil {
		return nil, err
	}
	r := &reader{Source: s, grammar: g}
	doc, ok := r.value("", root, g.root)
	if r.broken {
		return nil, r.problems[len(r.problems)-1:]
	}
	if !ok {
		return r.problems, nil
	}
	raw, err := json.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(raw, &s.File)
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration %s: %w", s.Path, err)
	}
	return r.problems, nil
}

func (r *reader) fail(path, format string, args ...any) (any, bool) {
	if !r.broken {
		r.problems = append(r.problems, r.error(path, format, args...))
	}
	return nil, false
}

// refuse refuses the whole document. Nothing is reported after it.
func (r *reader) refuse(path string, n *yaml.Node, reason string) (any, bool) {
	r.problems, r.broken = append(r.problems, Error{r.Path, n.Line, path, reason}), true
	return nil, false
}

// value returns what a node holds, as encoding/json has it. A nil schema allows anything.
func (r *reader) value(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	if r.broken {
		return nil, false
	}
	r.nodes++
	r.depth++
	defer func() { r.depth-- }()
	if r.nodes > maxNodes || r.depth > maxDepth {
		return r.refuse(path, n, "the file is too large or too deep")
	}
	if _, known := r.lines[path]; !known {
		r.lines[path] = n.Line
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(path, n.Alias, s)
	case yaml.MappingNode:
		return r.object(path, n, s)
	case yaml.SequenceNode:
		return r.list(path, n, s)
	}
	return r.scalar(path, n, s)
}

// member is one line of a mapping.
type member struct {
	key   string
	value *yaml.Node
}

func (r *reader) object(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	if !allows(s, "object") {
		return r.wrong(path, n, s)
	}
	members := r.members(path, n)
	if s != nil && s.Properties != nil {
		members = r.known(path, members, s)
	}
	object := map[string]any{}
	for _, m := range members {
		at, about := jsonPath(path, m.key), memberSchema(s, m.key)
		v, ok := r.value(at, m.value, about)
		if !ok {
			continue
		}
		object[m.key] = v
		if upstream.Sensitive().MatchString(m.key) {
			r.notHere(at, v, about)
		}
	}
	if s != nil {
		r.required(path, members, s)
	}
	return object, true
}

// members returns what a mapping holds. It refuses duplicate keys, keys that are not text, and
// merge keys: a file should mean what a reader sees.
func (r *reader) members(path string, n *yaml.Node) (list []member) {
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		at := jsonPath(path, key.Value)
		switch {
		case key.Tag == "!!merge":
			r.refuse(path, key, "merge keys (<<) cannot be used")
		case key.Kind != yaml.ScalarNode:
			r.refuse(path, key, "a key must be text")
		case seen[key.Value]:
			r.refuse(at, key, "appears twice")
		}
		if r.broken {
			return nil
		}
		seen[key.Value], r.lines[at] = true, key.Line
		list = append(list, member{key.Value, n.Content[i+1]})
	}
	return list
}

// known returns the members that the schema has. Another one stands for the key that was meant,
// unless that is there too.
func (r *reader) known(path string, members []member, s *jsonschema.Schema) (list []member) {
	var others []member
	for _, m := range members {
		if s.Properties[m.key] != nil {
			list = append(list, m)
		} else {
			others = append(others, m)
		}
	}
	for _, m := range others {
		has := func(key string) bool { return find(list, key) != nil }
		target, advice := meantKey(m.key, r.grammar.names[s], keys(s.Properties), has)
		at := jsonPath(path, m.key)
		r.fail(at, "unknown key; %s", advice)
		if target != "" && !has(target) {
			r.lines[jsonPath(path, target)] = r.lines[at]
			list = append(list, member{target, m.value})
		}
	}
	return list
}

// find returns the value of a member, or nil.
func find(members []member, key string) *yaml.Node {
	for _, m := range members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// notHere refuses a secret that stands in the file itself.
func (r *reader) notHere(at string, v any, s *jsonschema.Schema) {
	text, _ := v.(string)
	if s != nil && r.grammar.names[s] == secretType && text != "" && !Secret(text).isReference() {
		r.fail(at, "looks like a secret, which must not be in this file: "+
			"write env:NAME, file:PATH or text with ${env:NAME}")
	}
}

// memberSchema returns the schema of a member, nil for any value.
func memberSchema(s *jsonschema.Schema, key string) *jsonschema.Schema {
	switch {
	case s == nil:
		return nil
	case s.Properties != nil:
		return s.Properties[key]
	}
	return s.AdditionalProperties
}

// advised is a field that the schema asks for, so that editors do, and a file may leave out.
const advised = "Tool.description"

// required reports members that must be there and are not, or are empty.
func (r *reader) required(path string, members []member, s *jsonschema.Schema) {
	for _, key := range s.Required {
		about := s.Properties[key]
		n := find(members, key)
		switch {
		case r.grammar.names[s]+"."+key == advised:
		case n != nil && about.Type == "integer" && n.Value == "0":
			r.fail(jsonPath(path, key), "must be more than 0")
		case n == nil || n.Tag == "!!null" || n.Value == "" && len(n.Content) == 0 && n.Alias == nil:
			r.fail(jsonPath(path, key), "%s", strings.TrimSuffix("must not be empty: "+about.Description, ": "))
		}
	}
}

func (r *reader) list(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	if !allows(s, "array") {
		return r.wrong(path, n, s)
	}
	var items *jsonschema.Schema
	if s != nil {
		items = s.Items
	}
	list, before := []any{}, map[string]bool{}
	for i, item := range n.Content {
		at := path + jsonx.Index(i)
		v, ok := r.value(at, item, items)
		if ok && items != nil {
			r.unlike(at, v, items, before)
			r.notHere(at, v, items)
		}
		list = append(list, v)
	}
	return list, true
}

// unlike reports an item that is the same choice as one before, or has the name of one.
func (r *reader) unlike(at string, v any, s *jsonschema.Schema, before map[string]bool) {
	name, isText := v.(string)
	if object, ok := v.(map[string]any); ok && len(s.Required) > 0 && slices.Contains(named, s.Required[0]) {
		name, isText = object[s.Required[0]].(string)
		at = jsonPath(at, s.Required[0])
	} else if s.Enum == nil {
		return
	} else if name == "" {
		r.fail(at, "must not be empty")
	}
	if isText && before[name] {
		r.fail(at, "%q is there twice", name)
	}
	before[name] = true
}

// named are the required fields that tell the items of a list apart.
var named = []string{"id", "name", "issuer"}

func (r *reader) scalar(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	switch n.Tag {
	case "!!null":
		if s != nil && (s.Pattern != "" || isObject(s)) {
			return r.wrong(path, n, s)
		}
		return nil, true
	case "!!bool":
		var v bool
		if n.Decode(&v) != nil || !allows(s, "boolean") {
			return r.wrong(path, n, s)
		}
		return v, true
	case "!!int", "!!float":
		return r.number(path, n, s)
	}
	return r.text(path, n, s) // times too
}

// number returns a number. None in the file may be negative.
func (r *reader) number(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	if !allows(s, "integer") && !allows(s, "number") {
		return r.wrong(path, n, s)
	}
	var v float64
	if err := n.Decode(&v); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return r.fail(path, "is a number that cannot be used")
	}
	var whole int64
	if err := n.Decode(&whole); err != nil && n.Tag == "!!int" {
		return r.fail(path, "is a number that is too large")
	}
	switch {
	case s != nil && v < 0:
		return r.fail(path, "must not be negative")
	case n.Tag == "!!int" || float64(whole) == v:
		return whole, true
	case !allows(s, "number"):
		return r.wrong(path, n, s)
	}
	return v, true
}

// text returns a text, of which the schema may say what it looks like.
func (r *reader) text(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	switch {
	case s == nil:
		return n.Value, true
	case !allows(s, "string"), isObject(s) && !strings.HasPrefix(n.Value, "file:"):
		return r.wrong(path, n, s)
	}
	if s.Pattern != "" { // that of durations
		if _, err := parseDuration(n.Value); err != nil {
			return r.fail(path, "%v", err)
		}
	}
	if s.Enum != nil && n.Value != "" && !slices.Contains(s.Enum, any(n.Value)) {
		may := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			may[i] = fmt.Sprint(v)
		}
		return r.fail(path, "must be one of %s, not %q%s", strings.Join(may, ", "), n.Value, didYouMean(n.Value, may))
	}
	return n.Value, true
}

// allows reports whether a value may be of a JSON type.
func allows(s *jsonschema.Schema, kind string) bool {
	return s == nil || s.Type == kind || slices.Contains(s.Types, kind) || s.Type == "" && s.Types == nil
}

// isObject reports whether a value is an Object.
func isObject(s *jsonschema.Schema) bool { return slices.Contains(s.Types, "object") }

// wrong reports a value of another type than the schema's.
func (r *reader) wrong(path string, n *yaml.Node, s *jsonschema.Schema) (any, bool) {
	switch {
	case s.Pattern != "":
		return r.fail(path, "%v", errDuration)
	case isObject(s):
		return r.fail(path, "%v", errObject)
	}
	return r.fail(path, "must be %s%s", inWords[s.Type], howToWrite(path, n, s.Type))
}

// inWords are the JSON types in words.
var inWords = map[string]string{
	"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	"array": "an array", "object": "an object",
}

// written says how values are written that people often write otherwise, by their type and path.
var written = []struct {
	kind string
	at   func() *regexp.Regexp
	how  string
}{
	{"string", lazy.Regexp(`^mcp\..+\.command$`), ": the program alone; its arguments go in args: [...]"},
	{"string", lazy.Regexp(`^(?:tools\[\d+\]|mcp\..+|a2a\..+)\.approval$`), ": never, always or policy"},
	{"string", lazy.Regexp(`^tools\[\d+\]\.body$`), `: a template, such as '{"room": {{ .room }}}'`},
	{"object", lazy.Regexp(`^models\.[^.]+$`), ": {use: provider/name}"},
	{"object", lazy.Regexp(`\bsuggestions\[\d+\]$`), ": {label: what the button says, value: what it sends}"},
	{"object", lazy.Regexp(``), ": lines of key: value"},
	{"array", lazy.Regexp(``), ": [a, b], or lines that begin with -"},
}

// howToWrite says how a value of a JSON type is written in YAML, where that helps.
func howToWrite(path string, n *yaml.Node, kind string) string {
	for _, w := range written {
		if w.kind == kind && w.at().MatchString(path) {
			return w.how
		}
	}
	if kind == "string" && n.Kind == yaml.ScalarNode {
		return ": put it in quotes"
	}
	return ""
}
