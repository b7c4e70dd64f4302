package script

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
)

// items is given for functions that take a missing list, nil, for an empty one.
func items(v any) ([]any, error) {
	if v == nil {
		return nil, nil
	}
	return given(v)
}

// given returns a copy of any list.
func given(v any) ([]any, error) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil, fmt.Errorf("%v is not a list", v)
	}
	list := make([]any, r.Len())
	for i := range list {
		list[i] = r.Index(i).Interface()
	}
	return list, nil
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// dict makes an object of names and values.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict needs names and values, it has %d arguments", len(pairs))
	}
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

func concat(lists ...any) ([]any, error) {
	joined := []any{}
	for _, l := range lists {
		part, err := items(l)
		if err != nil {
			return nil, err
		}
		joined = append(joined, part...)
	}
	return joined, nil
}

func appendTo(list any, more ...any) ([]any, error) { return concat(list, more) }

func take(n int, list any) ([]any, error) {
	all, err := items(list)
	return all[:min(max(n, 0), len(all))], err
}

func drop(n int, list any) ([]any, error) {
	all, err := items(list)
	return all[min(max(n, 0), len(all)):], err
}

// onlyRecords returns the objects of a list, without the text that counts omitted ones.
func onlyRecords(list any) ([]any, error) {
	all, err := items(list)
	return slices.DeleteFunc(all, func(v any) bool { _, ok := v.(map[string]any); return !ok }), err
}

// valuesAt returns the values of an item at a path: those of a list, a single one, or none. The
// path "" means the item itself.
func valuesAt(item any, path string) []any {
	v := item
	if path != "" {
		v = get(item, path)
	}
	if list, err := items(v); err == nil {
		return list
	}
	return []any{v}
}

// countBy counts items by their values at a path, most frequent first: [{value, count}]. An item
// with a list counts once for each of its values.
func countBy(path string, list any) ([]any, error) {
	all, err := items(list)
	if err != nil {
		return nil, err
	}
	counts := map[any]int64{}
	for _, item := range all {
		for _, v := range valuesAt(item, path) {
			if r := reflect.ValueOf(v); r.IsValid() && r.Comparable() {
				counts[v]++
			}
		}
	}
	grouped := make([]any, 0, len(counts))
	for v, n := range counts {
		grouped = append(grouped, map[string]any{"value": v, "count": n})
	}
	slices.SortFunc(grouped, func(a, b any) int {
		x, y := a.(map[string]any), b.(map[string]any)
		return cmp.Or(cmp.Compare(y["count"].(int64), x["count"].(int64)),
			cmp.Compare(fmt.Sprint(x["value"]), fmt.Sprint(y["value"])))
	})
	return grouped, nil
}

// choose returns the items with an accepted value at the path.
func choose(path string, list any, accept func(string) bool) ([]any, error) {
	all, err := items(list)
	return slices.DeleteFunc(all, func(item any) bool {
		return !slices.ContainsFunc(valuesAt(item, path), func(v any) bool { return v != nil && accept(fmt.Sprint(v)) })
	}), err
}

// where returns the items with the given value at a path, comparing printed forms.
func where(path string, value, list any) ([]any, error) {
	wanted := fmt.Sprint(value)
	return choose(path, list, func(s string) bool { return s == wanted })
}

// having returns the items whose value at a path matches an expression.
func having(path, expression string, list any) ([]any, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	return choose(path, list, re.MatchString)
}

func unique(list any) ([]any, error) {
	all, err := items(list)
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v any) bool {
		key := fmt.Sprint(v)
		defer func() { seen[key] = true }()
		return seen[key]
	}), err
}

// sortBy sorts items by their value at a path: numbers as numbers, the rest as text; stable.
func sortBy(path string, list any) ([]any, error) {
	all, err := items(list)
	slices.SortStableFunc(all, func(a, b any) int {
		x, y := get(a, path), get(b, path)
		n, errN := number(x)
		m, errM := number(y)
		if errN == nil && errM == nil {
			return cmp.Compare(n, m)
		}
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
	})
	return all, err
}

func matches(expression, text string) (bool, error) {
	re, err := regexp.Compile(expression)
	return err == nil && re.MatchString(text), err
}

// replaceRe replaces the matches of an expression; $1 and ${name} are its groups.
func replaceRe(expression, with, text string) (string, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return "", err
	}
	return re.ReplaceAllString(text, with), nil
}

// omit returns an object without the members named before it.
func omit(args ...any) (map[string]any, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("omit needs names and an object")
	}
	last := args[len(args)-1]
	m, ok := last.(map[string]any)
	if !ok && last != nil {
		return nil, fmt.Errorf("%v is not an object", last)
	}
	m = maps.Clone(m)
	for _, name := range args[:len(args)-1] {
		delete(m, fmt.Sprint(name))
	}
	if m == nil {
		m = map[string]any{}
	}
	return m, nil
}

// merge merges objects; later ones win.
func merge(objects ...any) (map[string]any, error) {
	all := map[string]any{}
	for _, o := range objects {
		m, ok := o.(map[string]any)
		if !ok && o != nil {
			return nil, fmt.Errorf("%v is not an object", o)
		}
		maps.Copy(all, m)
	}
	return all, nil
}
