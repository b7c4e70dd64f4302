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

// Redactor returns a replacer that writes *** in place of secrets, in texts and in raw JSON. Those
// shorter than shortest stay: they occur in any text.
func Redactor(secrets []string, shortest int) *strings.Replacer {
	secrets = slices.Clone(secrets)
	// the longest first: it may contain another
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		for _, form := range Spellings(s) {
			pairs = append(pairs, form, "***")
		}
	}
	return strings.NewReplacer(pairs...)
}
