package library

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
)

// markup is text that may have tags in it, such as <i>.
type markup struct {
	Label string `xml:"Label,attr"`
	Inner string `xml:",innerxml"`
}

var tags = regexp.MustCompile(`<[^>]*>`)

func (m markup) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(m.Inner, ""))), " ")
}

// xmlArticle is the part of a PubmedArticle that is used here.
type xmlArticle struct {
	Citation struct {
		PMID    string `xml:"PMID"`
		Article struct {
			Title    markup   `xml:"ArticleTitle"`
			Abstract []markup `xml:"Abstract>AbstractText"`
			Journal  struct {
				Title string  `xml:"Title"`
				Short string  `xml:"ISOAbbreviation"`
				Date  xmlDate `xml:"JournalIssue>PubDate"`
			} `xml:"Journal"`
			Authors []struct {
				LastName       string `xml:"LastName"`
				ForeName       string `xml:"ForeName"`
				InitialsOf     string `xml:"Initials"`
				CollectiveName markup `xml:"CollectiveName"`
			} `xml:"AuthorList>Author"`
			Types []string  `xml:"PublicationTypeList>PublicationType"`
			Date  []xmlDate `xml:"ArticleDate"`
			Banks []struct {
				Name    string   `xml:"DataBankName"`
				Numbers []string `xml:"AccessionNumberList>AccessionNumber"`
			} `xml:"DataBankList>DataBank"`
		} `xml:"Article"`
		MeSH []string `xml:"MeshHeadingList>MeshHeading>DescriptorName"`
	} `xml:"MedlineCitation"`
}

type xmlDate struct {
	Year, Month, Day, MedlineDate string
}

func (d xmlDate) String() string {
	if d.Year == "" && len(d.MedlineDate) >= 4 {
		return d.MedlineDate[:4]
	}
	return dateOf(d.Year, d.Month, d.Day)
}

// readXML reads the PubmedArticle elements of a document, wherever they stand.
func readXML(r *bufio.Reader, yield func(numbered[Article], error) bool) {
	from := newBounded(r)
	dec := xml.NewDecoder(from)
	dec.Entity = xml.HTMLEntity // and no others: what a document declares is not expanded
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		line, _ := dec.InputPos()
		if err != nil {
			yield(numbered[Article]{}, &badEntry{int64(line), "the XML is broken from here on: " + err.Error()})
			return
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "PubmedArticle" {
			continue
		}
		from.next()
		var a xmlArticle
		if err := dec.DecodeElement(&a, &start); err != nil {
			yield(numbered[Article]{}, &badEntry{int64(line), "the XML is broken from here on: " + err.Error()})
			return
		}
		if !yield(numbered[Article]{int64(line), a.article()}, nil) {
			return
		}
		from.next()
	}
}

func (x *xmlArticle) article() Article {
	c := &x.Citation
	a := Article{PMID: c.PMID, Title: c.Article.Title.text(), Journal: strings.TrimSpace(c.Article.Journal.Title), short: strings.TrimSpace(c.Article.Journal.Short),
		Date: c.Article.Journal.Date.String(), Types: c.Article.Types, MeSH: c.MeSH}
	if len(a.Date) < len("2024-05-17") && len(c.Article.Date) > 0 && strings.HasPrefix(c.Article.Date[0].String(), a.Date) {
		a.Date = c.Article.Date[0].String() // the electronic date says the same, and more
	}
	for _, author := range c.Article.Authors {
		name := strings.TrimSpace(author.LastName + " " + firstOf(author.ForeName, author.InitialsOf))
		if name = firstOf(name, author.CollectiveName.text()); name != "" {
			a.Authors = append(a.Authors, name)
		}
	}
	var parts []string
	for _, p := range c.Article.Abstract {
		text := p.text()
		if p.Label != "" {
			text = fmt.Sprintf("%s: %s", p.Label, text)
		}
		parts = append(parts, text)
	}
	a.Abstract = strings.Join(parts, "\n")
	for _, bank := range c.Article.Banks {
		if bank.Name == "ClinicalTrials.gov" && len(bank.Numbers) > 0 && a.NCT == "" {
			a.NCT = bank.Numbers[0]
		}
	}
	return a
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
