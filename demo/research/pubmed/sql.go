package pubmed

import (
	"fmt"
	"strings"
)

// SQL is the search as a condition on a row a of articles, and the condition's parameters; "TRUE"
// for everything. It is for SQLite with the tables articles, article_fts and article_names of
// package library: days as Day makes them, names as the Names functions do.
func (q Query) SQL() (string, []any) {
	if q.Root == nil {
		return "TRUE", nil
	}
	w := &sqlWriter{}
	w.node(q.Root)
	return w.text.String(), w.args
}

type sqlWriter struct {
	text strings.Builder
	args []any
}

func (w *sqlWriter) add(text string, args ...any) {
	w.text.WriteString(text)
	w.args = append(w.args, args...)
}

func (w *sqlWriter) node(n Node) {
	switch n := n.(type) {
	case *Binary:
		w.add("(")
		w.node(n.Left)
		w.add(map[Op]string{And: " AND ", Or: " OR ", Not: " AND NOT "}[n.Op])
		w.node(n.Right)
		w.add(")")
	case *Dates:
		w.add("a.day BETWEEN ? AND ?", n.From, n.To)
	case *Term:
		w.term(n)
	}
}

func (w *sqlWriter) term(n *Term) {
	if n.Field.kind != "" {
		w.names(n)
		return
	}
	w.add("a.id IN (SELECT rowid FROM article_fts WHERE article_fts MATCH ?)", n.match())
}

// names looks an exact name up, and those below it. Ranges, not LIKE: they use the index and know
// no wildcards.
func (w *sqlWriter) names(n *Term) {
	name, below := plain(n.Text), ""
	switch n.Field.kind {
	case "mh", "pt":
		name = Heading(n.Text)
		if n.Field.explode {
			below = name + ", "
		}
	case "au":
		below = name + " "
	}
	if n.Prefix {
		below = name
	}
	w.add("a.id IN (SELECT article FROM article_names WHERE kind = ? AND (name = ?", n.Field.kind, name)
	if below != "" {
		w.add(" OR name >= ? AND name < ?", below, below+"\U0010FFFF")
	}
	if n.Field.kind == "pt" {
		for _, narrower := range narrowerTypes[name] {
			w.add(" OR name = ?", narrower)
		}
	}
	w.add("))")
}

// narrowerTypes are publication types below another that do not carry its name.
var narrowerTypes = map[string][]string{
	"clinical trial": {"adaptive clinical trial", "controlled clinical trial", "randomized controlled trial", "equivalence trial", "pragmatic clinical trial",
		"clinical trial, phase i", "clinical trial, phase ii", "clinical trial, phase iii", "clinical trial, phase iv"},
	"controlled clinical trial": {"randomized controlled trial"},
	"clinical study": {"clinical trial", "adaptive clinical trial", "controlled clinical trial", "randomized controlled trial", "equivalence trial", "pragmatic clinical trial",
		"clinical trial, phase i", "clinical trial, phase ii", "clinical trial, phase iii", "clinical trial, phase iv", "observational study", "clinical trial protocol"},
	"review": {"systematic review"},
}

// match is a term in FTS5's language. Tokens hold letters and digits only, so nothing in them can
// end the quotes.
func (n *Term) match() string {
	m := `"` + strings.Join(n.Tokens, " ") + `"`
	if n.Prefix {
		m += " *"
	}
	if n.Field.columns != "" {
		return fmt.Sprintf("{%s} : %s", n.Field.columns, m)
	}
	return m
}

// Match is an FTS5 expression over the words that an article is the more relevant for, "" where
// there are none: all that are not excluded.
func (q Query) Match() string {
	var parts []string
	var walk func(Node)
	walk = func(n Node) {
		switch n := n.(type) {
		case *Binary:
			walk(n.Left)
			if n.Op != Not {
				walk(n.Right)
			}
		case *Term:
			words := *n
			words.Field = &Field{columns: n.Field.columns}
			parts = append(parts, words.match())
		}
	}
	walk(q.Root)
	return strings.Join(parts, " OR ")
}
