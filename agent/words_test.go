package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestShownArgs: whoever is asked in words reads all of the arguments, what would not be seen too.
func TestShownArgs(t *testing.T) {
	long := `{"note":"` + strings.Repeat("x", 5000) + `end"}`
	for args, want := range map[string]string{
		"{ \"to\" : \"ann\" }":            `{"to":"ann"}`,
		long:                              long,
		"{\"to\":\"ann\u202e\u200bbob\"}": `{"to":"ann\u202e\u200bbob"}`,
		"{\"to\":\"\U000E0041é😀\"}":       `{"to":"\udb40\udc41é😀"}`,
	} {
		got := shownArgs(json.RawMessage(args))
		must.Be(t, got, want, "%q is shown as", args)
		var shown, meant map[string]string
		if json.Unmarshal([]byte(got), &shown) != nil || json.Unmarshal([]byte(args), &meant) != nil || shown["to"] != meant["to"] {
			t.Errorf("%q means something else than %q", got, args)
		}
	}
}
