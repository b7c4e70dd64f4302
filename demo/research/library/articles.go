package library

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/internal/visible"
)

// Brief is what lists show of an article.
type Brief struct {
	PMID    string   `json:"pmid"`
	Title   string   `json:"title"`
	Authors []string `json:"authors"` // last name first
	Journal string   `json:"journal"`
	Date    string   `json:"date"` // 2024, 2024-05 or 2024-05-17; "" where it is not known
	Types   []string `json:"types"`
	NCT     string   `json:"nct,omitempty"`
}

// Article is a citation.
type Article struct {
	Brief
	MeSH     []string `json:"mesh"`
	Abstract string   `json:"abstract,omitempty"`
}

func (a *Article) key() string { return "PMID " + a.PMID }

// values are what filters and tags find the article by.
func (a *Article) values() map[string][]string {
	return map[string][]string{"mh": a.MeSH, "pt": a.Types, "au": a.Authors, "ta": {a.Journal}}
}

// article is an Article as searches see it.
type article struct {
	Article
	doc pubmed.Doc
}

func indexArticle(a Article) article {
	doc := pubmed.Doc{Names: map[string][]string{}, Day: pubmed.Day(a.Date), Texts: pubmed.Texts{
		"title":    pubmed.Spaced(a.Title),
		"abstract": pubmed.Spaced(a.Abstract),
		"mesh":     spaced(a.MeSH),
		"journal":  pubmed.Spaced(a.Journal),
		"authors":  spaced(a.Authors),
		"types":    spaced(a.Types),
		"ids":      pubmed.Spaced(a.PMID + " " + a.NCT),
	}}
	for kind, list := range a.values() {
		for _, value := range list {
			doc.Names[kind] = append(doc.Names[kind], pubmed.Names(kind, value)...)
		}
	}
	return article{a, doc}
}

func spaced(lists ...[]string) string {
	return pubmed.Spaced(strings.Join(slices.Concat(lists...), "; "))
}

// check reports why the entry is no article, and puts what it has in order.
func (a *Article) check() string {
	a.PMID, a.Title = strings.TrimSpace(a.PMID), strings.TrimSpace(a.Title)
	if a.PMID == "" || len(a.PMID) > 12 || strings.Trim(a.PMID, "0123456789") != "" {
		return fmt.Sprintf("pmid %q is not a number", visible.Clip(a.PMID, 40))
	}
	if a.Title == "" {
		return "PMID " + a.PMID + " has no title"
	}
	if a.Date != "" && pubmed.Day(a.Date) == 0 {
		a.Date = ""
	}
	a.MeSH, a.Types, a.Authors = joinParts(a.MeSH), joinParts(a.Types), refuse.List(a.Authors)
	a.NCT = strings.ToUpper(strings.TrimSpace(a.NCT))
	return ""
}
