package jsonx_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
)

// Whichever way an encoder writes a text, one of its spellings is found there.
func TestSpellings(t *testing.T) {
	for _, s := range []string{"plain", `a"b\c`, "a/b", "<&>", "ü\u2028\n"} {
		html := must.Get(json.Marshal(s))(t)
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		must.Do(t, enc.Encode(s))
		for _, written := range []string{s, string(html), plain.String(), strings.ReplaceAll(plain.String(), "/", `\/`), strings.ReplaceAll(string(html), "/", `\/`)} {
			found := false
			for _, form := range jsonx.Spellings(s) {
				found = found || strings.Contains(written, form)
			}
			if !found {
				t.Errorf("%q is not found in %s", jsonx.Spellings(s), written)
			}
		}
	}
}
