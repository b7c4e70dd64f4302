package jsonx

import (
	"strconv"
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
		unit := codeUnit(text[i:])
		switch {
		case text[i] != '\\':
		case unit < 0:
			n = min(2, len(text)-i) // what is escaped, such as a backslash
		case !utf16.IsSurrogate(unit):
			n = 6
		case utf16.DecodeRune(unit, codeUnit(text[i+6:])) != '\uFFFD':
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

// codeUnit reads an escape such as \u00e4, or returns -1.
func codeUnit(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
