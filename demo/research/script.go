package research

import (
	"bytes"
	_ "embed"
)

//go:embed script.yaml
var scriptRules []byte

// ScriptRules are the scripted model's rules for the pages of Research: the items of a rules file's list, to stand before those of other
// pages. Each of them asks for a context item that only Research sends.
func ScriptRules() []byte {
	_, rules, _ := bytes.Cut(scriptRules, []byte("\nrules:\n"))
	return rules
}
