package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// SchemaRules lists a dialect's extra demands on a tool's schema. All dialects demand that the root
// is an object with properties and without alternatives, arrays have items, every keyword has a
// value of its kind, and required names are properties. If this loses something relevant, the
// root's description says so; the arguments are validated against the whole schema.
type SchemaRules struct {
	PlainNames bool // property names are 1 to 64 letters, digits, _, . and -
	// the root only has type, properties and required, and there are no references
	BareRoot bool
	// Cut, if set, leaves what a dialect with a language of its own takes of a schema that is fit;
	// nil where that is no arguments.
	Cut func(schema []byte) []byte
}

// fittedSchema is a schema as sent, with its renamed properties.
type fittedSchema struct {
	json    json.RawMessage
	members map[string]string // as sent → as declared
	strictness
}

const (
	maxFittedSchemas = 1024
	maxSchemaDepth   = 48
	maxSchemaNodes   = 4000 // with references expanded
	maxSchemaNote    = 1000 // bytes
)

// schema returns a tool's schema as sent. It is cached because every step declares the tools again.
func (d *Dialect) schema(raw json.RawMessage) *fittedSchema {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.schemas[string(raw)]; ok {
		return s
	}
	if d.schemas == nil || len(d.schemas) >= maxFittedSchemas {
		d.schemas = map[string]*fittedSchema{}
	}
	s := fitSchema(d.Schemas, raw)
	d.schemas[string(raw)] = s
	return s
}

func fitSchema(rules SchemaRules, raw json.RawMessage) *fittedSchema {
	root := parseObject(raw)
	if root == nil {
		root = newObject()
	}
	f := &schemaFitter{rules: rules, root: root, taken: map[string]bool{}, renamed: map[string]string{}}
	f.collectNames(root, 0)
	fit := []byte(wholeCharacters(string(f.fitRoot().append(nil))))
	out := &fittedSchema{json: fit, strictness: strictnessOf(parseObject(fit))}
	for declared, sent := range f.renamed {
		if out.members == nil {
			out.members = map[string]string{}
		}
		out.members[sent] = declared
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil && bytes.Equal(compact.Bytes(), fit) {
		out.json = raw // the caller owns its bytes
	}
	if rules.Cut != nil {
		out.json = rules.Cut(out.json)
	}
	return out
}

// schemaFitter fits one schema.
type schemaFitter struct {
	rules     SchemaRules
	root      *value
	taken     map[string]bool   // names of properties as sent
	renamed   map[string]string // names of properties, as declared → as sent
	nodes     int
	expanding []string // references being expanded
}

func (f *schemaFitter) fitRoot() *value {
	flat := f.flatten()
	f.nodes = 0 // what was inspected for the root does not count
	flat.set("type", newText("object"))
	root := f.node(flat, 0)
	if f.rules.BareRoot {
		about := root.get("description")
		root.members = slices.DeleteFunc(root.members, func(m field) bool {
			return !slices.Contains([]string{"type", "properties", "required"}, m.name)
		})
		f.tellInAProperty(root, about)
	}
	return root
}

// tellInAProperty moves the root's note on alternatives to a property, as the root cannot have it.
func (f *schemaFitter) tellInAProperty(root, about *value) {
	properties := root.get("properties")
	if len(properties.fields()) == 0 || f.root.get("description") == about || about.text() == "" {
		return
	}
	first := properties.members[0].value
	said := strings.TrimSpace(first.get("description").text() + "\n" + about.text())
	first.set("description", newText(said))
}

// node returns a schema as sent.
func (f *schemaFitter) node(v *value, depth int) *value {
	out := newObject()
	if f.nodes++; !v.is(jsonx.Object) || depth > maxSchemaDepth || f.nodes > maxSchemaNodes {
		return out
	}
	if ref := v.get("$ref"); ref != nil && !f.keepsReference(ref.text()) {
		return f.replaced(v, ref.text(), depth)
	}
	for _, m := range v.members {
		if fit := f.keyword(m.name, m.value, depth); fit != nil {
			out.set(m.name, fit)
		}
	}
	f.complete(v, out, depth)
	return out
}

// keepsReference reports whether a reference can be sent: it leads to a definition of this schema.
func (f *schemaFitter) keepsReference(ref string) bool {
	if f.rules.BareRoot {
		return false
	}
	for _, list := range []string{"$defs", "definitions"} {
		if name, ok := strings.CutPrefix(ref, "#/"+list+"/"); ok && !strings.Contains(name, "/") {
			return f.resolve(ref) != nil
		}
	}
	return false
}

// replaced returns a schema with its reference expanded. A reference cycle allows anything.
func (f *schemaFitter) replaced(v *value, ref string, depth int) *value {
	rest := &value{kind: jsonx.Object, members: slices.Clone(v.members)}
	rest.remove("$ref")
	target := f.resolve(ref)
	if target == nil || slices.Contains(f.expanding, ref) {
		return f.node(rest, depth+1)
	}
	f.expanding = append(f.expanding, ref)
	defer func() { f.expanding = f.expanding[:len(f.expanding)-1] }()
	out := f.node(target, depth+1)
	for _, m := range f.node(rest, depth+1).members {
		out.set(m.name, m.value)
	}
	f.complete(rest, out, depth) // a property required by one half may be undeclared in the other
	return out
}

// resolve returns the target of a reference within the schema, or nil.
func (f *schemaFitter) resolve(ref string) *value {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := f.root
	for path != "" {
		var name string
		if path, ok = strings.CutPrefix(path, "/"); !ok {
			return nil
		}
		name, path, ok = strings.Cut(path, "/")
		if ok {
			path = "/" + path
		}
		at = at.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return at
}

// complete adds what a schema's keywords leave open.
func (f *schemaFitter) complete(v, out *value, depth int) {
	if tuple := v.get("items"); tuple.is(jsonx.Array) && out.get("prefixItems") == nil {
		if list := f.list(tuple, depth); list != nil {
			out.set("prefixItems", list)
		}
	}
	if (hasType(out, "array") || out.get("prefixItems") != nil) && out.get("items") == nil {
		out.set("items", newObject())
	}
	if hasType(out, "object") && out.get("properties") == nil {
		out.set("properties", newObject())
	}
	properties, required := out.get("properties"), out.get("required")
	if properties == nil || required == nil {
		return
	}
	forbidden := f.forbidden(v)
	required.items = slices.DeleteFunc(required.items, func(name *value) bool { return forbidden[name.text()] })
	for _, name := range required.items {
		if properties.get(name.text()) == nil {
			properties.members = append(properties.members, field{name.text(), newObject()})
		}
	}
	if len(required.items) == 0 {
		out.remove("required")
	}
}

// forbidden returns the names (as sent) of the properties that must be absent.
func (f *schemaFitter) forbidden(v *value) map[string]bool {
	names := map[string]bool{}
	for _, m := range v.get("properties").fields() {
		if isFalse(m.value) {
			names[f.propertyName(m.name)] = true
		}
	}
	return names
}

func hasType(v *value, name string) bool {
	t := v.get("type")
	return t.text() == name || t.is(jsonx.Array) && slices.ContainsFunc(t.items, func(one *value) bool {
		return one.text() == name
	})
}

// collectNames records the property names that can stay.
func (f *schemaFitter) collectNames(v *value, depth int) {
	if v == nil || depth > 4*maxSchemaDepth {
		return
	}
	for _, m := range v.members {
		if m.name == "properties" {
			for _, p := range m.value.members {
				if isPlainName(p.name) {
					f.taken[p.name] = true
				}
			}
		}
		f.collectNames(m.value, depth+1)
	}
	for _, item := range v.items {
		f.collectNames(item, depth+1)
	}
}

// propertyName returns the name to send for a property.
func (f *schemaFitter) propertyName(name string) string {
	if !f.rules.PlainNames || isPlainName(name) {
		return name
	}
	if sent, ok := f.renamed[name]; ok {
		return sent
	}
	sent := unused(f.taken, func(n int) string {
		readable := strings.Trim(word(name), "_-")
		end := "_" + hash(name, n)[:8]
		return "p_" + readable[:min(len(readable), maxName-len(end)-2)] + end
	})
	f.renamed[name] = sent
	return sent
}

func isPlainName(name string) bool {
	return isWord(strings.ReplaceAll(name, ".", "_"), maxName)
}
