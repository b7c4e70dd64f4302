package schema

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// linter walks one schema and counts its expanded nodes.
type linter struct {
	root map[string]any
	cost map[string]int // by pointer; inProgress while it is being computed
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
	l := &linter{root: root, cost: map[string]int{}}
	_, err := l.schema(root, "", true)
	return err
}

// schema returns the number of nodes v expands to. v is a schema or a list of schemas at the JSON
// pointer at.
func (l *linter) schema(v any, at string, isRoot bool) (int, error) {
	switch v := v.(type) {
	case expanded:
		return int(v), nil
	case map[string]any:
		return l.object(v, at, isRoot)
	case []any:
		return l.sum(1, func(add func(any, string) error) error {
			for i, item := range v {
				if err := add(item, at+"/"+strconv.Itoa(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return 0, nil
}

func (l *linter) object(v map[string]any, at string, isRoot bool) (int, error) {
	return l.sum(1, func(add func(any, string) error) error {
		// sorted, so that the same schema gives the same error
		for _, key := range slices.Sorted(maps.Keys(v)) {
			value := v[key]
			where := at + "/" + escapePointer(key)
			if err := checkKeyword(key, where, isRoot); err != nil {
				return err
			}
			var err error
			switch members, isMap := value.(map[string]any); {
			case key == "$ref":
				err = l.reference(value, where, add)
			case dataKeywords[key]:
			case mapKeywords[key] && isMap:
				for _, name := range slices.Sorted(maps.Keys(members)) {
					if err = add(members[name], where+"/"+escapePointer(name)); err != nil {
						return err
					}
				}
			default:
				err = add(value, where)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func checkKeyword(key, where string, isRoot bool) error {
	switch {
	case baseKeywords[key]:
		return fmt.Errorf("%s: %s is not supported", where, key)
	case key == "$id" && !isRoot, key == "$schema" && !isRoot:
		return fmt.Errorf("%s: %s is only supported at the top", where, key)
	}
	return nil
}

// sum adds up what walk adds, and stops at the budget.
func (l *linter) sum(total int, walk func(add func(v any, at string) error) error) (int, error) {
	err := walk(func(v any, at string) error {
		n, err := l.schema(v, at, false)
		if err != nil {
			return err
		}
		if total += n; total > maxSchemaExpansion {
			return fmt.Errorf("%s: it expands to more than %d nodes", or(at, "/"), maxSchemaExpansion)
		}
		return nil
	})
	return total, err
}

// reference follows a $ref, which must be local and not circular.
func (l *linter) reference(value any, where string, add func(any, string) error) error {
	ref, ok := value.(string)
	if !ok {
		return add(value, where) // a property that happens to be called $ref
	}
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || (pointer != "" && pointer[0] != '/') {
		return fmt.Errorf("%s: %q: only references into the schema itself (#/…) are supported", where, ref)
	}
	target, canonical, err := resolve(l.root, pointer)
	if err != nil {
		return fmt.Errorf("%s: %q %w", where, ref, err)
	}
	cost, known := l.cost[canonical]
	if cost == inProgress {
		return fmt.Errorf("%s: %q refers back to itself", where, ref)
	}
	if !known {
		l.cost[canonical] = inProgress
		if cost, err = l.schema(target, canonical, canonical == ""); err != nil {
			return err
		}
		l.cost[canonical] = cost
	}
	return add(expanded(cost), where)
}

// expanded marks a subtree with a known cost.
type expanded int

// resolve returns the target of a JSON pointer (RFC 6901, in a URL fragment) into a schema.
func resolve(root any, pointer string) (target any, canonical string, err error) {
	pointer, err = url.PathUnescape(pointer)
	if err != nil {
		return nil, "", errors.New("is not a JSON pointer")
	}
	target = root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		token = unescapePointer(token)
		if target, err = child(target, token); err != nil {
			return nil, "", err
		}
		canonical += "/" + escapePointer(token)
	}
	return target, canonical, nil
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

func escapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func unescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
