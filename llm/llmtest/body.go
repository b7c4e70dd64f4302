package llmtest

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
)

// largest is how many bytes of a body each provider takes.
var largest = map[Dialect]int{
	Chat: 50 << 20, Responses: 50 << 20, Anthropic: 32 << 20, Gemini: 20 << 20, Bedrock: 25_000_000, Nova: 25_000_000,
}

// deepest is how deep the JSON of a body may be nested. Google's parsers stop at 100, others later.
var deepest = map[Dialect]int{Gemini: 100}

const usuallyDeepest = 500

// checkBytes refuses bodies that a provider's parser does not take, although Go's does.
func checkBytes(d Dialect, body []byte) {
	if limit := largest[d]; limit > 0 && len(body) > limit {
		panic(&Refusal{Field: "body", Message: fmt.Sprintf("Request exceeds the maximum size of %d bytes", limit), Status: http.StatusRequestEntityTooLarge})
	}
	if !utf8.Valid(body) {
		panic(&Refusal{Field: "body", Message: "The request body is not valid UTF-8"})
	}
	if at := loneSurrogate(body); at >= 0 {
		panic(&Refusal{Field: "body", Message: fmt.Sprintf("The request body is not valid JSON: no low surrogate in string: line 1 column %d", at+1)})
	}
	limit := deepest[d]
	if limit == 0 {
		limit = usuallyDeepest
	}
	if jsonx.Depth(body) > limit {
		panic(&Refusal{Field: "body", Message: "Message too deep. Max recursion depth reached"})
	}
}

// loneSurrogate returns the position of an escape that is half a character, or -1.
func loneSurrogate(body []byte) int {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		unit := codeUnit(body[i:])
		switch {
		case unit < 0xd800 || unit > 0xdfff:
			i++ // what is escaped, such as a backslash
		case unit < 0xdc00 && len(body) >= i+12 && isLow(codeUnit(body[i+6:])):
			i += 11
		default:
			return i
		}
	}
	return -1
}

func isLow(unit int) bool { return unit >= 0xdc00 && unit <= 0xdfff }

// codeUnit reads an escape such as \u00e4, or returns -1.
func codeUnit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

// breakpoints counts the marks of what to cache.
func breakpoints(body []byte) int { return bytes.Count(body, []byte(`"cache_control":{`)) }
