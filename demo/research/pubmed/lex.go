package pubmed

import (
	"strings"
	"unicode"
)

type kind uint8

const (
	end kind = iota
	word
	phrase // in quotes
	tag    // in brackets
	operator
	open
	closing
)

// token is a piece of a search. start and length are in code points.
type token struct {
	kind          kind
	text          string
	start, length int
}

// maxQuery bounds a search, in code points; maxTerms its parts; maxDepth its parentheses.
const (
	maxQuery = 4000
	maxTerms = 200
	maxDepth = 32
)

// lex splits a search into tokens; the last one is end.
func lex(query string) ([]token, error) {
	runes := []rune(strings.ToValidUTF8(query, "\uFFFD"))
	if len(runes) > maxQuery {
		return nil, errorAt(maxQuery, 0, nil, "the search is longer than %d characters", maxQuery)
	}
	var tokens []token
	for i := 0; i < len(runes); {
		if unicode.IsSpace(runes[i]) {
			i++
			continue
		}
		t, err := next(runes, i)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		i += t.length
	}
	return append(tokens, token{kind: end, start: len(runes)}), nil
}

func next(runes []rune, i int) (token, error) {
	switch r := runes[i]; {
	case r == '(':
		return token{open, "(", i, 1}, nil
	case r == ')':
		return token{closing, ")", i, 1}, nil
	case isQuote(r):
		return enclosed(runes, i, phrase, isQuote, `"`)
	case r == '[':
		return enclosed(runes, i, tag, func(r rune) bool { return r == ']' }, "]")
	case r == ']':
		return token{}, errorAt(i, 1, nil, "there is a ] without a [ before it")
	}
	j := i
	for j < len(runes) && !unicode.IsSpace(runes[j]) && !isQuote(runes[j]) && !strings.ContainsRune("()[]", runes[j]) {
		j++
	}
	t := token{word, string(runes[i:j]), i, j - i}
	if op := Op(t.text); op == And || op == Or || op == Not {
		t.kind = operator
	}
	return t, nil
}

func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' }

// enclosed reads from an opening character to its closing one.
func enclosed(runes []rune, i int, k kind, ends func(rune) bool, closer string) (token, error) {
	for j := i + 1; j < len(runes); j++ {
		if ends(runes[j]) {
			return token{k, strings.TrimSpace(string(runes[i+1 : j])), i, j + 1 - i}, nil
		}
	}
	return token{}, errorAt(i, len(runes)-i, []string{closer}, "what begins here does not end: there is no %s", closer)
}
