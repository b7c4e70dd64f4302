package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/tempdb"
)

// Filters narrow a search. Values of one list are alternatives; From and To are dates, both
// included.
type Filters struct {
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	Types    []string `json:"types,omitempty" jsonschema:"publication types"`
	MeSH     []string `json:"mesh,omitempty" jsonschema:"MeSH headings"`
	Journals []string `json:"journals,omitempty"`
}

// ArticleQuery is what to look for.
type ArticleQuery struct {
	Text      pubmed.Query
	Filters   Filters
	Relevance bool // order by how well the words fit, else by date
	Ascending bool // the oldest, or the least relevant, first
	Offset    int
	Limit     int // 0 only counts
}

// condition is SQL that is put together with its parameters.
type condition struct {
	parts []string
	args  []any
}

func (c *condition) add(text string, args ...any) {
	c.parts = append(c.parts, text)
	c.args = append(c.args, args...)
}

// oneOf adds text with a list of values behind it.
func (c *condition) oneOf(text string, values []string, args ...any) {
	for _, v := range values {
		args = append(args, v)
	}
	c.add(text+"(?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

func (c *condition) String() string { return strings.Join(c.parts, " AND ") }

func (q *ArticleQuery) where() condition {
	var c condition
	text, args := q.Text.SQL()
	c.add(text, args...)
	f := q.Filters
	if day := pubmed.Day(f.From); day > 0 {
		c.add("a.day >= ?", day)
	}
	if day := pubmed.LastDay(f.To); day > 0 {
		c.add("a.day BETWEEN 1 AND ?", day)
	}
	for kind, values := range map[string][]string{"pt": f.Types, "mh": f.MeSH, "ta": f.Journals} {
		if len(values) == 0 {
			continue
		}
		names := make([]string, len(values))
		for i, v := range values {
			names[i] = exactName(kind, v)
		}
		c.oneOf("a.id IN (SELECT article FROM article_names WHERE kind = ? AND name IN ", names, kind)
		c.parts[len(c.parts)-1] += ")"
	}
	return c
}

// exactName is the name of a value as it is, not one of the others that find it.
func exactName(kind, value string) string {
	if kind == "ta" {
		return strings.Join(pubmed.Tokens(value), " ")
	}
	return pubmed.Heading(value)
}

// Search returns the articles that a query finds, and how many there are in all.
func (l *Library) Search(ctx context.Context, q ArticleQuery) (found []Article, total int, err error) {
	where := q.where()
	if err := l.db.QueryRowContext(ctx, "SELECT count(*) FROM articles a WHERE "+where.String(), where.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count articles: %w", err)
	}
	if q.Limit <= 0 || total == 0 {
		return []Article{}, total, nil
	}
	text, args := q.selection(where)
	found, err = docs[Article](ctx, l.db, text, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("search articles: %w", err)
	}
	return found, total, nil
}

// rankWeights are how much a word in title, abstract, mesh, journal, authors, types and ids counts
// for relevance.
const rankWeights = "10, 4, 5, 1, 2, 1, 1"

func (q *ArticleQuery) selection(where condition) (string, []any) {
	direction := " DESC"
	if q.Ascending {
		direction = ""
	}
	paging := []any{q.Limit, q.Offset}
	if match := q.Text.Match(); q.Relevance && match != "" {
		worst := "r.rank IS NULL, r.rank, a.day DESC, a.id"
		if q.Ascending {
			worst = "r.rank IS NOT NULL, r.rank DESC, a.day, a.id"
		}
		return "WITH r AS MATERIALIZED (SELECT rowid AS id, bm25(article_fts, " + rankWeights + ") AS rank FROM article_fts WHERE article_fts MATCH ?) " +
				"SELECT a.doc FROM articles a LEFT JOIN r ON r.id = a.id WHERE " + where.String() + " ORDER BY " + worst + " LIMIT ? OFFSET ?",
			slices.Concat([]any{match}, where.args, paging)
	}
	return "SELECT a.doc FROM articles a WHERE " + where.String() + " ORDER BY a.day" + direction + ", a.id LIMIT ? OFFSET ?", slices.Concat(where.args, paging)
}

// docs reads the documents that a query selects.
func docs[T any](ctx context.Context, db *tempdb.DB, query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		var doc []byte
		var v T
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(doc, &v); err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// Article returns one article, or ErrNotFound.
func (l *Library) Article(ctx context.Context, pmid string) (*Article, error) {
	return one[Article](ctx, l.db, "article "+pmid, "SELECT doc FROM articles WHERE pmid = ?", pmid)
}

// Trial returns one trial, or ErrNotFound.
func (l *Library) Trial(ctx context.Context, nct string) (*Trial, error) {
	return one[Trial](ctx, l.db, "trial "+nct, "SELECT doc FROM trials WHERE nct = ?", strings.ToUpper(nct))
}

// ArticlesOf returns the articles about a trial, the newest first.
func (l *Library) ArticlesOf(ctx context.Context, nct string) ([]Article, error) {
	return docs[Article](ctx, l.db, "SELECT doc FROM articles WHERE nct = ? ORDER BY day DESC, id", strings.ToUpper(nct))
}

func one[T any](ctx context.Context, db *tempdb.DB, what, query string, args ...any) (*T, error) {
	list, err := docs[T](ctx, db, query, args...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return &list[0], nil
}
