package store

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// ThreadPosition is a position in the list of threads, which is ordered by time and then id, both
// descending, after those that are pinned if these come first. It is for implementations of Store:
// callers only see its cursor.
type ThreadPosition struct {
	Pinned    bool // among the pinned threads; false if they do not come first
	UpdatedAt time.Time
	ID        string
}

// PositionOf returns the position of t in the list.
func (q ThreadQuery) PositionOf(t Thread) ThreadPosition {
	return ThreadPosition{q.PinnedFirst && t.Pinned, t.UpdatedAt, t.ID}
}

// From returns the position that the list continues after, or nil for the top.
func (q ThreadQuery) From() (*ThreadPosition, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	p, err := ParseCursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	p.Pinned = p.Pinned && q.PinnedFirst
	return &p, nil
}

// After reports whether p comes after q in the list: q alone is pinned, or else p is older, or as
// old with a smaller id.
func (p ThreadPosition) After(q ThreadPosition) bool {
	if p.Pinned != q.Pinned {
		return q.Pinned
	}
	if c := p.UpdatedAt.Compare(q.UpdatedAt); c != 0 {
		return c < 0
	}
	return p.ID < q.ID
}

// pinnedCursor begins the cursors of positions among the pinned threads.
const pinnedCursor = "pinned:"

// Cursor returns p as an opaque text that is safe in a URL.
func (p ThreadPosition) Cursor() string {
	plain := strconv.FormatInt(p.UpdatedAt.UnixMilli(), 10) + "/" + p.ID
	if p.Pinned {
		plain = pinnedCursor + plain
	}
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// ParseCursor is the inverse of ThreadPosition.Cursor. Anything else is ErrBadCursor.
func ParseCursor(cursor string) (ThreadPosition, error) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return ThreadPosition{}, ErrBadCursor
	}
	rest, pinned := strings.CutPrefix(string(plain), pinnedCursor)
	ms, id, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != ms || checkID("thread id", id) != nil {
		return ThreadPosition{}, ErrBadCursor
	}
	return ThreadPosition{pinned, FromMillis(n), id}, nil
}

// BeforeCursor returns the Next of a page of messages whose oldest message is at seq.
func BeforeCursor(seq int64) string { return strconv.FormatInt(seq, 10) }

// PageSize returns the size of a page for a requested limit.
func PageSize(limit int) int {
	if limit <= 0 {
		return DefaultLimit
	}
	return min(limit, MaxLimit)
}
