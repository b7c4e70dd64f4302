package ppl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxQuery is the longest query Parse takes, in bytes.
const MaxQuery = 8 << 10

// Pos is where something stands in the query's text: Line and Column count from 1, Column and
// Length in code points.
type Pos struct{ Line, Column, Length int }

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokWord             // a bare word: a keyword or a name
	tokName             // a name in backticks, never a keyword
	tokString           // text is the value
	tokNumber           // text as written, without sign
	tokSymbol           // one of | , ( ) = != < <= > >= + - * /
	tokOther            // a character that no query uses: the parser refuses it where it stands
)

type token struct {
	kind tokenKind
	text string
	pos  Pos
}

// is reports whether the token is the keyword or symbol.
func (t token) is(text string) bool {
	switch t.kind {
	case tokWord:
		return strings.EqualFold(t.text, text)
	case tokSymbol:
		return t.text == text
	}
	return false
}

// describe names the token in an error message.
func (t token) describe() string {
	switch t.kind {
	case tokEnd:
		return "the end of the query"
	case tokString:
		return "the string " + Quote(clip(t.text, 40))
	case tokName:
		return "`" + clip(t.text, 40) + "`"
	}
	return fmt.Sprintf("%q", clip(t.text, 40))
}

// written is the token as a query writes it.
func (t token) written() string {
	switch t.kind {
	case tokString:
		return Quote(t.text)
	case tokName:
		return "`" + strings.ReplaceAll(t.text, "`", "``") + "`"
	}
	return t.text
}

// touches reports whether next follows without a blank between them.
func (t token) touches(next token) bool {
	return t.pos.Line == next.pos.Line && t.pos.Column+t.pos.Length == next.pos.Column
}

type lexer struct {
	src    string
	off    int
	line   int
	column int
	tokens []token
}

// lex cuts a query into tokens, the last of which is tokEnd.
func lex(src string) ([]token, error) {
	l := &lexer{src: src, line: 1, column: 1}
	if len(src) > MaxQuery {
		return nil, &Error{Message: fmt.Sprintf("the query is %d bytes long; at most %d are allowed", len(src), MaxQuery), Line: 1, Column: 1}
	}
	if i := invalidUTF8(src); i >= 0 {
		l.advance(i)
		return nil, errorAt(l.here(1), nil, "the query is not valid UTF-8")
	}
	for {
		l.skipSpace()
		done, err := l.next()
		if err != nil {
			return nil, err
		}
		if done {
			return l.tokens, nil
		}
	}
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

func (l *lexer) here(length int) Pos { return Pos{l.line, l.column, length} }

// advance moves over n bytes.
func (l *lexer) advance(n int) {
	for _, r := range l.src[l.off : l.off+n] {
		if r == '\n' {
			l.line, l.column = l.line+1, 1
		} else {
			l.column++
		}
	}
	l.off += n
}

func (l *lexer) skipSpace() {
	rest := l.src[l.off:]
	l.advance(len(rest) - len(strings.TrimLeft(rest, " \t\r\n\u00a0")))
}

func (l *lexer) next() (done bool, err error) {
	rest := l.src[l.off:]
	if rest == "" {
		l.tokens = append(l.tokens, token{kind: tokEnd, pos: l.here(0)})
		return true, nil
	}
	switch c := rest[0]; {
	case isWordStart(c):
		l.add(tokWord, span(rest, isWordPart))
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		l.add(tokNumber, numberLength(rest))
	case c == '\'' || c == '"':
		return false, l.quoted(tokString, c, "string")
	case c == '`':
		return false, l.quoted(tokName, c, "name")
	default:
		if n := symbolLength(rest); n > 0 {
			l.add(tokSymbol, n)
		} else {
			_, n = utf8.DecodeRuneInString(rest)
			l.add(tokOther, n)
		}
	}
	return false, nil
}

func (l *lexer) add(kind tokenKind, n int) {
	text := l.src[l.off : l.off+n]
	if kind == tokSymbol {
		switch text {
		case "==":
			text = "="
		case "<>":
			text = "!="
		}
	}
	l.tokens = append(l.tokens, token{kind, text, l.here(utf8.RuneCountInString(l.src[l.off : l.off+n]))})
	l.advance(n)
}

// quoted reads a string or name up to its closing quote; a doubled quote inside stands for one.
func (l *lexer) quoted(kind tokenKind, quote byte, what string) error {
	var text strings.Builder
	rest := l.src[l.off:]
	for i := 1; i < len(rest); i++ {
		if rest[i] != quote {
			text.WriteByte(rest[i])
			continue
		}
		if i+1 < len(rest) && rest[i+1] == quote {
			text.WriteByte(quote)
			i++
			continue
		}
		l.tokens = append(l.tokens, token{kind, text.String(), l.here(utf8.RuneCountInString(rest[:i+1]))})
		l.advance(i + 1)
		return nil
	}
	return errorAt(l.here(1), []string{string(quote)}, "the %s that begins here has no closing %c", what, quote)
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '@'
}
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) || c == '.' }

func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// numberLength is the length of the number that s begins with: 12, 1.5, .5, 1e6, 2.5e-3.
func numberLength(s string) int {
	n := span(s, isDigit)
	if n < len(s) && s[n] == '.' {
		n += 1 + span(s[n+1:], isDigit)
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		exp := n + 1
		if exp < len(s) && (s[exp] == '+' || s[exp] == '-') {
			exp++
		}
		if digits := span(s[exp:], isDigit); digits > 0 {
			n = exp + digits
		}
	}
	return n
}

func symbolLength(s string) int {
	for _, symbol := range []string{"==", "!=", "<>", "<=", ">=", "|", ",", "(", ")", "=", "<", ">", "+", "-", "*", "/"} {
		if strings.HasPrefix(s, symbol) {
			return len(symbol)
		}
	}
	return 0
}
