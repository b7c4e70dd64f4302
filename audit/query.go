package audit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Query selects rows of one tenant, newest first. Zero fields select everything.
type Query struct {
	From, To time.Time // of the entry; To is exclusive
	Subject  string
	Tool     string
	Kind     Kind
	Thread   string
	Cursor   string // of the page before
	Limit    int    // default 50, at most 1000
}

// Scan is how many rows a page looks at. A page may hold fewer rows than its limit, or none, and
// still have a next one: a rare value must not keep a reader busy for long.
const Scan = 20_000

// Size returns the size of a page.
func (q *Query) Size() int {
	if q.Limit <= 0 {
		return 50
	}
	return min(q.Limit, 1000)
}

// Days returns the first and last day whose rows may match. A row may be sealed on the day after
// its entry's.
func (q *Query) Days() (first, last string) {
	last = "9999-12-31"
	if !q.From.IsZero() {
		first = DayOf(q.From)
	}
	if !q.To.IsZero() {
		last = DayOf(q.To.UTC().AddDate(0, 0, 1))
	}
	return first, last
}

// Matches reports whether a row's entry is selected. A row that cannot be read always is: nobody
// can hide it behind a filter.
func (q *Query) Matches(r *Row) bool {
	e, err := r.Entry()
	if err != nil {
		return true
	}
	switch {
	case !q.From.IsZero() && e.Time.Before(q.From), !q.To.IsZero() && !e.Time.Before(q.To):
		return false
	case q.Subject != "" && q.Subject != e.Principal.Subject, q.Tool != "" && q.Tool != e.Tool:
		return false
	case q.Kind != "" && q.Kind != e.Kind, q.Thread != "" && q.Thread != e.ThreadID:
		return false
	}
	return true
}

// Position is a position in a tenant's chain.
type Position struct {
	Day string
	Seq int64
}

// Position returns the position of a row.
func (r *Row) Position() Position { return Position{r.Day, r.Seq} }

// Cursor returns a position as text that is safe in a URL.
func (p Position) Cursor() string { return p.Day + "." + strconv.FormatInt(p.Seq, 10) }

// ParseCursor is the inverse of Position.Cursor; "" is the position after every row.
func ParseCursor(cursor string) (Position, error) {
	if cursor == "" {
		return Position{"9999-12-31", 1<<63 - 1}, nil
	}
	day, number, _ := strings.Cut(cursor, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if _, bad := time.Parse(dayFormat, day); bad != nil || err != nil || seq < 1 {
		return Position{}, fmt.Errorf("malformed cursor %.40q", cursor)
	}
	return Position{day, seq}, nil
}

// DayOf returns the day of a time in UTC, as in Row.Day.
func DayOf(t time.Time) string { return t.UTC().Format(dayFormat) }
