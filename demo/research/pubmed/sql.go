package pubmed

import (
	"fmt"
	"strings"
)

// SQL is the search as a condition on a row a of articles, and the condition's parameters; "TRUE"
// for everything. It is for SQLite with the tables articles, article_fts and article_names of
// package library: days as Day makes them, names as the Names functions do.
func (q Query) SQL() (text string, args []any) {
	if q.root == nil {
		return "TRUE", nil
	}
	text = q.root.sql(&args)
	return text, args
}

func (n *node) sql(args *[]any) string {
	add := func(text string, more ...any) string {
		*args = append(*args, more...)
		return text
	}
	switch {
	case n.op != "":
		op := map[string]string{"AND": " AND ", "OR": " OR ", "NOT": " AND NOT "}[n.op]
		return "(" + n.left.sql(args) + op + n.right.sql(args) + ")"
	case n.field.dates:
		return add("a.day BETWEEN ? AND ?", n.from, n.to)
	case n.field.kind == "":
		return add("a.id IN (SELECT rowid FROM article_fts WHERE article_fts MATCH ?)", n.match(n.field.columns))
	}
	name, below := n.names()
	text := add("a.id IN (SELECT article FROM article_names WHERE kind = ? AND (name = ?", n.field.kind, name)
	if below != "" {
		// a range, not LIKE: it uses the index and knows no wildcards
		text += add(" OR name >= ? AND name < ?", below, below+"\U0010FFFF")
	}
	if list, ok := narrowerTypes[name]; ok && n.field.kind == "pt" {
		for narrower := range strings.SplitSeq(list, "|") {
			text += add(" OR name = ?", narrower)
		}
	}
	return text + "))"
}

// names is the exact name that a term looks up, and what the names below it begin with.
func (n *node) names() (name, below string) {
	name = plain(n.text)
	switch n.field.kind {
	case "mh", "pt":
		name = Heading(n.text)
		if n.field.explode {
			below = name + ", "
		}
	case "au":
		below = name + " "
	}
	if n.prefix {
		below = name
	}
	return name, below
}

const clinicalTrials = "adaptive clinical trial|controlled clinical trial|randomized controlled trial|equivalence trial|pragmatic clinical trial|" +
	"clinical trial, phase i|clinical trial, phase ii|clinical trial, phase iii|clinical trial, phase iv"

// narrowerTypes are publication types below another that do not carry its name.
var narrowerTypes = map[string]string{
	"clinical trial":            clinicalTrials,
	"controlled clinical trial": "randomized controlled trial",
	"clinical study":            "clinical trial|observational study|clinical trial protocol|" + clinicalTrials,
	"review":                    "systematic review",
}

// match is a term in FTS5's language. Tokens hold letters and digits only, so nothing in them can
// end the quotes.
func (n *node) match(columns string) string {
	m := `"` + strings.Join(n.tokens, " ") + `"`
	if n.prefix {
		m += " *"
	}
	if columns != "" {
		return fmt.Sprintf("{%s} : %s", columns, m)
	}
	return m
}

// Match is an FTS5 expression over the words that an article is the more relevant for, "" where
// there are none: all that are not excluded.
func (q Query) Match() string {
	var parts []string
	var walk func(*node)
	walk = func(n *node) {
		switch {
		case n == nil || n.op == "" && n.field.dates:
		case n.op == "":
			parts = append(parts, n.match(n.field.columns))
		default:
			walk(n.left)
			if n.op != "NOT" {
				walk(n.right)
			}
		}
	}
	walk(q.root)
	return strings.Join(parts, " OR ")
}
