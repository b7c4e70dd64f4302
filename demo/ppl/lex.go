package ppl

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/visible"
)

// MaxQuery is the longest query Parse takes, in bytes.
const MaxQuery = 8 << 10

// Pos is where something stands in the query's text: Line and Column count from 1, Column and
// Length in code points.
type Pos struct{ Line, Column, Length int }

type tokenKind uint8

// The kinds of tokens; those up to tokSymbol are groups of tokenPattern.
const (
	tokEnd    tokenKind = iota
	tokWord             // a bare word: a keyword or a name
	tokNumber           // as written, without sign
	tokString           // text is the value
	_                   // a string in the other quotes
	tokName             // a name in backticks, never a keyword
	tokSymbol           // one of | , ( ) = != < <= > >= + - * /
	tokOther            // a character that no query uses: the parser refuses it where it stands
)

var tokenPattern = regexp.MustCompile(`^(?:([A-Za-z_@][\w@.]*)` +
	`|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)` +
	`|('(?:[^']|'')*')|("(?:[^"]|"")*")|(` + "`(?:[^`]|``)*`" + `)` +
	`|(==|!=|<>|<=|>=|[|,()=<>+*/-]))`)

type token struct {
	kind tokenKind
	text string
	pos  Pos
}

// is reports whether the token is the keyword or symbol.
func (t token) is(text string) bool {
	return t.kind == tokWord && strings.EqualFold(t.text, text) || t.kind == tokSymbol && t.text == text
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

// describe names the token in an error message.
func (t token) describe() string {
	short := token{kind: t.kind, text: visible.Cut(t.text, 40)}
	switch t.kind {
	case tokEnd:
		return "the end of the query"
	case tokString:
		return "the string " + short.written()
	case tokName:
		return short.written()
	}
	return fmt.Sprintf("%q", short.text)
}

// touches reports whether next follows without a blank between them.
func (t token) touches(next token) bool {
	return t.pos.Line == next.pos.Line && t.pos.Column+t.pos.Length == next.pos.Column
}

// lex cuts a query into tokens, the last of which is tokEnd. It fails as a parser does.
func lex(src string) (tokens []token) {
	at := Pos{Line: 1, Column: 1}
	if len(src) > MaxQuery {
		panic(errorAt(at, nil, "the query is %d bytes long; at most %d are allowed", len(src), MaxQuery))
	}
	if !utf8.ValidString(src) {
		panic(errorAt(at, nil, "the query is not valid UTF-8"))
	}
	for {
		rest := strings.TrimLeft(src, " \t\r\n\u00a0")
		at = at.after(src[:len(src)-len(rest)])
		if rest == "" {
			return append(tokens, token{kind: tokEnd, pos: at})
		}
		t, length := nextToken(rest, at)
		tokens = append(tokens, t)
		at, src = at.after(rest[:length]), rest[length:]
	}
}

// after is the position behind a text.
func (p Pos) after(text string) Pos {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line, p.Column, text = p.Line+strings.Count(text, "\n"), 1, text[i+1:]
	}
	return Pos{Line: p.Line, Column: p.Column + utf8.RuneCountInString(text)}
}

// nextToken reads the token that s begins with, and its length in bytes.
func nextToken(s string, at Pos) (token, int) {
	match := tokenPattern.FindStringSubmatch(s)
	if match == nil {
		at.Length = 1
		if quote := s[:1]; strings.Contains("'\"`", quote) {
			what := map[bool]string{true: "name", false: "string"}[quote == "`"]
			panic(errorAt(at, []string{quote}, "the %s that begins here has no closing %s", what, quote))
		}
		_, length := utf8.DecodeRuneInString(s)
		return token{tokOther, s[:length], at}, length
	}
	text := match[0]
	at.Length = utf8.RuneCountInString(text)
	t := token{text: text, pos: at}
	for t.kind = tokWord; match[t.kind] == ""; t.kind++ {
	}
	switch t.kind {
	case tokString, tokString + 1, tokName:
		t.text = strings.ReplaceAll(text[1:len(text)-1], text[:1]+text[:1], text[:1])
		if t.kind != tokName {
			t.kind = tokString
		}
	case tokSymbol:
		if same, ok := map[string]string{"==": "=", "<>": "!="}[text]; ok {
			t.text = same
		}
	}
	return t, len(text)
}

// Quote writes text as a string of a query.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// LikePattern escapes text, so that like matches it literally.
func LikePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
