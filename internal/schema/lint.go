package schema

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a schema. A schema within them compiles in a few milliseconds and cannot blow up a
// validator: without them, 1.4 KB of nested allOf take seconds and a properties chain of 57 KB
// minutes.
const (
	maxSchemaBytes     = 16 << 10
	maxSchemaDepth     = 32
	maxSchemaNodes     = 1000
	maxSchemaExpansion = 2000 // nodes after expanding every $ref
)

// dialects are the values of $schema whose keywords we know, with their drafts. Older drafts change
// the base of a $ref.
var dialects = map[string]int{
	"http://json-schema.org/draft-07/schema":       7,
	"https://json-schema.org/draft/2019-09/schema": 2019,
	"https://json-schema.org/draft/2020-12/schema": 2020,
}

// Keywords by what their values hold. The value of any other keyword is treated as a schema, which
// is never too lax.
var (
	mapKeywords = map[string]bool{
		"properties": true, "patternProperties": true, "$defs": true, "definitions": true,
		"dependentSchemas": true, "dependencies": true,
	}
	dataKeywords = map[string]bool{"enum": true, "const": true, "default": true, "examples": true, "example": true}
	// baseKeywords move the base of references or make them dynamic: the target of a $ref would no
	// longer be evident.
	baseKeywords = map[string]bool{
		"$dynamicRef": true, "$dynamicAnchor": true, "$recursiveRef": true, "$recursiveAnchor": true,
		"$anchor": true, "$vocabulary": true,
	}
)

// linter walks one schema and counts its expanded nodes, until the first error.
type linter struct {
	root map[string]any
	cost map[jsontext.Pointer]int // inProgress while it is being computed
	err  error
}

const inProgress = -1

// lint returns an error if a schema must not be compiled. root is decoded JSON within the limits of
// size, depth and nodes.
func lint(root map[string]any) error {
	if s, ok := root["$schema"].(string); ok && dialects[strings.TrimSuffix(s, "#")] == 0 {
		return fmt.Errorf("$schema %q is not supported: draft-07, 2019-09 and 2020-12 are", s)
	}
	if t, ok := root["type"]; ok && t != "object" {
		return errors.New(`its type must be "object"`)
	}
	l := &linter{root: root, cost: map[jsontext.Pointer]int{}}
	l.schema(root, "")
	return l.err
}

func (l *linter) fail(at jsontext.Pointer, format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...))
	}
}

// schema returns the number of nodes v expands to. v is a schema or a list of schemas.
func (l *linter) schema(v any, at jsontext.Pointer) int {
	nodes := 1
	switch v := v.(type) {
	case map[string]any:
		// sorted, so that the same schema gives the same error
		for _, key := range slices.Sorted(maps.Keys(v)) {
			l.keyword(&nodes, key, v[key], at)
		}
	case []any:
		for i, item := range v {
			l.add(&nodes, item, at.AppendToken(strconv.Itoa(i)))
		}
	default:
		return 0
	}
	return nodes
}

// keyword adds the nodes of a keyword's value to those of the schema at a pointer.
func (l *linter) keyword(nodes *int, key string, value any, at jsontext.Pointer) {
	where := at.AppendToken(key)
	members, isMap := value.(map[string]any)
	switch ref, isText := value.(string); {
	case l.err != nil:
	case baseKeywords[key]:
		l.fail(where, "%s is not supported", key)
	case at != "" && (key == "$id" || key == "$schema"):
		l.fail(where, "%s is only supported at the top", key)
	case key == "$ref" && isText: // or it is a property that happens to be called $ref
		l.count(nodes, l.reference(ref, where), where)
	case dataKeywords[key]:
	case mapKeywords[key] && isMap:
		for _, name := range slices.Sorted(maps.Keys(members)) {
			l.add(nodes, members[name], where.AppendToken(name))
		}
	default:
		l.add(nodes, value, where)
	}
}

// add adds the nodes of v to those of the schema around it.
func (l *linter) add(nodes *int, v any, at jsontext.Pointer) { l.count(nodes, l.schema(v, at), at) }

func (l *linter) count(nodes *int, more int, at jsontext.Pointer) {
	if *nodes += more; *nodes > maxSchemaExpansion {
		l.fail(at, "it expands to more than %d nodes", maxSchemaExpansion)
	}
}

// reference follows a $ref, which must be local and not circular, and returns the nodes of its
// target.
func (l *linter) reference(ref string, where jsontext.Pointer) int {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || fragment != "" && fragment[0] != '/' {
		l.fail(where, "%q: only references into the schema itself (#/…) are supported", ref)
		return 0
	}
	target, at, err := resolve(l.root, fragment)
	if err != nil {
		l.fail(where, "%q %w", ref, err)
		return 0
	}
	cost, known := l.cost[at]
	if cost == inProgress {
		l.fail(where, "%q refers back to itself", ref)
	}
	if !known {
		l.cost[at] = inProgress
		cost = l.schema(target, at)
		l.cost[at] = cost
	}
	return cost
}

// resolve returns the target of a JSON pointer in a URL fragment into a schema, and where it is.
func resolve(root any, fragment string) (target any, at jsontext.Pointer, err error) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, "", errors.New("is not a JSON pointer")
	}
	target = root
	for token := range jsontext.Pointer(pointer).Tokens() {
		if target, err = child(target, token); err != nil {
			return nil, "", err
		}
		at = at.AppendToken(token)
	}
	return target, at, nil
}

func child(v any, token string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if c, ok := v[token]; ok {
			return c, nil
		}
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) && strconv.Itoa(i) == token {
			return v[i], nil
		}
	}
	return nil, errors.New("points to nothing")
}
