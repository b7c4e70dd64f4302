package library

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/tempdb"
	"github.com/pageside/pageside/internal/visible"
)

var (
	//go:embed schema.sql
	schema string
	// The generated library says of itself that it is made up. Its PMIDs and NCT numbers are above
	// those that were ever given, and its journals do not exist.
	//
	//go:embed generated
	generated embed.FS
)

func (l *Library) fill(w *tempdb.Writer, files Files) error {
	if err := w.Script(schema); err != nil {
		return err
	}
	counts := map[string]map[string]int{"mh": {}, "pt": {}, "ta": {}}
	err := load(&l.Articles, files.Articles, "articles", readJSON[Article], func(id int64, a *Article) error {
		a.count(counts)
		l.span(a.Date)
		return a.write(w, id)
	})
	if err != nil {
		return fmt.Errorf("articles: %w", err)
	}
	l.Top = map[string][]Count{}
	for kind, values := range counts {
		l.Top[kind] = mostFrequent(values)
	}
	err = load(&l.Trials, files.Trials, "trials", readTrials, func(id int64, t *Trial) error { return t.write(w, id) })
	if err != nil {
		return fmt.Errorf("trials: %w", err)
	}
	return w.Script(`CREATE INDEX by_article ON article_names (article, kind); CREATE INDEX by_day ON articles (day); CREATE INDEX by_nct ON articles (nct); ANALYZE`)
}

// span widens the time from the oldest to the newest article.
func (l *Library) span(date string) {
	day := pubmed.Day(date)
	if day > 0 && (l.From == "" || day < pubmed.Day(l.From)) {
		l.From = date
	}
	if day > pubmed.Day(l.To) {
		l.To = date
	}
}

// record is an article or a trial.
type record[T any] interface {
	*T
	check() string // why it is none; it puts in order what it has
	key() string   // names it, as no other is named
}

// load hands what is in a file to add, or the generated records of a kind where there is no file.
func load[T any, R record[T]](s *Source, file, kind string, read reader[T], add func(int64, *T) error) error {
	open := func() (fs.File, error) { return os.Open(file) }
	if s.Label = filepath.Base(file); file == "" {
		s.Label, s.Generated, read = "Generated "+kind, true, readJSON[T]
		open = func() (fs.File, error) { return generated.Open("generated/" + kind + ".jsonl.gz") }
	}
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	seen := map[string]bool{}
	err = read(f, func(line int64, value *T, reason string) error {
		record := R(value)
		if reason == "" {
			reason = record.check()
		}
		if reason == "" && seen[record.key()] {
			reason = record.key() + " is there twice"
		}
		if reason != "" {
			s.Skip(line, reason)
			return nil
		}
		seen[record.key()] = true
		s.Count++
		return add(int64(s.Count), value)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.Label, err)
	}
	return s.empty()
}

// empty is the error of a source that has nothing.
func (s *Source) empty() error {
	switch {
	case s.Count > 0:
		return nil
	case s.Bad > 0:
		return fmt.Errorf("%s: nothing in it could be read; line %d: %s", s.Label, s.BadLines[0].Line, s.BadLines[0].Reason)
	}
	return fmt.Errorf("%s is empty", s.Label)
}

func (a *Article) key() string { return "PMID " + a.PMID }

// values are what filters and tags find the article by.
func (a *Article) values() map[string][]string {
	return map[string][]string{"mh": a.MeSH, "pt": a.Types, "au": a.Authors, "ta": {a.Journal}}
}

func (a *Article) count(counts map[string]map[string]int) {
	for kind, list := range a.values() {
		for i, value := range list {
			if counts[kind] != nil && value != "" && !slices.Contains(list[:i], value) {
				counts[kind][value]++
			}
		}
	}
}

func (a *Article) write(w *tempdb.Writer, id int64) error {
	doc, err := json.Marshal(a)
	if err == nil {
		err = w.Exec("INSERT INTO articles VALUES (?, ?, ?, ?, ?)", id, a.PMID, a.NCT, pubmed.Day(a.Date), string(doc))
	}
	if err == nil {
		err = w.Exec("INSERT INTO article_fts (rowid, title, abstract, mesh, journal, authors, types, ids) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			id, a.Title, a.Abstract, joined(a.MeSH), a.Journal, joined(a.Authors), joined(a.Types), a.PMID+" "+a.NCT)
	}
	for kind, list := range a.values() {
		for _, value := range list {
			for _, name := range namesOf(kind, value) {
				if err == nil {
					err = w.Exec("INSERT OR IGNORE INTO article_names VALUES (?, ?, ?)", kind, name, id)
				}
			}
		}
	}
	return err
}

func joined(list []string) string { return strings.Join(list, "; ") }

func namesOf(kind, value string) []string {
	switch kind {
	case "au":
		return pubmed.AuthorNames(value)
	case "ta":
		return pubmed.JournalNames(value)
	}
	return pubmed.HeadingNames(value)
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
	a.MeSH, a.Types, a.Authors = joinParts(a.MeSH), joinParts(a.Types), nonNil(a.Authors)
	a.NCT = strings.ToUpper(strings.TrimSpace(a.NCT))
	return ""
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// mostFrequent sorts values by how often they are there, then by name.
func mostFrequent(counts map[string]int) []Count {
	list := make([]Count, 0, len(counts))
	for value, n := range counts {
		list = append(list, Count{Value: value, Count: n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) })
	return list
}
