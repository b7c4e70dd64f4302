package httptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/pageside/pageside/internal/jsonx"
)

// functions are what templates may call beside Go's built-in ones. Those that begin with _ are
// added by the walker.
var functions = template.FuncMap{
	"json":    toJSON,
	"join":    join,
	"default": func(otherwise, v any) any { return or(v, otherwise) },
	"lower":   func(v any) (string, error) { return mapped(strings.ToLower, v) },
	"upper":   func(v any) (string, error) { return mapped(strings.ToUpper, v) },
	"trim":    func(v any) (string, error) { return mapped(strings.TrimSpace, v) },

	"_list":     list,
	"_path":     pathSegment,
	"_query":    queryValue,
	"_json":     jsonValue,
	"_jsonText": jsonString,
	"_text":     plainValue,
	"_header":   headerText,
}

func or(v, otherwise any) any {
	if v == nil || v == "" {
		return otherwise
	}
	return v
}

// list returns what a template may loop over. That excludes numbers: {{range 9000000000}} takes as
// long as it sounds.
func list(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return []any(nil), nil
	case []any, map[string]any:
		return v, nil
	}
	return nil, badArgs("a list was expected, not " + kindOf(v))
}

func mapped(f func(string) string, v any) (string, error) {
	s, err := scalar("the argument", v)
	return f(s), err
}

func join(list any, sep string) (string, error) {
	items, ok := list.([]any)
	if !ok {
		return "", badArgs(fmt.Sprintf("a list was expected to be joined, not %s", kindOf(list)))
	}
	var parts []string
	for _, item := range items {
		s, err := scalar("a list's item", item)
		if err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, sep), nil
}

// scalar writes a value as a text. Lists and objects have none.
func scalar(label string, v any) (string, error) {
	switch v := v.(type) {
	case nil:
		if kind, _, ok := strings.Cut(label, "."); ok && slices.Contains(whole, kind) {
			return "", absent(label + " has no value here")
		}
		return "", badArgs(fmt.Sprintf("%s is missing", label))
	case string:
		return v, nil
	case jsonText:
		return string(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case []any, map[string]any:
		return "", badArgs(fmt.Sprintf("%s is %s, and only texts, numbers and booleans can stand here", label,
			kindOf(v)))
	}
	return fmt.Sprint(v), nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case string, jsonText:
		return "a text"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// pathSegment escapes a value so that it is one segment of a path, or part of one. It refuses
// slashes instead of escaping them: too many servers and proxies decode %2F before they read the
// path.
func pathSegment(label string, v any) (string, error) {
	s, err := scalar(label, v)
	switch {
	case err != nil:
		return "", err
	case s == "":
		return "", badArgs(label + " must not be empty")
	case strings.ContainsAny(s, `/\`):
		return "", badArgs(label + ` must not contain / or \`)
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", badArgs(label + " must not contain control characters")
	}
	return url.PathEscape(s), nil
}

func queryValue(label string, v any) (string, error) {
	s, err := scalar(label, v)
	return url.QueryEscape(s), err
}

// jsonText is JSON already: it is inserted as it is.
type jsonText string

func toJSON(v any) (jsonText, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return jsonText(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

func jsonValue(_ string, v any) (jsonText, error) {
	if done, ok := v.(jsonText); ok {
		return done, nil
	}
	return toJSON(v)
}

// jsonString writes a value within the quotes of a JSON string.
func jsonString(label string, v any) (string, error) {
	if _, ok := v.(jsonText); ok {
		return "", misuse(fmt.Sprintf("{{%s}} makes JSON, quotes included, and stands within quotes", label))
	}
	s, err := scalar(label, v)
	if err != nil {
		return "", err
	}
	return string(jsonx.AppendStringBody(nil, s)), nil
}

// plainValue writes a value into a text for people and models: "" for nil, JSON for what has no
// text of its own.
func plainValue(_ string, v any) (string, error) {
	switch v.(type) {
	case nil:
		return "", nil
	case []any, map[string]any:
		s, err := toJSON(v)
		return string(s), err
	}
	return scalar("", v)
}

// decode reads JSON for templates: numbers that Go's types hold exactly can be compared and looped
// over, others keep their digits.
func decode(raw []byte) (any, error) {
	return jsonx.Value(raw, func(n json.Number) (any, error) {
		if i, err := n.Int64(); err == nil {
			return i, nil
		}
		if f, err := n.Float64(); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == n.String() {
			return f, nil
		}
		return n, nil
	})
}
