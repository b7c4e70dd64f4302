package upstream_test

import (
	"testing"

	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/test/must"
)

func TestHeaders(t *testing.T) {
	own := []string{"Host", "Accept"}
	for name, want := range map[string]string{
		"X-Key": "", "x_key!": "",
		"":       `"" is no header name`,
		"a b":    `"a b" is no header name`,
		"a\r\nb": `"a\r\nb" is no header name`,
		"ü":      `"ü" is no header name`,
		"hOST":   "Host is set by the server itself",
	} {
		must.Be(t, text(upstream.CheckHeaderName(name, own)), want, "%q", name)
	}
	for value, want := range map[string]string{
		"Bearer ä": "", "a\tb": "",
		"a\r\nX: 1": "the value of X-Key has a line break or control character",
		"a\x7f":     "the value of X-Key has a line break or control character",
	} {
		must.Be(t, text(upstream.CheckHeaderValue("x-key", value)), want, "%q", value)
	}
}

// TestScrubber: the longest secret goes first, in each of its spellings, and short ones stay.
func TestScrubber(t *testing.T) {
	scrub := upstream.Scrubber(4, append(upstream.WithTokens("Bearer se/cret<1>"), "se/cret", "abc"))
	for in, want := range map[string]string{
		"Bearer se/cret<1>":                "***",
		"got se/cret<1>, se/cret and abc.": "got ***, *** and abc.",
		`{"a":"se\/cret\u003c1\u003e"}`:    `{"a":"***"}`,
	} {
		must.Be(t, scrub.Replace(in), want, "%s", in)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
