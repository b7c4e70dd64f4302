package pubmed

import (
	"fmt"
	"strings"
)

// Query is a search that was read. The zero value is everything.
type Query struct{ root *node }

// node is a part of a search: two parts that op joins, a term, or days where field takes those.
type node struct {
	op          string
	left, right *node

	field  *field
	text   string   // as it was written, without quotes and star
	tokens []string // its words, as documents have them
	phrase string   // the same, as Texts have them
	prefix bool     // the last word may go on
	name   string   // what it looks up where its field has names
	below  string   // what names below it begin with; "" is none

	from, to int // days, both included, as numbers such as 20240517
}

// field is where a term is looked for.
type field struct {
	name    string   // as PubMed prints it: "Title/Abstract"
	tags    string   // what may stand in brackets, in small letters, the shortest first
	columns []string // for words; none is all
	kind    string   // of a name: mh, au, ta, pt
	explode bool     // a name includes those below it
	dates   bool
}

// fields begin with the one where a term without a tag is looked for.
var fields = []*field{
	{name: "All Fields", tags: "all|all fields"},
	{name: "Title", tags: "ti|title", columns: []string{"title"}},
	{name: "Title/Abstract", tags: "tiab|title/abstract", columns: []string{"title", "abstract"}},
	{name: "Text Word", tags: "tw|text word|text words", columns: []string{"title", "abstract", "mesh", "types", "ids"}},
	{name: "MeSH Terms", tags: "mh|mesh|mesh terms|mesh term", kind: "mh", explode: true},
	{name: "MeSH Terms:noexp", tags: "mh:noexp|mesh:noexp|mesh terms:noexp", kind: "mh"},
	{name: "Author", tags: "au|auth|author", kind: "au"},
	{name: "Journal", tags: "ta|jour|journal|so", kind: "ta"},
	{name: "Publication Type", tags: "pt|ptyp|publication type", kind: "pt", explode: true},
	{name: "Date - Publication", tags: "dp|pdat|date - publication|publication date", dates: true},
}

// fieldOf finds a field by its tag.
func fieldOf(tag string) *field {
	tag = strings.ToLower(strings.Join(strings.Fields(tag), " "))
	for _, f := range fields {
		if strings.Contains("|"+f.tags+"|", "|"+tag+"|") {
			return f
		}
	}
	return nil
}

// tagsInUse are the tags that an error offers.
func tagsInUse() (tags []string) {
	for _, f := range fields {
		tag, _, _ := strings.Cut(f.tags, "|")
		tags = append(tags, "["+tag+"]")
	}
	return tags
}

// String writes the search as it is understood, every part with its field and its parentheses.
func (q Query) String() string {
	if q.root == nil {
		return ""
	}
	return q.root.String()
}

func (n *node) String() string {
	if n.op != "" {
		return n.left.operand() + " " + n.op + " " + n.right.operand()
	}
	if n.field.dates {
		return fmt.Sprintf("%s[%s]", n.text, n.field.name)
	}
	text := n.text
	if n.prefix {
		text += "*"
	}
	if n.field.kind == "" && len(n.tokens) == 1 && n.text == n.tokens[0] {
		return fmt.Sprintf("%s[%s]", text, n.field.name)
	}
	return fmt.Sprintf("\"%s\"[%s]", text, n.field.name)
}

func (n *node) operand() string {
	if n.op != "" {
		return "(" + n.String() + ")"
	}
	return n.String()
}
