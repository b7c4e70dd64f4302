package httptool

import (
	"errors"
	"slices"
	"strings"
)

// position is where in a text an action stands, as far as escaping goes: the name of the function
// that escapes a value there. Texts advance it. Behind branches that end in different positions it
// is all of them, with | between.
type position string

const (
	inPath   position = "_path"
	inQuery  position = "_query"
	inJSON   position = "_json"     // outside of its strings
	inString position = "_jsonText" // a string of JSON
	inEscape position = "_escape"   // in such a string, behind a backslash
	inHeader position = "_header"
	inText   position = "_text" // one that nothing parses
)

// after returns the position behind a piece of plain text.
func (p position) after(text string) (all position, err error) {
	for one := range strings.SplitSeq(string(p), "|") {
		at := position(one)
		switch at {
		case inPath, inQuery:
			at, err = at.afterURL(text)
		case inJSON, inString, inEscape:
			at = at.afterJSON(text)
		}
		if err != nil {
			return "", err
		}
		all = all.or(at)
	}
	return all, nil
}

func (p position) afterURL(text string) (position, error) {
	if strings.Contains(text, "#") {
		return "", errors.New("a fragment (#…) is never sent: leave it out")
	}
	if strings.Contains(text, "?") {
		return inQuery, nil
	}
	return p, nil
}

func (p position) afterJSON(text string) position {
	for _, c := range []byte(text) {
		switch {
		case p == inEscape:
			p = inString
		case p == inString && c == '\\':
			p = inEscape
		case p == inString && c == '"':
			p = inJSON
		case p == inJSON && c == '"':
			p = inString
		}
	}
	return p
}

// or returns the position behind two branches.
func (p position) or(q position) position {
	all := slices.Concat(strings.Split(string(p), "|"), strings.Split(string(q), "|"))
	slices.Sort(all)
	return position(strings.TrimPrefix(strings.Join(slices.Compact(all), "|"), "|"))
}

// escape returns the name of the function that escapes a value here.
func (p position) escape() (string, error) {
	switch {
	case p == inEscape:
		return "", errors.New(`stands behind a \ in a JSON string`)
	case strings.Contains(string(p), "|"):
		return "", errors.New("stands behind branches that end in different places: it is not clear how to escape it")
	}
	return string(p), nil
}
