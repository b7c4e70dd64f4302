package research

import (
	"bytes"
	_ "embed"
)

var (
	//go:embed script.yaml
	firstRules []byte
	//go:embed script-articles.yaml
	articleRules []byte
	//go:embed script-streams.yaml
	lastRules []byte
)

// ScriptRules are the scripted model's rules for the pages of Research: the items of a rules file's
// list, to stand before those of other pages. Each of them asks for a context item that only
// Research sends.
func ScriptRules() []byte {
	var all []byte
	for _, file := range [][]byte{firstRules, articleRules, lastRules} {
		_, rules, _ := bytes.Cut(file, []byte("\nrules:\n"))
		all = append(append(all, rules...), '\n')
	}
	return all
}
