package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/pageside/pageside/store"
)

// Store is a store.Store in an SQL database.
type Store struct {
	now     func() time.Time
	reading *reader
	writing *writer

	longHistory int // from how many messages on what a thread begins with is kept in one row

	close func() error
}

var _ store.Store = (*Store)(nil)

// Option changes how a store works.
type Option func(*Store)

// WithClock makes the store take the time from now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Open opens the database that dsn names, "sqlite:PATH" or just a path, making it where it does not exist and bringing
// its schema up to date. The folder must exist.
func Open(ctx context.Context, dsn string, options ...Option) (*Store, error) {
	s, err := open(ctx, dsn, options)
	if err != nil {
		return nil, fmt.Errorf("store: open %q: %w", dsn, err)
	}
	return s, nil
}

func open(ctx context.Context, dsn string, options []Option) (*Store, error) {
	d, name, err := dialectOf(dsn)
	if err != nil {
		return nil, err
	}
	forWrites, err := d.open(name, forWriting)
	if err != nil {
		return nil, err
	}
	forReads, err := d.open(name, forReading)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, forWrites)
	if err != nil {
		return nil, err
	}
	if err := migrate(c, d); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate: %w", err), c.close())
	}
	s := &Store{now: time.Now, reading: newReader(forReads, max(4, runtime.NumCPU())), writing: newWriter(c, d), longHistory: longHistory}
	s.close = sync.OnceValue(func() error {
		s.writing.stop()
		// The writer goes last: the last connection to an SQLite file folds the log into it.
		return errors.Join(s.reading.close(), c.close())
	})
	for _, o := range options {
		o(s)
	}
	return s, nil
}

// Ping implements store.Store.
func (s *Store) Ping(ctx context.Context) error {
	now := s.now().UnixMilli()
	return s.write(ctx, "ping", "", func(t *txn) error {
		_, err := t.exec(writeHealth, now)
		return err
	})
}

// Close implements store.Store.
func (s *Store) Close() error {
	if err := s.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}
