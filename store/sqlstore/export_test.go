package sqlstore

import (
	"context"
	"time"
)

// WithLongHistory sets from how many messages on what a thread begins with is kept in one row.
func WithLongHistory(messages int) Option { return func(s *settings) { s.longHistory = messages } }

// WithLockWait sets how long Open waits for another process to let the database go.
func WithLockWait(wait time.Duration) Option { return func(s *settings) { s.lockWait = wait } }

// WithWAL sets from how many bytes on a write-ahead log that cannot be folded is warned about, and
// how many it may take.
func WithWAL(warning, limit int64) Option {
	return func(s *settings) { s.walWarning, s.walLimit = warning, limit }
}

// Commits returns how many transactions the store has committed.
func (s *Store) Commits() (n uint64) {
	s.writing.submit(context.Background(), 0, func(*txn) error { n = s.writing.commits; return nil })
	return n
}

// WithCheckpoint sets after how many pages the write-ahead log is folded.
func WithCheckpoint(pages int) Option { return func(s *settings) { s.checkpoint = pages } }

// WithFiles sets how SQLite reaches its files, and when it waits for them to be on the disk.
func WithFiles(vfs, synchronous string) Option {
	return func(s *settings) { s.vfs, s.synchronous = vfs, synchronous }
}

// Pending returns how many documents are not in the search index yet.
func (s *Store) Pending() (n int, err error) {
	err = s.reading.view(context.Background(), func(c *conn) error {
		return c.row(`SELECT count(*) FROM search_pending`, nil, &n)
	})
	return n, err
}

// WithSearchTime sets how long a search may take.
func WithSearchTime(most time.Duration) Option { return func(s *settings) { s.searchTime = most } }

// Searching takes all connections for searches until release is called.
func (s *Store) Searching() (release func()) {
	for range cap(s.searching.slots) {
		s.searching.slots <- struct{}{}
	}
	return func() {
		for range cap(s.searching.slots) {
			<-s.searching.slots
		}
	}
}

// SearchTurns returns how many turns searches have ended to let others have theirs.
func SearchTurns() int64 { return searchTurns.ended.Load() }
