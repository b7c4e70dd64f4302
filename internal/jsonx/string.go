package jsonx

import (
	"errors"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// plain marks the bytes that need no escape in a JSON string and are whole characters.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string, with quotes. Invalid UTF-8 and U+0000, which databases
// refuse, become U+FFFD: Validate accepts the result for any s. It does not escape for HTML.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendStringBody(dst, s)
	return append(dst, '"')
}

// AppendStringBody is AppendString without the quotes.
func AppendStringBody(dst []byte, s string) []byte {
	done := 0
	for i := skipPlain(s, 0); i < len(s); i = skipPlain(s, i) {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(dst, s[done:i]...)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, s[done:i]...)
			dst = appendEscaped(dst, c)
		}
		i++
		done = i
	}
	return append(dst, s[done:]...)
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// skipPlain returns the first index from i on that is not a plain byte: a quote, a backslash, a
// control character, or part of a character beyond ASCII. It checks eight bytes at a time, as
// specials does, but for what has its own high bit, which is special here anyway.
func skipPlain[S ~string | ~[]byte](s S, i int) int {
	for i+8 <= len(s) {
		w := word(s[i : i+8])
		quote, slash := w^(lows*'"'), w^(lows*'\\')
		special := ((w - lows*0x20) | (quote - lows) | (slash - lows) | w) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// word returns the first eight bytes of s, little-endian. The compiler makes it one load.
func word[S ~string | ~[]byte](s S) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// specials sets the high bit of each byte of w that is special in a JSON string: a subtraction
// borrows into the high bit exactly if a byte was below the subtrahend. A borrow can only continue
// from a special byte, so the lowest mark is always correct.
func specials(w uint64) uint64 {
	quote, slash := w^(lows*'"'), w^(lows*'\\')
	return ((w-lows*0x20)&^w | (quote-lows)&^quote | (slash-lows)&^slash) & highs
}

// skipText returns the first index from i on of a quote, a backslash or a control character.
func skipText(data []byte, i int) int {
	for i+8 <= len(data) {
		if special := specials(word(data[i : i+8])); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(data) && (plain[data[i]] || data[i] >= utf8.RuneSelf) {
		i++
	}
	return i
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case 0:
		return append(dst, "\uFFFD"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

var errNotString = errors.New("jsonx: not a JSON string")

// Unquote returns the text of the JSON string raw, including its quotes. A lone surrogate, which
// Validate refuses, becomes U+FFFD.
func Unquote(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", errNotString
	}
	body := raw[1 : len(raw)-1]
	if skipText(body, 0) == len(body) {
		return string(body), nil
	}
	var room [512]byte
	dst := room[:0]
	if len(body) > len(room) {
		dst = make([]byte, 0, len(body))
	}
	dst, err := appendUnquoted(dst, body)
	return string(dst), err
}

// AppendUnquoted appends the text of the JSON string raw, including its quotes.
func AppendUnquoted(dst, raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return dst, errNotString
	}
	return appendUnquoted(dst, raw[1:len(raw)-1])
}

func appendUnquoted(dst, body []byte) ([]byte, error) {
	for i := 0; ; {
		end := skipText(body, i)
		dst = append(dst, body[i:end]...)
		if end == len(body) {
			return dst, nil
		}
		if body[end] != '\\' {
			return dst, errNotString
		}
		n := 0
		if dst, n = appendUnescaped(dst, body[end:]); n == 0 {
			return dst, errNotString
		}
		i = end + n
	}
}

// appendUnescaped appends the character of the escape at the start of s and returns the length of
// the escape, or 0 if malformed.
func appendUnescaped(dst, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return dst, 0
	}
	if s[1] == 'u' {
		r, n := unescapeRune(s)
		return utf8.AppendRune(dst, r), n
	}
	c := unescape[s[1]]
	if c == 0 {
		return dst, 0
	}
	return append(dst, c), 2
}

var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescapeRune reads \uXXXX, or a surrogate pair of them.
func unescapeRune(s []byte) (rune, int) {
	r := hex4(s)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return utf8.RuneError, 6
}

// hex4 returns the code unit of the \uXXXX that s starts with, or -1.
func hex4[S ~string | ~[]byte](s S) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for i := 2; i < 6; i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
