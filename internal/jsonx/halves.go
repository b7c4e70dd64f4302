package jsonx

import (
	"strings"
	"unicode/utf16"
)

// ReplaceHalves replaces each escape in JSON that is half a character, with what replace makes of
// the half. It returns text itself if there is none.
func ReplaceHalves(text string, replace func(half rune) string) string {
	if !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		n := 1
		unit := hex4(text[i:])
		switch {
		case text[i] != '\\':
		case unit < 0:
			n = min(2, len(text)-i) // what is escaped, such as a backslash
		case !utf16.IsSurrogate(unit):
			n = 6
		case utf16.DecodeRune(unit, hex4(text[i+6:])) != '\uFFFD':
			n = 12
		default:
			out.WriteString(replace(unit))
			i += 6
			continue
		}
		out.WriteString(text[i : i+n])
		i += n
	}
	return out.String()
}
