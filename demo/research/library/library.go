package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Article is a citation.
type Article struct {
	PMID     string   `json:"pmid"`
	Title    string   `json:"title"`
	Authors  []string `json:"authors"` // last name first
	Journal  string   `json:"journal"`
	Date     string   `json:"date"` // 2024, 2024-05 or 2024-05-17; "" where it is not known
	Types    []string `json:"types"`
	MeSH     []string `json:"mesh"`
	NCT      string   `json:"nct,omitempty"`
	Abstract string   `json:"abstract,omitempty"`

	short string // an abbreviation of the journal, where it is known
}

// Brief is what lists show of an article.
type Brief struct {
	PMID    string   `json:"pmid"`
	Title   string   `json:"title"`
	Authors []string `json:"authors"`
	Journal string   `json:"journal"`
	Date    string   `json:"date"`
	Types   []string `json:"types"`
	NCT     string   `json:"nct,omitempty"`
}

// Brief is the article without headings and abstract.
func (a *Article) Brief() Brief {
	return Brief{a.PMID, a.Title, a.Authors, a.Journal, a.Date, a.Types, a.NCT}
}

// Files are what to load. An empty name means the generated library.
type Files struct{ Articles, Trials string }

// Source says what was loaded.
type Source struct {
	Count     int
	Generated bool
	Label     string // the file's base name
	Bad       int    // entries that could not be read
	BadLines  []BadLine
}

// BadLine is an entry that could not be read.
type BadLine struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
}

const maxReported = 10

func (s *Source) addBad(line int64, reason string) {
	s.Bad++
	if len(s.BadLines) < maxReported {
		s.BadLines = append(s.BadLines, BadLine{line, reason})
	}
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
	db  *sql.DB
	dir string
}

// ErrNotFound says that there is no such article or trial.
var ErrNotFound = errors.New("not found")

// Open loads the files into a SQLite file in a temporary folder, which Close removes.
func Open(ctx context.Context, files Files) (*Library, error) {
	dir, err := os.MkdirTemp("", "pageside-library-")
	if err != nil {
		return nil, fmt.Errorf("make folder for the library's database: %w", err)
	}
	l := &Library{dir: dir}
	if err := l.load(ctx, files); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close removes the library's database.
func (l *Library) Close() error {
	var err error
	if l.db != nil {
		err = l.db.Close()
	}
	return errors.Join(err, os.RemoveAll(l.dir))
}

func (l *Library) load(ctx context.Context, files Files) error {
	if err := l.fill(ctx, files); err != nil {
		return err
	}
	var err error
	if l.db, err = sql.Open("sqlite", l.dsn("ro", "query_only(1)")); err != nil {
		return fmt.Errorf("open library database: %w", err)
	}
	l.db.SetMaxOpenConns(4)
	return nil
}

func (l *Library) dsn(mode string, pragmas ...string) string {
	values := url.Values{"mode": {mode}, "_pragma": pragmas}
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(l.dir, "library.db")), RawQuery: values.Encode()}
	return file.String()
}

const schema = `
CREATE TABLE articles (id INTEGER PRIMARY KEY, pmid TEXT NOT NULL UNIQUE, nct TEXT NOT NULL, day INTEGER NOT NULL, doc TEXT NOT NULL);
CREATE VIRTUAL TABLE article_fts USING fts5(title, abstract, mesh, journal, authors, types, ids, tokenize = 'unicode61 remove_diacritics 2', detail = full);
CREATE TABLE article_names (kind TEXT NOT NULL, name TEXT NOT NULL, article INTEGER NOT NULL, PRIMARY KEY (kind, name, article)) WITHOUT ROWID;
CREATE TABLE trials (id INTEGER PRIMARY KEY, nct TEXT NOT NULL UNIQUE, status TEXT NOT NULL, phases TEXT NOT NULL, phase_rank INTEGER NOT NULL, title TEXT NOT NULL, start INTEGER NOT NULL, doc TEXT NOT NULL);
CREATE VIRTUAL TABLE trial_fts USING fts5(title, summary, conditions, interventions, outcomes, sponsor, ids, tokenize = 'unicode61 remove_diacritics 2');`

// fill writes both tables in one transaction. Nothing is worth a journal: a crash throws the file
// away.
func (l *Library) fill(ctx context.Context, files Files) (err error) {
	db, err := sql.Open("sqlite", l.dsn("rwc", "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)"))
	if err != nil {
		return fmt.Errorf("create library database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("create library tables: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin loading: %w", err)
	}
	if err = l.fillArticles(ctx, tx, files.Articles); err == nil {
		err = l.fillTrials(ctx, tx, files.Trials)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if _, err := tx.ExecContext(ctx, `CREATE INDEX by_article ON article_names (article, kind); CREATE INDEX by_day ON articles (day); CREATE INDEX by_nct ON articles (nct); ANALYZE`); err != nil {
		return errors.Join(fmt.Errorf("index library tables: %w", err), tx.Rollback())
	}
	return tx.Commit()
}
