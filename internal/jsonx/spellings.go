package jsonx

import (
	"encoding/json"
	"slices"
	"strings"
)

// Spellings returns a text as it is, and as encoders write it between the quotes of a JSON string:
// with or without escapes for HTML and for slashes. It is for finding the text in raw JSON.
func Spellings(s string) []string {
	plain := string(AppendStringBody(nil, s))
	html, _ := json.Marshal(s) // a string: cannot fail
	all := []string{s, plain, string(html[1 : len(html)-1])}
	for _, form := range all[1:] {
		all = append(all, strings.ReplaceAll(form, "/", `\/`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
