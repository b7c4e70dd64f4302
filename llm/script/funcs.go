package script

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// functions extend the built-in template functions. Numbers of all kinds mix freely.
var functions = template.FuncMap{
	// Bound anew for each request, see text.render.
	"context": func(string) any { return nil },
	"result":  func(string) any { return nil },
	"called":  func(string) bool { return false },
	"cite":    func(string) string { return "" },

	"json": toJSON, "num": num, "pct": pct, "date": date,
	"add": arithmetic(func(a, b float64) float64 { return a + b }),
	"sub": arithmetic(func(a, b float64) float64 { return a - b }),
	"mul": arithmetic(func(a, b float64) float64 { return a * b }),
	"div": div, "round": round,
	"lt": compare(func(c int) bool { return c < 0 }), "le": compare(func(c int) bool { return c <= 0 }),
	"gt": compare(func(c int) bool { return c > 0 }), "ge": compare(func(c int) bool { return c >= 0 }),
	"first": first, "last": last, "pluck": pluck, "sum": sum, "list": func(v ...any) []any { return v },
	"join": joinList, "split": func(sep, s string) []string { return strings.Split(s, sep) },
	"get": get, "has": func(v any, path string) bool { return get(v, path) != nil }, "default": orDefault,
	"lower": strings.ToLower, "upper": strings.ToUpper, "trim": strings.TrimSpace,
	"replace":  func(old, with, s string) string { return strings.ReplaceAll(s, old, with) },
	"contains": func(part, s string) bool { return strings.Contains(s, part) },

	"dict": dict, "concat": concat, "append": appendTo, "take": take, "drop": drop, "records": onlyRecords,
	"countBy": countBy, "where": where, "having": having, "unique": unique, "sortBy": sortBy,
	"omit": omit, "merge": merge, "quoteRe": regexp.QuoteMeta, "matches": matches, "replaceRe": replaceRe,
	"words": func(s string) []any { return anys(strings.Fields(s)) },
}

func toJSON(v any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// number reads any number, or a string that holds one.
func number(v any) (float64, error) {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int()), nil
	case r.CanUint():
		return float64(r.Uint()), nil
	case r.CanFloat():
		return r.Float(), nil
	case r.Kind() == reflect.String:
		f, err := strconv.ParseFloat(strings.TrimSpace(r.String()), 64)
		if err == nil {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%v is not a number", v)
}

// whole returns f as an int64 if it is an integer, which prints without a fraction or exponent.
func whole(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

func arithmetic(op func(a, b float64) float64) func(a, b any) (any, error) {
	return func(a, b any) (any, error) {
		x, err := number(a)
		if err != nil {
			return nil, err
		}
		y, err := number(b)
		return whole(op(x, y)), err
	}
}

func div(a, b any) (any, error) {
	if y, err := number(b); err != nil || y == 0 {
		return nil, fmt.Errorf("cannot divide by %v", b)
	}
	return arithmetic(func(a, b float64) float64 { return a / b })(a, b)
}

// round rounds v to a number of digits after the point.
func round(digits int, v any) (any, error) {
	f, err := number(v)
	scale := math.Pow10(digits)
	return whole(math.Round(f*scale) / scale), err
}

// num writes a number with commas between the thousands.
func num(v any) (string, error) {
	f, err := number(v)
	if err != nil {
		return "", err
	}
	s := strconv.FormatFloat(math.Abs(f), 'f', -1, 64)
	integer, fraction, _ := strings.Cut(s, ".")
	for i := len(integer) - 3; i > 0; i -= 3 {
		integer = integer[:i] + "," + integer[i:]
	}
	if fraction != "" {
		integer += "." + fraction
	}
	if f < 0 {
		integer = "-" + integer
	}
	return integer, nil
}

// pct writes the share of part in total: "12.5%".
func pct(part, total any) (string, error) {
	p, err := number(part)
	if err != nil {
		return "", err
	}
	t, err := number(total)
	if err != nil {
		return "", err
	}
	if t == 0 {
		return "0%", nil
	}
	return strconv.FormatFloat(math.Round(p/t*1000)/10, 'f', -1, 64) + "%", nil
}

// date writes a moment in a Go layout, in UTC unless it carries a zone. It takes RFC 3339 text, or
// UNIX seconds or milliseconds as a number.
func date(layout string, v any) (string, error) {
	if s, ok := v.(string); ok {
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
			if t, err := time.Parse(form, s); err == nil {
				return t.Format(layout), nil
			}
		}
	}
	f, err := number(v)
	if err != nil {
		return "", fmt.Errorf("%v is not a date", v)
	}
	if math.Abs(f) < 1e11 { // seconds: as milliseconds this would be before 1973
		f *= 1000
	}
	return time.UnixMilli(int64(f)).UTC().Format(layout), nil
}

// compare orders numbers as numbers whatever their type, and strings as strings.
func compare(accept func(int) bool) func(a, b any) (bool, error) {
	return func(a, b any) (bool, error) {
		x, errA := number(a)
		y, errB := number(b)
		if errA == nil && errB == nil {
			return accept(cmp.Compare(x, y)), nil
		}
		s, okA := a.(string)
		t, okB := b.(string)
		if okA && okB {
			return accept(cmp.Compare(s, t)), nil
		}
		return false, fmt.Errorf("cannot compare %v with %v", a, b)
	}
}

func first(v any) (any, error) { return at(v, 0) }

func last(v any) (any, error) {
	list, err := given(v)
	if err != nil {
		return nil, err
	}
	return at(list, len(list)-1)
}

func at(v any, i int) (any, error) {
	list, err := given(v)
	if err != nil || i < 0 || i >= len(list) {
		return nil, fmt.Errorf("%v is not a list with an item %d", v, i)
	}
	return list[i], nil
}

// joinList joins a list's items, printed as templates print them.
func joinList(sep string, v any) (string, error) {
	list, err := given(v)
	var parts []string
	for _, item := range list {
		parts = append(parts, fmt.Sprint(item))
	}
	return strings.Join(parts, sep), err
}

// pluck takes one field out of each item of a list.
func pluck(path string, v any) ([]any, error) {
	list, err := given(v)
	for i, item := range list {
		list[i] = get(item, path)
	}
	return list, err
}

func sum(v any) (any, error) {
	list, err := given(v)
	total := 0.0
	for _, item := range list {
		f, wrong := number(item)
		total, err = total+f, cmp.Or(err, wrong)
	}
	return whole(total), err
}

// get follows a dotted path such as "rows.0.path". It returns nil if a step is missing.
func get(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// orDefault replaces nil and the empty string.
func orDefault(fallback, v any) any {
	if v == nil || v == "" {
		return fallback
	}
	return v
}
