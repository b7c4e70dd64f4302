package pubmed

import (
	"fmt"
	"strings"
)

// Query is a search that was read. The zero value is everything.
type Query struct{ Root Node }

// Node is a part of a search: *Binary, *Term or *Dates.
type Node interface{ write(*strings.Builder) }

// Op joins two parts.
type Op string

// The operators.
const (
	And Op = "AND"
	Or  Op = "OR"
	Not Op = "NOT"
)

// Binary joins two parts.
type Binary struct {
	Op          Op
	Left, Right Node
}

// Term is a word or phrase to be looked for in a field.
type Term struct {
	Field  *Field
	Text   string   // as it was written, without quotes and star
	Tokens []string // its words, as the index has them
	Prefix bool     // the last word may go on
}

// Dates are days of publication, both ends included, as numbers such as 20240517.
type Dates struct {
	From, To int
	Text     string // as it was written
}

// Field is where a term is looked for.
type Field struct {
	Name    string   // as PubMed prints it: "Title/Abstract"
	Tags    []string // what may stand in brackets, in small letters; the first is the shortest
	columns string   // of the index, for words
	kind    string   // of a name: mh, au, ta, pt
	explode bool     // a name includes those below it
	dates   bool
}

func (f *Field) isText() bool { return f.columns != "" || f == AllFields }

// AllFields is where a term without a tag is looked for.
var AllFields = &Field{Name: "All Fields", Tags: []string{"all", "all fields"}}

var fields = []*Field{
	AllFields,
	{Name: "Title", Tags: []string{"ti", "title"}, columns: "title"},
	{Name: "Title/Abstract", Tags: []string{"tiab", "title/abstract"}, columns: "title abstract"},
	{Name: "Text Word", Tags: []string{"tw", "text word", "text words"}, columns: "title abstract mesh types ids"},
	{Name: "MeSH Terms", Tags: []string{"mh", "mesh", "mesh terms", "mesh term"}, kind: "mh", explode: true},
	{Name: "MeSH Terms:noexp", Tags: []string{"mh:noexp", "mesh:noexp", "mesh terms:noexp"}, kind: "mh"},
	{Name: "Author", Tags: []string{"au", "auth", "author"}, kind: "au"},
	{Name: "Journal", Tags: []string{"ta", "jour", "journal", "so"}, kind: "ta"},
	{Name: "Publication Type", Tags: []string{"pt", "ptyp", "publication type"}, kind: "pt", explode: true},
	{Name: "Date - Publication", Tags: []string{"dp", "pdat", "date - publication", "publication date"}, dates: true},
}

// fieldOf finds a field by its tag.
func fieldOf(tag string) *Field {
	tag = strings.ToLower(strings.Join(strings.Fields(tag), " "))
	for _, f := range fields {
		for _, t := range f.Tags {
			if t == tag {
				return f
			}
		}
	}
	return nil
}

// tagsInUse are the tags that an error offers.
func tagsInUse() []string {
	var tags []string
	for _, f := range fields {
		tags = append(tags, "["+f.Tags[0]+"]")
	}
	return tags
}

// String writes the search as it is understood, every part with its field and its parentheses.
func (q Query) String() string {
	if q.Root == nil {
		return ""
	}
	var b strings.Builder
	q.Root.write(&b)
	return b.String()
}

func (n *Binary) write(b *strings.Builder) {
	writeOperand(b, n.Left)
	b.WriteString(" " + string(n.Op) + " ")
	writeOperand(b, n.Right)
}

func writeOperand(b *strings.Builder, n Node) {
	if _, joined := n.(*Binary); !joined {
		n.write(b)
		return
	}
	b.WriteByte('(')
	n.write(b)
	b.WriteByte(')')
}

func (n *Term) write(b *strings.Builder) {
	star := ""
	if n.Prefix {
		star = "*"
	}
	if len(n.Tokens) == 1 && n.Text == n.Tokens[0] && n.Field.isText() {
		fmt.Fprintf(b, "%s%s[%s]", n.Text, star, n.Field.Name)
		return
	}
	fmt.Fprintf(b, "\"%s%s\"[%s]", n.Text, star, n.Field.Name)
}

func (n *Dates) write(b *strings.Builder) { fmt.Fprintf(b, "%s[Date - Publication]", n.Text) }
