package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"

	"github.com/pageside/pageside/store"
)

// reader runs queries on read-only connections, opened on demand.
type reader struct {
	connector driver.Connector
	damage    *damage
	lock      sync.Locker   // held by every query
	slots     chan struct{} // one element per connection in use; the capacity is the limit
	mu        sync.Mutex
	idle      []*conn // the most recently used one is last
	closed    bool
}

func newReader(c driver.Connector, damage *damage, lock sync.Locker, most int) *reader {
	return &reader{connector: c, damage: damage, lock: lock, slots: make(chan struct{}, most)}
}

// each runs a query and calls scan for each of its rows. It waits for a connection until ctx ends.
func (r *reader) each(ctx context.Context, text string, args []any, scan func(row) error) error {
	return r.with(ctx, func(c *conn) error { return c.each(text, args, scan) })
}

// some is each, or store.ErrNotFound without a row.
func (r *reader) some(ctx context.Context, text string, args []any, scan func(row) error) error {
	return r.with(ctx, func(c *conn) error { return c.some(text, args, scan) })
}

// view runs queries in one read transaction.
func (r *reader) view(ctx context.Context, do func(*conn) error) error {
	return r.with(ctx, func(c *conn) error {
		if _, err := c.exec("BEGIN"); err != nil {
			return err
		}
		err := do(c)
		_, endErr := c.exec("COMMIT")
		return errors.Join(err, endErr)
	})
}

// with calls do with a connection.
func (r *reader) with(ctx context.Context, do func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	c, err := r.take(ctx)
	if err != nil {
		return r.damage.explain(err)
	}
	err = r.damage.explain(do(c))
	if err != nil && isBroken(err) {
		return errors.Join(err, c.close()) // the next query gets a new connection
	}
	return errors.Join(err, r.give(c))
}

// take returns an idle connection, or a new one.
func (r *reader) take(ctx context.Context) (*conn, error) {
	r.mu.Lock()
	closed, n := r.closed, len(r.idle)
	if !closed && n > 0 {
		c := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	if closed {
		return nil, store.ErrClosed
	}
	return connect(ctx, r.connector)
}

func (r *reader) give(c *conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return c.close()
	}
	r.idle = append(r.idle, c)
	return nil
}

// close waits for running queries.
func (r *reader) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for range cap(r.slots) {
		r.slots <- struct{}{}
	}
	defer func() {
		for range cap(r.slots) {
			<-r.slots // waiting callers learn that the store is closed
		}
	}()
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.close())
	}
	r.idle = nil
	return errors.Join(errs...)
}
