package library

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/pubmed"
)

// fillArticles loads a file, or the generated articles.
func (l *Library) fillArticles(ctx context.Context, tx *sql.Tx, file string) error {
	w := &articleWriter{ctx: ctx, tx: tx, counts: map[string]map[string]int{"mh": {}, "pt": {}, "ta": {}}, library: l}
	if err := w.prepare(); err != nil {
		return err
	}
	if err := load(&l.Articles, file, "Generated library", generatedArticles(), readArticles, w.add); err != nil {
		return fmt.Errorf("load articles: %w", err)
	}
	l.Top = map[string][]Count{}
	for kind, counts := range w.counts {
		l.Top[kind] = mostFrequent(counts)
	}
	return nil
}

func (l *Library) fillTrials(ctx context.Context, tx *sql.Tx, file string) error {
	w := &trialWriter{ctx: ctx, tx: tx}
	if err := w.prepare(); err != nil {
		return err
	}
	if err := load(&l.Trials, file, "Generated trials", generatedTrials(), readTrials, w.add); err != nil {
		return fmt.Errorf("load trials: %w", err)
	}
	return nil
}

// load hands what is in a file, or what was generated where there is none, to add. add refuses an
// entry with a *badEntry.
func load[T any](s *Source, file, label string, generated []T, read func(io.Reader) iter.Seq2[entry[T], error], add func(*T) error) error {
	if file == "" {
		s.Label, s.Generated = label, true
		for i := range generated {
			if err := add(&generated[i]); err != nil {
				return err
			}
			s.Count++
		}
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s.Label = filepath.Base(file)
	for e, err := range read(f) {
		if err == nil {
			err = add(&e.value)
		}
		switch bad, isBad := err.(*badEntry); {
		case isBad:
			s.addBad(cmp.Or(bad.line, e.line), bad.reason)
		case err != nil:
			return fmt.Errorf("%s: %w", s.Label, err)
		default:
			s.Count++
		}
	}
	if s.Count == 0 {
		if s.Bad > 0 {
			return fmt.Errorf("%s: nothing in it could be read; line %d: %s", s.Label, s.BadLines[0].Line, s.BadLines[0].Reason)
		}
		return fmt.Errorf("%s is empty", s.Label)
	}
	return nil
}

type articleWriter struct {
	ctx                 context.Context
	tx                  *sql.Tx
	article, text, name *sql.Stmt
	counts              map[string]map[string]int
	library             *Library
	id                  int64
	seen                map[string]bool
}

func (w *articleWriter) prepare() error {
	w.seen = map[string]bool{}
	return prepare(w.ctx, w.tx, map[string]**sql.Stmt{
		`INSERT INTO articles VALUES (?, ?, ?, ?, ?)`: &w.article,
		`INSERT INTO article_fts (rowid, title, abstract, mesh, journal, authors, types, ids) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`: &w.text,
		`INSERT OR IGNORE INTO article_names VALUES (?, ?, ?)`:                                                                 &w.name,
	})
}

func prepare(ctx context.Context, tx *sql.Tx, statements map[string]**sql.Stmt) error {
	for text, into := range statements {
		s, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return fmt.Errorf("prepare %q: %w", text, err)
		}
		*into = s
	}
	return nil
}

func (w *articleWriter) add(a *Article) error {
	if reason := a.check(); reason != "" {
		return &badEntry{reason: reason}
	}
	if w.seen[a.PMID] {
		return &badEntry{reason: "PMID " + a.PMID + " is there twice"}
	}
	w.seen[a.PMID] = true
	w.id++
	doc, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode article %s: %w", a.PMID, err)
	}
	if _, err := w.article.ExecContext(w.ctx, w.id, a.PMID, a.NCT, pubmed.Day(a.Date), string(doc)); err != nil {
		return fmt.Errorf("insert article %s: %w", a.PMID, err)
	}
	lists := func(list []string) string { return strings.Join(list, "; ") }
	if _, err := w.text.ExecContext(w.ctx, w.id, a.Title, a.Abstract, lists(a.MeSH), a.Journal, lists(a.Authors), lists(a.Types), a.PMID+" "+a.NCT); err != nil {
		return fmt.Errorf("index article %s: %w", a.PMID, err)
	}
	if pubmed.Day(a.Date) > 0 {
		l := w.library
		if l.From == "" || pubmed.Day(a.Date) < pubmed.Day(l.From) {
			l.From = a.Date
		}
		if pubmed.Day(a.Date) > pubmed.Day(l.To) {
			l.To = a.Date
		}
	}
	return w.addNames(a)
}

// addNames writes under which names the article is found, and counts its values.
func (w *articleWriter) addNames(a *Article) error {
	for kind, list := range map[string][]string{"mh": a.MeSH, "pt": a.Types, "au": a.Authors, "ta": {a.Journal}} {
		for i, value := range list {
			if counts := w.counts[kind]; counts != nil && value != "" && !slices.Contains(list[:i], value) {
				counts[value]++
			}
			for _, name := range namesOf(kind, value) {
				if _, err := w.name.ExecContext(w.ctx, kind, name, w.id); err != nil {
					return fmt.Errorf("insert names of article %s: %w", a.PMID, err)
				}
			}
		}
	}
	return nil
}

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
		return fmt.Sprintf("pmid %q is not a number", clip(a.PMID))
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

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
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
