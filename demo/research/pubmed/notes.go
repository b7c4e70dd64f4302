package pubmed

import (
	"fmt"
	"slices"
	"strings"
)

// Notes say in sentences what of a search an index cannot know, and what was looked for instead.
// There are none for a search that is carried out as it stands.
func (q Query) Notes() []string {
	var major, below, qualified []string
	walk(q.Root, func(t *Term) {
		if t.Field.kind != "mh" {
			return
		}
		heading, qualifier := t.heading()
		if t.Field.major {
			major = append(major, quoted(heading))
		}
		if t.Field.explode && !t.Prefix {
			below = append(below, quoted(heading))
		}
		if qualifier != "" {
			qualified = append(qualified, quoted("/"+qualifier))
		}
	})
	var notes []string
	add := func(terms []string, format string) {
		if len(terms) > 0 {
			notes = append(notes, fmt.Sprintf(format, listed(terms)))
		}
	}
	add(major, "[majr] of %s is ignored: which headings are an article's main topics is not known here, so it finds every article with the heading, as [mh] does.")
	add(qualified, "%s is ignored: qualifiers of headings are not known here.")
	add(below, "Of what stands below %s in MeSH's tree only headings that begin with the same words are found: the tree is not known here. Add narrower headings with OR.")
	return notes
}

// heading parts a MeSH term into its heading and its qualifier: "leukemia/drug therapy".
func (n *Term) heading() (heading, qualifier string) {
	heading, qualifier, _ = strings.Cut(n.Text, "/")
	if plain(heading) == "" {
		return n.Text, ""
	}
	return strings.TrimSpace(heading), strings.TrimSpace(qualifier)
}

func walk(n Node, visit func(*Term)) {
	switch n := n.(type) {
	case *Binary:
		walk(n.Left, visit)
		walk(n.Right, visit)
	case *Term:
		visit(n)
	}
}

func quoted(text string) string { return "“" + text + "”" }

// maxListed is how many terms a note names.
const maxListed = 4

func listed(terms []string) string {
	terms = slices.Compact(slices.Sorted(slices.Values(terms)))
	if more := len(terms) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(terms[:maxListed], ", "), more)
	}
	return strings.Join(terms, ", ")
}
