package library

import (
	"context"
	"errors"

	"github.com/pageside/pageside/demo/tempdb"
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

// Files are what to load. An empty name means the generated library.
type Files struct{ Articles, Trials string }

// Source says what was loaded.
type Source struct {
	tempdb.Stats
	Generated bool
	Label     string // the file's base name
}

// Count is how many articles or trials have a value.
type Count struct {
	Value string `json:"value"`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

// Library is a loaded library. It is safe for concurrent use.
type Library struct {
	Articles, Trials Source
	From, To         string // dates of the oldest and the newest article
	// by kind mh, pt, ta: the values of all articles, the most frequent first
	Top map[string][]Count
	db  *tempdb.DB
}

// ErrNotFound says that there is no such article or trial.
var ErrNotFound = errors.New("not found")

// Open loads the files into a database, which Close removes.
func Open(ctx context.Context, files Files) (*Library, error) {
	l := &Library{}
	var err error
	l.db, err = tempdb.New(ctx, "library", func(w *tempdb.Writer) error { return l.fill(w, files) })
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Close removes the library's database.
func (l *Library) Close() error { return l.db.Close() }
