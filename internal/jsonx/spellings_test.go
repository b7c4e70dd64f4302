package jsonx_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
)

// Whichever way an encoder writes a text, one of its spellings is found there.
func TestSpellings(t *testing.T) {
	for _, s := range []string{"plain", `a"b\c`, "a/b", "<&>", "ü\u2028\n"} {
		html, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
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
