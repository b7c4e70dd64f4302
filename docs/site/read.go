package main

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is where links to what is not documentation lead.
const repository = "https://github.com/pageside/pageside/blob/main/"

// sections are the folders of the documentation in the order of the navigation; "." has what
// stands beside them.
var sections = []struct{ folder, title string }{
	{"guide", "Guide"}, {"sdk", "SDK"}, {"reference", "Reference"}, {".", "Operations and security"},
}

// site is the documentation: its pages in the order of the navigation, and the files they show.
type site struct {
	files fs.FS
	pages []*page
	shown []string
}

// page is one Markdown file.
type page struct {
	name    string // guide/README.md
	section string // the title of its section
	title   string
	source  []byte
	tree    ast.Node
	parts   []part
}

// part is what stands below one heading: what a search finds.
type part struct{ Title, ID, Text string }

// markdown is what GitHub shows: tables, strikethrough, autolinks, and ids of headings.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// read reads the documentation.
func read(docs fs.FS) (*site, error) {
	s := &site{files: docs}
	for _, section := range sections {
		names, err := pagesIn(docs, section.folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			p, err := readPage(docs, name)
			if err != nil {
				return nil, err
			}
			p.section = section.title
			s.pages = append(s.pages, p)
		}
	}
	for _, p := range s.pages {
		if err := s.link(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// pagesIn lists the pages of a folder: its README, the pages that the README links to in that
// order, then the others.
func pagesIn(docs fs.FS, folder string) ([]string, error) {
	names, err := fs.Glob(docs, path.Join(folder, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	readme := path.Join(folder, "README.md")
	source, _ := fs.ReadFile(docs, readme) // a folder without one is in the order of the alphabet
	rank := func(name string) int {
		if name == readme {
			return -1
		}
		if i := bytes.Index(source, []byte("("+path.Base(name))); i >= 0 {
			return i
		}
		return len(source)
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names, nil
}

var comments = regexp.MustCompile(`(?s)<!--.*?-->\n?`)

func readPage(docs fs.FS, name string) (*page, error) {
	source, err := fs.ReadFile(docs, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	source = comments.ReplaceAll(source, nil)
	p := &page{name: name, source: source, tree: markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		switch {
		case isHeading && h.Level == 1 && p.title == "":
			p.title = plain(h, source)
			p.parts = append(p.parts, part{Title: p.title})
		case isHeading:
			id, _ := h.AttributeString("id")
			p.parts = append(p.parts, part{Title: plain(h, source), ID: string(id.([]byte))})
		case len(p.parts) > 0:
			last := &p.parts[len(p.parts)-1]
			last.Text = strings.TrimSpace(last.Text + " " + plain(n, source))
		}
	}
	if p.title == "" {
		return nil, fmt.Errorf("read %s: it has no title", name)
	}
	return p, nil
}

// plain returns the text of a node in one line.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				out.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(source))
			if n.SoftLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.AutoLink:
			out.Write(n.Label(source))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				out.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// ids makes the ids of headings as GitHub does, which the links between pages count on.
type ids map[string]int

var notInID = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

func (seen ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.ReplaceAll(notInID.ReplaceAllString(strings.ToLower(string(value)), ""), " ", "-")
	seen[id]++
	if n := seen[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return []byte(id)
}

func (seen ids) Put(value []byte) { seen[string(value)]++ }

// link makes the links of a page lead to pages of the site, or to the repository.
func (s *site) link(p *page) error {
	return ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, err := s.resolve(p, string(n.Destination))
			n.Destination = []byte(to)
			return ast.WalkContinue, err
		case *ast.Image:
			s.shown = append(s.shown, path.Join(path.Dir(p.name), string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
}

func (s *site) resolve(p *page, to string) (string, error) {
	if to == "" || to[0] == '#' || strings.Contains(to, "://") {
		return to, s.hasPart(p, p, to)
	}
	file, fragment, _ := strings.Cut(to, "#")
	name := path.Join(path.Dir(p.name), file)
	if i := slices.IndexFunc(s.pages, func(q *page) bool { return q.name == name }); i >= 0 {
		if fragment != "" {
			fragment = "#" + fragment
		}
		return strings.TrimSuffix(file, ".md") + ".html" + fragment, s.hasPart(p, s.pages[i], fragment)
	}
	if strings.HasPrefix(name, "../") {
		return repository + strings.TrimLeft(name, "./"), nil
	}
	if _, err := fs.Stat(s.files, name); err != nil {
		return "", fmt.Errorf("%s links to %s, which is not there", p.name, to)
	}
	return repository + path.Join("docs", name), nil
}

// hasPart returns an error if a link leads to a heading that a page does not have.
func (s *site) hasPart(from, to *page, fragment string) error {
	id, isFragment := strings.CutPrefix(fragment, "#")
	if !isFragment || slices.ContainsFunc(to.parts, func(p part) bool { return p.ID == id }) {
		return nil
	}
	return fmt.Errorf("%s links to #%s of %s, which has no such heading", from.name, id, to.name)
}

// body returns a page as HTML.
func (p *page) body() (template.HTML, error) {
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, p.source, p.tree); err != nil {
		return "", fmt.Errorf("render %s: %w", p.name, err)
	}
	return template.HTML(out.String()), nil // our own documentation
}
